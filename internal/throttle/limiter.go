package throttle

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Kind says what a bucket limits: "sign-in by address", for example.
type Kind string

// Rate is what one key of a kind may do: so many a second in the long run, and
// Burst at once.
type Rate struct {
	PerSecond float64 // more than 0
	Burst     int     // at least 1
}

// Limiter holds a token bucket for each key of each kind.
type Limiter struct {
	rates   map[Kind]Rate
	buckets *table[bucket]
}

// bucket is made with its first use.
type bucket struct{ *rate.Limiter }

// NewLimiter makes a Limiter for at most about capacity keys. A kind that is not
// in rates is not limited. It panics on a rate that lets nobody through.
func NewLimiter(capacity int, rates map[Kind]Rate) *Limiter {
	idle := time.Second
	own := make(map[Kind]Rate, len(rates))
	for k, r := range rates {
		if !(r.PerSecond > 0) || r.Burst < 1 {
			panic("throttle: a rate of kind " + string(k) + " lets nobody through")
		}
		own[k] = r
		// A bucket that had the time to fill up is as good as none.
		idle = max(idle, seconds(float64(r.Burst)/r.PerSecond))
	}
	return &Limiter{rates: own, buckets: newTable[bucket](capacity, idle)}
}

// Allow takes one token of a key's bucket. If there is none, it says when there
// will be.
func (l *Limiter) Allow(kind Kind, key string, now time.Time) (ok bool, retryAfter time.Duration) {
	r, limited := l.rates[kind]
	if !limited {
		return true, 0
	}
	l.buckets.with(l.buckets.hash(string(kind), key), now.UnixNano(), func(b *bucket) {
		if b.Limiter == nil {
			b.Limiter = rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst)
		}
		if ok = b.AllowN(now, 1); !ok {
			retryAfter = max(seconds((1-b.TokensAt(now))/r.PerSecond), time.Nanosecond)
		}
	})
	return ok, retryAfter
}

// Len is the number of buckets that are kept.
func (l *Limiter) Len() int { return l.buckets.len() }

// seconds is a duration, at most a year.
func seconds(s float64) time.Duration {
	return time.Duration(math.Ceil(min(s, 365*24*3600) * float64(time.Second)))
}
