package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// peakMemory is the most memory, in bytes, that a process and its children (the
// helper that hashes) have had resident; 0 where the system does not tell, and for
// process 0, which is none.
func peakMemory(pid int) (own, children int64) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	own = peak(dir)
	lists, _ := filepath.Glob(filepath.Join(dir, "task", "*", "children")) // the pattern is good
	for _, list := range lists {
		b, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, child := range bytes.Fields(b) {
			children += peak(filepath.Join("/proc", string(child)))
		}
	}
	return own, children
}

// peak reads VmHWM of a process.
func peak(dir string) int64 {
	b, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "VmHWM:" && string(f[2]) == "kB" {
			n, err := strconv.ParseInt(string(f[1]), 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
