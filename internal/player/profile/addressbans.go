package profile

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	banMarkStmt      = statements.Get("ban_mark")
	banMarkBumpStmt  = statements.Get("ban_mark_bump")
	banAddressesStmt = statements.Get("ban_addresses")
)

// banTopic is signalled when bans of addresses change.
const banTopic = "player-address-bans"

const (
	// banPoll is how often a node looks for changes that no signal told.
	banPoll = time.Second
	// banPause is how long signals gather, where many come.
	banPause = 100 * time.Millisecond
)

// addressBans is what one node knows of the bans of addresses, all of them in
// memory, so that a sign-in from an address without one asks no store. It hears of
// changes by a signal, and looks every second besides, so that every node knows
// within two seconds though a signal be lost.
type addressBans struct {
	gate    *call.Gate
	until   atomic.Pointer[map[titleAddress]int64] // when the last ban of an address ends; replaced as a whole
	mu      sync.Mutex                             // of a load
	version int64                                  // of the change that was read last; -1 for nothing yet
	stop    context.CancelFunc
	done    sync.WaitGroup
}

type titleAddress struct {
	title   string
	address netip.Addr
}

// openAddressBans reads the bans of addresses and follows them until close.
func openAddressBans(ctx context.Context, g *call.Gate) (*addressBans, error) {
	b := &addressBans{gate: g, version: -1}
	if err := b.load(ctx); err != nil {
		return nil, err
	}
	follow, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	b.done.Go(func() { b.follow(follow) }) // whose first look finds what came meanwhile
	return b, nil
}

func (b *addressBans) close() {
	b.stop()
	b.done.Wait()
}

// banned reports whether a ban of an address is in force. It never waits.
func (b *addressBans) banned(title string, address netip.Addr, now int64) bool {
	m := *b.until.Load()
	return len(m) > 0 && m[titleAddress{title, plainAddress(address)}] > now
}

// addressesChanged says, in the transaction that changes bans of addresses, that it does.
func addressesChanged(tx store.Tx) error {
	_, err := tx.Exec(banMarkBumpStmt)
	tx.Notify(banTopic)
	return err
}

// load reads the bans if they changed since it did last.
func (b *addressBans) load(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	version, next := int64(0), map[titleAddress]int64{}
	err := b.gate.Store().Read(ctx, func(tx store.Tx) error {
		clear(next)
		_, err := store.QueryOne(tx, banMarkStmt, func(r store.Row) error { version = r.Int(0); return nil })
		if err != nil || version == b.version {
			return err
		}
		title := "" // one text for all rows of a title
		return tx.Query(banAddressesStmt, func(r store.Row) error {
			if t := r.Text(0); t != title {
				title = t
			}
			address, err := netip.ParseAddr(r.Text(1))
			if err != nil {
				return err
			}
			next[titleAddress{title, address}] = r.Int(2)
			return nil
		}, b.gate.Clock()().UnixMilli())
	})
	if err != nil {
		return fmt.Errorf("read bans of addresses: %w", err)
	}
	if version != b.version {
		b.version = version
		b.until.Store(&next)
	}
	return nil
}

// follow keeps the bans up to date until ctx ends.
func (b *addressBans) follow(ctx context.Context) {
	signals := b.gate.Store().Watch(ctx, banTopic)
	poll := time.NewTicker(banPoll)
	defer poll.Stop()
	failing := false
	for {
		err := b.load(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			b.gate.Log().Error("bans of addresses cannot be read; those known so far stay in force", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		case _, open := <-signals:
			if !open { // the store is closing
				signals = nil
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(banPause):
			}
		}
	}
}
