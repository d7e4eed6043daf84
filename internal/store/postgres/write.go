package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"ludgate/internal/store"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	beginWrite = "BEGIN ISOLATION LEVEL SERIALIZABLE"

	// maxRuns bounds how often one Write runs, longestPause the wait between
	// two runs.
	maxRuns      = 40
	longestPause = 50 * time.Millisecond
	// runTimeout bounds one run. It is far above what a transaction takes; it
	// ends those whose server has become silent.
	runTimeout = 30 * time.Second
)

// Write implements store.Store. A transaction that collides with others runs
// again; from then on it is alone in this process with its runs, so that many
// that collide do not keep each other from succeeding. One that collides too
// often ends with store.ErrBusy.
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	if s.waiting.Add(1) > s.queue {
		s.waiting.Add(-1)
		return store.ErrBusy
	}
	defer s.waiting.Add(-1)

	taken := false // a unique index has refused once
	for n := 1; ; n++ {
		err, failure := s.runOnce(ctx, fn)
		if failure == nil {
			return err
		}
		again := passes(failure)
		if !taken && code(failure) == uniqueViolation {
			// What is in the way may have come after our snapshot. The next run
			// sees it, and the function can say what that means.
			taken, again = true, true
		}
		if !again || n == maxRuns {
			return err
		}
		if n == 1 {
			select {
			case s.lane <- struct{}{}:
				defer func() { <-s.lane }()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
}

// pause waits a random time that grows with n, or for the end of ctx.
func pause(ctx context.Context, n int) error {
	limit := min(time.Millisecond<<min(n, 10), longestPause)
	wait := time.NewTimer(time.Duration(rand.Int64N(int64(limit))))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runOnce runs fn in one transaction. Its first result is the answer for the
// caller if this was the last run; the second is the failure of the database in
// it, if any. A failure that leaves open whether the transaction was committed is
// none: nothing may run again then.
func (s *Store) runOnce(ctx context.Context, fn func(store.Tx) error) (err, failure error) {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err(), nil
		}
		err = fmt.Errorf("store: connect: %w", mapError(err))
		return err, err
	}
	defer c.Release() // which closes a connection that is still in a transaction
	// From here on the caller's context has no say: a commit that it breaks off
	// would leave everybody in the dark.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), runTimeout)
	defer cancel()

	t := &tx{ctx: ctx, conn: c.Conn(), begin: beginWrite, write: true, channel: s.channel}
	defer func() {
		t.over = true
		rollback(ctx, c)
	}()
	err = fn(t)
	t.over = true
	switch {
	case t.failed != nil && err == nil:
		return t.failed, t.failed
	case t.failed != nil:
		return err, t.failed
	case err != nil:
		return err, nil
	}
	if err := t.commit(); err != nil {
		err = fmt.Errorf("store: commit: %w", mapError(err))
		switch code(err) {
		case serializationFailure, deadlockDetected, uniqueViolation:
			return err, err // which say that it was not committed
		}
		return err, nil
	}
	return nil, nil
}

// rollback ends the transaction, if one is open.
func rollback(ctx context.Context, c *pgxpool.Conn) {
	if pg := c.Conn().PgConn(); !pg.IsClosed() && pg.TxStatus() != 'I' {
		// Should it fail, then Release closes the connection.
		_, _ = c.Exec(ctx, "ROLLBACK")
	}
}

// Exclusive implements store.Exclusive with a lock of the database, so that it
// holds among all nodes on this schema. Connections are made anew afterwards: the
// schema may have changed under their prepared statements.
func (s *Store) Exclusive(ctx context.Context, name string, fn func(ctx context.Context) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	c, err := s.listener.dial(ctx) // apart from the pool, which may be small
	if err != nil {
		return fmt.Errorf("store: connect: %w", mapError(err))
	}
	defer c.Close(context.WithoutCancel(ctx)) // which releases the lock
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended($1, 0))`, s.channel+":"+name); err != nil {
		return fmt.Errorf("store: lock %s: %w", name, err)
	}
	defer s.pool.Reset()
	return fn(ctx)
}
