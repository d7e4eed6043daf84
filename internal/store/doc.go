// Package store is the durable ground of Ludgate: one small interface with two
// implementations (store/sqlite, embedded and the default; store/postgres, for
// several nodes), the ledger of names, and migrations. README.md beside this file
// tells how a write becomes durable and how to write SQL that both read alike.
//
// A service states what it wants in SQL files of its own (one statement a file,
// see [Statements]) and runs them inside [Store.Write] or [Store.Read]. Both
// implementations pass the suite in store/storetest; a promise that is not in
// that suite is not a promise.
//
// # Promises
//
//   - Write returns nil only after its transaction is on disk (fsync), and after
//     that every Read, on any node, sees it.
//   - The statements of one Write take effect together or not at all, and as if
//     Writes ran one after the other (serializable).
//   - The function given to Write may run more than once; only its last run
//     counts. It must do no I/O of its own, start no goroutine, and keep no Tx.
//   - A claim in the ledger and the record it protects commit together.
//   - A panic of the function is the caller's alone: its statements are undone
//     and it goes on in the caller's goroutine.
//   - A context that ends before a Write has begun stops it, and nothing has
//     happened. Later it has no effect: the answer says what became of the Write.
package store
