package store

import (
	"context"
	"errors"
)

// Errors that a caller can act on. Any other error is a fault of the store.
var (
	// ErrTaken: a claim, or a statement, hit a value that must be unique.
	ErrTaken = errors.New("store: value is already taken")
	// ErrZeroByte: an argument is a text with a zero byte, which not every
	// implementation could keep. It comes from a caller's own text.
	ErrZeroByte = errors.New("the text holds a zero byte")
	// ErrClosed: the store is closing or closed.
	ErrClosed = errors.New("store: closed")
	// ErrBusy: the store cannot take more work now; try again later.
	ErrBusy = errors.New("store: too many waiting writes")
	// ErrFull: the disk or the database's quota is full; the write did not happen.
	ErrFull = errors.New("store: no space left")
	// ErrReadOnly: the store's files cannot be written.
	ErrReadOnly = errors.New("store: files are read-only")
	// ErrLocked: another process holds the embedded store.
	ErrLocked = errors.New("store: data directory is in use by another process")
)

// Store keeps records. It is safe for concurrent use.
type Store interface {
	// Write runs fn in a transaction and returns after it is durable. An error
	// of fn undoes its statements and is returned as it is; the writes of other
	// callers are not touched by it.
	Write(ctx context.Context, fn func(Tx) error) error

	// Read runs fn against one consistent snapshot. Exec in it is an error.
	Read(ctx context.Context, fn func(Tx) error) error

	// Watch gives a channel that receives after a Write that called
	// [Tx.Notify] with topic was committed, on this node or another. Signals
	// are hints: several may become one, and one may come without a change, so
	// a watcher reads the state again. The channel closes when ctx ends.
	Watch(ctx context.Context, topic string) <-chan struct{}

	// Dialect says which SQL the store speaks.
	Dialect() Dialect

	// Close finishes the writes under way and releases everything.
	Close() error
}

// Dialect names the SQL of an implementation.
type Dialect string

// Dialects.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Tx is a transaction that is open for the length of one call of a function
// given to [Store.Write] or [Store.Read]. It is not safe for concurrent use.
//
// A statement that fails ends the transaction: later ones fail too, and Write
// returns the first failure even if the function returns nil. A conflict that a
// service expects is therefore written ON CONFLICT DO NOTHING, and seen in the
// number of changed rows. An error of scan is no such failure.
type Tx interface {
	// Exec runs a statement and returns the number of rows that an INSERT,
	// UPDATE or DELETE changed, 0 for any other. It returns ErrTaken where a
	// unique index refuses.
	Exec(stmt *Stmt, args ...any) (int64, error)

	// Query runs a statement and calls scan for every row, in order. An error
	// of scan ends the query and is returned. The row is valid during scan
	// only, and scan runs no statement.
	Query(stmt *Stmt, scan func(Row) error, args ...any) error

	// Notify signals the watchers of topic once the transaction is committed.
	// Topics are short words, at most 1,000 bytes.
	Notify(topic string)
}

// Row is one row of a result. Columns count from 0. Arguments and columns have
// only these types: string (a TEXT column), int64 (BIGINT), float64 (DOUBLE
// PRECISION), bool (stored as an integer 0 or 1 in a BIGINT column), []byte
// (BYTEA) and nil. A nil []byte is stored as null; an empty one is not. Text is
// UTF-8 without zero bytes.
//
// A null column reads as the zero value; see IsNull. Reading a number as text or
// text as a number is a failure of the statement; text and bytes read as each
// other, and an integer reads as a float.
type Row interface {
	Text(i int) string
	Int(i int) int64
	Float(i int) float64
	Bool(i int) bool
	Bytes(i int) []byte
	IsNull(i int) bool
}

// QueryOne runs stmt and scans its first row; it reports whether there was one.
func QueryOne(tx Tx, stmt *Stmt, scan func(Row) error, args ...any) (bool, error) {
	found := false
	err := tx.Query(stmt, func(r Row) error {
		if found {
			return nil
		}
		found = true
		return scan(r)
	}, args...)
	return found, err
}
