// Package filter compiles the seccomp section of an OCI runtime-spec to the BPF
// program that the kernel takes, without libseccomp (which needs cgo).
//
// [Default] gives the field's usual profile for a container's capabilities, and
// [Compile] turns any profile into a program for the machine this binary was
// built for. The program checks the architecture first (calls of another one,
// such as 32-bit x86 ones, get ENOSYS: as if the kernel had been built without
// them), then compares the call number, and for calls with conditions their
// arguments, 64 bits at a time. The kernel remembers which calls are always
// allowed (since 5.11), so the length of the list costs the common calls
// nothing.
//
// The tables from names to numbers are generated from golang.org/x/sys/unix by
// gen.go. Names without a number here are those of other architectures, or too
// new for the table: a call that is not in the program gets the profile's
// default action, which is a refusal.
package filter

//go:generate go run gen.go
