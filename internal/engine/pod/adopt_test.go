package pod

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// kept is long enough for the state file to be written.
const kept = time.Second

func TestAdoptKeepsWhatRuns(t *testing.T) {
	for name, restart := range map[string]func(*bench){"closed": (*bench).reopen, "killed": (*bench).crash} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
				w := wish(7, ludgate.RestartAlways, "+prep", "web", "side")
				b.ensure(w)
				b.fake.exits("prep", 0)
				b.fake.exits("side", 3)
				b.after(kept)
				before := b.status()
				b.fake.take()
				b.after(time.Minute)
				restart(b)

				// All is told before anyone asks for the group.
				if keys, _ := b.Keys(b.t.Context()); !slices.Equal(keys, []string{"a"}) {
					t.Fatalf("keys %v", keys)
				}
				for range 2 {
					after := b.status()
					if after.Generation != 7 || !after.Started || after.Fault != nil || len(after.Init) != 1 || len(after.Containers) != 2 {
						t.Errorf("status %+v", after)
					}
					for i, c := range slices.Concat(after.Init, after.Containers) {
						was := slices.Concat(before.Init, before.Containers)[i]
						if c.Name != was.Name || c.RestartCount != was.RestartCount || c.ImageDigest != was.ImageDigest ||
							!c.Current.StartTime.Equal(was.Current.StartTime) || c.Current.State != was.Current.State ||
							(c.Previous == nil) != (was.Previous == nil) || events(c.Events) != events(was.Events) {
							t.Errorf("container %s was %+v, is %+v", c.Name, was, c)
						}
					}
					b.ensure(w) // and nothing changes then
				}
				b.wantCalls("")
			})
		})
	}
}

// TestAdoptExit: a container that ended while nobody looked is dealt with as if
// somebody had.
func TestAdoptExit(t *testing.T) {
	for _, c := range []struct {
		policy        ludgate.RestartPolicy
		code          int
		before, after string // Ensure
	}{
		{ludgate.RestartNever, 5, "Terminated 5 Error", "Terminated 5 Error"},
		{ludgate.RestartOnFailure, 0, "Terminated 0 Completed", "Terminated 0 Completed"},
		{ludgate.RestartAlways, 0, "Terminated 0 Completed", "Running x1"},
		{ludgate.RestartOnFailure, 5, "Terminated 5 Error", "Running x1"},
	} {
		t.Run(fmt.Sprint(c.policy, c.code), func(t *testing.T) {
			inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
				w := wish(1, c.policy, "web")
				b.ensure(w)
				b.after(kept)
				b.abandon()
				r := b.fake.lives("a", "web")
				b.fake.end(r, Exit{Code: c.code})
				b.after(time.Minute)
				b.open()
				b.want("web", c.before)
				if at := b.of("web").Current.FinishTime; !at.Equal(r.exit.At) {
					t.Errorf("finished at %s, not when it was seen", at)
				}
				b.ensure(w)
				b.want("web", c.after)
			})
		})
	}
}

// TestAdoptNewerThanFile: everything after the last write of the state file is
// known from the runtime alone; nothing is doubled.
func TestAdoptNewerThanFile(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		w := wish(1, ludgate.RestartAlways, "+prep", "web")
		b.ensure(w)
		b.after(kept)
		// All of this happens within the write's delay.
		b.fake.exits("prep", 0)
		b.fake.exits("web", 1)
		b.want("web", "Running x1")
		b.fake.take()
		b.crash()
		b.want("prep", "Terminated 0 Completed")
		b.want("web", "Running x1")
		b.ensure(w)
		b.want("web", "Running x1")
		if p := b.of("web").Previous; p == nil || p.ExitCode != 1 {
			t.Errorf("previous %+v", p)
		}
		b.wantCalls("")
		if !b.status().Started {
			t.Error("not started")
		}
	})
}

// TestInitRerunNewerThanFile: the init containers changed and ran again, and the
// server was killed before that was written. What ended for good before must
// start once more all the same.
func TestInitRerunNewerThanFile(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartNever, "+prep", "web", "job"))
		b.fake.exits("prep", 0)
		b.fake.exits("job", 0)
		b.after(kept)
		w := wish(2, ludgate.RestartNever, "+prep", "web", "job")
		w.Init[0].Image = "new"
		b.ensure(w)
		b.fake.start = func(ctx context.Context, _ *engine.Container) error { return hang(ctx) }
		b.fake.exits("prep", 0)
		b.fake.take()
		b.crash()
		b.fake.change(func() { b.fake.start = nil })
		b.ensure(w)
		if got := b.fake.taken(); got != "start web, start job" && got != "start job, start web" {
			t.Errorf("calls %q", got)
		}
	})
}

// TestOlderTwinIsEnded: a run that should have ended before its successor began.
func TestOlderTwinIsEnded(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		w := wish(1, ludgate.RestartAlways, "web")
		b.ensure(w)
		b.fake.exits("web", 1)
		b.after(kept)
		b.abandon()
		run := b.fake.lives("a", "web")
		_, _, sum, _ := parseRun(run.run)
		old := runName("web", 0, sum)
		twin := &fakeRun{run: old, container: "web", done: make(chan struct{})}
		b.fake.groups["a"].runs[old] = twin
		b.open()
		b.ensure(w)
		if twin.exit == nil || run.exit != nil {
			t.Error("two runs, or the wrong one")
		}
		b.want("web", "Running x1")
	})
}

// TestAdoptWithoutFile: the names of the runs suffice.
func TestAdoptWithoutFile(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, Options{Dir: dir}, func(b *bench) {
		w := wish(1, ludgate.RestartAlways, "web", "side")
		b.ensure(w)
		b.after(kept)
		b.abandon()
		if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"Version":1,"Gen`), 0o600); err != nil {
			t.Fatal(err)
		}
		b.fake.take()
		b.open()
		b.want("web", "Running")
		b.ensure(w)
		b.wantCalls("")
		w = wish(2, ludgate.RestartAlways, "web", "side")
		w.Containers[0].Image = "new"
		b.ensure(w)
		b.wantCalls("kill web, start web")
		if !b.status().Started {
			t.Error("not started")
		}
	})
}

// TestLost: the machine was rebooted, say. What ran has ended; nothing says how.
func TestLost(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		w := wish(1, ludgate.RestartOnFailure, "+prep", "web", "job")
		b.ensure(w)
		b.fake.exits("prep", 0)
		b.fake.exits("job", 0)
		b.after(kept)
		b.abandon()
		b.fake.groups = map[string]*fakeGroup{}
		b.open()
		b.want("web", "Terminated 137 Error: it was gone when the server came back; how it ended is not known")
		if !hasEvent(b.of("web").Events, ludgate.EventWarning, "Terminated", "gone") {
			t.Errorf("events:\n%s", events(b.of("web").Events))
		}
		b.fake.take()
		b.ensure(w)
		// The ground is new: init containers prepare it again, finished jobs stay
		// finished.
		b.fake.exits("prep", 0)
		b.wantCalls("start prep, start web")
		b.want("web", "Running x1")
		b.want("job", "Terminated 0 Completed")
	})
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		w := wish(1, ludgate.RestartNever, "+prep", "job")
		b.ensure(w)
		b.fake.exits("prep", 0)
		b.fake.exits("job", 4)
		b.after(kept)
		b.fake.groups = map[string]*fakeGroup{}
		b.fake.take()
		b.reopen()
		b.ensure(w)
		b.wantCalls("") // all was over: nothing is prepared for nothing
		b.want("job", "Terminated 4 Error")
	})
}

// TestOneRunLost: the ground is there, one run is not.
func TestOneRunLost(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		w := wish(1, ludgate.RestartAlways, "+prep", "web", "side")
		b.ensure(w)
		b.fake.exits("prep", 0)
		b.after(kept)
		b.abandon()
		delete(b.fake.groups["a"].runs, b.fake.lives("a", "web").run)
		b.fake.take()
		b.open()
		b.ensure(w)
		b.wantCalls("start web")
		b.want("web", "Running x1")
		b.want("side", "Running")
	})
}

// TestLostWhileWatched: Wait says that it knows nothing of the run any more.
func TestLostWhileWatched(t *testing.T) {
	inBubble(t, Options{}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.fake.take()
		r := b.fake.lives("a", "web")
		b.fake.change(func() { delete(b.fake.groups["a"].runs, r.run) })
		g := b.groups["a"]
		g.exited(g.member("web"), g.member("web").run, Exit{}, ErrLost)
		synctest.Wait()
		b.want("web", "Terminated 137 Error: the engine lost track of the container")
		if got := b.fake.take(); !strings.Contains(got, "sandbox") {
			t.Errorf("the ground may be lost as well and is not made sure of: %q", got)
		}
		b.fake.end(r, Exit{})
	})
}

// TestNothingIsDoubledAtAnyMoment kills the supervisor after every few
// milliseconds of a busy life; the fake reports a doubled container or a run
// name used twice.
func TestNothingIsDoubledAtAnyMoment(t *testing.T) {
	opt := Options{Dir: t.TempDir(), Backoff: Backoff{Base: 3 * time.Millisecond, Cap: 20 * time.Millisecond, Reset: time.Second}}
	inBubble(t, opt, func(b *bench) {
		b.fake.pull = func(context.Context, string, int) error { time.Sleep(2 * time.Millisecond); return nil }
		b.fake.start = func(_ context.Context, c *engine.Container) error {
			time.Sleep(time.Millisecond)
			if c.Name == "poor" {
				return &StartError{errors.New("no")}
			}
			return nil
		}
		b.fake.grace = 4 * time.Millisecond
		w := wish(1, ludgate.RestartAlways, "+prep", "web", "side", "poor")
		for i := range 300 {
			if i%7 == 0 {
				w = wish(int64(i), ludgate.RestartAlways, "+prep", "web", "side", "poor")
				w.Containers[i/7%3].Image = fmt.Sprint("img", i)
				if i%21 == 0 {
					w.Init[0].Command = []string{fmt.Sprint(i)}
				}
			}
			if err := b.Ensure(b.t.Context(), w); err != nil {
				t.Fatal(err)
			}
			for range 1 + i%11 {
				b.after(time.Millisecond)
				if r := b.fake.lives("a", "prep"); r != nil {
					b.fake.end(r, Exit{})
				}
				if r := b.fake.lives("a", "side"); r != nil && i%3 == 0 {
					b.fake.end(r, Exit{Code: 1})
				}
			}
			b.crash()
			if t.Failed() {
				t.Fatalf("after crash %d", i)
			}
		}
		b.ensure(w)
		for range 100 {
			b.after(10 * time.Millisecond)
			if r := b.fake.lives("a", "prep"); r != nil {
				b.fake.end(r, Exit{})
			}
		}
		if b.fake.lives("a", "web") == nil || b.fake.lives("a", "side") == nil {
			t.Error("the group did not come up after all that")
		}
		b.after(kept)
		if n := len(b.fake.groups["a"].runs); n != 2 {
			t.Errorf("%d runs are held at the end", n)
		}
	})
}

// TestDiscardWaitsForTheFile: the runtime keeps an exit until the file has it.
func TestDiscardWaitsForTheFile(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, Options{Dir: dir}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartNever, "web"))
		b.after(kept)
		run := b.fake.lives("a", "web").run
		b.fake.exits("web", 9)
		if b.fake.find("a", run) == nil {
			t.Error("let go before it was written down")
		}
		b.after(kept)
		if b.fake.find("a", run) != nil {
			t.Error("never let go")
		}
		b.crash()
		b.want("web", "Terminated 9 Error")
	})
	// Files are for the server's user only.
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoSecretIsKept: neither the state files nor the runs' names tell of a
// secret variable, nor can anyone without the key check a guess.
func TestNoSecretIsKept(t *testing.T) {
	dir := t.TempDir()
	w := wish(1, ludgate.RestartAlways, "web")
	w.Containers[0].Env = []engine.EnvVar{{Name: "TOKEN", Value: "hunter2", Secret: true}}
	w.Logins = []engine.Login{{Server: "r", Username: "u", Password: "hunter3"}}
	var runs []string
	for _, d := range []string{dir, t.TempDir()} {
		inBubble(t, Options{Dir: d}, func(b *bench) {
			b.ensure(w)
			b.after(kept)
			runs = append(runs, b.fake.lives("a", "web").run)
		})
	}
	data, err := os.ReadFile(filepath.Join(dir, "a.json"))
	if err != nil || !strings.Contains(string(data), runs[0]) || strings.Contains(string(data), "hunter") {
		t.Errorf("%v: %s", err, data)
	}
	if runs[0] == runs[1] {
		t.Errorf("two installations give a definition the same hash: %s", runs[0])
	}
}

func TestStateDirectoryTrouble(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), newFake(t), Options{Dir: filepath.Join(file, "x")}); err == nil {
		t.Error("a directory below a file was accepted")
	}
	if err := os.WriteFile(filepath.Join(dir, secretFile), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), newFake(t), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged key: %v", err)
	}
}

// TestForeignRunIsEnded: the runtime holds something under our key that no
// supervisor named.
func TestForeignRunIsEnded(t *testing.T) {
	inBubble(t, Options{Dir: t.TempDir()}, func(b *bench) {
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		b.after(kept)
		b.abandon()
		b.fake.groups["a"].runs["what"] = &fakeRun{run: "what", container: "what", done: make(chan struct{})}
		b.open()
		b.ensure(wish(1, ludgate.RestartAlways, "web"))
		synctest.Wait()
		if b.fake.lives("a", "what") != nil {
			t.Error("it lives on")
		}
		b.want("web", "Running")
	})
}

func TestRunNames(t *testing.T) {
	for id, want := range map[string]string{
		"web-1-0123456789ab":                   "web 1 0123456789ab true",
		"a-2-b-33-0123456789ab":                "a-2-b 33 0123456789ab true",
		"web-1-0123456789AB":                   " 0  false",
		"web-1":                                " 0  false",
		"-1-0123456789ab":                      " 0  false",
		"web--1-0123456789ab":                  "web- 1 0123456789ab true",
		"web-x-0123456789ab":                   " 0  false",
		"web-1234567890123456789-0123456789ab": " 0  false",
	} {
		name, n, sum, ok := parseRun(id)
		if got := fmt.Sprint(name, " ", n, " ", sum, " ", ok); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	long := runName(strings.Repeat("x", 63), 1<<59, "0123456789ab")
	if len(long) > 96 {
		t.Errorf("a run's name may have %d characters", len(long))
	}
}

func FuzzState(f *testing.F) {
	s := &Supervisor{opt: Options{Log: quiet}.withDefaults()}
	g := &group{s: s, key: "a"}
	g.restore(&groupState{Init: []memberState{{Name: "i", Run: &runState{ID: "i-1-0123456789ab", Ended: true}}}, Containers: []memberState{{Name: "c"}}})
	seed, _ := g.encodeState()
	f.Add(seed)
	f.Add([]byte(`{"Version":1,"Init":[{"Run":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		state, err := decodeState(data)
		if err != nil {
			return
		}
		g := &group{s: s, key: "a"}
		g.restore(state)
		g.merge([]AdoptedRun{{Run: "c-5-0123456789ab"}, {Run: "x"}, {Run: "i-9-0123456789ab", Exit: &Exit{}}})
		g.settle()
		if st := g.status(); len(st.Containers) == 0 {
			t.Error("the run that was found is not shown")
		}
		if _, err := g.encodeState(); err != nil {
			t.Error(err)
		}
	})
}
