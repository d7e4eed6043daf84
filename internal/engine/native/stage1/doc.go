// Package stage1 is the inner half of the builtin launcher: the process that
// becomes a container.
//
// The outer half (package launch) clones this binary, under the name [Name],
// into new mount, process, host name and IPC namespaces, puts it into its
// cgroups and only then writes the [Config] to its file descriptor 3, so nothing
// here runs outside the container's limits. From there on this package goes
// straight through: mounts (mounts_linux.go), devices and hidden paths
// (devices_linux.go), the new root (root_linux.go), limits and privileges
// (privileges_linux.go), and the program itself (exec_linux.go). A failure is
// written to file descriptor 4 as a [Failure]; when the program starts, that
// descriptor closes with nothing written.
//
// # What an image may not do here
//
// The root file system comes from strangers, and nothing of it may be believed.
// Every path inside it is opened with openat2 and RESOLVE_IN_ROOT, so symbolic
// links lead nowhere but into the container, and mounts are attached to open
// descriptors, never to names. Kernel file systems (/proc, /sys, /dev) are
// fresh ones whose mount points may not be links at all. Hidden files are covered
// with a /dev/null whose device number was checked. Descriptors are closed with
// close_range, the working directory is checked to lie inside, and the process
// runs from a sealed copy of the binary and cannot be inspected or traced.
//
// The package must stay small in what it imports: every start of a container
// pays for it.
package stage1
