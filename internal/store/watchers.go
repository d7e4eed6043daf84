package store

import (
	"context"
	"sync"
)

// Watchers keeps the channels that an implementation of [Store] hands out from
// Watch. The zero value is ready. It is safe for concurrent use.
type Watchers struct {
	mu     sync.Mutex
	topics map[string]map[*watcher]struct{}
	closed bool
}

type watcher struct {
	signal chan struct{} // holds at most one signal that was not read yet
	stop   func() bool
}

// Watch registers a channel for topic; it closes when ctx ends or at [Watchers.Close].
func (w *Watchers) Watch(ctx context.Context, topic string) <-chan struct{} {
	one := &watcher{signal: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || ctx.Err() != nil {
		close(one.signal)
		return one.signal
	}
	if w.topics == nil {
		w.topics = map[string]map[*watcher]struct{}{}
	}
	if w.topics[topic] == nil {
		w.topics[topic] = map[*watcher]struct{}{}
	}
	w.topics[topic][one] = struct{}{}
	one.stop = context.AfterFunc(ctx, func() { w.remove(topic, one) })
	return one.signal
}

// Signal wakes the watchers of topic. A watcher that has not read its last
// signal yet gets no second one.
func (w *Watchers) Signal(topic string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.topics[topic] {
		one.wake()
	}
}

// SignalAll wakes every watcher, for when signals may have been lost.
func (w *Watchers) SignalAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, set := range w.topics {
		for one := range set {
			one.wake()
		}
	}
}

// Close closes every channel; a later Watch gives a closed one.
func (w *Watchers) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, set := range w.topics {
		for one := range set {
			one.stop()
			close(one.signal)
		}
	}
	w.topics = nil
}

// remove forgets one watcher and closes its channel, unless Close was first.
func (w *Watchers) remove(topic string, one *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	set, ok := w.topics[topic]
	if !ok {
		return
	}
	if _, ok := set[one]; !ok {
		return
	}
	delete(set, one)
	if len(set) == 0 {
		delete(w.topics, topic)
	}
	close(one.signal)
}

func (w *watcher) wake() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}
