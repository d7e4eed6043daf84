//go:build !unix

package server

// cpuSeconds is not measured on this system.
func cpuSeconds() (own, children float64) { return 0, 0 }

// residentBytes is not measured on this system.
func residentBytes() int64 { return 0 }
