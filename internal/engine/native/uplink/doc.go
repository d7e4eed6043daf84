// Package uplink connects a group of an ordinary user with the rest of the
// world.
//
// There is one uplink process per group: this same binary under the name [Name],
// outside all namespaces. It gets the group's TUN device from the shim (package
// tun) and runs a TCP/IP stack on it in user mode (gVisor's): every connection
// that a container opens ends there, and a socket of this process goes on with it
// (relay_linux.go), made by the user that runs Ludgate. The gateway's port 53 is
// the machine's own name server. The process ends with the shim.
//
// Not every destination is dialled (destination_linux.go): the machine's own
// loopback, link-local addresses (where clouds keep credentials) and multicast
// are not for containers. Only TCP and UDP over IPv4 are passed on; pings get no
// answer, as nothing here could send them.
package uplink
