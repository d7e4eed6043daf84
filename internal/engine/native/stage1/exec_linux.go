package stage1

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// execute replaces this process by the container's program. It returns only
// when that failed.
func execute(args, env []string) error {
	program, err := find(args, env)
	if err != nil {
		return err
	}
	err = syscall.Exec(program, args, env)
	switch {
	case errors.Is(err, unix.ENOENT):
		// The file is there, so what is missing is its interpreter or loader.
		return wish("exec %q: its interpreter or dynamic loader does not exist in the image", program)
	case errors.Is(err, unix.ENOEXEC):
		return wish("exec %q: exec format error: not a program for this machine", program)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.ELOOP), errors.Is(err, unix.E2BIG), errors.Is(err, unix.EINVAL):
		return wish("exec %q: %w", program, err)
	}
	return fmt.Errorf("exec %q: %w", program, err)
}

// find looks for the program as a shell would, as the container's user and with
// the container's PATH.
func find(args, env []string) (string, error) {
	if len(args) == 0 || args[0] == "" {
		return "", wish("no command: neither the container nor its image names a program")
	}
	name := args[0]
	if strings.Contains(name, "/") {
		if err := executable(name); err != nil {
			return "", wish("exec %q: %w", name, err)
		}
		return name, nil
	}
	var denied error
	for _, dir := range strings.Split(pathOf(env), ":") {
		if dir == "" {
			dir = "."
		}
		candidate := path.Join(dir, name)
		if dir == "." {
			candidate = "./" + name
		}
		err := executable(candidate)
		if err == nil {
			return candidate, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = wish("exec %q: %w", candidate, err)
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", wish(`executable file %q not found in $PATH`, name)
}

func pathOf(env []string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], "PATH="); ok {
			return value
		}
	}
	return ""
}

// executable says why name cannot be executed by this user.
func executable(name string) error {
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return unix.EISDIR
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return unix.EACCES
	}
	return unix.Faccessat2(unix.AT_FDCWD, name, unix.X_OK, unix.AT_EACCESS)
}
