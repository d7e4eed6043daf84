package pod

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

func TestRemove(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir(), KillGrace: 5 * time.Second}, func(b *bench) {
		b.fake.grace = 4 * time.Second
		b.ensure(wish(1, ludgate.RestartAlways, "web", "side", "more"))
		begin := time.Now()
		if err := b.Remove(b.t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 4*time.Second {
			t.Errorf("removal took %s: containers end one after the other?", took)
		}
		if _, err := b.Observe(b.t.Context(), "a"); !errors.Is(err, engine.ErrUnknownGroup) {
			t.Errorf("observe after removal: %v", err)
		}
		if keys, _ := b.Keys(b.t.Context()); len(keys) != 0 || len(b.fake.groups) != 0 {
			t.Errorf("left over: %v, %v", keys, b.fake.groups)
		}
		if err := b.Remove(b.t.Context(), "a"); err != nil { // again
			t.Error(err)
		}
		b.after(time.Second)
		b.crash()
		if keys, _ := b.Keys(b.t.Context()); len(keys) != 0 {
			t.Errorf("the state file is left: %v", keys)
		}
	})
}

// TestStubbornContainerIsKilled: whoever does not heed SIGTERM gets SIGKILL.
func TestStubbornContainerIsKilled(t *testing.T) {
	inBubble(t, Options{KillGrace: 5 * time.Second}, func(b *bench) {
		b.fake.grace = time.Hour
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		b.fake.take()
		begin := time.Now()
		if err := b.Remove(b.t.Context(), "a"); err != nil || time.Since(begin) != 5*time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		b.wantCalls("kill web, cleanup")
	})
}

func TestRemoveUnknown(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		for _, key := range []string{"0123456789abcdef", "", "../../etc", "UPPER"} {
			if err := b.Remove(b.t.Context(), key); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
		// What the runtime may hold without telling is cleaned up, bad keys
		// never reach it.
		b.wantCalls("cleanup")
	})
}

func TestRemoveWhileStarting(t *testing.T) {
	for _, where := range []string{"start", "sandbox", "pull"} {
		t.Run(where, func(t *testing.T) {
			inBubble(t, Options{}, func(b *bench) {
				switch where {
				case "start":
					b.fake.start = func(ctx context.Context, _ *engine.Container) error { return hang(ctx) }
				case "sandbox":
					b.fake.sandbox = hang
				case "pull":
					b.fake.pull = func(ctx context.Context, _ string, _ int) error { return hang(ctx) }
				}
				b.ensure(wish(1, ludgate.RestartAlways, "web"))
				begin := time.Now()
				if err := b.Remove(b.t.Context(), "a"); err != nil || time.Since(begin) != 0 {
					t.Errorf("%v after %s", err, time.Since(begin))
				}
			})
		})
	}
}

// TestEnsureAndRemoveAreOrdered: the last word wins, whatever is under way.
func TestEnsureAndRemoveAreOrdered(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.fake.grace = 2 * time.Second
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		removed := func() chan error {
			done := make(chan error, 1)
			go func() { done <- b.Remove(context.Background(), "a") }()
			synctest.Wait()
			return done
		}
		first := removed()
		b.ensure(wish(2, ludgate.RestartAlways, "next"))
		if keys, _ := b.Keys(b.t.Context()); !slices.Equal(keys, []string{"a"}) {
			t.Errorf("keys %v", keys)
		}
		b.after(2 * time.Second)
		if err := <-first; err != nil {
			t.Error(err)
		}
		b.want("next", "Running")
		b.wantCalls("start web, kill web, cleanup, start next")

		// Remove, Ensure, Remove: the wish between them is never begun.
		first = removed()
		b.ensure(wish(3, ludgate.RestartAlways, "never"))
		second := removed()
		b.after(2 * time.Second)
		if err := errors.Join(<-first, <-second); err != nil {
			t.Error(err)
		}
		b.wantCalls("kill next, cleanup")
		if _, err := b.Observe(b.t.Context(), "a"); !errors.Is(err, engine.ErrUnknownGroup) {
			t.Errorf("observe: %v", err)
		}
	})
}

func TestCleanupFailure(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		var broken atomic.Bool
		broken.Store(true)
		b.fake.cleanup = func() error {
			if broken.Load() {
				return errors.New("device busy")
			}
			return nil
		}
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		if err := b.Remove(b.t.Context(), "a"); err == nil {
			t.Error("a failed removal is reported as done")
		}
		if keys, _ := b.Keys(b.t.Context()); !slices.Equal(keys, []string{"a"}) {
			t.Errorf("keys %v", keys)
		}
		broken.Store(false)
		b.after(10 * time.Second) // it is tried again without being asked
		if keys, _ := b.Keys(b.t.Context()); len(keys) != 0 {
			t.Errorf("keys %v", keys)
		}
	})
}

func TestRemoveGoesOnWithoutItsCaller(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.fake.grace = 3 * time.Second
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Second)
		defer cancel()
		if err := b.Remove(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		b.after(2 * time.Second)
		if keys, _ := b.Keys(b.t.Context()); len(keys) != 0 {
			t.Errorf("keys %v", keys)
		}
	})
}

func TestAfterClose(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if err := b.Ensure(b.t.Context(), wish(2, "", "web")); !errors.Is(err, ErrClosed) {
			t.Errorf("ensure: %v", err)
		}
		if err := b.Remove(b.t.Context(), "a"); !errors.Is(err, ErrClosed) {
			t.Errorf("remove: %v", err)
		}
		for range b.Changes() { // ends
		}
		if b.fake.lives("a", "web") == nil {
			t.Error("closing ended a container")
		}
	})
}
