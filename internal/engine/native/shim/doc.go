// Package shim is the process that stands between the server and one group's
// containers, so that the containers outlive the server.
//
// There is one shim per group: this same binary, started again under the name
// [Name] in mount, process and network namespaces of its own. It starts the
// containers, is their parent, keeps their logs and writes down how they ended.
// The server talks to it over a socket (package protocol); when the server dies,
// nothing happens here, and the next server dials the socket again.
//
// The group's network namespace is the one the shim lives in, so no process or
// file has to hold it open. And because the shim is the first process of a
// process namespace, the kernel ends every container of the group when the shim
// ends, whatever ends it: there is nobody left behind to be hunted down.
//
// # Files
//
// main_linux.go begins, ground_linux.go prepares the namespaces, serve_linux.go
// answers calls, start_linux.go starts a run, run_linux.go sees it to its end,
// watch_linux.go tells watchers, connect_linux.go opens sockets inside the group.
package shim
