package postgres

import (
	"context"
	"fmt"

	"ludgate/internal/store"
)

const beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// maxReads bounds how often one Read runs because its connection was stale.
const maxReads = 3

// Read implements store.Store. A ctx that ends breaks a running query off. Where
// the first statement fails because its connection or its preparation is stale,
// fn runs again: it has not seen anything yet.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	for n := 1; ; n++ {
		t := &tx{ctx: ctx, begin: beginRead}
		err := s.readOnce(t, fn)
		if t.failed == nil || t.seen || !passes(t.failed) || n == maxReads {
			return err
		}
	}
}

// readOnce runs fn in one transaction.
func (s *Store) readOnce(t *tx, fn func(store.Tx) error) error {
	c, err := s.pool.Acquire(t.ctx)
	if err != nil {
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		return fmt.Errorf("store: connect: %w", mapError(err))
	}
	defer c.Release() // which closes a connection that is still in a transaction
	t.conn = c.Conn()
	defer func() {
		t.over = true
		rollback(t.ctx, c)
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
}
