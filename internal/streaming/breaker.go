package streaming

import (
	"sync"
	"time"
)

const (
	failuresToOpen = 5               // in a row
	restFor        = 2 * time.Second // before the next try
)

// breaker leaves a platform alone that keeps failing: after some failures in a
// row no request goes out for a moment, then one does as a probe, and its
// outcome decides.
type breaker struct {
	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // while open: when a probe may go
	probing  bool
}

// allow reports whether a request may go out; if so, done must follow.
func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < failuresToOpen {
		return true
	}
	if b.probing || now.Before(b.until) {
		return false
	}
	b.probing = true
	return true
}

// done notes the outcome of a request and reports whether it made the breaker
// open.
func (b *breaker) done(now time.Time, ok bool) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if ok {
		b.failures = 0
		return false
	}
	b.failures++
	if b.failures < failuresToOpen {
		return false
	}
	b.until = now.Add(restFor)
	return b.failures == failuresToOpen
}
