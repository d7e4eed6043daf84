package server

import "runtime"

// reserve is how much larger than its records the heap looks to the garbage
// collector. A server keeps little in Go's memory, and the collector runs when that
// has doubled; marking took a tenth of the processor time of sign-ins that ask for
// much. With the reserve it runs when reserve and records together have doubled.
// The reserve is never touched, so it takes address space and no memory; what it
// allows to pile up in between does.
const reserve = 32 << 20

// holdReserve makes the reserve; it lasts until the function that it gives is
// called.
func holdReserve() (release func()) {
	b := make([]byte, reserve)
	return func() { runtime.KeepAlive(b) }
}
