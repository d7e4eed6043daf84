//go:build unix

package server

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// cpuSeconds is the processor time of this process and of its waited-for
// children.
func cpuSeconds() (own, children float64) {
	return usage(syscall.RUSAGE_SELF), usage(syscall.RUSAGE_CHILDREN)
}

func usage(who int) float64 {
	var ru syscall.Rusage
	if syscall.Getrusage(who, &ru) != nil {
		return 0
	}
	sec := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return sec(ru.Utime) + sec(ru.Stime)
}

// residentBytes is the resident memory of this process, where the system tells.
func residentBytes() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(f[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
