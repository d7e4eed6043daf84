package postgres

import (
	"context"
	"fmt"

	"ludgate/internal/store"
)

const beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// Read implements store.Store. A ctx that ends breaks a running query off.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("store: connect: %w", mapError(err))
	}
	defer c.Release()
	t := &tx{ctx: ctx, conn: c.Conn(), begin: beginRead}
	defer func() {
		t.over = true
		rollback(ctx, c)
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
}
