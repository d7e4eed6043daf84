package shim

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// hears reports whether a container's first process has a handler for sig. The
// first process of a pid namespace never gets a signal that it does not handle,
// and a program that was just started has not installed its handlers yet: a
// signal sent too early is lost. Where the system does not tell, it is assumed to
// hear.
func hears(p *os.Process, sig syscall.Signal) bool {
	pid, err := outerPid(p)
	if err != nil {
		return true
	}
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return true
	}
	caught, err := strconv.ParseUint(field(string(status), "SigCgt:"), 16, 64)
	return err != nil || caught&(1<<(uint(sig)-1)) != 0
}

// outerPid is the number of p as /proc here names it, which is not the number
// that this process knows it by.
func outerPid(p *os.Process) (string, error) {
	var info []byte
	var err error
	if herr := p.WithHandle(func(handle uintptr) {
		info, err = os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", handle))
	}); herr != nil {
		return "", herr
	}
	if err != nil {
		return "", err
	}
	pid := field(string(info), "Pid:")
	if n, err := strconv.Atoi(pid); err != nil || n <= 0 {
		return "", fmt.Errorf("the process has no number here: %q", pid)
	}
	return pid, nil
}

// field is the word behind a label at the beginning of a line.
func field(text, label string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, label); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
