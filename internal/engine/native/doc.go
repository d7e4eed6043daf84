// Package native is the engine that runs real containers on this Linux machine,
// with nothing installed: a [pod.Runtime] of namespaces, control groups and
// overlayfs.
//
// [New] finds out what works here and says so in one sentence when nothing can.
// Then, for every group: a shim (package shim) is started, which lives in the
// group's network namespace and is the parent of its containers; the bridge
// connects the namespace to the machine (package bridge); listeners of this
// process pass on published ports (package ports). A container is described by
// an OCI runtime-spec (package spec), which either the builtin launcher
// (packages launch and stage1) or an installed OCI runtime (package oci) turns
// into a process. What must survive this process is on disk (package layout) or
// in the shim.
//
// # Files
//
// runtime_linux.go opens and closes; probe_linux.go finds out what works;
// sandbox_linux.go prepares a group and spawn_linux.go its shim; group_linux.go
// follows its runs; start_linux.go and end_linux.go begin and end them;
// adopt_linux.go finds what a former server left, cleanup_linux.go takes it away.
//
// # When something dies
//
//	the server    the shims and their containers go on; the next server's Adopt
//	              finds them by the files of their groups and dials their sockets
//	a shim        the kernel ends its containers with it; their runs end with an
//	              Err that says so; the next Sandbox or Start makes a new shim
//	the machine   nothing is left but files; runs without a recorded end are
//	              told as lost
package native
