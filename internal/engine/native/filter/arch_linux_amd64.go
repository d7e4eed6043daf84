package filter

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignBit marks the calls of the x32 ABI, which shares the architecture.
	foreignBit = 0x40000000
)
