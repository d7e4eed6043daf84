// Package sealed gives a copy of the running binary that nobody can change.
//
// Shims and the first processes of containers are started from it. A process in
// a container can reach the file it was started from through /proc/self/exe; if
// that were the installed binary, a container with root could overwrite it and
// so take over the machine at its next start (the class of CVE-2019-5736). The
// copy lives in memory (memfd) with seals against every change.
//
// It also makes running groups independent of the file: an upgrade replaces the
// binary while shims go on with the version they were started from.
package sealed
