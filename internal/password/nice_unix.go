//go:build unix && !linux

package password

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// startNiced starts cmd and sets it to nice 19.
func startNiced(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, 19) // an ordinary priority still works
	return nil
}
