package streaming

import (
	"crypto/sha256"
	"sync"
	"time"
)

// cache remembers valid answers by the hash of their token.
type cache struct {
	size int

	mu      sync.Mutex
	entries map[[sha256.Size]byte]entry
	swept   time.Time
}

// entry is one answer and when it is forgotten.
type entry struct {
	id    Identity
	until time.Time
}

func (c *cache) get(key [sha256.Size]byte, now time.Time) (Identity, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok || !now.Before(e.until) {
		return Identity{}, false
	}
	return e.id, true
}

// put remembers an answer; a full cache first forgets what is over, at most once
// a second, and then any one entry.
func (c *cache) put(key [sha256.Size]byte, e entry, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[[sha256.Size]byte]entry{}
	}
	if len(c.entries) >= c.size && now.Sub(c.swept) >= time.Second {
		c.swept = now
		for k, old := range c.entries {
			if !now.Before(old.until) {
				delete(c.entries, k)
			}
		}
	}
	if len(c.entries) >= c.size {
		for k := range c.entries {
			delete(c.entries, k)
			break
		}
	}
	c.entries[key] = e
}
