package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludgate/internal/store"
)

var (
	createLog = store.NewStmt("create_log", `CREATE TABLE log (id BIGINT PRIMARY KEY, body TEXT NOT NULL)`)
	putLog    = store.NewStmt("put_log", `INSERT INTO log (id, body) VALUES ($1, $2)`)
	countLog  = store.NewStmt("count_log", `SELECT count(*) FROM log`)
)

// logged opens a store and gives a function that writes rows of 100 KB.
func logged(t *testing.T, dir string, opts Options) (st *Store, add func(n int)) {
	t.Helper()
	st, err := Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	write := func(fn func(tx store.Tx) error) {
		t.Helper()
		if err := st.Write(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx store.Tx) error { _, err := tx.Exec(createLog); return err })
	next := int64(0)
	return st, func(n int) {
		t.Helper()
		for range n {
			next++
			write(func(tx store.Tx) error { _, err := tx.Exec(putLog, next, strings.Repeat("l", 100_000)); return err })
		}
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func rows(t *testing.T, st *Store) (n int64) {
	t.Helper()
	err := st.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(countLog, func(r store.Row) error { n = r.Int(0); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCommittedPagesMoveToTheFileInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		_, add := logged(t, dir, Options{})
		add(10)
		before := size(t, filepath.Join(dir, FileName))
		if before > 500_000 {
			t.Fatalf("the file has %d bytes at once; the writer did the checkpoint", before)
		}
		time.Sleep(2 * checkpointEvery)
		if after := size(t, filepath.Join(dir, FileName)); after < 1_000_000 {
			t.Errorf("the file has %d bytes after a checkpoint, want all 10 rows", after)
		}
	})
}

func TestIdleStoreSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, add := logged(t, t.TempDir(), Options{})
		add(1)
		time.Sleep(2 * checkpointEvery)
		select {
		case <-st.check.dirty:
			t.Error("a round is due though nothing was written since the last")
		default:
		}
	})
}

func TestRoundAsksForARestartOverTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, add := logged(t, t.TempDir(), Options{WALLimit: 500_000})
		add(2)
		time.Sleep(2 * checkpointEvery)
		if st.writer.restart.Load() {
			t.Error("a restart is asked for below the limit")
		}
		add(10)
		time.Sleep(2 * checkpointEvery)
		if !st.writer.restart.Load() {
			t.Error("no restart is asked for above the limit")
		}
		add(1)
		synctest.Wait()
		if st.writer.restart.Load() {
			t.Error("the writer did not take the restart up")
		}
	})
}

func TestRestartKeepsTheLogSmall(t *testing.T) {
	dir := t.TempDir()
	st, add := logged(t, dir, Options{})
	for range 50 {
		st.writer.restart.Store(true)
		add(1)
	}
	if got := size(t, filepath.Join(dir, FileName+"-wal")); got > 1_000_000 {
		t.Errorf("the log has %d bytes after 50 restarts, want about 100 KB", got)
	}
	if got := rows(t, st); got != 50 {
		t.Errorf("%d rows, want 50", got)
	}
}

func TestReaderOfOldPagesDoesNotHoldTheWriterUp(t *testing.T) {
	st, add := logged(t, t.TempDir(), Options{})
	add(1)
	err := st.Read(t.Context(), func(tx store.Tx) error {
		before := int64(0)
		count := func(r store.Row) error { before = r.Int(0); return nil }
		if err := tx.Query(countLog, count); err != nil {
			return err
		}
		for range 5 {
			st.writer.restart.Store(true)
			add(1)
			st.check.committed()
		}
		if err := tx.Query(countLog, count); err != nil {
			return err
		}
		if before != 1 {
			t.Errorf("the snapshot has %d rows now, want the 1 it had", before)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if got := rows(t, st); got != 6 {
		t.Errorf("%d rows, want 6", got)
	}
}

func TestCloseFoldsTheLog(t *testing.T) {
	dir := t.TempDir()
	st, add := logged(t, dir, Options{})
	add(5)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(filepath.Join(dir, FileName+suffix)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", FileName+suffix, err)
		}
	}
}

func TestNumberParams(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT $1, $12":                    "SELECT ?1, ?12",
		"SELECT '$1', \"$2\", `$3`, $4":     "SELECT '$1', \"$2\", `$3`, ?4",
		"SELECT 'it''s $1', $2":             "SELECT 'it''s $1', ?2",
		"SELECT $1 -- not $2\n, $3":         "SELECT ?1 -- not $2\n, ?3",
		"SELECT /* $1 ' */ $2":              "SELECT /* $1 ' */ ?2",
		"SELECT $1;\n":                      "SELECT ?1",
		"SELECT '$.a' , $x, $, $0":          "SELECT '$.a' , $x, $, $0",
		"SELECT 'never closed $1":           "SELECT 'never closed $1",
		"SELECT 1 /* never closed $1":       "SELECT 1 /* never closed $1",
		"SELECT json_extract(a, '$[0]')=$1": "SELECT json_extract(a, '$[0]')=?1",
		"SELECT 1 -- $1":                    "SELECT 1 -- $1",
	} {
		if got := numberParams(sql); got != want {
			t.Errorf("%q becomes %q, want %q", sql, got, want)
		}
	}
}

// FuzzNumberParams: whatever the text, nothing changes but the mark of a
// parameter, and nothing inside quotes.
func FuzzNumberParams(f *testing.F) {
	f.Add("SELECT $1, '$2' -- $3")
	f.Add("/* ' */ $12 \"$1\" `$1` '' ' $1")
	f.Fuzz(func(t *testing.T, sql string) {
		sql = strings.TrimRight(sql, " \t\r\n;")
		got := numberParams(sql)
		if len(got) != len(sql) {
			t.Fatalf("%q becomes %q", sql, got)
		}
		for i := range len(sql) {
			if sql[i] != got[i] && (sql[i] != '$' || got[i] != '?') {
				t.Fatalf("%q becomes %q, which differs at %d", sql, got, i)
			}
		}
		quoted := "'" + strings.ReplaceAll(sql, "'", "''") + "'"
		if got := numberParams(quoted); got != quoted {
			t.Fatalf("%q becomes %q", quoted, got)
		}
	})
}
