package stage1

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dropPrivileges takes the process from root of its namespaces to what the
// container may be: limits, descriptors, filter, capabilities, user.
func dropPrivileges(config *Config) error {
	for _, l := range config.Limits {
		// Setrlimit, not prlimit: for NOFILE it also makes the Go runtime forget
		// the limit it would put back at exec.
		if err := unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: l.Soft, Max: l.Hard}); err != nil {
			return fmt.Errorf("set limit %d: %w", l.Resource, err)
		}
	}
	if err := giveStreams(int(config.UID)); err != nil {
		return fmt.Errorf("hand over the standard streams: %w", err)
	}
	unix.Umask(config.Umask)
	if err := unix.CloseRange(StatusFD+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w", err)
	}

	// A filter needs either CAP_SYS_ADMIN or a promise never to gain privileges
	// again. With the promise it goes last, when fewer calls are left to allow.
	if !config.NoNewPrivileges {
		if err := loadFilter(config.Filter); err != nil {
			return err
		}
	}
	if err := dropBounding(config.Bounding); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	if err := becomeUser(config); err != nil {
		return err
	}
	if err := setCapabilities(config.Permitted); err != nil {
		return fmt.Errorf("set capabilities: %w", err)
	}
	if config.NoNewPrivileges {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
		}
		return loadFilter(config.Filter)
	}
	return nil
}

// giveStreams makes the user the owner of the pipes of the standard streams, so
// that it may open /dev/stdout.
func giveStreams(uid int) error {
	for fd := range 3 {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFIFO || int(st.Uid) == uid {
			continue
		}
		if err := unix.Fchown(fd, uid, -1); err != nil {
			return err
		}
	}
	return nil
}

// becomeUser changes user and groups of this thread, which is the one that
// execs.
func becomeUser(u *Config) error {
	if u.Rootless {
		// One id is all an ordinary user's namespace has: the outer half has
		// seen to it that nothing else was asked for.
		return nil
	}
	// Always set, also to none but its own: the caller's groups would stay.
	groups := make([]uint32, 0, 1+len(u.Groups))
	groups = append(groups, u.GID)
	groups = append(groups, u.Groups...)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&groups[0])), 0); errno != 0 {
		return fmt.Errorf("setgroups: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(u.GID), uintptr(u.GID), uintptr(u.GID)); errno != 0 {
		return fmt.Errorf("setresgid %d: %w", u.GID, errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(u.UID), uintptr(u.UID), uintptr(u.UID)); errno != 0 {
		return fmt.Errorf("setresuid %d: %w", u.UID, errno)
	}
	return nil
}

// dropBounding takes away for good what no program in the container may gain.
func dropBounding(keep uint64) error {
	for n := uintptr(0); n < 64; n++ {
		if keep&(1<<n) != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, n, 0, 0, 0); err == unix.EINVAL {
			return nil // the first number this kernel does not know
		} else if err != nil {
			return err
		}
	}
	return nil
}

// setCapabilities leaves this thread with these capabilities, and with none that
// programs it starts would inherit.
func setCapabilities(permitted uint64) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear the ambient set: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := [2]unix.CapUserData{
		{Effective: uint32(permitted), Permitted: uint32(permitted)},
		{Effective: uint32(permitted >> 32), Permitted: uint32(permitted >> 32)},
	}
	return unix.Capset(&header, &data[0])
}

// loadFilter makes the seccomp filter part of this thread.
func loadFilter(program []byte) error {
	if len(program) == 0 {
		return nil
	}
	const size = int(unsafe.Sizeof(unix.SockFilter{}))
	if len(program)%size != 0 || len(program)/size > unix.BPF_MAXINSNS {
		return fmt.Errorf("the seccomp filter is malformed")
	}
	filter := make([]unix.SockFilter, len(program)/size)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&filter[0])), len(program)), program)
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("load the seccomp filter: %w", errno)
	}
	return nil
}
