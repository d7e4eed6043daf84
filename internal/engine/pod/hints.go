package pod

import (
	"context"
	"sync"
)

// hints is the queue behind Changes. It holds every key at most once, so a slow
// reader costs no more than one entry per group and never blocks a group.
type hints struct {
	out  chan string
	wake chan struct{}

	mu      sync.Mutex
	pending map[string]bool
	order   []string
}

func newHints(life context.Context, work *sync.WaitGroup) *hints {
	h := &hints{out: make(chan string, 64), wake: make(chan struct{}, 1), pending: map[string]bool{}}
	work.Go(func() { h.run(life) })
	return h
}

// tell queues key unless it waits already.
func (h *hints) tell(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pending[key] {
		return
	}
	h.pending[key] = true
	h.order = append(h.order, key)
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *hints) run(life context.Context) {
	defer close(h.out)
	for {
		select {
		case <-life.Done():
			return
		case <-h.wake:
		}
		for key, ok := h.take(); ok; key, ok = h.take() {
			select {
			case <-life.Done():
				return
			case h.out <- key:
			}
		}
	}
}

// take removes the first key; a change from now on queues it again.
func (h *hints) take() (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.order) == 0 {
		h.order = nil
		return "", false
	}
	key := h.order[0]
	h.order = h.order[1:]
	delete(h.pending, key)
	return key, true
}
