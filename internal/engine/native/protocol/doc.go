// Package protocol is how server and shim talk: the messages, and the server's
// half ([Client]).
//
// The shim listens on a socket in the group's run directory, which only the user
// that runs Ludgate may reach. Every call is a connection of its own: one JSON
// [Request] goes in, one JSON [Reply] comes back, and the connection closes. Two
// calls differ: Watch goes on sending replies as runs begin and end, and its
// connection breaking is how a server learns that a shim is gone; Connect passes
// an open socket along with its reply.
//
// A shim keeps running the version it was started from, so an upgraded server
// meets older shims: messages may gain members but never change their meaning.
// [Version] grows when that cannot be kept.
package protocol
