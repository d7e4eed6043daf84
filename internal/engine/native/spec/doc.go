// Package spec writes the OCI runtime-spec of a container: one description that
// the builtin launcher and installed OCI runtimes both take.
//
// It says what the field's engines say by default: fresh mount, process, host
// name, IPC and control group namespaces, the network of the group; fourteen
// capabilities; the usual devices, hidden and read-only files; the default
// seccomp profile. Version 1.0.2 is what every runtime in use understands.
package spec
