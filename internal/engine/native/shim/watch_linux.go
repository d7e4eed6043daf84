package shim

import (
	"encoding/json"
	"net"
	"sync"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/protocol"
)

// watcher is a connection that is told of runs. What it has not been sent yet
// waits in a queue, so that a slow one holds up nobody.
type watcher struct {
	mu    sync.Mutex
	queue []layout.RunRecord
	wake  chan struct{}
}

func (w *watcher) push(r layout.RunRecord) {
	w.mu.Lock()
	w.queue = append(w.queue, r)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) take() []layout.RunRecord {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queue
	w.queue = nil
	return q
}

// watch tells of all runs there are, and then of changes, until the connection
// breaks.
func (s *shim) watch(conn *net.UnixConn) error {
	w := &watcher{wake: make(chan struct{}, 1)}
	s.mu.Lock()
	for _, r := range s.runs {
		if !r.record.Started.IsZero() {
			w.queue = append(w.queue, r.record)
		}
	}
	s.watchers[w] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watchers, w)
		s.mu.Unlock()
	}()

	gone := make(chan struct{})
	go func() { // the watcher says nothing any more; its end is all there is to read
		defer close(gone)
		_, _ = conn.Read(make([]byte, 1))
	}()
	out := json.NewEncoder(conn)
	told := false
	for {
		for _, r := range w.take() {
			if err := out.Encode(protocol.Reply{Run: &r}); err != nil {
				return nil // it left
			}
		}
		if !told {
			if err := out.Encode(protocol.Reply{Snapshot: true}); err != nil {
				return nil
			}
			told = true
		}
		select {
		case <-w.wake:
		case <-gone:
			return nil
		}
	}
}

// tell passes a run's new state to all watchers. s.mu is held.
func (s *shim) tell(r layout.RunRecord) {
	for w := range s.watchers {
		w.push(r)
	}
}
