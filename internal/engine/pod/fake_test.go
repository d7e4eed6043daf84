package pod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// fake is a Runtime whose containers run until a test ends them. It also holds
// the supervisor to its promises: one call at a time for a group, never two runs
// of one container, starts on prepared ground only.
type fake struct {
	t *testing.T

	mu     sync.Mutex
	calls  []string // "start web", "kill web", …
	groups map[string]*fakeGroup

	// What tests may set; nil means success at once.
	pull    func(ctx context.Context, image string, try int) error
	start   func(ctx context.Context, c *engine.Container) error
	sandbox func(ctx context.Context) error
	cleanup func() error
	kill    func() error
	wait    func() error
	grace   time.Duration // how long a run takes to heed SIGTERM

	pulls map[string]int
}

type fakeGroup struct {
	busy  bool
	ready bool
	runs  map[string]*fakeRun
}

type fakeRun struct {
	run, container string
	started        time.Time
	exit           *Exit
	done           chan struct{}
}

func newFake(t *testing.T) *fake {
	return &fake{t: t, groups: map[string]*fakeGroup{}, pulls: map[string]int{}}
}

func (f *fake) Name() string { return "fake" }

// enter notes a call that must not overlap with another one for the group.
func (f *fake) enter(key, call string) (*fakeGroup, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g := f.groups[key]
	if g == nil {
		g = &fakeGroup{runs: map[string]*fakeRun{}}
		f.groups[key] = g
	}
	if g.busy {
		f.t.Errorf("%s: two calls for one group at a time", call)
	}
	g.busy = true
	f.calls = append(f.calls, call)
	return g, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		g.busy = false
	}
}

func (f *fake) Adopt(context.Context) ([]Adopted, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Adopted
	for key, g := range f.groups {
		a := Adopted{Key: key}
		for _, r := range g.runs {
			a.Runs = append(a.Runs, AdoptedRun{Run: r.run, Started: r.started, Exit: r.exit})
		}
		out = append(out, a)
	}
	return out, nil
}

func (f *fake) Sandbox(ctx context.Context, g *engine.Group) error {
	s, leave := f.enter(g.Key, "sandbox")
	defer leave()
	f.mu.Lock()
	hook := f.sandbox
	f.mu.Unlock()
	if hook != nil {
		if err := hook(ctx); err != nil {
			return err
		}
	}
	s.ready = true
	return nil
}

func (f *fake) Pull(ctx context.Context, image string, _ []engine.Login) (Image, error) {
	f.mu.Lock()
	f.calls = append(f.calls, "pull "+image)
	f.pulls[image]++
	try, hook := f.pulls[image], f.pull
	f.mu.Unlock()
	if hook != nil {
		if err := hook(ctx, image, try); err != nil {
			return Image{}, err
		}
	}
	return Image{Reference: image, Digest: "sha256:" + image}, ctx.Err()
}

func (f *fake) Start(ctx context.Context, g *engine.Group, c *engine.Container, img Image, run string) (time.Time, error) {
	s, leave := f.enter(g.Key, "start "+c.Name)
	defer leave()
	if !s.ready {
		f.t.Errorf("start of %s before the ground is prepared", run)
	}
	if img.Digest == "" {
		f.t.Errorf("start of %s without an image", run)
	}
	f.mu.Lock()
	hook := f.start
	f.mu.Unlock()
	if hook != nil {
		if err := hook(ctx, c); err != nil {
			return time.Time{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range s.runs {
		if r.container == c.Name && r.exit == nil {
			f.t.Errorf("two runs of container %s: %s and %s", c.Name, r.run, run)
		}
		if r.run == run {
			f.t.Errorf("run name %s is used twice", run)
		}
	}
	s.runs[run] = &fakeRun{run: run, container: c.Name, started: time.Now(), done: make(chan struct{})}
	return time.Now(), nil
}

func (f *fake) find(key, run string) *fakeRun {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.groups[key]; g != nil {
		return g.runs[run]
	}
	return nil
}

func (f *fake) Wait(ctx context.Context, key, run string) (Exit, error) {
	f.mu.Lock()
	hook := f.wait
	f.mu.Unlock()
	if hook != nil {
		if err := hook(); err != nil {
			return Exit{}, err
		}
	}
	r := f.find(key, run)
	if r == nil {
		return Exit{}, ErrLost
	}
	select {
	case <-r.done:
		return *r.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

func (f *fake) Kill(ctx context.Context, key, run string, grace time.Duration) error {
	r := f.find(key, run)
	if r == nil {
		return nil
	}
	f.mu.Lock()
	f.calls = append(f.calls, "kill "+r.container)
	hook := f.kill
	f.mu.Unlock()
	if hook != nil {
		if err := hook(); err != nil {
			return err
		}
	}
	exit := Exit{Code: 143, Signal: 15}
	wait := f.grace
	if wait > grace {
		wait, exit = grace, Exit{Code: 137, Signal: 9}
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-r.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.end(r, exit)
	return nil
}

func (f *fake) end(r *fakeRun, e Exit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.exit != nil {
		return
	}
	e.At = time.Now()
	r.exit = &e
	close(r.done)
}

func (f *fake) Discard(_ context.Context, key, run string) error {
	g, leave := f.enter(key, "discard")
	defer leave()
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := g.runs[run]; r != nil {
		if r.exit == nil {
			f.t.Errorf("discard of %s, which runs", run)
		}
		delete(g.runs, run)
	}
	return nil
}

func (f *fake) Logs(_ context.Context, key, run string, opt engine.LogOptions) (io.ReadCloser, error) {
	if opt.Previous {
		f.t.Error("Logs is asked for a previous run, which the supervisor must resolve")
	}
	return io.NopCloser(strings.NewReader(run)), nil
}

func (f *fake) Cleanup(ctx context.Context, key string) error {
	g, leave := f.enter(key, "cleanup")
	defer leave()
	f.mu.Lock()
	hook := f.cleanup
	f.mu.Unlock()
	if hook != nil {
		if err := hook(); err != nil {
			return err
		}
	}
	for _, r := range g.runs {
		f.end(r, Exit{Code: 137, Signal: 9})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.groups, key)
	return nil
}

func (f *fake) Close() error { return nil }

// change sets hooks while the supervisor may be at work.
func (f *fake) change(set func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set()
}

// tries says how often an image was pulled.
func (f *fake) tries(image string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pulls[image]
}

// take gives the calls since the last take, joined by ", ".
func (f *fake) take() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := strings.Join(f.calls, ", ")
	f.calls = nil
	return calls
}

// taken is take without sandboxes, pulls and discards; kills of one moment,
// which go on side by side, are in alphabetical order.
func (f *fake) taken() string {
	calls := strings.Split(f.take(), ", ")
	calls = slices.DeleteFunc(calls, func(c string) bool {
		return c == "sandbox" || c == "discard" || strings.HasPrefix(c, "pull ")
	})
	for i := 0; i < len(calls); i++ {
		j := i
		for j < len(calls) && strings.HasPrefix(calls[j], "kill ") {
			j++
		}
		slices.Sort(calls[i:j])
		i = j
	}
	return strings.Join(calls, ", ")
}

// lives gives the live run of a container, or nil.
func (f *fake) lives(key, container string) *fakeRun {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.groups[key]; g != nil {
		for _, r := range g.runs {
			if r.container == container && r.exit == nil {
				return r
			}
		}
	}
	return nil
}

// exits ends the live run of a container of group "a" and lets the supervisor
// see it.
func (f *fake) exits(container string, code int) {
	f.t.Helper()
	f.exitsWith(container, Exit{Code: code})
}

func (f *fake) exitsWith(container string, e Exit) {
	f.t.Helper()
	r := f.lives("a", container)
	if r == nil {
		f.t.Fatalf("container %s does not run", container)
	}
	f.end(r, e)
	synctest.Wait()
}

// bench is a supervisor over a fake within a synctest bubble.
type bench struct {
	*Supervisor
	t    *testing.T
	fake *fake
	opt  Options
}

var quiet = slog.New(slog.DiscardHandler)

// inBubble runs test with a fresh bench under fake time.
func inBubble(t *testing.T, opt Options, test func(b *bench)) {
	t.Helper()
	opt.Log = quiet
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, fake: newFake(t), opt: opt}
		b.open()
		defer func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}()
		test(b)
	})
}

// open makes a (new) supervisor over the same fake.
func (b *bench) open() {
	b.t.Helper()
	s, err := New(b.t.Context(), b.fake, b.opt)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Supervisor = s
}

// reopen restarts the supervisor in an orderly way.
func (b *bench) reopen() {
	b.t.Helper()
	if err := b.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
	synctest.Wait()
}

// crash ends the supervisor as kill -9 would: nothing more is written and no
// step is finished; then a new one is made.
func (b *bench) crash() {
	b.t.Helper()
	b.abandon()
	b.open()
	synctest.Wait()
}

func (b *bench) abandon() {
	s := b.Supervisor
	s.mu.Lock()
	s.closed = true
	for _, g := range s.groups {
		g.mu.Lock()
		g.closed, g.gone = true, true // gone: its file is not written any more
		g.wakeAt(time.Time{})
		g.mu.Unlock()
	}
	s.mu.Unlock()
	s.stop()
	s.stopOps()
	s.work.Wait()
}

// wish is a wish for group "a" of the given containers; a name that begins with
// "+" is an init container.
func wish(generation int64, policy ludgate.RestartPolicy, names ...string) *engine.Group {
	g := &engine.Group{Key: "a", Generation: generation, Name: "g", RestartPolicy: policy}
	for _, name := range names {
		if init, ok := strings.CutPrefix(name, "+"); ok {
			g.Init = append(g.Init, engine.Container{Name: init, Image: "img"})
		} else {
			g.Containers = append(g.Containers, engine.Container{Name: name, Image: "img"})
		}
	}
	return g
}

// ensure gives the wish and waits until all is at rest.
func (b *bench) ensure(g *engine.Group) {
	b.t.Helper()
	if err := b.Ensure(b.t.Context(), g); err != nil {
		b.t.Fatal(err)
	}
	synctest.Wait()
}

// after lets time pass.
func (b *bench) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bench) status() *engine.Status {
	b.t.Helper()
	s, err := b.Observe(b.t.Context(), "a")
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// of gives the status of one container, init or normal.
func (b *bench) of(name string) engine.ContainerStatus {
	b.t.Helper()
	s := b.status()
	for _, c := range slices.Concat(s.Init, s.Containers) {
		if c.Name == name {
			return c
		}
	}
	b.t.Fatalf("no container %s in the status", name)
	panic("unreachable")
}

// state is a container's state in one line: "Running", "Terminated 3 Error",
// "Waiting CrashLoopBackOff: …"; then the restarts, if any: "x2".
func (b *bench) state(name string) string {
	b.t.Helper()
	c := b.of(name)
	if c.Current == nil {
		return "none"
	}
	out := string(c.Current.State)
	if c.Current.State == ludgate.ContainerTerminated {
		out += fmt.Sprint(" ", c.Current.ExitCode)
	}
	if c.Current.DetailStatus != "" {
		out += " " + c.Current.DetailStatus
	}
	if c.RestartCount > 0 {
		out += fmt.Sprint(" x", c.RestartCount)
	}
	return out
}

func (b *bench) want(name, state string) {
	b.t.Helper()
	if got := b.state(name); got != state {
		b.t.Errorf("container %s: %s, want %s", name, got, state)
	}
}

func (b *bench) wantCalls(want string) {
	b.t.Helper()
	if got := b.fake.taken(); got != want {
		b.t.Errorf("calls: %s\nwant:  %s", got, want)
	}
}

// events gives a container's events as "Name: message (count)", one per line.
func events(list []engine.Event) string {
	var out []string
	for _, e := range list {
		line := e.Name + ": " + e.Message
		if e.Count > 1 {
			line += fmt.Sprintf(" (%d)", e.Count)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func hasEvent(list []engine.Event, typ ludgate.EventType, name, message string) bool {
	return slices.ContainsFunc(list, func(e engine.Event) bool {
		return e.Type == typ && e.Name == name && strings.Contains(e.Message, message)
	})
}

var errEngine = errors.New("mount /var/lib/secret/place: boom")

// hang is a start or ground preparation that never answers.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}
