package throttle

import "time"

// slots is into how many parts a window is cut.
const slots = 16

// Window allows at most Max in any time of length Per.
type Window struct {
	Max int // at least 1, at most 65,535
	Per time.Duration
}

// DataUpdates are the windows for updates of one player's data.
var DataUpdates = []Window{{10, 15 * time.Second}, {150, 5 * time.Minute}, {3600, time.Hour}}

// Counters hold sliding windows for each key. Never do more than Max fall into
// any Per; in exchange for a small table, a caller that is at a limit may wait
// up to a sixteenth of Per longer than it had to.
type Counters struct {
	windows []Window
	keys    *table[counts]
}

// counts are the counts of one key, a ring of slots for each window; the slot of
// a number n of slots since 1970 is at n modulo the ring's length.
type counts []ring

type ring struct {
	last int64 // number of the newest slot
	n    [slots + 1]uint16
}

// NewCounters makes Counters for at most about capacity keys. It panics on a
// window that lets nobody through or cannot be counted.
func NewCounters(capacity int, windows ...Window) *Counters {
	idle := time.Duration(0)
	for _, w := range windows {
		if w.Max < 1 || w.Max > 1<<16-1 || w.Per < slots {
			panic("throttle: a window cannot be counted")
		}
		idle = max(idle, w.Per+w.Per/slots+1)
	}
	return &Counters{windows: windows, keys: newTable[counts](capacity, idle)}
}

// Allow counts one for a key if all windows have room. If not, nothing is
// counted, and it says when there will be room.
func (c *Counters) Allow(key string, now time.Time) (ok bool, retryAfter time.Duration) {
	at := now.UnixNano()
	c.keys.with(c.keys.hash(key), at, func(k *counts) {
		if *k == nil {
			*k = make(counts, len(c.windows))
		}
		for i, w := range c.windows {
			retryAfter = max(retryAfter, (*k)[i].wait(w, at))
		}
		if ok = retryAfter == 0; !ok {
			return
		}
		for i := range c.windows {
			r := &(*k)[i]
			r.n[r.last%(slots+1)]++
		}
	})
	return ok, retryAfter
}

// Len is the number of keys that are kept.
func (c *Counters) Len() int { return c.keys.len() }

// wait moves the ring to the present and gives how long until the window has
// room for one more.
func (r *ring) wait(w Window, at int64) time.Duration {
	width := int64((w.Per + slots - 1) / slots)
	slot := at / width
	for n := max(r.last+1, slot-slots); n <= slot; n++ {
		r.n[n%(slots+1)] = 0
	}
	r.last = max(r.last, slot) // a clock that is set back stays in the newest slot
	sum := 0
	for _, n := range r.n {
		sum += int(n)
	}
	for n := r.last - slots; sum >= w.Max; n++ {
		if n < 0 {
			continue
		}
		if sum -= int(r.n[n%(slots+1)]); sum < w.Max {
			return time.Duration((n+slots+1)*width - at)
		}
	}
	return 0
}
