package rootfs

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// CheckMountPoints refuses a root file system in which a kernel file system
// would be mounted through a link. The builtin launcher would notice; some
// versions of installed runtimes follow the link, out of the root.
func CheckMountPoints(root string) error {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	for _, name := range []string{"proc", "sys", "dev"} {
		var st unix.Stat_t
		err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.ENOENT) {
			continue // it will be made
		}
		if err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return imageErrorf("/%s of the image is not a directory", name)
		}
	}
	return nil
}

// ImageError is an image that cannot be run, or not as the user it asks for.
type ImageError struct{ reason string }

// Error says why.
func (e *ImageError) Error() string { return e.reason }

func imageErrorf(format string, args ...any) error {
	return &ImageError{fmt.Sprintf(format, args...)}
}
