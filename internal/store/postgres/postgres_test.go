package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"ludgate/internal/store"
	"ludgate/internal/store/postgres"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/store/storetest"

	"github.com/jackc/pgx/v5"
)

func openURL(t testing.TB, address string, opts postgres.Options) *postgres.Store {
	t.Helper()
	st, err := postgres.Open(t.Context(), address, opts)
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
	pgtest.URL(t) // skips once, not in every test
	storetest.Run(t, func(t *testing.T) store.Store { return openURL(t, pgtest.URL(t), postgres.Options{}) })
}

// TestConformanceWithOneConnection shows that nothing needs two at once.
func TestConformanceWithOneConnection(t *testing.T) {
	pgtest.URL(t)
	storetest.Run(t, func(t *testing.T) store.Store {
		// Tests that hold a Read open during a Write need a second one.
		n := 1
		if strings.Contains(t.Name(), "snapshot") {
			n = 2
		}
		return openURL(t, pgtest.URL(t), postgres.Options{Conns: n})
	})
}

// nodes opens several stores on one empty schema, as several Ludgates do.
func nodes(t *testing.T, n int) (address string, all []*postgres.Store) {
	t.Helper()
	address = pgtest.URL(t)
	for range n {
		all = append(all, openURL(t, address, postgres.Options{}))
	}
	return address, all
}

// await receives a signal, or fails the test.
func await(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s did not come", what)
	}
}

// with gives a URL with one more parameter.
func with(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

func TestNodesThatStartTogetherMigrateOnce(t *testing.T) {
	_, all := nodes(t, 4)
	var wg sync.WaitGroup
	for _, st := range all {
		wg.Go(func() {
			if err := store.Migrate(t.Context(), st); err != nil {
				t.Errorf("migrate: %v", err)
			}
		})
	}
	wg.Wait()
	steps := int64(0)
	err := all[0].Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(store.NewStmt("steps", `SELECT count(*) FROM migrations`), func(r store.Row) error { steps = r.Int(0); return nil })
	})
	if err != nil || steps != 1 {
		t.Errorf("%d steps recorded, want 1; error %v", steps, err)
	}
}

func TestOneNameHasOneOwnerAmongAllNodes(t *testing.T) {
	_, all := nodes(t, 3)
	if err := store.Migrate(t.Context(), all[0]); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var winners []string
	for i := range 60 {
		wg.Go(func() {
			owner := fmt.Sprint("owner", i)
			err := all[i%len(all)].Write(t.Context(), func(tx store.Tx) error {
				return store.Claim(tx, store.SpaceServerName, "", "db1", owner)
			})
			if err == nil {
				mu.Lock()
				winners = append(winners, owner)
				mu.Unlock()
			} else if !errors.Is(err, store.ErrTaken) {
				t.Errorf("claim: %v", err)
			}
		})
	}
	wg.Wait()
	if len(winners) != 1 {
		t.Errorf("winners %v, want one", winners)
	}
}

func TestSignalsReachTheOtherNodes(t *testing.T) {
	_, all := nodes(t, 2)
	c := all[1].Watch(t.Context(), "groups")
	if err := all[0].Write(t.Context(), func(tx store.Tx) error { tx.Notify("groups"); return nil }); err != nil {
		t.Fatal(err)
	}
	await(t, c, "the signal of the other node")
}

func TestSchemasDoNotHearEachOther(t *testing.T) {
	one, two := openURL(t, pgtest.URL(t), postgres.Options{}), openURL(t, pgtest.URL(t), postgres.Options{})
	c, own := two.Watch(t.Context(), "groups"), two.Watch(t.Context(), "own")
	notify := func(st store.Store, topic string) {
		if err := st.Write(t.Context(), func(tx store.Tx) error { tx.Notify(topic); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	notify(one, "groups")
	notify(two, "own")
	await(t, own, "its own signal")
	select {
	case <-c:
		t.Error("a signal of another schema")
	default:
	}
}

// kill ends the server's side of connections that a condition picks.
func kill(t *testing.T, address, condition string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	tag, err := c.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name') AND `+condition)
	if err != nil {
		t.Fatal(err)
	}
	if tag.RowsAffected() == 0 {
		t.Fatal("no connection was there to be ended")
	}
}

func TestWatchSurvivesABrokenConnection(t *testing.T) {
	address := with(t, pgtest.URL(t), "application_name", "watch-"+t.Name())
	st := openURL(t, address, postgres.Options{})
	c := st.Watch(t.Context(), "groups")
	kill(t, address, `query LIKE 'LISTEN%'`)
	await(t, c, "the signal after the break, for what may have been lost")
	if err := st.Write(t.Context(), func(tx store.Tx) error { tx.Notify("groups"); return nil }); err != nil {
		t.Fatal(err)
	}
	await(t, c, "a signal on the new connection")
}

func TestCallsSurviveBrokenConnections(t *testing.T) {
	address := with(t, pgtest.URL(t), "application_name", "calls-"+t.Name())
	st := openURL(t, address, postgres.Options{})
	if err := store.Migrate(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	owner := func() error {
		return st.Read(t.Context(), func(tx store.Tx) error {
			_, err := store.Owner(tx, store.SpaceServerName, "", "n")
			return err
		})
	}
	claim := func() error {
		return st.Write(t.Context(), func(tx store.Tx) error { return store.Claim(tx, store.SpaceServerName, "", "n", "me") })
	}
	for range 3 {
		if err := errors.Join(claim(), owner()); err != nil {
			t.Fatal(err)
		}
		kill(t, address, `query NOT LIKE 'LISTEN%'`)
		if err := claim(); err != nil {
			t.Errorf("write after the break: %v", err)
		}
		kill(t, address, `query NOT LIKE 'LISTEN%'`)
		if err := owner(); err != nil {
			t.Errorf("read after the break: %v", err)
		}
	}
}

func TestTooManyWaitingWritesAreBusy(t *testing.T) {
	st := openURL(t, pgtest.URL(t), postgres.Options{Queue: 1})
	in, out, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- st.Write(context.Background(), func(store.Tx) error { close(in); <-out; return nil })
	}()
	<-in
	if err := st.Write(t.Context(), func(store.Tx) error { return nil }); !errors.Is(err, store.ErrBusy) {
		t.Errorf("error %v, want ErrBusy", err)
	}
	close(out)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := st.Write(t.Context(), func(store.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
}

// A connection that breaks within a Write costs another run, not the Write.
func TestWriteSurvivesABreakInItsMidst(t *testing.T) {
	address := with(t, pgtest.URL(t), "application_name", "midst-"+t.Name())
	st := openURL(t, address, postgres.Options{})
	if err := store.Migrate(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	runs := 0
	err := st.Write(t.Context(), func(tx store.Tx) error {
		runs++
		if err := store.Claim(tx, store.SpaceServerName, "", "n", "me"); err != nil {
			return err
		}
		if runs == 1 {
			kill(t, address, `query NOT LIKE 'LISTEN%'`)
		}
		return store.Claim(tx, store.SpaceServerName, "", "n2", "me")
	})
	if err != nil || runs != 2 {
		t.Errorf("after %d runs: %v; want 2 and no error", runs, err)
	}
	for _, name := range []string{"n", "n2"} {
		err := st.Read(t.Context(), func(tx store.Tx) error {
			owner, err := store.Owner(tx, store.SpaceServerName, "", name)
			if owner != "me" {
				t.Errorf("owner of %s is %q", name, owner)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A unique index refuses what another node wrote after our snapshot: the function
// runs again and can see it.
func TestLateDuplicateIsSeenInTheNextRun(t *testing.T) {
	_, all := nodes(t, 2)
	create := store.NewStmt("create", `CREATE TABLE thing (id TEXT PRIMARY KEY)`)
	put, has := store.NewStmt("put", `INSERT INTO thing (id) VALUES ($1)`), store.NewStmt("has", `SELECT 1 FROM thing WHERE id = $1`)
	exec := func(st store.Store, stmt *store.Stmt, args ...any) {
		t.Helper()
		if err := st.Write(t.Context(), func(tx store.Tx) error { _, err := tx.Exec(stmt, args...); return err }); err != nil {
			t.Fatal(err)
		}
	}
	exec(all[0], create)
	errThere := errors.New("it is there")
	runs := 0
	err := all[0].Write(t.Context(), func(tx store.Tx) error {
		runs++
		found, err := store.QueryOne(tx, has, func(store.Row) error { return nil }, "x")
		if err != nil {
			return err
		}
		if found {
			return errThere
		}
		if runs == 1 {
			exec(all[1], put, "x")
		}
		_, err = tx.Exec(put, "x")
		return err
	})
	if !errors.Is(err, errThere) || runs != 2 {
		t.Errorf("after %d runs: %v; want 2 and the function's own error", runs, err)
	}
}

func TestDurabilityCannotBeSwitchedOff(t *testing.T) {
	st := openURL(t, with(t, pgtest.URL(t), "synchronous_commit", "off"), postgres.Options{})
	err := st.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(store.NewStmt("sync", `SELECT current_setting('synchronous_commit')`), func(r store.Row) error {
			if r.Text(0) != "on" {
				t.Errorf("synchronous_commit is %s", r.Text(0))
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestReadOnlyDatabase(t *testing.T) {
	st := openURL(t, with(t, pgtest.URL(t), "default_transaction_read_only", "on"), postgres.Options{})
	if err := store.Migrate(t.Context(), st); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("migrate: %v, want ErrReadOnly", err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	address := pgtest.URL(t)
	elsewhere, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere.Path = "/nowhere"
	for name, c := range map[string]struct{ address, want string }{
		"schema that is not there":   {with(t, address, "search_path", "nowhere"), "no schema"},
		"database that is not there": {elsewhere.String(), "refuses"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.address, c.want) })
	}
}

func TestOpenWithoutAServer(t *testing.T) {
	for name, c := range map[string]struct{ address, want string }{
		"nobody there": {"postgres://me:secret@127.0.0.1:1/db?connect_timeout=2", "cannot be reached"},
		"no socket":    {"postgres://me:secret@/db?host=/nowhere", "cannot be reached"},
		"no URL":       {"postgres://me:secret@host:port/db", "not right"},
		"bad setting":  {"postgres://me:secret@127.0.0.1:1/db?sslmode=perhaps", "not right"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.address, c.want) })
	}
}

// refused opens a store that must not open and checks the sentence.
func refused(t *testing.T, address, want string) {
	t.Helper()
	st, err := postgres.Open(t.Context(), address, postgres.Options{})
	if err == nil {
		st.Close()
		t.Fatal("the store opens")
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error %q does not say %q", err, want)
	}
	if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q tells the password or is more than a sentence", err)
	}
}

func BenchmarkInsert(b *testing.B) {
	storetest.BenchInsert(b, openURL(b, pgtest.URL(b), postgres.Options{}))
}

func BenchmarkInsertAlone(b *testing.B) {
	storetest.BenchInsertAlone(b, openURL(b, pgtest.URL(b), postgres.Options{}))
}

func BenchmarkUpdate(b *testing.B) {
	storetest.BenchUpdate(b, openURL(b, pgtest.URL(b), postgres.Options{}))
}

func BenchmarkRead(b *testing.B) {
	storetest.BenchRead(b, openURL(b, pgtest.URL(b), postgres.Options{}))
}
