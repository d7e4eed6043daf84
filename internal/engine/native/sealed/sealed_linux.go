package sealed

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE

// Self copies the running binary. The file is for [Path] and for handing on;
// reading or writing it has no use.
func Self() (*os.File, error) {
	binary, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("open the running binary: %w", err)
	}
	defer binary.Close()

	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("ludgate", flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 every memfd was executable
		fd, err = unix.MemfdCreate("ludgate", flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	out := os.NewFile(uintptr(fd), "ludgate")
	if _, err := io.Copy(out, binary); err != nil {
		out.Close()
		return nil, fmt.Errorf("copy the running binary: %w", err)
	}
	if _, err := unix.FcntlInt(out.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		out.Close()
		return nil, fmt.Errorf("seal the copy: %w", err)
	}
	return out, nil
}

// Path is where a process that has f open, and its new children, find it for
// exec.
func Path(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
