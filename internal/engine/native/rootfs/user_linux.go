package rootfs

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// User is who a container's program runs as.
type User struct {
	UID, GID uint32
	Groups   []uint32 // supplementary
	Home     string
}

const (
	maxID       = 1<<31 - 1
	maxDatabase = 1 << 20 // bytes of /etc/passwd or /etc/group that are read
	maxGroups   = 1 << 12
)

// Lookup finds the user of an image configuration's form: "", user, user:group,
// each a name or a number. A number need not be in the database; a name must. A
// group named explicitly is the only one. What the image is at fault for is an
// *ImageError.
func Lookup(root, user string) (User, error) {
	name, group, grouped := strings.Cut(user, ":")
	if name == "" {
		name = "0"
	}
	found := User{Home: "/"}
	uid, numeric, err := number(name)
	if err != nil {
		return User{}, err
	}
	found.UID = uid

	entry, err := find(root, "/etc/passwd", 7, func(f []string) bool {
		if numeric {
			n, ok, err := number(f[2])
			return err == nil && ok && n == uid
		}
		return f[0] == name
	})
	if err != nil {
		return User{}, err
	}
	login := ""
	switch {
	case entry != nil:
		if found.UID, err = id(entry[2]); err != nil {
			return User{}, err
		}
		if found.GID, err = id(entry[3]); err != nil {
			return User{}, err
		}
		login = entry[0]
		if strings.HasPrefix(entry[5], "/") {
			found.Home = entry[5]
		}
	case !numeric:
		return User{}, imageErrorf("the image has no user %q in /etc/passwd", name)
	}

	if grouped && group != "" {
		found.GID, err = lookupGroup(root, group)
		return found, err
	}
	if login != "" {
		found.Groups, err = groupsOf(root, login, found.GID)
	}
	return found, err
}

// number reads a numeric id; false when s is a name. Digits that are too many
// for an id are an error and never a name.
func number(s string) (n uint32, numeric bool, err error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false, nil
	}
	v, err := strconv.ParseUint(s, 10, 32)
	if err != nil || v > maxID {
		return 0, true, imageErrorf("user or group id %s is above %d", s, maxID)
	}
	return uint32(v), true, nil
}

// id reads a field of a database that must be a number.
func id(field string) (uint32, error) {
	n, ok, err := number(field)
	if err == nil && !ok {
		err = imageErrorf("the image's user database has %q where an id belongs", field)
	}
	return n, err
}

func lookupGroup(root, group string) (uint32, error) {
	gid, numeric, err := number(group)
	if numeric || err != nil {
		return gid, err
	}
	entry, err := find(root, "/etc/group", 4, func(f []string) bool { return f[0] == group })
	if err != nil {
		return 0, err
	}
	if entry == nil {
		return 0, imageErrorf("the image has no group %q in /etc/group", group)
	}
	return id(entry[2])
}

// groupsOf lists the groups that have login as a member, besides its primary.
func groupsOf(root, login string, primary uint32) (groups []uint32, err error) {
	_, err = find(root, "/etc/group", 4, func(f []string) bool {
		if slices.Contains(strings.Split(f[3], ","), login) {
			n, ok, err := number(f[2])
			if err == nil && ok && n != primary && !slices.Contains(groups, n) && len(groups) < maxGroups {
				groups = append(groups, n)
			}
		}
		return false
	})
	return groups, err
}

// find gives the fields of the first line of a database that match says yes to,
// or nil. Lines with too few fields are passed over.
func find(root, name string, fields int, match func([]string) bool) ([]string, error) {
	f, err := openInRoot(root, name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, imageErrorf("%s of the image cannot be read: %v", name, err)
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxDatabase))
	for lines.Scan() {
		entry := strings.Split(strings.TrimSpace(lines.Text()), ":")
		if len(entry) < fields || strings.HasPrefix(entry[0], "#") {
			continue
		}
		if match(entry) {
			return entry, nil
		}
	}
	if err := lines.Err(); err != nil {
		return nil, imageErrorf("%s of the image cannot be read: %v", name, err)
	}
	return nil, nil
}

// openInRoot opens an ordinary file below root for reading; links in it do not
// lead out, and something that would block is not waited for.
func openInRoot(root, name string) (*os.File, error) {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
	}
	var fd int
	for {
		fd, err = unix.Openat2(dir, name, &how)
		if err != unix.EINTR && err != unix.EAGAIN {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("not an ordinary file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
