package password

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startNiced starts cmd at nice 19. On Linux niceness belongs to a thread and is
// inherited: a thread that is niced first starts a process whose every thread is,
// without a moment in which one is not.
func startNiced(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	go func() {
		// Not unlocked: the thread ends with this goroutine, and a niced thread
		// is of no use to anyone else.
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The main thread cannot end. Holding it, another one is certain.
			defer runtime.UnlockOSThread()
			done <- startNiced(cmd)
			return
		}
		// Refused only by unusual sandboxes; an ordinary priority still works.
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19)
		done <- cmd.Start()
	}()
	return <-done
}
