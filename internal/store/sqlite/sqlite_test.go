package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"
	"ludgate/internal/store/storetest"
)

func openIn(t testing.TB, dir string, opts sqlite.Options) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openIn(t, t.TempDir(), sqlite.Options{}) })
}

// TestConformanceOfSmallBatches runs the suite where every batch is full at once.
func TestConformanceOfSmallBatches(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return openIn(t, t.TempDir(), sqlite.Options{Readers: 1}.MaxBatch(2))
	})
}

var (
	createNote = store.NewStmt("create_note", `CREATE TABLE note (id BIGINT PRIMARY KEY, body TEXT NOT NULL)`)
	putNote    = store.NewStmt("put_note", `INSERT INTO note (id, body) VALUES ($1, $2)`)
	countNotes = store.NewStmt("count_notes", `SELECT count(*) FROM note`)
)

// openNotes opens a store with a table for notes.
func openNotes(t testing.TB, dir string, opts sqlite.Options) *sqlite.Store {
	t.Helper()
	st := openIn(t, dir, opts)
	write(t, st, func(tx store.Tx) error { _, err := tx.Exec(createNote); return err })
	return st
}

func write(t testing.TB, st store.Store, fn func(tx store.Tx) error) {
	t.Helper()
	if err := st.Write(t.Context(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// note gives a function for Write that puts a note of so many bytes.
func note(id int64, size int) func(tx store.Tx) error {
	return func(tx store.Tx) error { _, err := tx.Exec(putNote, id, strings.Repeat("n", size)); return err }
}

// number runs a statement that gives one integer.
func number(t testing.TB, st store.Store, stmt *store.Stmt) (n int64) {
	t.Helper()
	err := st.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(stmt, func(r store.Row) error { n = r.Int(0); return nil })
	})
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return n
}

// holdWriter keeps the writer busy with one call until release, so that later
// calls gather behind it. It returns when the writer is in that call; release
// gives that call's error.
func holdWriter(t *testing.T, st *sqlite.Store) (release func() error) {
	t.Helper()
	in, out, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		var once sync.Once
		done <- st.Write(context.Background(), func(store.Tx) error {
			once.Do(func() { close(in); <-out })
			return nil
		})
	}()
	<-in
	return func() error { close(out); return <-done }
}

// gather starts n Writes behind a held writer and returns when all wait.
func gather(t *testing.T, st *sqlite.Store, n int, one func(i int)) *sync.WaitGroup {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { one(i) })
	}
	for deadline := time.Now().Add(20 * time.Second); st.Stats().Waiting < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls wait, want %d", st.Stats().Waiting, n)
		}
	}
	return &wg
}

func TestWaitingCallsShareOneCommit(t *testing.T) {
	st := openNotes(t, t.TempDir(), sqlite.Options{})
	before := st.Stats()
	release := holdWriter(t, st)
	wg := gather(t, st, 50, func(i int) {
		if err := st.Write(t.Context(), note(int64(i), 10)); err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	})
	if err := release(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	after := st.Stats()
	if commits, writes := after.Commits-before.Commits, after.Writes-before.Writes; commits != 1 || writes != 51 {
		t.Errorf("%d commits for %d writes, want 1 for 51", commits, writes)
	}
	if got := number(t, st, countNotes); got != 50 {
		t.Errorf("%d notes, want 50", got)
	}
}

func TestQueueOverItsLimitIsBusy(t *testing.T) {
	st := openNotes(t, t.TempDir(), sqlite.Options{Queue: 3})
	release := holdWriter(t, st)
	wg := gather(t, st, 3, func(i int) {
		if err := st.Write(t.Context(), note(int64(i), 10)); err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	})
	if err := st.Write(t.Context(), note(9, 10)); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a fourth waiting write: %v, want ErrBusy", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	write(t, st, note(9, 10))
	if got := number(t, st, countNotes); got != 4 {
		t.Errorf("%d notes, want 4", got)
	}
}

func TestCallerWhoLeavesBeforeItsTurnIsSkipped(t *testing.T) {
	st := openNotes(t, t.TempDir(), sqlite.Options{})
	release := holdWriter(t, st)
	ctx, cancel := context.WithCancel(t.Context())
	wg := gather(t, st, 3, func(i int) {
		at := ctx
		if i == 1 {
			at = t.Context()
		}
		err := st.Write(at, note(int64(i), 10))
		if want := map[bool]error{true: nil, false: context.Canceled}[i == 1]; !errors.Is(err, want) {
			t.Errorf("write %d: %v, want %v", i, err, want)
		}
	})
	cancel()
	// Two answers come while the writer is still held: leaving needs no turn.
	if err := release(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if got := number(t, st, countNotes); got != 1 {
		t.Errorf("%d notes, want 1", got)
	}
}

func TestLeavingDoesNotWaitForTheWriter(t *testing.T) {
	st := openNotes(t, t.TempDir(), sqlite.Options{})
	release := holdWriter(t, st)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := st.Write(ctx, note(1, 10)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestConstraintAtCommitHitsItsCallerOnly(t *testing.T) {
	st := openNotes(t, t.TempDir(), sqlite.Options{})
	write(t, st, func(tx store.Tx) error {
		_, err := tx.Exec(store.NewStmt("create_reply", `CREATE TABLE reply (id BIGINT PRIMARY KEY, note BIGINT NOT NULL REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED)`))
		return err
	})
	putReply := store.NewStmt("put_reply", `INSERT INTO reply (id, note) VALUES ($1, $2)`)
	release := holdWriter(t, st)
	wg := gather(t, st, 20, func(i int) {
		err := st.Write(t.Context(), func(tx store.Tx) error {
			if i%4 != 0 {
				if err := note(int64(i), 10)(tx); err != nil {
					return err
				}
			}
			_, err := tx.Exec(putReply, int64(i), int64(i))
			return err
		})
		if (err != nil) != (i%4 == 0) {
			t.Errorf("reply %d: %v", i, err)
		}
	})
	if err := release(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if got := number(t, st, store.NewStmt("count_replies", `SELECT count(*) FROM reply`)); got != 15 {
		t.Errorf("%d replies, want 15", got)
	}
	write(t, st, note(100, 10))
}

func TestFullBatchIsRolledBackForAllItsCallers(t *testing.T) {
	st := openNotes(t, t.TempDir(), sqlite.Options{MaxSize: 256 << 10})
	release := holdWriter(t, st)
	wg := gather(t, st, 20, func(i int) {
		if err := st.Write(t.Context(), note(int64(i), 30<<10)); !errors.Is(err, store.ErrFull) {
			t.Errorf("write %d: %v, want ErrFull", i, err)
		}
	})
	if err := release(); !errors.Is(err, store.ErrFull) {
		t.Errorf("a call of the batch that asked for nothing: %v, want ErrFull", err)
	}
	wg.Wait()
	if got := number(t, st, countNotes); got != 0 {
		t.Errorf("%d notes, want none", got)
	}
	write(t, st, note(1, 1<<10)) // and what fits is taken
	if got := number(t, st, countNotes); got != 1 {
		t.Errorf("%d notes, want 1", got)
	}
}

func TestReopenFindsEverything(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			write(t, st, func(tx store.Tx) error { _, err := tx.Exec(createNote); return err })
		}
		if got := number(t, st, countNotes); got != int64(round)*10 {
			t.Errorf("round %d: %d notes", round, got)
		}
		for i := range 10 {
			write(t, st, note(int64(round*10+i), 500))
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSettingsThatPromisesRestOn(t *testing.T) {
	st := openIn(t, t.TempDir(), sqlite.Options{})
	for pragma, want := range map[string]int64{"synchronous": 2, "wal_autocheckpoint": 0, "foreign_keys": 1} {
		err := st.Write(t.Context(), func(tx store.Tx) error {
			return tx.Query(store.NewStmt(pragma, "PRAGMA "+pragma), func(r store.Row) error {
				if got := r.Int(0); got != want {
					t.Errorf("%s is %d, want %d", pragma, got, want)
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	}
	if got := number(t, st, store.NewStmt("page_size", "PRAGMA page_size")); got != 2048 {
		t.Errorf("page size %d", got)
	}
	// Before 3.51.3 a checkpoint beside a writer could lose pages.
	err := st.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(store.NewStmt("version", `SELECT sqlite_version()`), func(r store.Row) error {
			var major, minor, patch int
			if _, err := fmt.Sscanf(r.Text(0), "%d.%d.%d", &major, &minor, &patch); err != nil {
				return err
			}
			if major*1_000_000+minor*1000+patch < 3_051_003 {
				t.Errorf("SQLite %s can lose pages at a checkpoint; 3.51.3 is the first that does not", r.Text(0))
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}
