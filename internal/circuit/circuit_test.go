package circuit

import (
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	var b Breaker
	now := time.Unix(0, 0)
	fail := func() bool {
		if !b.Allow(now) {
			t.Fatal("a request was not let through")
		}
		return b.Done(now, false)
	}
	for i := range Failures {
		if opened := fail(); opened != (i == Failures-1) {
			t.Errorf("failure %d: opened %v", i+1, opened)
		}
	}
	if b.Allow(now.Add(Rest - 1)) {
		t.Error("open, and a request went out")
	}
	now = now.Add(Rest)
	if !b.Allow(now) || b.Allow(now) {
		t.Error("one probe, and no more, goes out after the rest")
	}
	if b.Done(now, false) {
		t.Error("a failed probe does not open what is open")
	}
	if b.Allow(now.Add(Rest - 1)) {
		t.Error("a failed probe begins a new rest")
	}
	now = now.Add(Rest)
	if !b.Allow(now) {
		t.Fatal("no second probe")
	}
	b.Done(now, true)
	for range Failures - 1 { // closed again: failures count from nothing
		if fail() {
			t.Error("opened too early")
		}
	}
	b.Done(now, true)
	if fail() || !b.Allow(now) {
		t.Error("a success does not start the count anew")
	}
}
