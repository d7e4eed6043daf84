package stage1

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// attributes are the mount options that belong to the mount, not to the file
// system; every other option is handed to the file system.
var attributes = map[string]uint64{
	"ro":          unix.MOUNT_ATTR_RDONLY,
	"nosuid":      unix.MOUNT_ATTR_NOSUID,
	"nodev":       unix.MOUNT_ATTR_NODEV,
	"noexec":      unix.MOUNT_ATTR_NOEXEC,
	"noatime":     unix.MOUNT_ATTR_NOATIME,
	"strictatime": unix.MOUNT_ATTR_STRICTATIME,
	"nodiratime":  unix.MOUNT_ATTR_NODIRATIME,
	"rw":          0,
	"relatime":    0,
	"bind":        0,
	"rbind":       0,
}

// split parts options into attributes and what the file system gets.
func split(options []string) (attrs uint64, data []string) {
	for _, o := range options {
		if a, ok := attributes[o]; ok {
			attrs |= a
		} else {
			data = append(data, o)
		}
	}
	return attrs, data
}

// mount attaches one mount of the spec.
func (r *root) mount(m *Mount) error {
	attrs, data := split(m.Options)
	switch m.Type {
	case "bind":
		return r.bind(m, attrs)
	case "cgroup":
		return r.cgroup(m, attrs)
	}
	fs, err := newFilesystem(m.Type, attrs, data)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	at, err := r.target(m, true)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return attach(fs, at)
}

// newFilesystem makes a file system that is attached nowhere yet.
func newFilesystem(fstype string, attrs uint64, data []string) (int, error) {
	fs, err := unix.Fsopen(fstype, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("fsopen: %w", err)
	}
	defer unix.Close(fs)
	for _, o := range data {
		if key, value, ok := strings.Cut(o, "="); ok {
			err = unix.FsconfigSetString(fs, key, value)
		} else {
			err = unix.FsconfigSetFlag(fs, o)
		}
		if err != nil {
			return -1, fmt.Errorf("option %s: %w", o, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("create: %w", err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, int(attrs))
	if err != nil {
		return -1, fmt.Errorf("fsmount: %w", err)
	}
	return fd, nil
}

// attach puts a detached mount onto an open file or directory.
func attach(mount, at int) error {
	err := unix.MoveMount(mount, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	if err != nil {
		return fmt.Errorf("move_mount: %w", err)
	}
	return nil
}

// clone gives a detached copy of what is at fd, with further attributes.
func clone(fd int, attrs uint64) (int, error) {
	tree, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("open_tree: %w", err)
	}
	if attrs != 0 {
		attr := unix.MountAttr{Attr_set: attrs}
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			unix.Close(tree)
			return -1, fmt.Errorf("mount_setattr: %w", err)
		}
	}
	return tree, nil
}

// bind attaches a file or directory of ours.
func (r *root) bind(m *Mount, attrs uint64) error {
	source, err := unix.Open(m.Source, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the source: %w", err)
	}
	defer unix.Close(source)
	var st unix.Stat_t
	if err := unix.Fstat(source, &st); err != nil {
		return fmt.Errorf("stat the source: %w", err)
	}
	at, err := r.target(m, st.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	tree, err := clone(source, attrs)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, at)
}

// shownControllers are the version 1 controllers that programs read to learn
// their limits; the others say nothing about the container.
var shownControllers = map[string]bool{"cpu": true, "cpuacct": true, "cpuset": true, "memory": true, "pids": true}

// cgroup attaches the container's own cgroups: one tree of version 2, or one per
// controller of version 1 in a small directory of their own.
func (r *root) cgroup(m *Mount, attrs uint64) error {
	at, err := r.target(m, true)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	hierarchies, err := ownHierarchies()
	if err != nil {
		return err
	}
	if len(hierarchies) == 0 {
		fs, err := newFilesystem("cgroup2", attrs, nil)
		if err != nil {
			return err
		}
		defer unix.Close(fs)
		return attach(fs, at)
	}

	top, err := newFilesystem("tmpfs", attrs&^unix.MOUNT_ATTR_RDONLY, []string{"mode=755", "size=64k"})
	if err != nil {
		return err
	}
	defer unix.Close(top)
	if err := attach(top, at); err != nil {
		return err
	}
	for _, controllers := range hierarchies {
		if err := cgroupV1(top, controllers, attrs); err != nil {
			return fmt.Errorf("controllers %s: %w", controllers, err)
		}
	}
	return unix.MountSetattr(top, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: attrs})
}

func cgroupV1(top int, controllers string, attrs uint64) error {
	names := strings.Split(controllers, ",")
	fs, err := newFilesystem("cgroup", attrs, names)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	if err := unix.Mkdirat(top, controllers, 0o755); err != nil {
		return err
	}
	dir, err := unix.Openat(top, controllers, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := attach(fs, dir); err != nil {
		return err
	}
	if len(names) > 1 {
		for _, name := range names {
			if err := unix.Symlinkat(controllers, top, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownHierarchies lists the version 1 hierarchies worth showing, each as its
// controllers joined by commas. None means that version 2 rules alone.
func ownHierarchies() ([]string, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		// 4:memory:/path
		fields := strings.SplitN(line, ":", 3)
		if len(fields) != 3 {
			continue
		}
		for name := range strings.SplitSeq(fields[1], ",") {
			if shownControllers[name] {
				found = append(found, fields[1])
				break
			}
		}
	}
	return found, nil
}
