package sqlite

import (
	"time"
)

// checkpointEvery is how long committed pages may stay in the log only. Each
// round costs an fsync or two, in the background.
const checkpointEvery = 500 * time.Millisecond

// checkpointer moves committed pages from the log to the database file, on a
// connection of its own, beside the writer.
type checkpointer struct {
	store  *Store
	conn   *conn
	dirty  chan struct{} // one signal: there was a commit since the last round
	exited chan struct{}
}

func newCheckpointer(s *Store, c *conn) *checkpointer {
	return &checkpointer{store: s, conn: c, dirty: make(chan struct{}, 1), exited: make(chan struct{})}
}

// committed says that the log has grown.
func (p *checkpointer) committed() {
	select {
	case p.dirty <- struct{}{}:
	default:
	}
}

// run checkpoints half a second after a commit; an idle store sleeps.
func (p *checkpointer) run() {
	defer close(p.exited)
	for {
		select {
		case <-p.dirty:
		case <-p.store.closing:
			return
		}
		select {
		case <-time.After(checkpointEvery):
		case <-p.store.closing:
			return
		}
		_, _ = p.conn.numbers("PRAGMA wal_checkpoint(PASSIVE)")
	}
}
