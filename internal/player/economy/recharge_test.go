package economy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// model is a balance that lives millisecond by millisecond.
type model struct{ amount, progress int64 }

func (m *model) tick(p period) {
	if p.rate <= 0 || m.amount >= int64(p.max) {
		m.progress = 0
		return
	}
	m.progress += int64(p.rate)
	for m.progress >= day {
		m.progress -= day
		if m.amount++; m.amount >= int64(p.max) {
			m.progress = 0
		}
	}
}

func (m *model) add(p period, n int64) {
	m.amount = min(max(m.amount+n, math.MinInt32), math.MaxInt32)
	if p.rate <= 0 || m.amount >= int64(p.max) {
		m.progress = 0
	}
}

// TestRechargeAgainstSteps lets random amounts be paid in and out at random
// times, under a currency that is changed at random times, and compares every
// balance, its fraction and the announced time of the next unit with the model's.
func TestRechargeAgainstSteps(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		rates := []int32{0, 1, 7, 1000, day / 10, day / 7, day - 1, day, day + 1, 3*day + 5, math.MaxInt32}
		maxima := []int32{0, 1, 2, 5, 100, 3000, math.MaxInt32}
		var periods []period
		for at := int64(0); at < 2000 && len(periods) < 5; at += 1 + r.Int64N(900) {
			periods = append(periods, period{since: at, rate: rates[r.IntN(len(rates))], max: maxima[r.IntN(len(maxima))]})
		}
		in := func(at int64) (p period) {
			for _, q := range periods {
				if q.since <= at {
					p = q
				}
			}
			return p
		}
		b, m := balance{amount: r.Int32N(10) - 3}, model{}
		m.amount = int64(b.amount)
		for at := int64(0); at < 2000; {
			step := r.Int64N(120)
			for i := range step {
				m.tick(in(at + i))
			}
			at += step
			seen := b.advance(periods, at)
			if r.IntN(3) > 0 {
				b = seen // a write; otherwise only a look
			}
			p := in(at)
			if r.IntN(2) == 0 {
				n := r.Int64N(20) - 10
				if r.IntN(50) == 0 {
					n *= math.MaxInt32
				}
				before := m.amount
				m.add(p, n)
				var change int64
				if b, change = seen.add(p, n); change != m.amount-before {
					t.Fatalf("seed %d at %d: add(%d) changed %d, want %d", seed, at, n, change, m.amount-before)
				}
				seen = b
			}
			if int64(seen.amount) != m.amount {
				t.Fatalf("seed %d at %d: %d, want %d (%v)", seed, at, seen.amount, m.amount, periods)
			}
			if p.rate > 0 && seen.amount < p.max && seen.progress != m.progress {
				t.Fatalf("seed %d at %d: progress %d, want %d", seed, at, seen.progress, m.progress)
			}
			if next, ok := seen.next(p); ok {
				w := m
				k := int64(0)
				for ; w.amount == m.amount && k < 4000; k++ {
					w.tick(p)
				}
				if k < 4000 && next != at+k {
					t.Fatalf("seed %d at %d: next unit at %d, want %d", seed, at, next, at+k)
				}
			} else if p.rate > 0 && m.amount < int64(p.max) {
				t.Fatalf("seed %d at %d: no next unit of %d below %d", seed, at, m.amount, p.max)
			}
		}
	}
}

// TestRechargeFarAhead: no stretch of time and no rate overflows.
func TestRechargeFarAhead(t *testing.T) {
	p := []period{{rate: math.MaxInt32, max: math.MaxInt32}}
	for _, to := range []int64{1, day, math.MaxInt64} {
		b := balance{amount: math.MinInt32, progress: day - 1}.advance(p, to)
		if to > 2*day && b.amount != math.MaxInt32 || b.progress < 0 || b.progress >= day {
			t.Errorf("after %d ms: %+v", to, b)
		}
	}
	if b := (balance{amount: 3, progress: 5, at: 100}).advance(p, 50); b != (balance{amount: 3, progress: 5, at: 100}) {
		t.Errorf("a clock that is set back changes the balance: %+v", b)
	}
}

// TestRechargeClock tells the rule by example: 24 a day is one an hour.
func TestRechargeClock(t *testing.T) {
	const hour = day / 24
	p := []period{{rate: 24, max: 5}}
	full := balance{amount: 5}
	b, _ := full.advance(p, 10*hour).add(p[0], -2) // spent at 10:00 of a full balance
	if next, _ := b.next(p[0]); next != 11*hour {
		t.Errorf("first unit at %v h, want 11", float64(next)/hour)
	}
	b = b.advance(p, 11*hour+hour/2) // 11:30: one came, half of the next
	b, _ = b.add(p[0], -1)           // spending keeps the half
	if next, _ := b.next(p[0]); b.amount != 3 || next != 12*hour {
		t.Errorf("%d and next at %v h, want 3 and 12", b.amount, float64(next)/hour)
	}
	b, _ = b.add(p[0], 10) // a gift above the maximum stops the clock
	if _, ok := b.next(p[0]); ok || b.amount != 13 {
		t.Errorf("%+v", b)
	}
	b, _ = b.advance(p, 20*hour).add(p[0], -9) // and below it, it starts anew
	if next, _ := b.next(p[0]); b.amount != 4 || next != 21*hour {
		t.Errorf("%d and next at %v h, want 4 and 21", b.amount, float64(next)/hour)
	}
}
