// Package uplink connects a group of an ordinary user with the rest of the
// world.
//
// There is one uplink process per group: this same binary under the name [Name],
// outside all namespaces. It gets the group's TAP device from the shim (package
// tap) and runs a TCP/IP stack on it in user mode (gvisor-tap-vsock): every
// connection that a container opens becomes a socket of this process, made by the
// user that runs Ludgate, and names are looked up as the machine does. The
// machine's own 127.0.0.1 cannot be reached that way. The process ends with the
// shim.
package uplink
