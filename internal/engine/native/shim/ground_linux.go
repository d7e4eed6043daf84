package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/tun"
)

// prepare makes the fresh namespaces fit for containers. The socket leads to the
// uplink process, nil without one. Notes are what does not work but can be done
// without.
func prepare(rootless bool, socket *os.File) (notes []string, err error) {
	// What is mounted here stays here, but what the machine unmounts goes here
	// too: a group must not keep a disk busy.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return nil, fmt.Errorf("detach mounts: %w", err)
	}
	// Best effort, both: a shim that dies for want of memory takes its group
	// along, and lowering the score takes a privilege.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("-999"), 0); err != nil && !errors.Is(err, os.ErrPermission) {
		notes = append(notes, "the shim's OOM score stays as it is: "+err.Error())
	}
	more, err := loopback(rootless)
	if err == nil && socket != nil {
		if err := connectUplink(socket); err != nil {
			more = append(more, "containers reach nothing outside their group: "+err.Error())
		}
	}
	return append(notes, more...), err
}

// uplink stays open as long as the shim lives: its end ends the uplink process.
//
//lint:ignore U1000 it is held, never read
var uplink *os.File

// connectUplink makes the group's network device and hands it to the uplink.
func connectUplink(socket *os.File) error {
	device, err := tun.Make()
	if err == nil {
		err = errors.Join(tun.Send(socket, device), device.Close())
	}
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	uplink = socket
	return nil
}

// loopback makes the network namespace usable: lo is up, any user may listen on
// any port and may ping, as containers expect.
func loopback(rootless bool) (notes []string, err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return nil, err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return nil, fmt.Errorf("bring up the loopback interface: %w", err)
	}
	pingers := "0 2147483647"
	if rootless {
		pingers = "0 0"
	}
	for file, value := range map[string]string{
		"/proc/sys/net/ipv4/ip_unprivileged_port_start": "0",
		"/proc/sys/net/ipv4/ping_group_range":           pingers,
	} {
		if err := os.WriteFile(file, []byte(value), 0); err != nil {
			notes = append(notes, fmt.Sprintf("%s stays as it is: %v", filepath.Base(file), err))
		}
	}
	return notes, nil
}

// host makes our namespaces fit for an installed runtime, once, and gives a name
// to the network namespace. All of it is mounts in our own mount namespace, so
// nothing is seen or left outside.
func (s *shim) host(command string) (network string, err error) {
	network = filepath.Join(s.setup.Group.RunDir, "netns")
	s.hosting.Do(func() {
		// It looks processes up in /proc, which must be that of our own process
		// namespace.
		if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
			s.unfit = fmt.Errorf("mount /proc: %w", err)
			return
		}
		f, err := os.OpenFile(network, os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			err = f.Close()
		}
		if err == nil {
			err = unix.Mount("/proc/self/ns/net", network, "", unix.MS_BIND, "")
		}
		if err != nil {
			s.unfit = fmt.Errorf("name the network namespace: %w", err)
		}
	})
	if s.unfit != nil {
		return "", s.unfit
	}
	if filepath.Base(command) == "crun" {
		// It refuses to work where it sees both versions of control groups, as
		// on a hybrid machine; version 1 is the one with the controllers.
		err := unix.Unmount("/sys/fs/cgroup/unified", unix.MNT_DETACH)
		if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) { // not mounted
			return "", fmt.Errorf("hide the unified control groups: %w", err)
		}
	}
	return network, nil
}
