package sqlite

import (
	"time"
)

const (
	// checkpointEvery is how long committed pages may stay in the log only. Each
	// round costs an fsync or two, in the background.
	checkpointEvery = 500 * time.Millisecond
	// restartWait bounds how long the writer waits for readers of the log's old
	// pages before it goes on without a restart.
	restartWait = 20 * time.Millisecond
)

// checkpointer moves committed pages from the log to the database file, on a
// connection of its own, beside the writer. The writer then begins the log anew
// by itself, if it finds everything moved; under steady load it never does, so
// the checkpointer asks for it when the log is over its limit.
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
		p.round()
	}
}

// round moves what it can without making anybody wait. A failure leaves the
// pages in the log, where they are as durable, for the next round.
func (p *checkpointer) round() {
	state, err := p.conn.numbers("PRAGMA wal_checkpoint(PASSIVE)")
	if err != nil || len(state) != 3 {
		p.committed()
		return
	}
	pages, moved := state[1], state[2]
	if moved < pages {
		p.committed() // a reader or a commit was in the way
	}
	if pages*pageSize > p.store.opts.WALLimit {
		p.store.writer.restart.Store(true)
	}
}

// restartLog moves the rest of the log, which is little after a round, and begins
// it anew; with shrink it also gives its space back. The writer calls it between
// two batches: only then nothing is added meanwhile. Readers of old pages can
// prevent it; the next round asks again.
func (w *writer) restartLog(shrink bool) {
	mode := "RESTART"
	if shrink {
		mode = "TRUNCATE"
	}
	w.conn.SetBusyTimeout(restartWait)
	_, _ = w.conn.numbers("PRAGMA wal_checkpoint(" + mode + ")")
	w.conn.SetBusyTimeout(busyTimeout)
}
