package containergroup

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// fake is an engine whose every observation a test dictates.
type fake struct {
	mu       sync.Mutex
	wishes   map[string]*engine.Group
	status   map[string]*engine.Status
	removed  []string
	ensured  int
	refuse   error         // what Ensure answers
	hold     chan struct{} // Remove waits for it
	autorun  bool          // a wish is running at once
	changes  chan string
	observed int
}

func newFake() *fake {
	return &fake{wishes: map[string]*engine.Group{}, status: map[string]*engine.Status{}, changes: make(chan string, 1000)}
}

func (*fake) Name() string { return "fake" }

func (f *fake) Ensure(_ context.Context, g *engine.Group) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ensured++
	if f.refuse != nil {
		return f.refuse
	}
	f.wishes[g.Key] = g
	st := &engine.Status{Generation: g.Generation}
	if f.autorun {
		st = running(g)
	}
	f.status[g.Key] = st
	return nil
}

func (f *fake) Remove(ctx context.Context, key string) error {
	f.mu.Lock()
	hold := f.hold
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.wishes, key)
	delete(f.status, key)
	f.removed = append(f.removed, key)
	return nil
}

func (f *fake) Observe(_ context.Context, key string) (*engine.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.observed++
	st := f.status[key]
	if st == nil {
		return nil, engine.ErrUnknownGroup
	}
	c := *st
	return &c, nil
}

func (f *fake) Keys(context.Context) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.status)), nil
}

func (f *fake) Changes() <-chan string { return f.changes }

func (f *fake) Logs(_ context.Context, key, container string, _ engine.LogOptions) (io.ReadCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.status[key] == nil {
		return nil, engine.ErrUnknownGroup
	}
	if container == "broken" {
		return nil, errors.New("the disk of /secret/place is gone")
	}
	return io.NopCloser(strings.NewReader("one\n\xff\n")), nil
}

func (*fake) Close() error { return nil }

// see dictates the status of a group and says that it changed.
func (f *fake) see(key string, st *engine.Status) {
	f.mu.Lock()
	f.status[key] = st
	f.mu.Unlock()
	f.changes <- key
}

// only gives the one wish the engine has, waiting for it to come.
func (f *fake) only(s *server) *engine.Group {
	s.t.Helper()
	return f.wished(s, func(*engine.Group) bool { return true })
}

// wished waits for a wish that ok accepts.
func (f *fake) wished(s *server, ok func(*engine.Group) bool) *engine.Group {
	s.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		f.mu.Lock()
		for _, g := range f.wishes {
			if ok(g) {
				f.mu.Unlock()
				return g
			}
		}
		f.mu.Unlock()
	}
	s.t.Fatal("the engine was not told")
	return nil
}

// running is the status of a group all of whose containers run.
func running(g *engine.Group) *engine.Status {
	st := &engine.Status{Generation: g.Generation, Started: true}
	now := time.Date(2026, 11, 20, 12, 0, 0, 120e6, time.UTC)
	for _, c := range g.Init {
		st.Init = append(st.Init, engine.ContainerStatus{Name: c.Name, Current: &engine.State{State: ludgate.ContainerTerminated, DetailStatus: "Completed", StartTime: now, FinishTime: now}})
	}
	for _, c := range g.Containers {
		st.Containers = append(st.Containers, engine.ContainerStatus{Name: c.Name, Current: &engine.State{State: ludgate.ContainerRunning, StartTime: now}})
	}
	return st
}
