package bulk

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/part"
	"ludgate/internal/store"
)

// Options of a Bulk.
type Options struct {
	Gate  *call.Gate  // required
	Parts []part.Part // all that keep rows of players
	// Revoke takes back the proofs of a player who is removed; nil where there is
	// nothing that does.
	Revoke func(tx store.Tx, titleID, player string, now time.Time) error
}

// Bulk deals with players as wholes. It is safe for concurrent use.
type Bulk struct {
	opt     Options
	store   store.Store
	counted sync.Map // ids of titles whose count this process has checked
	lastID  atomic.Int64
}

// New makes a Bulk.
func New(o Options) (*Bulk, error) {
	if o.Gate == nil {
		return nil, errors.New("bulk: a gate is needed")
	}
	return &Bulk{opt: o, store: o.Gate.Store()}, nil
}

// Remove removes a player with all that is theirs, and takes their proofs back.
// It fails with AccountNotFound.
func (b *Bulk) Remove(ctx context.Context, titleID, player string) error {
	return b.store.Write(ctx, func(tx store.Tx) error {
		if err := b.remove(tx, titleID, player); err != nil || b.opt.Revoke == nil {
			return err
		}
		return b.opt.Revoke(tx, titleID, player, b.opt.Gate.Clock()())
	})
}

// remove removes the rows of a player.
func (b *Bulk) remove(tx store.Tx, titleID, player string) error {
	if err := account.Require(tx, titleID, player); err != nil {
		return err
	}
	for _, p := range b.opt.Parts {
		if err := p.Delete(tx, titleID, player); err != nil {
			return err
		}
	}
	_, err := account.Delete(tx, titleID, player)
	return err
}

// purgeBatch is how many players Purge removes in one transaction, so that other
// writers get their turn.
const purgeBatch = 100

// Purge removes players of a title, at most so many, and reports how many it
// found. Their proofs are not taken back one by one: a title that is gone lets
// nobody in.
func (b *Bulk) Purge(ctx context.Context, titleID string, most int) (int, error) {
	removed := 0
	for removed < most {
		n := 0
		err := b.store.Write(ctx, func(tx store.Tx) error {
			ids, err := account.Page(tx, titleID, "", min(purgeBatch, most-removed))
			for _, id := range ids {
				if err == nil {
					err = b.remove(tx, titleID, id)
				}
			}
			n = len(ids)
			return err
		})
		if err != nil {
			return removed, err
		}
		if removed += n; n == 0 {
			break
		}
	}
	return removed, nil
}

// ForgetTitle removes what the parts keep of a title itself.
func (b *Bulk) ForgetTitle(ctx context.Context, titleID string) error {
	return b.store.Write(ctx, func(tx store.Tx) error {
		for _, p := range b.opt.Parts {
			if err := p.DeleteTitle(tx, titleID); err != nil {
				return err
			}
		}
		return nil
	})
}
