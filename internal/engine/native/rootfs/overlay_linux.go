package rootfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
)

// Mount makes the run's directories and mounts the layers (absolute, lowest
// first) with a fresh writable one on top at run.Root(). In a user namespace set
// rootless.
func Mount(run layout.Run, layers []string, rootless bool) error {
	for _, dir := range []string{run.Root(), run.Upper(), run.Work()} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	// The top of the writable layer is the container's "/", which all of its
	// users must be able to enter whatever our umask is.
	if err := os.Chmod(run.Upper(), 0o755); err != nil {
		return err
	}
	if len(layers) == 0 { // an image may have none; overlayfs wants one
		empty := run.Dir + "/empty"
		if err := os.Mkdir(empty, 0o755); err != nil {
			return err
		}
		layers = []string{empty}
	}
	above, lower, err := relative(layers)
	if err != nil {
		return err
	}
	upper, err := os.OpenFile(run.Upper(), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer upper.Close()
	work, err := os.OpenFile(run.Work(), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer work.Close()

	// All options must fit into a page. The lower directories are therefore
	// given relative to the one above them (and by name: the image store reads
	// the options of mounts to learn which layers are in use), the others, which
	// may lie anywhere, as open files.
	// volatile: a run's changes are thrown away with it, so nothing is gained
	// by forcing them to disk.
	options := "volatile,lowerdir=" + lower + ",upperdir=" + descriptor(upper) + ",workdir=" + descriptor(work)
	if rootless {
		options += ",userxattr"
	}
	if len(options) >= os.Getpagesize() {
		return fmt.Errorf("the image has too many layers (%d)", len(layers))
	}
	err = inDirectory(above, func() error {
		return unix.Mount("overlay", run.Root(), "overlay", 0, options)
	})
	if err != nil {
		return fmt.Errorf("mount the root file system: %w", err)
	}
	return nil
}

func descriptor(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// relative gives a directory that all layers are below, and their names from
// there as overlayfs wants them: the top first, joined by colons. A name has at
// least two parts, because the image store knows a layer by the directory that
// the layer's tree is in.
func relative(layers []string) (above, lower string, err error) {
	above = filepath.Dir(filepath.Dir(layers[0]))
	for _, layer := range layers {
		for above != "/" && !strings.HasPrefix(layer, above+"/") {
			above = filepath.Dir(above)
		}
	}
	escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`, `,`, `\,`)
	names := make([]string, len(layers))
	for i, layer := range layers {
		name, err := filepath.Rel(above, layer)
		if err != nil {
			return "", "", err
		}
		names[len(layers)-1-i] = escape.Replace(name)
	}
	return above, strings.Join(names, ":"), nil
}

// inDirectory calls f with dir as the working directory, on a thread of its own:
// nobody else's changes.
func inDirectory(dir string, f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		err := unix.Unshare(unix.CLONE_FS)
		if err == nil {
			err = unix.Chdir(dir)
		}
		if err == nil {
			err = f()
		}
		result <- err
	}()
	return <-result
}

// Unmount takes the mount away, if it is there.
func Unmount(run layout.Run) error {
	err := unix.Unmount(run.Root(), unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return nil // not mounted
	}
	return err
}
