// Package sqlite is the embedded implementation of store.Store and the default
// one: a single file, ludgate.db, in a data directory that this process holds
// alone.
//
// Open (open.go) takes the directory's lock and starts three things:
//
//   - one writer goroutine (writer.go) that owns the only connection that
//     writes, and commits the calls that wait together, with one fsync for all;
//   - a fixed set of connections for reading (read.go);
//   - a background checkpoint (checkpoint.go) that moves committed pages from
//     the write-ahead log to the database file, so that the writer does not
//     have to.
//
// The steps of a group commit are told in ../README.md.
package sqlite
