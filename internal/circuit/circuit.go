// Package circuit leaves a service of others alone that keeps failing, so that
// calls do not pile up behind it (a circuit breaker).
package circuit

import (
	"sync"
	"time"
)

// When a breaker opens, and for how long.
const (
	Failures = 5               // in a row
	Rest     = 2 * time.Second // before the next try
)

// Breaker is closed at first and lets requests through. After some failures in a
// row it opens: no request goes out for a moment, then one does as a probe, and
// its outcome decides. The zero value is ready; it is safe for concurrent use.
type Breaker struct {
	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // while open: when a probe may go
	probing  bool
}

// Allow reports whether a request may go out; if so, Done must follow.
func (b *Breaker) Allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < Failures {
		return true
	}
	if b.probing || now.Before(b.until) {
		return false
	}
	b.probing = true
	return true
}

// Done notes the outcome of a request and reports whether it made the breaker
// open.
func (b *Breaker) Done(now time.Time, ok bool) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if ok {
		b.failures = 0
		return false
	}
	b.failures++
	if b.failures < Failures {
		return false
	}
	b.until = now.Add(Rest)
	return b.failures == Failures
}
