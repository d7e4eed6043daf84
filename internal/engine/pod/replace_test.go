package pod

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

func TestIdenticalWishTouchesNothing(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "+prep", "web"))
		b.fake.exits("prep", 0)
		b.fake.take()
		before := b.of("web").Current.StartTime
		b.after(time.Minute)
		b.ensure(wish(1, ludgate.RestartAlways, "+prep", "web"))
		if got := b.fake.take(); got != "" {
			t.Errorf("calls %q for the very same wish", got)
		}
		b.ensure(wish(2, ludgate.RestartAlways, "+prep", "web"))
		if got := b.fake.take(); got != "sandbox" {
			t.Errorf("calls %q for the same containers in a new generation", got)
		}
		s := b.status()
		if s.Generation != 2 || !s.Started || !b.of("web").Current.StartTime.Equal(before) || b.of("web").RestartCount != 0 {
			t.Errorf("status %+v", s)
		}
	})
}

func TestOlderGenerationIsIgnored(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(5, ludgate.RestartAlways, "web"))
		b.fake.take()
		b.ensure(wish(4, ludgate.RestartAlways, "other"))
		if got := b.fake.take(); got != "" || b.status().Generation != 5 {
			t.Errorf("calls %q, generation %d", got, b.status().Generation)
		}
	})
}

// TestWhatRestarts is the table of changes to a container or its group, and
// whether the container is replaced for it.
func TestWhatRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*engine.Group)
		calls  string
	}{
		"image":       {func(g *engine.Group) { g.Containers[0].Image = "new" }, "kill web, start web"},
		"command":     {func(g *engine.Group) { g.Containers[0].Command = []string{"x"} }, "kill web, start web"},
		"environment": {func(g *engine.Group) { g.Containers[0].Env = []engine.EnvVar{{Name: "A", Value: "2"}} }, "kill web, start web"},
		"memory":      {func(g *engine.Group) { g.Containers[0].MemoryLimit = 1 << 30 }, "kill web, start web"},
		"cpu":         {func(g *engine.Group) { g.Containers[0].CPURequest = 2 }, "kill web, start web"},
		"secret only": {func(g *engine.Group) { g.Containers[0].Env[0].Secret = true }, ""},
		"ports":       {func(g *engine.Group) { g.Containers[0].Ports = []engine.Port{{Port: 80}} }, ""},
		"published": {func(g *engine.Group) {
			g.Publish = []engine.Publish{{Port: 80}}
			g.Address = netip.MustParseAddr("127.0.0.2")
		}, ""},
		"policy":  {func(g *engine.Group) { g.RestartPolicy = ludgate.RestartNever }, ""},
		"logins":  {func(g *engine.Group) { g.Logins = []engine.Login{{Server: "r"}} }, ""},
		"order":   {func(g *engine.Group) { g.Containers[0], g.Containers[1] = g.Containers[1], g.Containers[0] }, ""},
		"added":   {func(g *engine.Group) { g.Containers = append(g.Containers, wish(1, "", "more").Containers...) }, "start more"},
		"removed": {func(g *engine.Group) { g.Containers = g.Containers[1:] }, "kill web"},
		"init":    {func(g *engine.Group) { g.Init = g.Init[:0] }, ""},
		"renamed": {func(g *engine.Group) { g.Containers[0].Name = "neu" }, "kill web, start neu"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Options{}, func(b *bench) {
				make := func(generation int64) *engine.Group {
					g := wish(generation, ludgate.RestartAlways, "+prep", "web", "side")
					g.Containers[0].Env = []engine.EnvVar{{Name: "A", Value: "1"}}
					return g
				}
				b.ensure(make(1))
				b.fake.exits("prep", 0)
				b.fake.take()
				g := make(2)
				c.change(g)
				b.ensure(g)
				b.wantCalls(c.calls)
				if s := b.status(); !s.Started || s.Generation != 2 || len(s.Containers) != len(g.Containers) {
					t.Errorf("status %+v", s)
				}
				b.want("side", "Running")
			})
		})
	}
}

func TestReplacedContainer(t *testing.T) {
	inBubble(t, Options{KillGrace: 30 * time.Second}, func(b *bench) {
		b.fake.grace = 3 * time.Second
		b.ensure(wish(1, ludgate.RestartAlways, "web", "side"))
		b.fake.exits("web", 1)
		b.want("web", "Running x1")
		run := b.fake.lives("a", "web").run
		g := wish(2, ludgate.RestartAlways, "web", "side", "more")
		g.Containers[0].Image = "new"
		b.ensure(g)
		b.want("web", "Running")
		b.want("more", "Waiting") // nothing new meets the old on a port
		if b.status().Started {
			t.Error("started while the replacement is still to come")
		}
		b.after(3 * time.Second)
		b.want("web", "Running")
		b.want("more", "Running")
		c := b.of("web")
		if c.RestartCount != 0 || c.Previous == nil || c.Previous.ExitCode != 143 || c.ImageDigest != "sha256:new" {
			t.Errorf("status %+v", c)
		}
		if !hasEvent(c.Events, ludgate.EventNormal, "Killing", "Killing container with id "+run+".") {
			t.Errorf("events:\n%s", events(c.Events))
		}
		if hasEvent(c.Events, ludgate.EventWarning, "Terminated", "") {
			t.Error("an end that was asked for is no warning")
		}
		if !b.status().Started {
			t.Error("not started")
		}
	})
}

// TestUpdateToMissingImageTakesNothingDown: the old container serves on.
func TestUpdateToMissingImageTakesNothingDown(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.fake.pull = func(_ context.Context, image string, _ int) error {
			if image == "missing" {
				return &PullError{Image: image, Permanent: true, Err: errors.New("not found")}
			}
			return nil
		}
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		g := wish(2, ludgate.RestartAlways, "web")
		g.Containers[0].Image = "missing"
		b.ensure(g)
		b.wantCalls("start web")
		b.want("web", "Running")
		s := b.status()
		if s.Started || s.Fault == nil || !s.Fault.Permanent || b.of("web").ImageDigest != "sha256:img" {
			t.Errorf("status %+v", s)
		}
		b.ensure(wish(3, ludgate.RestartAlways, "web")) // back to what runs
		b.wantCalls("")
		if s := b.status(); !s.Started || s.Fault != nil {
			t.Errorf("status %+v", s)
		}
	})
}

func TestChangedInitRestartsAll(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartNever, "+one", "+two", "web", "side"))
		b.fake.exits("one", 0)
		b.fake.exits("two", 0)
		b.fake.exits("side", 0) // ended for good
		b.fake.take()
		g := wish(2, ludgate.RestartNever, "+one", "+two", "web", "side")
		g.Init[1].Command = []string{"other"}
		b.ensure(g)
		b.wantCalls("kill web, start one")
		b.want("web", "Waiting")
		b.want("two", "Waiting")
		if b.status().Started {
			t.Error("started before the init containers ran")
		}
		b.fake.exits("one", 0)
		b.fake.exits("two", 0)
		b.wantCalls("start two, start web, start side")
		if !b.status().Started || b.of("web").RestartCount != 0 {
			t.Errorf("status %+v", b.status())
		}

		// A new one among them counts as a change, a removed one does not.
		b.ensure(wish(3, ludgate.RestartNever, "+one", "web", "side"))
		b.wantCalls("")
		b.ensure(wish(4, ludgate.RestartNever, "+one", "+three", "web", "side"))
		b.wantCalls("kill side, kill web, start one")
	})
}

func TestInitChangedWhileInitRuns(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "+one", "+two", "web"))
		b.fake.exits("one", 0)
		b.fake.take()
		g := wish(2, ludgate.RestartAlways, "+one", "+two", "web")
		g.Init[0].Image = "new"
		b.ensure(g)
		b.wantCalls("kill two, start one")
		b.fake.exits("one", 0)
		b.fake.exits("two", 0)
		b.wantCalls("start two, start web")
	})
}

// TestNormalContainerBecomesInit: the same name in the other list is another
// container.
func TestNormalContainerBecomesInit(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "prep", "web"))
		b.ensure(wish(2, ludgate.RestartAlways, "+prep", "web"))
		b.wantCalls("start prep, start web, kill prep, kill web, start prep")
		b.fake.exits("prep", 0)
		b.wantCalls("start web")
		b.ensure(wish(3, ludgate.RestartAlways, "prep", "web"))
		b.wantCalls("start prep")
	})
}

// TestPolicyIsLive: the policy applies to what had ended before it changed.
func TestPolicyIsLive(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.fake.exits("web", 1)
		b.want("web", "Terminated 1 Error")
		b.ensure(wish(2, ludgate.RestartOnFailure, "web"))
		b.want("web", "Running x1")
		b.fake.exits("web", 1)
		b.want("web", "Waiting CrashLoopBackOff: Back-off restarting failed x1")
		b.ensure(wish(3, ludgate.RestartNever, "web"))
		b.want("web", "Terminated 1 Error x1")
	})
}

func TestSupersede(t *testing.T) {
	t.Run("while pulling", func(t *testing.T) {
		inBubble(t, Options{}, func(b *bench) {
			b.fake.pull = func(ctx context.Context, image string, _ int) error {
				if image == "slow" {
					return hang(ctx)
				}
				return nil
			}
			g := wish(1, ludgate.RestartAlways, "web")
			g.Containers[0].Image = "slow"
			b.ensure(g)
			b.want("web", "Waiting")
			b.ensure(wish(2, ludgate.RestartAlways, "web"))
			b.want("web", "Running")
			if hasEvent(b.of("web").Events, ludgate.EventWarning, "Failed", "") {
				t.Error("a pull that was called off is no failure")
			}
		})
	})
	t.Run("while starting", func(t *testing.T) {
		inBubble(t, Options{}, func(b *bench) {
			b.fake.start = func(ctx context.Context, c *engine.Container) error {
				time.Sleep(time.Second)
				return nil
			}
			b.ensure(wish(1, ludgate.RestartAlways, "web", "gone"))
			g := wish(2, ludgate.RestartAlways, "web")
			g.Containers[0].Image = "new"
			b.ensure(g) // web of generation 1 is being started
			g = wish(3, ludgate.RestartAlways, "web")
			g.Containers[0].Image = "newer"
			b.ensure(g)
			b.after(2 * time.Second)
			b.wantCalls("start web, kill web, start web")
			if c := b.of("web"); c.ImageDigest != "sha256:newer" || c.RestartCount != 0 {
				t.Errorf("status %+v", c)
			}
			if s := b.status(); s.Generation != 3 || !s.Started {
				t.Errorf("status %+v", s)
			}
		})
	})
	t.Run("many at once", func(t *testing.T) {
		inBubble(t, Options{}, func(b *bench) {
			for n := range int64(100) {
				g := wish(n+1, ludgate.RestartAlways, "web")
				g.Containers[0].Image = string('a' + rune(n%26))
				if err := b.Ensure(b.t.Context(), g); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			b.after(time.Minute)
			if c := b.of("web"); c.ImageDigest != "sha256:v" || b.status().Generation != 100 {
				t.Errorf("status %+v", c)
			}
		})
	})
}

// TestCallerMayReuseItsWish: the supervisor keeps a copy.
func TestCallerMayReuseItsWish(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		g := wish(1, ludgate.RestartAlways, "web")
		g.Containers[0].Command = []string{"a"}
		b.ensure(g)
		g.Containers[0].Command[0], g.Containers[0].Name = "b", "x"
		b.fake.exits("web", 0)
		b.want("web", "Running x1")
	})
}
