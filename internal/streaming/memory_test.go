package streaming

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"ludgate/internal/circuit"
)

// clock is a time that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func TestCache(t *testing.T) {
	body := atomic.Pointer[string]{}
	set := func(s string) { body.Store(&s) }
	d := newDouble(t, func(w http.ResponseWriter, _ *http.Request) { reply(200, *body.Load())(w, nil) })
	c := &clock{}
	v := newValidator(t, Options{URL: d.URL, Clock: c.now, CacheFor: 30 * time.Second})
	asked := func(token string) bool {
		t.Helper()
		before := d.calls.Load()
		if _, err := v.Validate(t.Context(), token, client); err != nil {
			t.Fatal(err)
		}
		return d.calls.Load() > before
	}
	set(annBody)
	if !asked("a") || asked("a") || !asked("b") {
		t.Error("an answer is remembered for its token and no other")
	}
	if _, err := v.Validate(t.Context(), "a", "another-title"); code(err) != badToken {
		t.Errorf("a remembered answer opens another application's title: %v", err)
	}
	c.advance(30*time.Second - 1)
	if asked("a") {
		t.Error("asked again before the time is over")
	}
	c.advance(1)
	if !asked("a") {
		t.Error("remembered for longer than said")
	}
	set(`{"client_id":"gc1d","login":"ann","user_id":"1","expires_in":7}`)
	if !asked("short") {
		t.Error("not asked")
	}
	c.advance(7 * time.Second)
	if !asked("short") {
		t.Error("remembered for longer than the token lives")
	}
	set(`{"client_id":"gc1d","login":"ann","user_id":"1","expires_in":0}`)
	if !asked("endless") || asked("endless") {
		t.Error("a token that reports 0 is remembered as any other")
	}
}

func TestRefusalsAreNotRemembered(t *testing.T) {
	var status atomic.Int32
	d := newDouble(t, func(w http.ResponseWriter, _ *http.Request) { reply(int(status.Load()), annBody)(w, nil) })
	v := newValidator(t, Options{URL: d.URL, CacheFor: time.Minute})
	for _, s := range []int32{401, 500} {
		status.Store(s)
		if _, err := v.Validate(t.Context(), "tok", client); err == nil {
			t.Errorf("%d is taken for valid", s)
		}
	}
	status.Store(200)
	if _, err := v.Validate(t.Context(), "tok", client); err != nil {
		t.Errorf("valid now: %v", err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := cache{size: 3}
	key := func(i int) [sha256.Size]byte { return sha256.Sum256(fmt.Append(nil, i)) }
	now := time.Unix(1000, 0)
	for i := range 10 {
		c.put(key(i), entry{Identity{UserID: fmt.Sprint(i)}, now.Add(time.Minute)}, now)
		if id, ok := c.get(key(i), now); !ok || id.UserID != fmt.Sprint(i) {
			t.Errorf("entry %d is not remembered", i)
		}
	}
	if len(c.entries) != 3 {
		t.Errorf("%d entries, want 3", len(c.entries))
	}
	later := now.Add(time.Hour)
	c.put(key(99), entry{until: later.Add(time.Minute)}, later)
	if len(c.entries) != 1 {
		t.Errorf("%d entries after all others were over, want 1", len(c.entries))
	}
}

func TestBreakerLeavesAFailingPlatformAlone(t *testing.T) {
	var status atomic.Int32
	status.Store(500)
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	var hold atomic.Bool
	d := newDouble(t, func(w http.ResponseWriter, _ *http.Request) {
		if hold.Load() {
			arrived <- struct{}{}
			<-release
		}
		reply(int(status.Load()), annBody)(w, nil)
	})
	c := &clock{}
	v := newValidator(t, Options{URL: d.URL, Clock: c.now})
	ask := func(token, want string) {
		t.Helper()
		if _, err := v.Validate(t.Context(), token, client); code(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for range circuit.Failures + 3 {
		ask("tok", badPlatform)
	}
	if n := d.calls.Load(); n != circuit.Failures {
		t.Errorf("%d requests reached a platform that fails, want %d", n, circuit.Failures)
	}
	c.advance(circuit.Rest - 1)
	ask("tok", badPlatform)
	c.advance(1)
	ask("tok", badPlatform) // the probe fails
	ask("tok", badPlatform)
	if n := d.calls.Load(); n != circuit.Failures+1 {
		t.Errorf("%d requests, want one probe more", n)
	}
	// While a probe is under way nobody else asks; its success ends the pause.
	status.Store(200)
	hold.Store(true)
	c.advance(circuit.Rest)
	probe := make(chan error, 1)
	go func() { _, err := v.Validate(t.Context(), "probe", client); probe <- err }()
	<-arrived
	ask("tok", badPlatform)
	hold.Store(false)
	close(release)
	if err := <-probe; err != nil {
		t.Errorf("probe: %v", err)
	}
	ask("tok", "<nil>")
}

func TestBreakerIgnoresWhatATokenProvokes(t *testing.T) {
	d := newDouble(t, nil)
	for _, status := range []int{401, 400, 403, 404, 302} {
		d.Server.Config.Handler = reply(status, "")
		v := newValidator(t, Options{URL: d.URL})
		for range 2 * circuit.Failures {
			_, _ = v.Validate(t.Context(), "tok", client)
		}
		d.Server.Config.Handler = reply(200, annBody)
		if _, err := v.Validate(t.Context(), "good", client); err != nil {
			t.Errorf("after many answers %d a good token fails: %v", status, err)
		}
	}
}
