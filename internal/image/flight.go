package image

import (
	"context"
	"sync"
)

// flight lets callers that want the same thing at the same time share one
// attempt. The attempt ends early only when every caller has gone.
type flight[T any] struct {
	mu    sync.Mutex
	calls map[string]*call[T]
}

type call[T any] struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	value   T
	err     error
}

// do gives the result of fn for key, of a call that is under way or a new one.
func (f *flight[T]) do(ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	f.mu.Lock()
	c := f.calls[key]
	if c == nil {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		c = &call[T]{cancel: cancel, done: make(chan struct{})}
		if f.calls == nil {
			f.calls = map[string]*call[T]{}
		}
		f.calls[key] = c
		go func() {
			c.value, c.err = fn(own)
			cancel()
			f.mu.Lock()
			if f.calls[key] == c {
				delete(f.calls, key)
			}
			f.mu.Unlock()
			close(c.done)
		}()
	}
	c.waiting++
	f.mu.Unlock()

	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.waiting--; c.waiting == 0 {
		// Whoever comes next must not join an attempt that is being given up.
		c.cancel()
		if f.calls[key] == c {
			delete(f.calls, key)
		}
	}
	var zero T
	return zero, ctx.Err()
}
