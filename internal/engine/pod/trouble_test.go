package pod

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// TestKillIsTriedAgain: a runtime that cannot end a container is asked again.
func TestKillIsTriedAgain(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		var fails atomic.Int32
		fails.Store(3)
		b.fake.kill = func() error {
			if fails.Add(-1) >= 0 {
				return errors.New("no answer")
			}
			return nil
		}
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		g := wish(2, ludgate.RestartAlways, "web")
		g.Containers[0].Image = "new"
		b.ensure(g)
		b.after(2 * time.Second)
		if b.of("web").ImageDigest != "sha256:img" {
			t.Error("replaced before the old one ended")
		}
		b.after(time.Second)
		if b.of("web").ImageDigest != "sha256:new" {
			t.Error("never replaced")
		}
	})
}

// TestRemoveDespiteHangingKill: the clean-up is called in the end.
func TestRemoveDespiteHangingKill(t *testing.T) {
	inBubble(t, Options{KillGrace: 5 * time.Second}, func(b *bench) {
		b.fake.kill = func() error { return errors.New("no answer") }
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		begin := time.Now()
		if err := b.Remove(b.t.Context(), "a"); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != 5*time.Second+cleanupSlack {
			t.Errorf("took %s", took)
		}
	})
}

// TestWatchIsTriedAgain: an end is seen although the runtime was away.
func TestWatchIsTriedAgain(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		var away atomic.Bool
		away.Store(true)
		b.fake.wait = func() error {
			if away.Load() {
				return errors.New("socket is closed")
			}
			return nil
		}
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.fake.exits("web", 6)
		b.after(time.Minute)
		b.want("web", "Running")
		away.Store(false)
		b.after(time.Second)
		b.want("web", "Terminated 6 Error")
	})
}

// TestStateCannotBeWritten: containers go on; once there is room again all is
// written, and only then runs are let go.
func TestStateCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	inBubble(t, Options{Dir: dir}, func(b *bench) {
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		run := b.fake.lives("a", "web").run
		b.fake.exits("web", 6)
		b.after(time.Minute)
		b.want("web", "Terminated 6 Error")
		if b.fake.find("a", run) == nil {
			t.Error("a run was let go that is written down nowhere")
		}
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
		b.after(2 * time.Second)
		if b.fake.find("a", run) != nil {
			t.Error("never let go")
		}
	})
}

func TestStateOfAnotherForm(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"Version":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, Options{Dir: dir}, func(b *bench) {
		if keys, _ := b.Keys(b.t.Context()); len(keys) != 0 {
			t.Errorf("keys %v", keys)
		}
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.want("web", "Running")
	})
}

func TestEventsAreBounded(t *testing.T) {
	var l eventLog
	now := time.Unix(0, 0)
	for i := range 3 * maxEvents {
		now = now.Add(time.Second)
		l.normal(now, "Killing", fmt.Sprint("run ", i))
		l.normal(now, "Started", "Started container")
	}
	if len(l) != maxEvents {
		t.Errorf("%d events are kept", len(l))
	}
	e := l[0]
	if e.Name != "Started" || e.Count != 3*maxEvents || !e.First.Equal(time.Unix(1, 0)) || !e.Last.Equal(now) {
		t.Errorf("the repeated event is %+v", e)
	}
	if last := l[maxEvents-1]; last.Message != fmt.Sprint("run ", 3*maxEvents-1) {
		t.Errorf("the newest event is %+v", last)
	}
	l.warning(now, "Started", "Started container")
	if l[maxEvents-1].Type != ludgate.EventWarning {
		t.Error("events of different types are mixed up")
	}
}

// TestReason: words that leave the machine have no path in them.
func TestReason(t *testing.T) {
	for want, err := range map[string]error{
		"bad user":                          fmt.Errorf("start: %w", &StartError{errors.New("bad user")}),
		"no space left on device":           fmt.Errorf("x: %w", &fs.PathError{Op: "open", Path: "/secret", Err: syscall.ENOSPC}),
		"file exists":                       &os.LinkError{Op: "link", Old: "/secret", New: "/secret", Err: syscall.EEXIST},
		"permission denied":                 os.NewSyscallError("mount", syscall.EACCES),
		"the engine did not answer in time": context.DeadlineExceeded,
		"it was called off":                 context.Canceled,
		"a fault of the engine; the server's log has the details": errors.New("open /secret: boom"),
	} {
		if got := reason(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

func TestMemoryInWords(t *testing.T) {
	for bytes, want := range map[int64]string{
		512: "512 bytes", 64 << 20: "64 MiB", 1 << 30: "1 GiB", 3 << 29: "1.5 GiB", 1000 << 20: "1000 MiB", 1e9: "953.7 MiB",
	} {
		if got := memory(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}

func TestBackoffDelay(t *testing.T) {
	b := Backoff{Base: 10 * time.Second, Cap: 300 * time.Second}
	for n, want := range map[int]time.Duration{0: 10, 1: 20, 4: 160, 5: 300, 6: 300, 1 << 40: 300} {
		if got := b.delay(n); got != want*time.Second {
			t.Errorf("delay %d is %s", n, got)
		}
	}
}

// TestStorm has everything happen at once on a few groups; the fake and the race
// detector watch.
func TestStorm(t *testing.T) {
	f := newFake(t)
	f.start = func(_ context.Context, c *engine.Container) error {
		switch rand.IntN(10) {
		case 0:
			return errEngine
		case 1:
			return &StartError{errors.New("no")}
		}
		return nil
	}
	f.pull = func(_ context.Context, image string, _ int) error {
		if rand.IntN(8) == 0 {
			return &PullError{Image: image, Err: errors.New("busy")}
		}
		return nil
	}
	short := Backoff{Base: time.Millisecond, Cap: 4 * time.Millisecond, Reset: time.Hour}
	s, err := New(t.Context(), f, Options{Dir: t.TempDir(), Backoff: short, PullBackoff: short, KillGrace: time.Millisecond, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"a", "b", "c"}
	var generation atomic.Int64
	var work sync.WaitGroup
	end := time.Now().Add(time.Second)
	for range 8 {
		work.Go(func() {
			for time.Now().Before(end) {
				key := keys[rand.IntN(len(keys))]
				switch rand.IntN(8) {
				case 0:
					if err := s.Remove(context.Background(), key); err != nil {
						t.Error(err)
					}
				case 1, 2:
					g := wish(generation.Add(1), ludgate.RestartAlways, "+prep", "web", "side")
					g.Key = key
					g.Containers[0].Image = fmt.Sprint("img", rand.IntN(3))
					if rand.IntN(3) == 0 {
						g.Init = nil
					}
					if err := s.Ensure(context.Background(), g); err != nil {
						t.Error(err)
					}
				case 3:
					_, _ = s.Keys(context.Background())
				case 4, 5:
					for _, name := range []string{"prep", "web", "side"} {
						if r := f.lives(key, name); r != nil {
							f.end(r, Exit{Code: rand.IntN(2)})
						}
					}
				default:
					if st, err := s.Observe(context.Background(), key); err == nil && len(st.Containers) == 0 {
						t.Error("a group without containers")
					}
					if log, err := s.Logs(context.Background(), key, "web", engine.LogOptions{Previous: true}); err == nil {
						log.Close()
					}
				}
				time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
			}
		})
	}
	work.Wait()
	for _, key := range keys {
		if err := s.Remove(context.Background(), key); err != nil {
			t.Error(err)
		}
	}
	if len(f.groups) != 0 {
		t.Errorf("left over: %v", f.groups)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
