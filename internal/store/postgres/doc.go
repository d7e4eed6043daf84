// Package postgres is the implementation of store.Store for several Ludgate
// nodes: they share one PostgreSQL database, and each sees what the others wrote
// as soon as their Write has returned.
//
//   - Writes (write.go) are SERIALIZABLE transactions; those that PostgreSQL
//     turns down because they ran beside each other are run again, a bounded
//     number of times.
//   - Reads (read.go) are REPEATABLE READ READ ONLY: one snapshot.
//   - Watch (listen.go) rests on LISTEN and NOTIFY, on one connection that is made
//     anew when it breaks.
//   - Statements are prepared once for each connection.
//
// Everything lives in the schema that comes first in the search_path, so several
// installations can share a database. A connection pooler in transaction mode
// cannot stand between, because it breaks LISTEN and prepared statements.
//
// Package pgtest starts a server for tests.
package postgres
