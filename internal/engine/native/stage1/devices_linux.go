package stage1

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// links of /dev that every program may expect.
var links = [...][2]string{
	{"fd", "/proc/self/fd"},
	{"stdin", "/proc/self/fd/0"},
	{"stdout", "/proc/self/fd/1"},
	{"stderr", "/proc/self/fd/2"},
	{"ptmx", "pts/ptmx"},
}

// devices fills the fresh tmpfs at /dev. Nothing in it comes from the image.
func (r *root) devices(config *Config) error {
	dev, err := r.open("/dev", unix.O_DIRECTORY, strict)
	if err != nil {
		return err
	}
	defer unix.Close(dev)
	if err := isKind(dev, unix.TMPFS_MAGIC); err != nil {
		return err
	}
	unix.Umask(0) // until dropPrivileges; modes below are meant as they stand
	for i := range config.Devices {
		d := &config.Devices[i]
		name, ok := strings.CutPrefix(d.Path, "/dev/")
		if !ok || strings.Contains(name, "/") {
			return fmt.Errorf("%s is not directly in /dev", d.Path)
		}
		if config.Rootless {
			err = bindDevice(dev, name, d)
		} else {
			err = makeDevice(dev, name, d)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
	}
	for _, l := range links {
		if err := unix.Symlinkat(l[1], dev, l[0]); err != nil {
			return fmt.Errorf("%s: %w", l[0], err)
		}
	}
	r.null, err = unix.Openat(dev, "null", unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return isDevice(r.null, 1, 3)
}

func makeDevice(dev int, name string, d *Device) error {
	return unix.Mknodat(dev, name, unix.S_IFCHR|d.Mode, int(unix.Mkdev(d.Major, d.Minor)))
}

// bindDevice puts the machine's own device into the container, where devices
// cannot be made.
func bindDevice(dev int, name string, d *Device) error {
	source, err := unix.Open(d.Path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(source)
	if err := isDevice(source, d.Major, d.Minor); err != nil {
		return err
	}
	if err := makeNode(dev, name, false); err != nil {
		return err
	}
	at, err := unix.Openat(dev, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	tree, err := clone(source, 0)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, at)
}

// isDevice checks that fd is the character device it should be.
func isDevice(fd int, major, minor uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFCHR || st.Rdev != unix.Mkdev(major, minor) {
		return fmt.Errorf("not the character device %d:%d", major, minor)
	}
	return nil
}

// isKind checks which file system fd is on.
func isKind(fd int, magic int64) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return err
	}
	if int64(st.Type) != magic {
		return errors.New("something else is mounted there")
	}
	return nil
}

// kernelFile opens a file or directory of /proc or /sys; -1 when it does not
// exist on this kernel.
func (r *root) kernelFile(name string) (int, error) {
	fd, err := r.open(name, 0, strict)
	if err == unix.ENOENT {
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	magic := int64(unix.PROC_SUPER_MAGIC)
	if strings.HasPrefix(name, "/sys/") {
		magic = unix.SYSFS_MAGIC
	}
	if err := isKind(fd, magic); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// readonly covers a path of a kernel file system with a read-only view of
// itself.
func (r *root) readonly(name string) error {
	fd, err := r.kernelFile(name)
	if fd < 0 || err != nil {
		return err
	}
	defer unix.Close(fd)
	tree, err := clone(fd, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, fd)
}

// mask covers a file with /dev/null, a directory with an empty one.
func (r *root) mask(name string) error {
	fd, err := r.kernelFile(name)
	if fd < 0 || err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	var cover int
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		cover, err = newFilesystem("tmpfs",
			unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC,
			[]string{"nr_blocks=1", "nr_inodes=2", "mode=755"})
	} else {
		cover, err = clone(r.null, 0)
	}
	if err != nil {
		return err
	}
	defer unix.Close(cover)
	return attach(cover, fd)
}
