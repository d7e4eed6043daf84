// Package ports makes a group's published ports reachable.
//
// A published port is a listener of the server at the group's address. Every
// connection (or, for UDP, every client) gets a socket of its own inside the
// group, and bytes are passed both ways. Nothing has to be configured on the
// machine for that, a program that listens on 127.0.0.1 inside is reached as
// well, and a port is closed when the server is.
//
// How a socket inside a group is made is the caller's business: see [Dial].
package ports
