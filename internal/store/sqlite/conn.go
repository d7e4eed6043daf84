package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ludgate/internal/store"

	"zombiezen.com/go/sqlite"
)

// maxStmts bounds the statements that one connection keeps prepared. Statements
// are made once at start, so only a mistake comes near it.
const maxStmts = 4096

// busyTimeout is how long a statement waits for another program that has the file
// locked, such as the sqlite3 shell. Ludgate's own connections never lock each
// other out.
const busyTimeout = 5 * time.Second

// conn is one connection and the statements it has prepared. It is used by one
// goroutine at a time.
type conn struct {
	*sqlite.Conn
	stmts map[*store.Stmt]prepared

	// Prepared once and kept, because every transaction needs them.
	begin, beginWrite, commit, rollback, save, undo, keep *sqlite.Stmt
}

// prepared is a statement as one connection has it.
type prepared struct {
	*sqlite.Stmt
	changes bool // it is an INSERT, UPDATE or DELETE
}

// openConn opens one connection; cacheKiB is its page cache (0: SQLite's
// default), setup are statements to run first.
func openConn(path string, cacheKiB int, setup ...string) (*conn, error) {
	raw, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, stmts: map[*store.Stmt]prepared{}}
	raw.SetBusyTimeout(busyTimeout)
	// foreign_keys: PostgreSQL checks them always. fullfsync: on macOS an fsync
	// alone stops short of the disk. temp_store: the undo log of a savepoint
	// belongs in memory.
	base := []string{"PRAGMA foreign_keys = ON", "PRAGMA fullfsync = ON", "PRAGMA temp_store = MEMORY", fmt.Sprintf("PRAGMA mmap_size = %d", mmapBytes)}
	if cacheKiB > 0 {
		base = append(base, fmt.Sprintf("PRAGMA cache_size = %d", -cacheKiB))
	}
	if err := c.script(append(base, setup...)...); err != nil {
		raw.Close()
		return nil, err
	}
	for sql, at := range map[string]**sqlite.Stmt{
		"BEGIN": &c.begin, "BEGIN IMMEDIATE": &c.beginWrite, "COMMIT": &c.commit, "ROLLBACK": &c.rollback,
		"SAVEPOINT one": &c.save, "ROLLBACK TO one": &c.undo, "RELEASE one": &c.keep,
	} {
		if *at, err = raw.Prepare(sql); err != nil {
			raw.Close()
			return nil, err
		}
	}
	return c, nil
}

// close finalizes every statement, without which SQLite refuses, and closes.
func (c *conn) close() error {
	for _, s := range c.stmts {
		s.Finalize()
	}
	return c.Conn.Close()
}

// run steps a statement that returns nothing, and makes it ready for the next time.
func run(s *sqlite.Stmt) error {
	if _, err := s.Step(); err != nil {
		return err
	}
	return s.Reset()
}

// script runs statements whose results do not matter.
func (c *conn) script(sqls ...string) error {
	for _, sql := range sqls {
		if _, err := c.numbers(sql); err != nil {
			return err
		}
	}
	return nil
}

// number runs a statement and returns the integer in its first column.
func (c *conn) number(sql string) (int64, error) {
	row, err := c.numbers(sql)
	if err != nil || len(row) == 0 {
		return 0, err
	}
	return row[0], nil
}

// numbers runs a statement and returns its first row, as integers.
func (c *conn) numbers(sql string) (row []int64, err error) {
	s, _, err := c.PrepareTransient(sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Finalize()) }()
	more, err := s.Step()
	if more {
		for i := range s.ColumnCount() {
			row = append(row, s.ColumnInt64(i))
		}
	}
	for more && err == nil {
		more, err = s.Step()
	}
	return row, err
}

// prepare gives the connection's own form of a statement.
func (c *conn) prepare(stmt *store.Stmt) (prepared, error) {
	if p, ok := c.stmts[stmt]; ok {
		return p, nil
	}
	if len(c.stmts) >= maxStmts {
		for old, p := range c.stmts {
			p.Finalize()
			delete(c.stmts, old)
		}
	}
	sql := numberParams(stmt.SQL(store.SQLite))
	s, tail, err := c.PrepareTransient(sql)
	if err != nil {
		return prepared{}, err
	}
	if tail != 0 {
		s.Finalize()
		return prepared{}, errors.New("more than one statement")
	}
	p := prepared{Stmt: s, changes: store.Changes(sql)}
	c.stmts[stmt] = p
	return p, nil
}

// bind sets the parameters of a statement; there must be one argument for each.
func bind(s *sqlite.Stmt, args []any) error {
	if n := s.BindParamCount(); n != len(args) {
		return fmt.Errorf("%d arguments for %d parameters", len(args), n)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			s.BindText(i+1, v)
		case int64:
			s.BindInt64(i+1, v)
		case bool:
			s.BindBool(i+1, v)
		case float64:
			s.BindFloat(i+1, v)
		case []byte:
			if v == nil {
				s.BindNull(i + 1)
			} else {
				s.BindBytes(i+1, v)
			}
		default:
			s.BindNull(i + 1)
		}
	}
	return nil
}

// numberParams rewrites $1 to ?1: SQLite takes $1 for a name and would number
// the parameters by their first appearance. Quoted text and comments stay.
func numberParams(sql string) string {
	sql = strings.TrimRight(sql, " \t\r\n;")
	var b strings.Builder
	for i := 0; i < len(sql); {
		end := i + 1
		switch ch := sql[i]; {
		case ch == '\'' || ch == '"' || ch == '`':
			end = after(sql, i+1, string(ch))
		case strings.HasPrefix(sql[i:], "--"):
			end = after(sql, i, "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			end = after(sql, i+2, "*/")
		case ch == '$' && end < len(sql) && sql[end] >= '1' && sql[end] <= '9':
			b.WriteByte('?')
			i++
			continue
		}
		b.WriteString(sql[i:end])
		i = end
	}
	return b.String()
}

// after is the index behind the next mark in s at or after from, or len(s).
func after(s string, from int, mark string) int {
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(s)
}
