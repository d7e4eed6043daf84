package revocation

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"ludgate"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
)

//go:embed sql
var files embed.FS

// Area is the schema of this part.
var Area = store.Area{Name: "player-revocation", FS: files, Dir: "sql/migrations"}

var (
	statements = store.Statements(files, "sql")
	revokeStmt = statements.Get("revoke")
	listStmt   = statements.Get("list")
	pruneStmt  = statements.Get("prune")
)

// topic is what a revocation signals.
const topic = "player-revocations"

const (
	// keepMargin is how much longer than the life of a proof a revocation is kept,
	// for nodes whose clock is slow.
	keepMargin = time.Hour
	// pollInterval is how often a set looks for what no signal told.
	pollInterval = time.Second
	// signalPause is how long a set lets signals gather, where many come.
	signalPause = 100 * time.Millisecond
	// overlap is how far before its last look a set looks for new revocations: they
	// carry another node's time, and that of before their commit.
	overlap = 30 * time.Second
	// tidyInterval is how often a set reads everything again, which finds what
	// was committed later than overlap allows and leaves out what can be
	// forgotten, and prunes the table.
	tidyInterval = time.Minute
	// pruneBatch is how many rows sql/prune.sql deletes at most.
	pruneBatch = 1000
)

// Options are what a set stands on; all are required.
type Options struct {
	Store store.Store // with Area in it
	Clock ludgate.Clock
	Log   *slog.Logger
}

// Set is the revocations as one node knows them. It is safe for concurrent use.
type Set struct {
	opt    Options
	before atomic.Pointer[revoked] // replaced as a whole, never changed
	mu     sync.Mutex              // of a load
	loaded int64                   // when the last load was, in milliseconds since 1970
}

// revoked has the moments before which proofs are not good, in milliseconds since
// 1970, by whose they are.
type revoked map[owner]int64

type owner struct{ title, player string }

// Open makes a set that knows all revocations so far. It learns of further ones
// while Run runs.
func Open(ctx context.Context, o Options) (*Set, error) {
	s := &Set{opt: o}
	s.before.Store(&revoked{})
	if err := s.load(ctx, true); err != nil {
		return nil, err
	}
	return s, nil
}

// Revoked reports whether a proof was taken back. It never waits.
func (s *Set) Revoked(c ticket.Claims) bool {
	m := *s.before.Load()
	if len(m) == 0 {
		return false
	}
	before, ok := m[owner{c.Title, c.Player}]
	return ok && c.Since.UnixMilli() < before
}

// Revoke stops all proofs of a player of a title who signed in until now: its
// session tickets and entity tokens, and what is made of them later. With player "" it stops the entity tokens
// of the title itself. It belongs into the transaction that changes the account;
// the set itself learns of it as every other node does.
func (s *Set) Revoke(tx store.Tx, title, player string, now time.Time) error {
	before := now.UnixMilli() + 1
	forget := before + (ticket.Lifetime + keepMargin).Milliseconds()
	if _, err := tx.Exec(revokeStmt, title, player, before, forget); err != nil {
		return fmt.Errorf("revoke the proofs of a player: %w", err)
	}
	tx.Notify(topic)
	return nil
}

// Refresh returns when the set knows every revocation that was committed before.
func (s *Set) Refresh(ctx context.Context) error { return s.load(ctx, false) }

// Run keeps the set up to date until ctx ends.
func (s *Set) Run(ctx context.Context) {
	signals := s.opt.Store.Watch(ctx, topic)
	poll, tidy := time.NewTicker(pollInterval), time.NewTicker(tidyInterval)
	defer poll.Stop()
	defer tidy.Stop()
	failing := false
	report := func(err error) {
		if err != nil && !failing && ctx.Err() == nil {
			s.opt.Log.Error("revoked tickets cannot be read; those known so far stay revoked", "error", err)
		}
		failing = err != nil
	}
	report(s.load(ctx, false)) // what came between Open and Watch
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-signals:
			if !open { // the store is closing
				signals = nil
				continue
			}
			report(s.load(ctx, false))
			pause(ctx)
		case <-poll.C:
			report(s.load(ctx, false))
		case <-tidy.C:
			err := s.prune(ctx)
			if err == nil {
				err = s.load(ctx, true)
			}
			report(err)
		}
	}
}

// pause lets signals gather.
func pause(ctx context.Context) {
	t := time.NewTimer(signalPause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// load reads the revocations: all of them, or those that may be new.
func (s *Set) load(ctx context.Context, all bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Clock().UnixMilli()
	since := int64(math.MinInt64)
	if !all {
		since = min(s.loaded, now) - overlap.Milliseconds()
	}
	old := *s.before.Load()
	var next revoked // made when there is something new
	err := s.opt.Store.Read(ctx, func(tx store.Tx) error {
		next = nil
		if all {
			next = revoked{}
		}
		return tx.Query(listStmt, func(r store.Row) error {
			who, before := owner{r.Text(0), r.Text(1)}, r.Int(2)
			if !all && old[who] >= before {
				return nil
			}
			if next == nil {
				next = maps.Clone(old)
			}
			next[who] = before
			return nil
		}, since, now)
	})
	if err != nil {
		return fmt.Errorf("read revocations: %w", err)
	}
	s.loaded = now
	if next != nil {
		s.before.Store(&next)
	}
	return nil
}

// prune deletes what can be forgotten.
func (s *Set) prune(ctx context.Context) error {
	for {
		n := int64(0)
		err := s.opt.Store.Write(ctx, func(tx store.Tx) (err error) {
			n, err = tx.Exec(pruneStmt, s.opt.Clock().UnixMilli())
			return err
		})
		if err != nil {
			return fmt.Errorf("forget old revocations: %w", err)
		}
		if n < pruneBatch {
			return nil
		}
	}
}
