package pod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

func TestStartOrder(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "+first", "+second", "web", "side"))
		b.wantCalls("start first")
		b.want("first", "Running")
		b.want("second", "Waiting")
		b.want("web", "Waiting")
		if b.of("web").Current.StartTime.IsZero() {
			t.Error("a waiting container has no start time")
		}
		b.fake.exits("first", 0)
		b.wantCalls("start second")
		b.want("first", "Terminated 0 Completed")
		if b.status().Started {
			t.Error("started before the containers ran")
		}
		b.fake.exits("second", 0)
		b.wantCalls("start web, start side")
		b.want("web", "Running")
		b.want("side", "Running")
		s := b.status()
		if !s.Started || s.Fault != nil || s.Generation != 1 || s.Simulated {
			t.Errorf("status %+v", s)
		}
		if got := b.of("web").ImageDigest; got != "sha256:img" {
			t.Errorf("digest %q", got)
		}
		want := "Pulling: pulling image \"img\"\nPulled: Successfully pulled image \"img\"\nCreated: Created container\nStarted: Started container"
		if got := events(b.of("web").Events); got != want {
			t.Errorf("events:\n%s\nwant:\n%s", got, want)
		}
	})
}

// TestRestartPolicy is the table of which end is followed by another start.
func TestRestartPolicy(t *testing.T) {
	for _, c := range []struct {
		policy ludgate.RestartPolicy
		init   bool
		code   int
		state  string // once the first restart, if any, is through
	}{
		{"", false, 0, "Running x1"},
		{ludgate.RestartAlways, false, 0, "Running x1"},
		{ludgate.RestartAlways, false, 2, "Running x1"},
		{ludgate.RestartOnFailure, false, 0, "Terminated 0 Completed"},
		{ludgate.RestartOnFailure, false, 2, "Running x1"},
		{ludgate.RestartNever, false, 0, "Terminated 0 Completed"},
		{ludgate.RestartNever, false, 2, "Terminated 2 Error"},
		{ludgate.RestartAlways, true, 0, "Terminated 0 Completed"},
		{ludgate.RestartAlways, true, 2, "Running x1"},
		{ludgate.RestartOnFailure, true, 0, "Terminated 0 Completed"},
		{ludgate.RestartOnFailure, true, 2, "Running x1"},
		{ludgate.RestartNever, true, 0, "Terminated 0 Completed"},
		{ludgate.RestartNever, true, 2, "Terminated 2 Error"},
	} {
		t.Run(fmt.Sprintf("%s/init=%t/exit=%d", c.policy, c.init, c.code), func(t *testing.T) {
			inBubble(t, Options{}, func(b *bench) {
				name := "web"
				if c.init {
					name = "prep"
				}
				b.ensure(wish(1, c.policy, "+prep", "web"))
				if !c.init {
					b.fake.exits("prep", 0)
				}
				b.fake.exits(name, c.code)
				b.want(name, c.state)
				b.after(time.Hour)
				b.want(name, c.state)
			})
		})
	}
}

func TestInitFailureUnderNeverIsFinal(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartNever, "+prep", "+more", "web"))
		b.fake.exits("prep", 3)
		b.after(time.Hour)
		b.wantCalls("start prep")
		b.want("prep", "Terminated 3 Error")
		b.want("web", "Waiting")
		s := b.status()
		if s.Started || s.Fault == nil || s.Fault.Code != "InitContainerFailed" || !s.Fault.Permanent ||
			s.Fault.Message != "The init container 'prep' in container group 'g' ended with exit code 3." {
			t.Errorf("fault %+v", s.Fault)
		}
	})
}

// starts lets web fail as soon as it starts and gives the pauses between starts.
func starts(b *bench, n int) []time.Duration {
	var out []time.Duration
	last := time.Now()
	for range n {
		b.fake.exits("web", 1)
		for b.fake.lives("a", "web") == nil {
			b.after(time.Second)
		}
		out = append(out, time.Since(last))
		last = time.Now()
	}
	return out
}

func TestBackoffSeries(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartOnFailure, "web"))
		got := fmt.Sprint(starts(b, 9))
		want := "[0s 10s 20s 40s 1m20s 2m40s 5m0s 5m0s 5m0s]"
		if got != want {
			t.Errorf("pauses %s, want %s", got, want)
		}
		b.want("web", "Running x9")

		// Ten minutes of running begin the series anew; a little less does not.
		b.after(10*time.Minute - time.Second)
		b.fake.exits("web", 1)
		b.want("web", "Waiting CrashLoopBackOff: Back-off restarting failed x9")
		b.after(5 * time.Minute)
		b.want("web", "Running x10")
		b.after(10 * time.Minute)
		if got := fmt.Sprint(starts(b, 3)); got != "[0s 10s 20s]" {
			t.Errorf("pauses after a long run %s", got)
		}
	})
}

func TestBackoffIsVisible(t *testing.T) {
	inBubble(t, Options{Backoff: Backoff{Base: time.Second, Cap: 3 * time.Second, Reset: time.Minute}}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		b.after(5 * time.Second)
		b.fake.exits("web", 4)
		b.after(5 * time.Second)
		b.fake.exits("web", 5)
		c := b.of("web")
		if c.Current.State != ludgate.ContainerWaiting || c.Current.DetailStatus != "CrashLoopBackOff: Back-off restarting failed" {
			t.Errorf("current %+v", c.Current)
		}
		if c.Previous == nil || c.Previous.ExitCode != 5 || c.Previous.DetailStatus != "Error" ||
			c.Previous.FinishTime.Sub(c.Previous.StartTime) != 5*time.Second {
			t.Errorf("previous %+v", c.Previous)
		}
		if !hasEvent(c.Events, ludgate.EventWarning, "BackOff", "Back-off restarting failed container") {
			t.Errorf("events:\n%s", events(c.Events))
		}
		if !b.status().Started {
			t.Error("a container in back-off has started before")
		}
		b.after(time.Second)
		b.want("web", "Running x2")
		for _, e := range b.of("web").Events {
			if e.Name == "Started" && (e.Count != 3 || e.Last.Sub(e.First) != 11*time.Second) {
				t.Errorf("repeats are not counted: %+v", e)
			}
			if e.Name == "Pulling" && e.Count != 1 {
				t.Errorf("a restart pulls again: %+v", e)
			}
		}
		if p := b.of("web").Previous; p == nil || p.ExitCode != 5 {
			t.Errorf("previous of a restarted container %+v", p)
		}
	})
}

func TestWhyItEnded(t *testing.T) {
	for _, c := range []struct {
		exit  Exit
		state string
		event string
	}{
		{Exit{Code: 0}, "Terminated 0 Completed", ""},
		{Exit{Code: 2}, "Terminated 2 Error", ""},
		{Exit{Code: 139, Signal: 11}, "Terminated 139 Error: killed by signal 11 (SIGSEGV)", "Container was killed by signal 11 (SIGSEGV)"},
		{Exit{Code: 192, Signal: 64}, "Terminated 192 Error: killed by signal 64", "Container was killed by signal 64"},
		{Exit{Code: 137, Signal: 9, OOMKilled: true}, "Terminated 137 OOMKilled: out of memory (limit 64 MiB)", "Container was killed: out of memory (limit 64 MiB)"},
		{Exit{Code: 137, Err: "the shim died"}, "Terminated 137 Error: the shim died", "Container ended: the shim died"},
	} {
		t.Run(c.state, func(t *testing.T) {
			inBubble(t, Options{}, func(b *bench) {
				g := wish(1, ludgate.RestartNever, "web")
				g.Containers[0].MemoryRequest = 64 << 20
				b.ensure(g)
				b.fake.exitsWith("web", c.exit)
				b.want("web", c.state)
				if b.of("web").Current.OOMKilled != c.exit.OOMKilled {
					t.Error("OOMKilled is lost")
				}
				if c.event != "" && !hasEvent(b.of("web").Events, ludgate.EventWarning, "Terminated", c.event) {
					t.Errorf("events:\n%s", events(b.of("web").Events))
				}
			})
		})
	}
}

func TestPullBackoff(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.fake.pull = func(_ context.Context, image string, try int) error {
			if image == "img" && try <= 3 {
				return &PullError{Image: image, Err: errors.New("rpc error: connection refused")}
			}
			return nil
		}
		g := wish(1, ludgate.RestartAlways, "web", "other")
		g.Containers[1].Image = "fine"
		b.ensure(g)
		b.want("web", `Waiting ImagePullBackOff: Back-off pulling image "img"`)
		b.want("other", "Running") // not held up by its neighbour
		b.after(10 * time.Second)
		b.after(20 * time.Second)
		b.after(40*time.Second - time.Nanosecond)
		if b.fake.tries("img") != 3 {
			t.Errorf("%d pulls", b.fake.tries("img"))
		}
		b.after(time.Nanosecond)
		b.want("web", "Running")
		want := `Pulling: pulling image "img" (4)
Failed: Failed to pull image "img": rpc error: connection refused (3)
BackOff: Back-off pulling image "img" (3)
Pulled: Successfully pulled image "img"
Created: Created container
Started: Started container`
		if got := events(b.of("web").Events); got != want {
			t.Errorf("events:\n%s\nwant:\n%s", got, want)
		}
		if !hasEvent(b.of("web").Events, ludgate.EventNormal, "BackOff", "") || !hasEvent(b.of("web").Events, ludgate.EventWarning, "Failed", "") {
			t.Error("wrong event types")
		}
	})
}

func TestInaccessibleImage(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		var missing atomic.Bool
		missing.Store(true)
		b.fake.pull = func(_ context.Context, image string, _ int) error {
			if missing.Load() {
				return &PullError{Image: image, Permanent: true, Err: errors.New("manifest unknown")}
			}
			return nil
		}
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		want := engine.Fault{Code: "InaccessibleImage", Permanent: true,
			Message: "The image 'img' in container group 'g' is not accessible. Please check the image and registry credential."}
		if f := b.status().Fault; f == nil || *f != want {
			t.Errorf("fault %+v", f)
		}
		b.want("web", "Waiting ErrImagePull: manifest unknown")
		b.after(time.Hour)
		if b.fake.tries("img") != 1 {
			t.Errorf("a hopeless pull was tried %d times", b.fake.tries("img"))
		}
		// The same wish in a new generation is a reason to look again.
		missing.Store(false)
		b.ensure(wish(2, ludgate.RestartAlways, "web"))
		b.want("web", "Running")
		if s := b.status(); s.Fault != nil || !s.Started {
			t.Errorf("status %+v", s)
		}
	})
}

func TestStartError(t *testing.T) {
	refuse := func(context.Context, *engine.Container) error {
		return &StartError{errors.New(`exec: "nope": executable file not found in $PATH`)}
	}
	t.Run("Never", func(t *testing.T) {
		inBubble(t, Options{}, func(b *bench) {
			b.fake.start = refuse
			b.ensure(wish(1, ludgate.RestartNever, "web"))
			b.after(time.Hour)
			b.wantCalls("start web")
			b.want("web", `Terminated 128 StartError: exec: "nope": executable file not found in $PATH`)
			if !hasEvent(b.of("web").Events, ludgate.EventWarning, "Failed", `Failed to start container: exec: "nope"`) {
				t.Errorf("events:\n%s", events(b.of("web").Events))
			}
			f := b.status().Fault
			if f == nil || f.Code != "ContainerStartFailed" || !f.Permanent || !strings.Contains(f.Message, `'web' in container group 'g' could not be started: exec: "nope"`) {
				t.Errorf("fault %+v", f)
			}
			// It never printed anything.
			r, err := b.Logs(b.t.Context(), "a", "web", engine.LogOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := io.ReadAll(r); len(text) != 0 {
				t.Errorf("log %q", text)
			}
		})
	})
	t.Run("Always", func(t *testing.T) {
		inBubble(t, Options{}, func(b *bench) {
			b.fake.start = refuse
			b.ensure(wish(1, ludgate.RestartAlways, "web"))
			b.want("web", "Waiting CrashLoopBackOff: Back-off restarting failed")
			if p := b.of("web").Previous; p == nil || p.ExitCode != 128 {
				t.Errorf("previous %+v", p)
			}
			b.after(10 * time.Second)
			b.want("web", "Waiting CrashLoopBackOff: Back-off restarting failed x1")
			b.fake.change(func() { b.fake.start = nil })
			b.after(20 * time.Second)
			b.want("web", "Running x2")
		})
	})
}

// TestEngineFault: what is not the wish's fault is tried again under every
// policy, and the words that leave the machine name no path of it.
func TestEngineFault(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.fake.start = func(context.Context, *engine.Container) error { return errEngine }
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.want("web", "Waiting CreateContainerError: a fault of the engine; the server's log has the details")
		if strings.Contains(events(b.of("web").Events), "secret") {
			t.Error("a path got into the events")
		}
		// Whatever is left of the run is swept, and the ground made sure of.
		calls := b.fake.take()
		_, after, _ := strings.Cut(calls, "start web, ")
		if !strings.HasPrefix(after, "discard") || !strings.Contains(after, "sandbox") {
			t.Errorf("calls %q", calls)
		}
		b.fake.change(func() { b.fake.start = nil })
		b.after(10 * time.Second)
		if got := b.fake.take(); got != "start web" {
			t.Errorf("calls %q", got)
		}
		b.want("web", "Running")
	})
}

func TestGroundFailure(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		fails := 2
		b.fake.sandbox = func(context.Context) error {
			if fails--; fails >= 0 {
				return &StartError{errors.New("the address 127.0.0.9 is taken")}
			}
			return nil
		}
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.want("web", "Waiting")
		if !hasEvent(b.status().Events, ludgate.EventWarning, "Failed", "Failed to prepare the container group: the address 127.0.0.9 is taken") {
			t.Errorf("events:\n%s", events(b.status().Events))
		}
		b.after(30 * time.Second)
		b.want("web", "Running")
	})
}

func TestStartTimeout(t *testing.T) {
	inBubble(t, Options{StartTimeout: 5 * time.Second}, func(b *bench) {
		b.fake.start = func(ctx context.Context, _ *engine.Container) error { return hang(ctx) }
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		b.after(5 * time.Second)
		b.want("web", "Waiting CreateContainerError: the engine did not answer in time")
		b.fake.change(func() { b.fake.start = nil })
		b.after(10 * time.Second)
		b.want("web", "Running")
	})
}

func TestGroupTimeout(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		var works atomic.Bool
		b.fake.pull = func(_ context.Context, image string, _ int) error {
			if works.Load() {
				return nil
			}
			return &PullError{Image: image, Err: errors.New("no answer")}
		}
		g := wish(1, ludgate.RestartAlways, "web")
		b.ensure(g)
		b.after(30*time.Minute - time.Second)
		if f := b.status().Fault; f != nil {
			t.Fatalf("fault %+v before its time", f)
		}
		b.after(time.Second)
		f := b.status().Fault
		if f == nil || f.Code != "InaccessibleImage" || f.Permanent {
			t.Fatalf("fault %+v", f)
		}
		works.Store(true)
		b.after(5 * time.Minute) // it kept trying
		b.want("web", "Running")
		if s := b.status(); s.Fault != nil || !s.Started {
			t.Errorf("status %+v", s)
		}
	})
	inBubble(t, Options{}, func(b *bench) {
		g := wish(1, ludgate.RestartAlways, "+prep", "web")
		g.Timeout = time.Minute
		b.ensure(g)
		b.after(time.Minute)
		f := b.status().Fault
		if f == nil || f.Code != "ContainerGroupStartTimeout" || f.Message != "The container group 'g' did not start all its containers within 1m0s." {
			t.Fatalf("fault %+v", f)
		}
		if !hasEvent(b.status().Events, ludgate.EventWarning, "Failed", f.Message) {
			t.Errorf("events:\n%s", events(b.status().Events))
		}
	})
}

// TestTimeoutSaysWhy: the fault has the last failure in it.
func TestTimeoutSaysWhy(t *testing.T) {
	for want, set := range map[string]func(*fake){
		"container 'web': no such program": func(f *fake) {
			f.start = func(context.Context, *engine.Container) error { return &StartError{errors.New("no such program.")} }
		},
		"container 'web': a fault of the engine; the server's log has the details": func(f *fake) {
			f.start = func(context.Context, *engine.Container) error { return errEngine }
		},
		"no address left": func(f *fake) {
			f.sandbox = func(context.Context) error { return &StartError{errors.New("no address left")} }
		},
	} {
		inBubble(t, Options{}, func(b *bench) {
			set(b.fake)
			g := wish(1, ludgate.RestartAlways, "web")
			g.Timeout = 5 * time.Minute
			b.ensure(g)
			b.after(5 * time.Minute)
			want := "The container group 'g' did not start all its containers within 5m0s: " + want + "."
			if f := b.status().Fault; f == nil || f.Code != "ContainerGroupStartTimeout" || f.Message != want {
				t.Errorf("fault %+v, want %s", f, want)
			}
		})
	}
}

func TestLogsNameTheRun(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		read := func(previous bool) string {
			t.Helper()
			r, err := b.Logs(b.t.Context(), "a", "web", engine.LogOptions{Previous: previous})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(r)
			return string(text)
		}
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		first := read(false)
		if !strings.HasPrefix(first, "web-1-") || read(true) != "" {
			t.Errorf("logs of %q and %q", first, read(true))
		}
		b.fake.exits("web", 1)
		if second := read(false); !strings.HasPrefix(second, "web-2-") || read(true) != first {
			t.Errorf("logs of %q and %q", second, read(true))
		}
		if _, err := b.Logs(b.t.Context(), "a", "none", engine.LogOptions{}); !errors.Is(err, engine.ErrUnknownContainer) {
			t.Errorf("unknown container: %v", err)
		}
		if _, err := b.Logs(b.t.Context(), "b", "web", engine.LogOptions{}); !errors.Is(err, engine.ErrUnknownGroup) {
			t.Errorf("unknown group: %v", err)
		}
	})
}

func TestChangesAreHints(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		// Nobody reads: nothing blocks, and a key waits once.
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		for range 200 {
			b.fake.exits("web", 0)
			b.after(5 * time.Minute)
		}
		n := 0
		for {
			synctest.Wait()
			select {
			case key := <-b.Changes():
				if key != "a" {
					t.Errorf("key %q", key)
				}
				n++
				continue
			default:
			}
			break
		}
		if n == 0 || n > 70 {
			t.Errorf("%d hints", n)
		}
		b.fake.exits("web", 0)
		if key := <-b.Changes(); key != "a" {
			t.Errorf("key %q", key)
		}
	})
}

func TestWishesThatCannotBe(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		for name, change := range map[string]func(*engine.Group){
			"key":        func(g *engine.Group) { g.Key = "../x" },
			"no key":     func(g *engine.Group) { g.Key = "" },
			"empty":      func(g *engine.Group) { g.Containers = nil },
			"same name":  func(g *engine.Group) { g.Init = g.Containers },
			"name":       func(g *engine.Group) { g.Containers[0].Name = "a/b" },
			"no image":   func(g *engine.Group) { g.Containers[0].Image = " " },
			"upper case": func(g *engine.Group) { g.Containers[0].Name = "Web" },
		} {
			g := wish(1, ludgate.RestartAlways, "web")
			change(g)
			if err := b.Ensure(b.t.Context(), g); err == nil {
				t.Errorf("%s: accepted", name)
			}
		}
		if err := b.Ensure(b.t.Context(), nil); err == nil {
			t.Error("nil was accepted")
		}
		if keys, _ := b.Keys(b.t.Context()); len(keys) != 0 {
			t.Errorf("keys %v", keys)
		}
	})
}
