package sqlite

import (
	"context"

	"ludgate/internal/store"
)

// Read implements store.Store. A ctx that ends while the call waits for a
// connection, or between two rows, ends it.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	if err := run(c.begin); err != nil {
		s.readers <- c
		return mapError(err)
	}
	t := &tx{ctx: ctx, conn: c}
	// Deferred, because fn may panic: the connection must come back in order.
	defer func() {
		t.over = true
		if !c.AutocommitEnabled() {
			if end := run(c.commit); end != nil && err == nil {
				err = mapError(end)
			}
		}
		s.readers <- c
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
}

// reader waits for an idle connection.
func (s *Store) reader(ctx context.Context) (*conn, error) {
	select {
	case <-s.closing:
		return nil, store.ErrClosed
	default:
	}
	select {
	case c := <-s.readers:
		return c, nil
	default:
	}
	select {
	case c := <-s.readers:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.closing:
		return nil, store.ErrClosed
	}
}
