package password

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// startNiced starts cmd in the lowest priority class.
func startNiced(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.IDLE_PRIORITY_CLASS}
	return cmd.Start()
}
