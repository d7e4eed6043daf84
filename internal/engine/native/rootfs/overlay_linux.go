package rootfs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
)

// Mount makes the run's directories and mounts the layers (lowest first) with a
// fresh writable one on top at run.Root(). In a user namespace set rootless.
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

	// The options must fit into a page and use ':' and ',' as separators, so
	// directories are given as descriptors, not by their own names.
	var held []int
	defer func() {
		for _, fd := range held {
			unix.Close(fd)
		}
	}()
	hold := func(dir string) (string, error) {
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return "", &os.PathError{Op: "open", Path: dir, Err: err}
		}
		held = append(held, fd)
		return "/proc/self/fd/" + strconv.Itoa(fd), nil
	}
	lower := make([]string, len(layers))
	for i, layer := range layers {
		name, err := hold(layer)
		if err != nil {
			return err
		}
		lower[len(layers)-1-i] = name // overlayfs wants the top first
	}
	upper, err := hold(run.Upper())
	if err != nil {
		return err
	}
	work, err := hold(run.Work())
	if err != nil {
		return err
	}

	// volatile: a run's changes are thrown away with it, so nothing is gained
	// by forcing them to disk.
	options := "volatile,lowerdir=" + strings.Join(lower, ":") + ",upperdir=" + upper + ",workdir=" + work
	if rootless {
		options += ",userxattr"
	}
	if len(options) >= os.Getpagesize() {
		return fmt.Errorf("the image has too many layers (%d)", len(layers))
	}
	if err := unix.Mount("overlay", run.Root(), "overlay", 0, options); err != nil {
		return fmt.Errorf("mount the root file system: %w", err)
	}
	return nil
}

// Unmount takes the mount away, if it is there.
func Unmount(run layout.Run) error {
	err := unix.Unmount(run.Root(), unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return nil // not mounted
	}
	return err
}
