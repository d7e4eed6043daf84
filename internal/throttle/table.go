package throttle

import (
	"hash/maphash"
	"math/bits"
	"net/netip"
	"sync"
	"time"
)

const (
	shardCount = 64
	// sweep is how many stale entries a new one takes away.
	sweep = 4
	// blur is how exact the order of entries by their use is. Entries that are
	// used all the time keep their place, which saves touching their neighbours.
	blur = int64(100 * time.Millisecond)
)

// table is a map from keys to small values that forgets. Times are nanoseconds
// since 1970.
type table[V any] struct {
	seed   maphash.Seed
	most   int   // entries in a shard
	idle   int64 // an entry that was not used for so long means nothing
	shards [shardCount]shard[V]
}

type shard[V any] struct {
	mu      sync.Mutex
	entries map[uint64]*entry[V]
	ring    entry[V] // sentinel: next is the newest, prev the oldest
	_       [64]byte // neighbours share no cache line
}

type entry[V any] struct {
	hash       uint64
	used       int64
	placed     int64 // when it came to the front
	prev, next *entry[V]
	value      V
}

// newTable makes a table of about that many entries.
func newTable[V any](capacity int, idle time.Duration) *table[V] {
	t := &table[V]{seed: maphash.MakeSeed(), most: max(1, (capacity+shardCount-1)/shardCount), idle: int64(idle)}
	for i := range t.shards {
		s := &t.shards[i]
		s.entries = map[uint64]*entry[V]{}
		s.ring.prev, s.ring.next = &s.ring, &s.ring
	}
	return t
}

// hash gives the hash of a key of several parts, whose order matters.
func (t *table[V]) hash(parts ...string) uint64 {
	var h uint64
	for _, p := range parts {
		h = mix(h, maphash.String(t.seed, p))
	}
	return h
}

// mix folds a hash into another.
func mix(h, more uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, more|1)
	return high ^ low ^ bits.RotateLeft64(more, 32)
}

// with runs fn on the value of a key, under its lock; a key that is not there, or
// was not used for too long, gets a zero value. It must not be called from fn.
func (t *table[V]) with(hash uint64, now int64, fn func(*V)) {
	s := &t.shards[hash%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[hash]
	switch {
	case e == nil:
		e = s.add(hash, now, t.idle, t.most)
	case now-e.used >= t.idle:
		var zero V
		e.value = zero
	}
	s.use(e, now)
	fn(&e.value)
}

// peek runs fn on the value of a key if it is there and means something, and
// reports that. The entry counts as used.
func (t *table[V]) peek(hash uint64, now int64, fn func(*V)) bool {
	s := &t.shards[hash%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[hash]
	if e == nil || now-e.used >= t.idle {
		return false
	}
	s.use(e, now)
	fn(&e.value)
	return true
}

// len counts the entries.
func (t *table[V]) len() int {
	n := 0
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.entries)
		s.mu.Unlock()
	}
	return n
}

// add makes an entry and room for it. The last one dropped is used again.
func (s *shard[V]) add(hash uint64, now, idle int64, most int) *entry[V] {
	var e *entry[V]
	for i := 0; i < sweep && s.ring.prev != &s.ring; i++ {
		oldest := s.ring.prev
		if len(s.entries) < most && now-oldest.used < idle {
			break
		}
		oldest.unlink()
		delete(s.entries, oldest.hash)
		e = oldest
	}
	if e == nil {
		e = new(entry[V])
	}
	*e = entry[V]{hash: hash, used: now, placed: now}
	s.entries[hash] = e
	s.front(e)
	return e
}

// use notes that an entry is used now. A clock that is set back makes nothing
// older.
func (s *shard[V]) use(e *entry[V], now int64) {
	e.used = max(e.used, now)
	if now-e.placed >= blur {
		e.placed = now
		e.unlink()
		s.front(e)
	}
}

func (e *entry[V]) unlink() {
	e.prev.next, e.next.prev = e.next, e.prev
}

func (s *shard[V]) front(e *entry[V]) {
	e.prev, e.next = &s.ring, s.ring.next
	e.prev.next, e.next.prev = e, e
}

// Network gives the key of a client's address: an IPv4 address itself, and of an
// IPv6 address the first 64 bits, since a household or a rented machine has all
// of those that follow.
func Network(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	if !ip.Is6() {
		return ip.String()
	}
	p, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return p.Addr().String()
}
