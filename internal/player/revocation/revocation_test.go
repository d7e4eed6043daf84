package revocation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludgate/internal/store"
	"ludgate/internal/store/postgres"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/store/storetest"
	"ludgate/internal/ticket"
)

const ann, bob = "66A3F00112345678", "66A3F00112345679"

// noon is the moment of most revocations here.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 890_123_456, time.UTC)

// signedIn is the claims of a proof of who signed in at a time.
func signedIn(title, player string, at time.Time) ticket.Claims {
	return ticket.Claims{Bearer: ticket.Bearer{Title: title, Player: player, Since: at.Truncate(time.Millisecond)}, Issued: at.Add(time.Hour)}
}

// proof is signedIn some time after noon.
func proof(title, player string, after time.Duration) ticket.Claims {
	return signedIn(title, player, noon.Add(after))
}

// open makes a set on a store; its clock is a moment after noon.
func open(t testing.TB, st store.Store) *Set {
	t.Helper()
	return openAt(t, st, func() time.Time { return noon.Add(time.Second) })
}

func openAt(t testing.TB, st store.Store, clock func() time.Time) *Set {
	t.Helper()
	s, err := Open(t.Context(), Options{Store: st, Clock: clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a set until the test, or what stop ends.
func run(t testing.TB, s *Set) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { s.Run(ctx) })
	return func() { cancel(); work.Wait() }
}

func revoke(t testing.TB, st store.Store, title, player string, at time.Time) {
	t.Helper()
	if err := st.Write(t.Context(), func(tx store.Tx) error { return (&Set{}).Revoke(tx, title, player, at) }); err != nil {
		t.Fatal(err)
	}
}

func TestRevoked(t *testing.T) {
	st := storetest.Open(t, Area)
	s := open(t, st)
	if s.Revoked(proof("ABCDE", ann, 0)) {
		t.Error("revoked before anything was")
	}
	revoke(t, st, "ABCDE", ann, noon)
	revoke(t, st, "ABCDE", ann, noon.Add(-time.Hour)) // within the later one
	revoke(t, st, "144", "", noon)
	check := func(when string, s *Set) {
		t.Helper()
		for _, tc := range []struct {
			what  string
			proof ticket.Claims
			want  bool
		}{
			{"made before", proof("ABCDE", ann, -time.Hour), true},
			{"made a millisecond before", proof("ABCDE", ann, -time.Millisecond), true},
			{"made in the same millisecond", proof("ABCDE", ann, 0), true},
			{"made a millisecond after", proof("ABCDE", ann, time.Millisecond), false},
			{"another player's", proof("ABCDE", bob, -time.Hour), false},
			{"the same player in another title", proof("144", ann, -time.Hour), false},
			{"of a title", proof("144", "", -time.Hour), true},
			{"of a title, made after", proof("144", "", time.Second), false},
			{"of another title", proof("ABCDE", "", -time.Hour), false},
		} {
			if got := s.Revoked(tc.proof); got != tc.want {
				t.Errorf("%s: %s: %v, want %v", when, tc.what, got, tc.want)
			}
		}
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after Refresh", s)
	check("after a restart", open(t, st))

	revoke(t, st, "ABCDE", ann, noon.Add(time.Minute))
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !s.Revoked(proof("ABCDE", ann, time.Minute)) || s.Revoked(proof("ABCDE", ann, time.Minute+time.Second)) {
		t.Error("a second revocation did not move the first one on")
	}
}

// TestWithItsTransaction: a change that did not happen revokes nothing.
func TestWithItsTransaction(t *testing.T) {
	st := storetest.Open(t, Area)
	s := open(t, st)
	failed := errors.New("the change is refused")
	err := st.Write(t.Context(), func(tx store.Tx) error {
		if err := s.Revoke(tx, "ABCDE", ann, noon); err != nil {
			return err
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if err := s.Refresh(t.Context()); err != nil || s.Revoked(proof("ABCDE", ann, -time.Hour)) {
		t.Errorf("revoked by a transaction that failed: %v", err)
	}
}

// TestTwoNodes: a node hears what another one revokes, though their clocks differ.
func TestTwoNodes(t *testing.T) {
	here := storetest.Open(t, Area)
	there := here
	if os.Getenv(pgtest.Env) != "" {
		url := pgtest.URL(t)
		node := func() store.Store {
			st, err := postgres.Open(t.Context(), url, postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			if err := store.Migrate(t.Context(), st, Area); err != nil {
				t.Fatal(err)
			}
			return st
		}
		here, there = node(), node()
	}
	ahead := func() time.Time { return noon.Add(5 * time.Second) }
	behind := func() time.Time { return noon.Add(-5 * time.Second) }
	a, b := openAt(t, here, ahead), openAt(t, there, behind)
	defer run(t, a)()
	defer run(t, b)()
	for n := range 10 {
		player := fmt.Sprintf("%016X", n)
		from := here
		if n%2 == 1 {
			from = there
		}
		at := noon.Add(time.Duration(n%3-1) * time.Second)
		revoke(t, from, "ABCDE", player, at)
		for end := time.Now().Add(10 * time.Second); !(a.Revoked(proof("ABCDE", player, -time.Minute)) && b.Revoked(proof("ABCDE", player, -time.Minute))); {
			if time.Now().After(end) {
				t.Fatalf("revocation %d is not known everywhere: %v %v", n, a.Revoked(proof("ABCDE", player, -time.Minute)), b.Revoked(proof("ABCDE", player, -time.Minute)))
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// deaf is a store whose signals are all lost.
type deaf struct{ store.Store }

func (deaf) Watch(ctx context.Context, _ string) <-chan struct{} {
	c := make(chan struct{})
	context.AfterFunc(ctx, func() { close(c) })
	return c
}

// TestKnownWithinTwoSeconds with signals, and without.
func TestKnownWithinTwoSeconds(t *testing.T) {
	for what, within := range map[string]time.Duration{"heard": 200 * time.Millisecond, "deaf": 2 * time.Second} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := storetest.OpenEmbedded(t, Area)
				watched := st
				if what == "deaf" {
					watched = deaf{st}
				}
				s := openAt(t, watched, time.Now)
				defer run(t, s)()
				for range 5 {
					time.Sleep(777 * time.Millisecond)
					issued := signedIn("ABCDE", ann, time.Now())
					if s.Revoked(issued) {
						t.Fatal("revoked before it was")
					}
					revoke(t, st, "ABCDE", ann, time.Now())
					time.Sleep(within)
					synctest.Wait()
					if !s.Revoked(issued) {
						t.Errorf("not known after %v", within)
					}
				}
			})
		})
	}
}

// TestLateCommit: a revocation whose transaction took very long is known in the
// end, though much younger ones were seen before.
func TestLateCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := storetest.OpenEmbedded(t, Area)
		s := openAt(t, st, time.Now)
		defer run(t, s)()
		time.Sleep(2 * time.Second)
		early := time.Now().Add(-2 * overlap)
		revoke(t, st, "ABCDE", bob, time.Now())
		time.Sleep(2 * time.Second)
		revoke(t, st, "ABCDE", ann, early)
		time.Sleep(tidyInterval + time.Second)
		synctest.Wait()
		if !s.Revoked(signedIn("ABCDE", ann, early)) {
			t.Error("not known after a minute")
		}
	})
}

// TestForgotten: when every proof that it stops has expired, a revocation leaves
// memory and store.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := storetest.OpenEmbedded(t, Area)
		var later atomic.Int64 // how far the clock is ahead of the bubble's, so that nothing waits for a day
		clock := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		s := openAt(t, st, clock)
		defer run(t, s)()
		issued := time.Now()
		err := st.Write(t.Context(), func(tx store.Tx) error {
			for n := range 10 {
				if err := s.Revoke(tx, "ABCDE", fmt.Sprintf("%016X", n), issued); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		last := signedIn("ABCDE", fmt.Sprintf("%016X", 9), issued)
		later.Store(int64(ticket.Lifetime))
		revoke(t, st, "ABCDE", ann, clock())
		time.Sleep(tidyInterval + time.Second)
		synctest.Wait()
		if !s.Revoked(last) {
			t.Error("forgotten before the last proof has expired")
		}
		later.Add(int64(keepMargin))
		time.Sleep(tidyInterval + time.Second)
		synctest.Wait()
		if s.Revoked(last) || len(*s.before.Load()) != 1 {
			t.Errorf("%d revocations are in memory, want the later one", len(*s.before.Load()))
		}
		if n := rows(t, st); n != 1 {
			t.Errorf("%d revocations are stored, want the later one", n)
		}
	})
}

var countStmt = store.NewStmt("count", `SELECT count(*) FROM player_revocations`)

func rows(t testing.TB, st store.Store) (n int64) {
	t.Helper()
	err := st.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(countStmt, func(r store.Row) error { n = r.Int(0); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPruneInBatches on both stores, without a clock of its own.
func TestPruneInBatches(t *testing.T) {
	st := storetest.Open(t, Area)
	now := noon
	s := openAt(t, st, func() time.Time { return now })
	err := st.Write(t.Context(), func(tx store.Tx) error {
		for n := range pruneBatch + 1 {
			if err := s.Revoke(tx, "ABCDE", fmt.Sprintf("%016X", n), noon); err != nil {
				return err
			}
		}
		return s.Revoke(tx, "ABCDE", ann, noon.Add(time.Hour))
	})
	if err != nil {
		t.Fatal(err)
	}
	now = noon.Add(ticket.Lifetime + keepMargin + time.Minute)
	if err := s.prune(t.Context()); err != nil || rows(t, st) != 1 {
		t.Errorf("%d rows are left, want 1: %v", rows(t, st), err)
	}
}

// failing is a store that cannot be read for a while.
type failing struct {
	store.Store
	mu  sync.Mutex
	err error
}

func (f *failing) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *failing) Read(ctx context.Context, fn func(store.Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	return f.Store.Read(ctx, fn)
}

// lines is a log that can be read while it is written.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestStoreTrouble: while the store cannot be read the set keeps what it knows and
// says so once; afterwards it goes on by itself.
func TestStoreTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &failing{Store: storetest.OpenEmbedded(t, Area)}
		log := &lines{}
		revoke(t, st, "ABCDE", ann, time.Now())
		s, err := Open(t.Context(), Options{Store: st, Clock: time.Now, Log: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer run(t, s)()
		before := func(player string) ticket.Claims {
			return signedIn("ABCDE", player, time.Now().Add(-time.Hour))
		}
		st.set(errors.New("no connection"))
		revoke(t, st, "ABCDE", bob, time.Now())
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if !s.Revoked(before(ann)) || s.Revoked(before(bob)) {
			t.Error("not as before the trouble")
		}
		if n := strings.Count(log.String(), "no connection"); n != 1 {
			t.Errorf("%d lines in the log, want 1", n)
		}
		if err := s.Refresh(t.Context()); err == nil {
			t.Error("Refresh succeeded although the store cannot be read")
		}
		if _, err := Open(t.Context(), s.opt); err == nil {
			t.Error("a node started without knowing what is revoked")
		}
		st.set(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !s.Revoked(before(bob)) {
			t.Error("not known two seconds after the trouble")
		}
	})
}

// TestClosedStore: a set whose store is closed neither spins nor ends early.
func TestClosedStore(t *testing.T) {
	st := storetest.Open(t, Area)
	s := open(t, st)
	stop := run(t, s)
	revoke(t, st, "ABCDE", ann, noon)
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("refresh on a closed store: %v", err)
	}
	stop()
	if !s.Revoked(proof("ABCDE", ann, -time.Hour)) {
		t.Error("forgotten at the end")
	}
}

// TestWhileOthersAsk: proofs are checked while revocations come; one that is
// known stays known.
func TestWhileOthersAsk(t *testing.T) {
	st := storetest.Open(t, Area)
	s := open(t, st)
	defer run(t, s)()
	const most = 50
	known := make([]chan struct{}, most)
	for n := range known {
		known[n] = make(chan struct{})
	}
	player := func(n int) string { return fmt.Sprintf("%016X", n) }
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for n := range known {
				<-known[n]
				for k := range n + 1 {
					if !s.Revoked(proof("ABCDE", player(k), 0)) {
						t.Errorf("revocation %d was known and is not", k)
						return
					}
				}
			}
		})
	}
	for n := range known {
		revoke(t, st, "ABCDE", player(n), noon)
		if err := s.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
		close(known[n])
	}
	work.Wait()
}

func BenchmarkRevoked(b *testing.B) {
	for _, n := range []int{0, 1, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := &Set{}
			m := revoked{}
			for k := range n {
				m[owner{"ABCDE", fmt.Sprintf("%016X", k)}] = noon.UnixMilli()
			}
			s.before.Store(&m)
			c := proof("ABCDE", ann, 0)
			b.ReportAllocs()
			for b.Loop() {
				if s.Revoked(c) {
					b.Fatal("revoked")
				}
			}
		})
	}
}
