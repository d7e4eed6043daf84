package simulated

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/engine"
	"ludgate/internal/engine/pod"
)

// Options configure the pretence. The zero value is ready.
type Options struct {
	// Latency is how long a pull and a start take; 0 is 1 ms, negative nothing.
	Latency time.Duration
	// Clock stamps starts, ends and log lines; nil is time.Now.
	Clock ludgate.Clock
	// Pod configures the supervisor that Engine makes; its Dir and Clock are
	// taken from Engine's argument and from above.
	Pod pod.Options
}

// Runtime pretends to run containers. Make it with New.
type Runtime struct {
	latency time.Duration
	clock   ludgate.Clock

	mu     sync.Mutex
	groups map[string]map[string]*simulation
	pulled map[string]bool
}

var (
	_ pod.Runtime      = (*Runtime)(nil)
	_ pod.ExitNotifier = (*Runtime)(nil)
	_ pod.Traited      = (*Runtime)(nil)
)

// simulation is one run.
type simulation struct {
	script script
	start  time.Time
	timer  *time.Timer
	done   chan struct{} // closed at the end
	exit   *pod.Exit
	tell   []func(pod.Exit, error)
}

// New makes a Runtime.
func New(opt Options) *Runtime {
	r := &Runtime{
		latency: cmp.Or(opt.Latency, time.Millisecond), clock: opt.Clock,
		groups: map[string]map[string]*simulation{}, pulled: map[string]bool{},
	}
	if r.clock == nil {
		r.clock = time.Now
	}
	return r
}

// Engine is a simulated engine, complete with its supervisor. dir keeps what
// outlives a restart of the server (see the package comment); empty keeps
// nothing. ctx bounds the start only.
func Engine(ctx context.Context, dir string, opt Options) (engine.Engine, error) {
	opt.Pod.Dir, opt.Pod.Clock = dir, opt.Clock
	return pod.New(ctx, New(opt), opt.Pod)
}

// Name is "simulated".
func (*Runtime) Name() string { return "simulated" }

// Traits says that nothing runs and that all of it ends with the process.
func (*Runtime) Traits() pod.Traits { return pod.Traits{Simulated: true, Volatile: true} }

// Adopt finds nothing: there is nothing outside this process.
func (*Runtime) Adopt(context.Context) ([]pod.Adopted, error) { return nil, nil }

// Sandbox notes the group.
func (r *Runtime) Sandbox(ctx context.Context, g *engine.Group) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.groups[g.Key] == nil {
		r.groups[g.Key] = map[string]*simulation{}
	}
	return ctx.Err()
}

// Pull succeeds for every image except those of registries below ".invalid". The
// digest is made from the reference.
func (r *Runtime) Pull(ctx context.Context, image string, _ []engine.Login) (pod.Image, error) {
	if err := r.pause(ctx); err != nil {
		return pod.Image{}, err
	}
	host, _, _ := strings.Cut(image, "/")
	host, _, _ = strings.Cut(host, ":")
	if strings.HasSuffix(host, ".invalid") {
		return pod.Image{}, &pod.PullError{Image: image, Permanent: true, Err: errors.New("not found: simulated registries below .invalid hold no images")}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	cached := r.pulled[image]
	r.pulled[image] = true
	sum := sha256.Sum256([]byte(image))
	return pod.Image{Reference: image, Digest: "sha256:" + hex.EncodeToString(sum[:]), Cached: cached}, nil
}

// Start reads the command and sets the timer for the end, if it has one.
func (r *Runtime) Start(ctx context.Context, g *engine.Group, c *engine.Container, img pod.Image, run string) (time.Time, error) {
	if err := r.pause(ctx); err != nil {
		return time.Time{}, err
	}
	script, err := read(c)
	if err != nil {
		return time.Time{}, &pod.StartError{Err: err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	runs := r.groups[g.Key]
	if runs == nil {
		return time.Time{}, errors.New("simulated: the group was not prepared")
	}
	if runs[run] != nil {
		return time.Time{}, errors.New("simulated: run " + run + " exists already")
	}
	s := &simulation{script: script, start: r.clock(), done: make(chan struct{})}
	runs[run] = s
	if script.ends {
		s.timer = time.AfterFunc(script.lasts, func() { r.end(s, script.exit) })
	}
	return s.start, nil
}

// end ends a run once and tells those who wait.
func (r *Runtime) end(s *simulation, e pod.Exit) {
	r.mu.Lock()
	if s.exit != nil {
		r.mu.Unlock()
		return
	}
	e.At = r.clock()
	s.exit = &e
	close(s.done)
	tell := s.tell
	s.tell = nil
	if s.timer != nil {
		s.timer.Stop()
	}
	r.mu.Unlock()
	for _, f := range tell {
		f(e, nil)
	}
}

// onTerm is how the run ends on SIGTERM.
func (s *simulation) onTerm() pod.Exit {
	if s.script.tidy {
		return pod.Exit{}
	}
	return pod.Exit{Code: 143, Signal: 15}
}

func (r *Runtime) find(key, run string) *simulation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.groups[key][run]
}

// Wait blocks until the run has ended.
func (r *Runtime) Wait(ctx context.Context, key, run string) (pod.Exit, error) {
	s := r.find(key, run)
	if s == nil {
		return pod.Exit{}, pod.ErrLost
	}
	select {
	case <-s.done:
		return *s.exit, nil
	case <-ctx.Done():
		return pod.Exit{}, ctx.Err()
	}
}

// NotifyExit calls f when the run has ended.
func (r *Runtime) NotifyExit(key, run string, f func(pod.Exit, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch s := r.groups[key][run]; {
	case s == nil:
		go f(pod.Exit{}, pod.ErrLost)
	case s.exit != nil:
		go f(*s.exit, nil)
	default:
		s.tell = append(s.tell, f)
	}
}

// Kill ends the run at once, as if it heeded SIGTERM.
func (r *Runtime) Kill(_ context.Context, key, run string, _ time.Duration) error {
	if s := r.find(key, run); s != nil {
		r.end(s, s.onTerm())
	}
	return nil
}

// Discard does nothing: an ended run holds its log only.
func (r *Runtime) Discard(context.Context, string, string) error { return nil }

// Cleanup ends and forgets all runs of the group.
func (r *Runtime) Cleanup(_ context.Context, key string) error {
	r.mu.Lock()
	runs := r.groups[key]
	delete(r.groups, key)
	r.mu.Unlock()
	for _, s := range runs {
		r.end(s, s.onTerm())
	}
	return nil
}

// Close ends everything.
func (r *Runtime) Close() error {
	r.mu.Lock()
	keys := make([]string, 0, len(r.groups))
	for key := range r.groups {
		keys = append(keys, key)
	}
	r.mu.Unlock()
	for _, key := range keys {
		_ = r.Cleanup(context.Background(), key)
	}
	return nil
}

// Logs gives the lines printed so far.
func (r *Runtime) Logs(_ context.Context, key, run string, opt engine.LogOptions) (io.ReadCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.groups[key][run]
	if s == nil {
		return nil, pod.ErrLost
	}
	until := r.clock()
	if s.exit != nil {
		until = s.exit.At
	}
	var lines []string
	for _, l := range s.script.lines {
		at := s.start.Add(l.after)
		if at.After(until) {
			break
		}
		text := l.text
		if opt.Timestamps {
			text = at.UTC().Format(time.RFC3339Nano) + " " + text
		}
		lines = append(lines, text+"\n")
	}
	if opt.Tail > 0 && len(lines) > opt.Tail {
		lines = lines[len(lines)-opt.Tail:]
	}
	return io.NopCloser(strings.NewReader(strings.Join(lines, ""))), nil
}

// pause is the time that pulls and starts pretend to take.
func (r *Runtime) pause(ctx context.Context) error {
	if r.latency <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(r.latency)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
