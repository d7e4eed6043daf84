package image

import (
	"errors"
	"os"

	"github.com/moby/sys/userns"
	"golang.org/x/sys/unix"
)

// supported says why images cannot be unpacked here, if so.
func supported() error { return nil }

// privileged reports whether this process is root of the machine, not merely of
// a user namespace or of a container with few capabilities: only then may it set
// trusted.* attributes.
func privileged() bool {
	if os.Geteuid() != 0 || userns.RunningInUserNS() {
		return false
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	return unix.Capget(&header, &have[0]) == nil && have[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

func lockShared(f *os.File) error { return flock(f, unix.LOCK_SH) }

// lockExclusive turns the shared lock into an exclusive one, if nobody else has
// the file locked. Otherwise it is shared again afterwards.
func lockExclusive(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, flock(f, unix.LOCK_SH) // a failed conversion may lose the lock
	}
	return err == nil, err
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return os.NewSyscallError("flock", err)
		}
	}
}

// syncFilesystem forces what was written to dir's file system to disk: one call
// in place of one for each of thousands of files.
func syncFilesystem(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return os.NewSyscallError("syncfs", unix.Syncfs(int(d.Fd())))
}
