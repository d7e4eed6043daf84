package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ludgate/internal/store"

	"github.com/jackc/pgx/v5"
)

var (
	errOver   = errors.New("store: transaction used after its function returned")
	errNested = errors.New("store: statement inside the scan of another one")
	errRead   = errors.New("store: Exec in a Read")
	errLost   = errors.New("store: connection lost")
)

// tx is one run of a transaction. Its BEGIN travels with the first statement and
// its notifications with the COMMIT, which saves two round trips.
type tx struct {
	ctx     context.Context
	conn    *pgx.Conn
	begin   string // the statement that opens it; "" once it is open
	write   bool
	over    bool  // the function has returned
	busy    bool  // a scan is running
	seen    bool  // a statement has succeeded, or a row was handed out
	failed  error // the first statement that failed; the transaction ends with it
	channel string
	topics  []string
}

// Exec implements store.Tx.
func (t *tx) Exec(stmt *store.Stmt, args ...any) (int64, error) {
	if !t.write && !t.over {
		return 0, t.fail(stmt, errRead)
	}
	return t.each(stmt, nil, args)
}

// Query implements store.Tx.
func (t *tx) Query(stmt *store.Stmt, scan func(store.Row) error, args ...any) error {
	_, err := t.each(stmt, scan, args)
	return err
}

// Notify implements store.Tx.
func (t *tx) Notify(topic string) {
	if err := store.CheckTopic(topic); err != nil {
		t.failed = cmp.Or(t.failed, err)
	} else if !slices.Contains(t.topics, topic) {
		t.topics = append(t.topics, topic)
	}
}

// each runs a statement to its end, calls scan for every row, and returns the
// number of rows it changed.
func (t *tx) each(stmt *store.Stmt, scan func(store.Row) error, args []any) (int64, error) {
	switch {
	case t.over:
		return 0, errOver
	case t.busy:
		return 0, t.fail(stmt, errNested)
	case t.failed != nil:
		return 0, t.failed
	}
	if err := store.CheckArgs(stmt, args); err != nil {
		return 0, t.fail(stmt, err)
	}
	rows, end, err := t.send(stmt.SQL(store.Postgres), plain(args))
	if err != nil {
		return 0, t.fail(stmt, err)
	}
	scanErr := t.scan(rows, scan)
	rows.Close()
	if err := cmp.Or(rows.Err(), end()); err != nil {
		if t.ctx.Err() != nil && !t.write {
			return 0, t.ctx.Err()
		}
		return 0, t.fail(stmt, err)
	}
	t.seen = true
	if scanErr.statement != nil {
		return 0, t.fail(stmt, scanErr.statement)
	}
	if t.failed != nil {
		return 0, t.failed
	}
	if tag := rows.CommandTag(); scanErr.own == nil && (tag.Insert() || tag.Update() || tag.Delete()) {
		return tag.RowsAffected(), nil
	}
	return 0, scanErr.own
}

// send starts a statement, with the BEGIN before it if there was none. end is to
// be called when the rows are closed.
func (t *tx) send(sql string, args []any) (rows pgx.Rows, end func() error, err error) {
	if t.begin == "" {
		rows, err = t.conn.Query(t.ctx, sql, args...)
		return rows, func() error { return nil }, err
	}
	batch := &pgx.Batch{}
	batch.Queue(t.begin)
	batch.Queue(sql, args...)
	t.begin = ""
	results := t.conn.SendBatch(t.ctx, batch)
	if _, err := results.Exec(); err != nil {
		return nil, nil, cmp.Or(results.Close(), err)
	}
	rows, err = results.Query()
	if err != nil {
		return nil, nil, cmp.Or(results.Close(), err)
	}
	return rows, results.Close, nil
}

// scanned is how a scan ended, if not well.
type scanned struct {
	own       error // the caller's
	statement error // a column read as what it is not
}

// scan calls fn for the rows until it is not content. A panic of fn leaves rows
// open; the connection is closed then.
func (t *tx) scan(rows pgx.Rows, fn func(store.Row) error) (end scanned) {
	if fn == nil {
		return scanned{} // Close reads them
	}
	t.busy = true
	defer func() { t.busy = false }()
	r := row{fields: rows.FieldDescriptions(), types: t.conn.TypeMap()}
	for rows.Next() {
		if err := t.ctx.Err(); err != nil && !t.write {
			return scanned{own: err}
		}
		r.values, t.seen = rows.RawValues(), true
		err := fn(&r)
		if r.err != nil {
			return scanned{statement: r.err}
		}
		if err != nil || t.failed != nil {
			return scanned{own: err}
		}
	}
	return scanned{}
}

// fail notes that the transaction cannot be kept any more.
func (t *tx) fail(stmt *store.Stmt, err error) error {
	err = fmt.Errorf("statement %s: %w", stmt.Name(), mapError(err))
	if t.conn.IsClosed() && t.ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errLost, err) // and nothing committed
	}
	t.failed = cmp.Or(t.failed, err)
	return err
}

// commit sends the notifications and the COMMIT.
func (t *tx) commit() error {
	batch := &pgx.Batch{}
	for _, topic := range t.topics {
		batch.Queue("SELECT pg_notify($1, $2)", t.channel, topic)
	}
	if t.begin == "" {
		batch.Queue("COMMIT")
	}
	if batch.Len() == 0 {
		return nil // not one statement
	}
	return t.conn.SendBatch(t.ctx, batch).Close()
}

// plain turns arguments into what pgx sends as they are meant: a bool goes to a
// BIGINT column.
func plain(args []any) []any {
	isBool := func(arg any) bool { _, ok := arg.(bool); return ok }
	if !slices.ContainsFunc(args, isBool) {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		switch arg {
		case true:
			args[i] = int64(1)
		case false:
			args[i] = int64(0)
		}
	}
	return args
}
