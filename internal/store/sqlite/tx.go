package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ludgate/internal/store"

	"zombiezen.com/go/sqlite"
)

var (
	errOver   = errors.New("store: transaction used after its function returned")
	errNested = errors.New("store: statement inside the scan of another one")
	errRead   = errors.New("store: Exec in a Read")
)

// tx is one caller's transaction: a savepoint on the writer, or a snapshot on a
// reader.
type tx struct {
	ctx    context.Context
	conn   *conn
	write  bool
	over   bool  // the function has returned
	busy   bool  // a scan is running
	failed error // the first statement that failed; the transaction ends with it
	topics []string
}

// Exec implements store.Tx.
func (t *tx) Exec(stmt *store.Stmt, args ...any) (int64, error) {
	if !t.write && !t.over {
		return 0, t.fail(stmt, errRead)
	}
	if err := t.each(stmt, nil, args); err != nil {
		return 0, err
	}
	if !t.conn.stmts[stmt].changes {
		return 0, nil // SQLite would tell the count of an earlier statement
	}
	return int64(t.conn.Changes()), nil
}

// Query implements store.Tx.
func (t *tx) Query(stmt *store.Stmt, scan func(store.Row) error, args ...any) error {
	return t.each(stmt, scan, args)
}

// Notify implements store.Tx.
func (t *tx) Notify(topic string) {
	if err := store.CheckTopic(topic); err != nil {
		t.failed = cmp.Or(t.failed, err)
		return
	}
	if !slices.Contains(t.topics, topic) {
		t.topics = append(t.topics, topic)
	}
}

// each runs a statement to its end and calls scan for every row.
func (t *tx) each(stmt *store.Stmt, scan func(store.Row) error, args []any) (err error) {
	switch {
	case t.over:
		return errOver
	case t.busy:
		return t.fail(stmt, errNested)
	case t.failed != nil:
		return t.failed
	}
	if err := store.CheckArgs(stmt, args); err != nil {
		return t.fail(stmt, err)
	}
	s, err := t.conn.prepare(stmt)
	if err != nil {
		return t.fail(stmt, err)
	}
	if err := bind(s.Stmt, args); err != nil {
		return t.fail(stmt, err)
	}
	// Deferred, so that a scan that panics leaves the statement ready too.
	defer func() {
		t.busy = false
		s.Reset()
	}()
	r := row{stmt: s.Stmt, columns: s.ColumnCount()}
	for {
		more, err := s.Step()
		if err != nil {
			return t.fail(stmt, err)
		}
		if !more {
			return nil
		}
		if scan == nil {
			continue
		}
		if err := t.ctx.Err(); err != nil && !t.write {
			return err
		}
		t.busy = true
		err = scan(&r)
		t.busy = false
		switch {
		case r.err != nil:
			return t.fail(stmt, r.err)
		case t.failed != nil:
			return t.failed
		case err != nil:
			return err
		}
	}
}

// fail notes that the transaction cannot be kept any more, as in PostgreSQL.
func (t *tx) fail(stmt *store.Stmt, err error) error {
	err = fmt.Errorf("statement %s: %w", stmt.Name(), mapError(err))
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// row is the row a statement stands on.
type row struct {
	stmt    *sqlite.Stmt
	columns int
	err     error // a column read as what it is not
}

// is reports whether column i has a value of one of two types, and notes it when
// it has a value of another.
func (r *row) is(i int, a, b sqlite.ColumnType, want string) bool {
	if !r.exists(i) {
		return false
	}
	have := r.stmt.ColumnType(i)
	if have == a || have == b {
		return true
	}
	if have != sqlite.TypeNull {
		r.note(fmt.Errorf("column %d is not %s", i, want))
	}
	return false
}

// exists reports whether there is a column i, and notes it when there is none.
func (r *row) exists(i int) bool {
	if i >= 0 && i < r.columns {
		return true
	}
	r.note(fmt.Errorf("column %d does not exist", i))
	return false
}

func (r *row) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *row) Text(i int) string {
	if !r.is(i, sqlite.TypeText, sqlite.TypeBlob, "text") {
		return ""
	}
	return r.stmt.ColumnText(i)
}

func (r *row) Int(i int) int64 {
	if !r.is(i, sqlite.TypeInteger, sqlite.TypeInteger, "an integer") {
		return 0
	}
	return r.stmt.ColumnInt64(i)
}

func (r *row) Float(i int) float64 {
	if !r.is(i, sqlite.TypeFloat, sqlite.TypeInteger, "a number") {
		return 0
	}
	return r.stmt.ColumnFloat(i)
}

func (r *row) Bool(i int) bool { return r.Int(i) != 0 }

func (r *row) Bytes(i int) []byte {
	if !r.is(i, sqlite.TypeBlob, sqlite.TypeText, "bytes") {
		return nil
	}
	b := make([]byte, r.stmt.ColumnLen(i))
	r.stmt.ColumnBytes(i, b)
	return b
}

func (r *row) IsNull(i int) bool { return r.exists(i) && r.stmt.ColumnType(i) == sqlite.TypeNull }
