package throttle

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func TestLimiter(t *testing.T) {
	l := NewLimiter(1000, map[Kind]Rate{"sign-in": {PerSecond: 2, Burst: 3}, "slow": {PerSecond: 0.1, Burst: 1}})
	for _, tc := range []struct {
		kind  Kind
		key   string
		at    time.Duration
		ok    bool
		retry time.Duration
	}{
		{"sign-in", "a", 0, true, 0},
		{"sign-in", "a", 0, true, 0},
		{"sign-in", "a", 0, true, 0},
		{"sign-in", "a", 0, false, 500 * time.Millisecond},
		{"sign-in", "b", 0, true, 0}, // another key
		{"slow", "a", 0, true, 0},    // another kind
		{"slow", "a", 0, false, 10 * time.Second},
		{"sign-in", "a", 400 * time.Millisecond, false, 100 * time.Millisecond}, // a refusal costs nothing
		{"sign-in", "a", 500 * time.Millisecond, true, 0},
		{"sign-in", "a", 500 * time.Millisecond, false, 500 * time.Millisecond},
		{"sign-in", "a", time.Hour, true, 0},
		{"free", "a", 0, true, 0}, // a kind without a rate
	} {
		ok, retry := l.Allow(tc.kind, tc.key, start.Add(tc.at))
		if ok != tc.ok || (retry-tc.retry).Abs() > time.Millisecond {
			t.Errorf("%s %s at %s: %v, %s; want %v, %s", tc.kind, tc.key, tc.at, ok, retry, tc.ok, tc.retry)
		}
	}
}

// TestLimiterKeepsItsRate: whoever comes back when told gets through, and nobody
// gets more than the rate.
func TestLimiterKeepsItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(10, map[Kind]Rate{"k": {PerSecond: 10, Burst: 5}})
		begin, through := time.Now(), 0
		for time.Since(begin) < time.Minute {
			ok, retry := l.Allow("k", "a", time.Now())
			if ok {
				through++
				continue
			}
			time.Sleep(retry)
			if ok, again := l.Allow("k", "a", time.Now()); !ok {
				t.Fatalf("refused after waiting %s as told, now %s", retry, again)
			}
			through++
		}
		if through < 600 || through > 606 {
			t.Errorf("%d in a minute, want 600 and a burst of 5", through)
		}
	})
}

func TestTablesAreBounded(t *testing.T) {
	l := NewLimiter(640, map[Kind]Rate{"k": {PerSecond: 1, Burst: 10}})
	for i := range 100_000 {
		l.Allow("k", fmt.Sprint(i), start)
	}
	if n := l.Len(); n > 640 {
		t.Errorf("%d buckets, want at most 640", n)
	}
	// What is idle makes room although there is room.
	l = NewLimiter(64_000, map[Kind]Rate{"k": {PerSecond: 1, Burst: 10}})
	for i := range 10_000 {
		l.Allow("k", fmt.Sprint(i), start)
	}
	before := l.Len()
	for i := range 10_000 {
		l.Allow("k", fmt.Sprint("later", i), start.Add(time.Minute))
	}
	if n := l.Len(); before != 10_000 || n > 10_500 {
		t.Errorf("%d, then %d buckets; those of the first 10,000 are full again", before, n)
	}
}

// TestTheOldestIdleGo: a key that is in use is not pushed out by others.
func TestTheOldestIdleGo(t *testing.T) {
	l := NewLimiter(6400, map[Kind]Rate{"k": {PerSecond: 0.0001, Burst: 1}})
	l.Allow("k", "busy", start)
	for i := range 20_000 {
		now := start.Add(time.Duration(i) * time.Millisecond)
		l.Allow("k", fmt.Sprint(i), now)
		if i%20 == 0 {
			if ok, _ := l.Allow("k", "busy", now); ok {
				t.Fatalf("a key in use was forgotten after %d others", i)
			}
		}
	}
}

func TestRatesThatLetNobodyThrough(t *testing.T) {
	for _, r := range []Rate{{}, {PerSecond: 1}, {Burst: 1}, {PerSecond: -1, Burst: 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is taken", r)
				}
			}()
			NewLimiter(1, map[Kind]Rate{"k": r})
		}()
	}
	for _, w := range []Window{{}, {Max: 1}, {Per: time.Hour}, {Max: 1 << 16, Per: time.Hour}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is taken", w)
				}
			}()
			NewCounters(1, w)
		}()
	}
}

func TestCounters(t *testing.T) {
	c := NewCounters(1000, DataUpdates...)
	for i := range 10 {
		if ok, _ := c.Allow("p", start.Add(time.Duration(i)*time.Millisecond)); !ok {
			t.Fatalf("update %d is refused", i+1)
		}
	}
	ok, retry := c.Allow("p", start.Add(time.Second))
	if ok || retry < 14*time.Second || retry > 15*time.Second {
		t.Errorf("the eleventh: %v, retry after %s", ok, retry)
	}
	if ok, _ := c.Allow("q", start.Add(time.Second)); !ok {
		t.Error("another key is refused")
	}
	if ok, _ := c.Allow("p", start.Add(time.Second+retry)); !ok {
		t.Error("refused after waiting as told")
	}
	// 150 in five minutes: waiting as told, never more.
	now, through := start.Add(time.Hour*2), 0
	for begin := now; now.Sub(begin) < 5*time.Minute; {
		ok, retry := c.Allow("p", now)
		if ok {
			through++
			continue
		}
		now = now.Add(retry)
	}
	if through != 150 {
		t.Errorf("%d updates in 5 minutes, want 150", through)
	}
}

// TestCountersNeverLetMoreThrough holds the counters against a log of every
// moment: no window ever has more than its limit, and nobody waits for more than
// a sixteenth longer than needed.
func TestCountersNeverLetMoreThrough(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	windows := []Window{{5, 10 * time.Second}, {20, time.Minute}}
	c := NewCounters(10, windows...)
	var through []time.Time
	for i, now := 0, start; i < 20_000; i++ {
		now = now.Add(time.Duration(rnd.Int64N(int64(4 * time.Second))))
		within := func(per time.Duration) (n int) {
			for j := len(through) - 1; j >= 0 && now.Sub(through[j]) < per; j-- {
				n++
			}
			return n
		}
		ok, retry := c.Allow("k", now)
		if ok != (retry == 0) {
			t.Fatalf("%v with %s", ok, retry)
		}
		room := true
		for _, w := range windows {
			if ok && within(w.Per) >= w.Max {
				t.Fatalf("step %d: one more than %d in %s", i, w.Max, w.Per)
			}
			room = room && within(w.Per+w.Per/slots+1) < w.Max
		}
		if !ok && room {
			t.Fatalf("step %d: refused although there is room", i)
		}
		if ok {
			through = append(through, now)
		}
	}
}

func TestClockSetBack(t *testing.T) {
	c := NewCounters(10, Window{2, 16 * time.Second})
	c.Allow("k", start)
	c.Allow("k", start.Add(-time.Minute))
	if ok, _ := c.Allow("k", start.Add(-time.Minute)); ok {
		t.Error("more than two, by setting the clock back")
	}
	if ok, _ := c.Allow("k", start.Add(20*time.Second)); !ok {
		t.Error("refused for ever")
	}
	g := NewGuesses(100)
	for range 30 {
		g.Begin(Attempt{Title: "T", Name: "ann", Address: "1"}, start.Add(24*time.Hour))
	}
	if _, _, ok := g.Begin(Attempt{Title: "T", Name: "ann", Address: "1"}, start); !ok {
		t.Error("a delay from the future holds")
	}
}

func TestNetwork(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.7":                         "192.0.2.7",
		"::ffff:192.0.2.7":                  "192.0.2.7",
		"2001:db8:1:2:3:4:5:6":              "2001:db8:1:2::",
		"2001:db8:1:2:ffff:ffff:ffff:ffff%": "",
		"fe80::1%eth0":                      "fe80::",
	} {
		ip, err := netip.ParseAddr(in)
		if got := Network(ip); err == nil && got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestManyCallers(t *testing.T) {
	l := NewLimiter(100_000, map[Kind]Rate{"k": {PerSecond: 1, Burst: 100}})
	c := NewCounters(100, DataUpdates...)
	g := NewGuesses(10_000)
	var tokens, counted, guesses atomic.Int64
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 500 {
				if ok, _ := l.Allow("k", "shared", start); ok {
					tokens.Add(1)
				}
				l.Allow("k", fmt.Sprint(w, i), start)
				if ok, _ := c.Allow("shared", start); ok {
					counted.Add(1)
				}
				if _, _, ok := g.Begin(Attempt{Title: "T", Name: "ann", Address: "1"}, start); ok {
					guesses.Add(1)
				}
				if guess, _, ok := g.Begin(Attempt{Title: "T", Name: fmt.Sprint(w), Address: "2", Proof: "p"}, start); ok {
					guess.Succeeded(start)
				}
			}
		})
	}
	wg.Wait()
	if tokens.Load() != 100 || counted.Load() != 10 || guesses.Load() != int64(ofPair.free)+1 {
		t.Errorf("%d tokens of 100, %d updates of 10, %d guesses of %d", tokens.Load(), counted.Load(), guesses.Load(), int64(ofPair.free)+1)
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := NewLimiter(1_000_000, map[Kind]Rate{"k": {PerSecond: 1e6, Burst: 1000}})
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("192.0.%d.%d", i/256, i%256)
		l.Allow("k", keys[i], start)
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := rand.IntN(len(keys)); pb.Next(); i++ {
			l.Allow("k", keys[i*7919%len(keys)], start)
		}
	})
}

func BenchmarkCounters(b *testing.B) {
	c := NewCounters(1_000_000, DataUpdates...)
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("%016X", i)
		c.Allow(keys[i], start)
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := rand.IntN(len(keys)); pb.Next(); i++ {
			c.Allow(keys[i*7919%len(keys)], start.Add(time.Duration(i)))
		}
	})
}

func BenchmarkGuesses(b *testing.B) {
	g := NewGuesses(100_000)
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("player%d", i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a := Attempt{Title: "ABCDE", Name: names[i%len(names)], Address: "192.0.2.1"}
		if guess, _, ok := g.Begin(a, start); ok {
			guess.Succeeded(start)
		}
	}
}
