package stage1

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// root is the container's root file system while it is being built: the top of
// its overlay mount, held open.
type root struct {
	fd   int
	null int // the container's /dev/null, verified; -1 before there is one
}

func openRoot(path string) (*root, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the root file system: %w", err)
	}
	return &root{fd: fd, null: -1}, nil
}

// build attaches all mounts and makes devices, links and hidden paths.
func (r *root) build(config *Config) error {
	for i := range config.Mounts {
		m := &config.Mounts[i]
		if err := r.mount(m); err != nil {
			return fmt.Errorf("mount %s: %w", m.Destination, err)
		}
		if m.Destination == "/dev" && m.Type == "tmpfs" {
			if err := r.devices(config); err != nil {
				return fmt.Errorf("make /dev: %w", err)
			}
		}
	}
	for _, p := range config.Readonly {
		if err := r.readonly(p); err != nil {
			return fmt.Errorf("make %s read-only: %w", p, err)
		}
	}
	for _, p := range config.Masked {
		if err := r.mask(p); err != nil {
			return fmt.Errorf("hide %s: %w", p, err)
		}
	}
	return nil
}

// enter makes r the root of the mount namespace and lets go of the old one.
func (r *root) enter() error {
	old, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the old root: %w", err)
	}
	defer unix.Close(old)
	if err := unix.Fchdir(r.fd); err != nil {
		return fmt.Errorf("enter the root file system: %w", err)
	}
	// Both arguments the same: the old root ends up on top of the new one, and
	// no directory for it is needed inside.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Fchdir(old); err != nil {
		return fmt.Errorf("enter the old root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("detach the old root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	unix.Close(r.fd)
	return nil
}

// enterDirectory makes the working directory if it is not there, as images
// expect, and goes there.
func enterDirectory(dir string) error {
	if dir == "" {
		dir = "/"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return wish("working directory %q: %w", dir, unwrapPath(err))
	}
	if err := unix.Chdir(dir); err != nil {
		return wish("working directory %q: %w", dir, err)
	}
	// A directory that is not below our root has no name here; the kernel says
	// so by leaving out the leading slash.
	here := make([]byte, unix.PathMax)
	if n, err := unix.Getcwd(here); err != nil || n == 0 || here[0] != '/' {
		return wish("working directory %q is outside the container", dir)
	}
	return nil
}

// unwrapPath takes the path off an error that names it twice otherwise.
func unwrapPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// open opens a path of the container without leaving it, as O_PATH.
func (r *root) open(name string, flags uint64, resolve uint64) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | flags,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS | resolve,
	}
	for {
		fd, err := unix.Openat2(r.fd, name, &how)
		// EAGAIN: something was renamed or mounted meanwhile, anywhere.
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// strict forbids symbolic links: kernel file systems may only be mounted on
// real directories.
const strict = unix.RESOLVE_NO_SYMLINKS

// target opens the mount point of m and makes it, and the directories above it,
// when it is not there.
func (r *root) target(m *Mount, isDir bool) (int, error) {
	var resolve uint64
	if m.Type != "bind" {
		resolve = strict
	}
	fd, err := r.open(m.Destination, 0, resolve)
	if err != unix.ENOENT {
		return fd, err
	}
	parent, err := r.makeDirs(path.Dir(m.Destination), resolve)
	if err != nil {
		return -1, err
	}
	defer unix.Close(parent)
	base := path.Base(m.Destination)
	// What is there but leads nowhere (a dangling link) has to go first; the
	// layer is the container's own.
	err = makeNode(parent, base, isDir)
	if err == unix.EEXIST {
		if err = unix.Unlinkat(parent, base, 0); err == nil {
			err = makeNode(parent, base, isDir)
		}
	}
	if err != nil {
		return -1, err
	}
	return unix.Openat(parent, base, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

func makeNode(parent int, base string, isDir bool) error {
	if isDir {
		return unix.Mkdirat(parent, base, 0o755)
	}
	fd, err := unix.Openat(parent, base, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// makeDirs opens a directory of the container and makes what is missing of it.
func (r *root) makeDirs(dir string, resolve uint64) (int, error) {
	if fd, err := r.open(dir, unix.O_DIRECTORY, resolve); err != unix.ENOENT {
		return fd, err
	}
	at := "/"
	for _, part := range strings.Split(strings.Trim(path.Clean(dir), "/"), "/") {
		parent, err := r.open(at, unix.O_DIRECTORY, resolve)
		if err != nil {
			return -1, err
		}
		at = path.Join(at, part)
		err = unix.Mkdirat(parent, part, 0o755)
		unix.Close(parent)
		if err != nil && err != unix.EEXIST {
			return -1, err
		}
	}
	return r.open(at, unix.O_DIRECTORY, resolve)
}
