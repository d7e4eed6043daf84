package pod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ludgate/internal/engine"
)

// ErrClosed is returned by a Supervisor that was closed.
var ErrClosed = errors.New("pod: the engine is closed")

// Supervisor is an engine.Engine over any Runtime. Make it with New.
type Supervisor struct {
	rt     Runtime
	traits Traits
	opt    Options
	secret []byte // keys the definitions' hashes

	life    context.Context // ends with Close: pulls, watchers and kills stop
	stop    context.CancelFunc
	ops     context.Context // ends a little later: starts and clean-ups may finish
	stopOps context.CancelFunc
	work    sync.WaitGroup // workers and everything they began

	hints  *hints
	keeper *keeper

	mu     sync.Mutex // before any group.mu
	groups map[string]*group
	closed bool
}

var _ engine.Engine = (*Supervisor)(nil)

// New makes a Supervisor over rt, reads the state files of opt.Dir and takes
// over what rt says still exists. ctx bounds this start only. Runs found are
// watched at once; what a wish is needed for (restarts, replacements) waits for
// the group's first Ensure. When New fails, rt is still the caller's to close.
func New(ctx context.Context, rt Runtime, opt Options) (*Supervisor, error) {
	s := &Supervisor{rt: rt, opt: opt.withDefaults(), groups: map[string]*group{}}
	if t, ok := rt.(Traited); ok {
		s.traits = t.Traits()
	}
	s.life, s.stop = context.WithCancel(context.Background())
	s.ops, s.stopOps = context.WithCancel(context.Background())
	var err error
	if s.keeper, s.secret, err = openKeeper(s.opt.Dir); err != nil {
		return nil, err
	}
	if err := s.adopt(ctx); err != nil {
		return nil, err
	}
	s.hints = newHints(s.life, &s.work)
	s.work.Go(func() { s.keeper.run(s.life) })
	for _, g := range s.groups {
		g.resume()
	}
	return s, nil
}

// Name is the runtime's name.
func (s *Supervisor) Name() string { return s.rt.Name() }

// Ensure takes the wish up, and returns; see engine.Engine.
func (s *Supervisor) Ensure(_ context.Context, wish *engine.Group) error {
	if bad := checkWish(wish); bad != "" {
		return fmt.Errorf("pod: cannot run this: %s", bad)
	}
	g, err := s.obtain(wish.Key)
	if err != nil {
		return err
	}
	defer g.mu.Unlock()
	wish = cloneGroup(wish)
	if g.removal != nil {
		if g.afterwards == nil || wish.Generation >= g.afterwards.Generation {
			g.afterwards = wish
		}
		return nil
	}
	g.takeUp(wish)
	return nil
}

// Remove ends and forgets the group; see engine.Engine. When ctx ends first the
// removal goes on in the background. An error means that the runtime could not
// clean up; it is tried again on its own and by the next Remove.
func (s *Supervisor) Remove(ctx context.Context, key string) error {
	if !keyPattern.MatchString(key) {
		return nil // no such group can exist
	}
	g, err := s.obtain(key)
	if err != nil {
		return err
	}
	done := g.beginRemoval()
	g.mu.Unlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.life.Done():
		return ErrClosed
	}
}

// obtain gives the group of that key, locked; it is made if need be.
func (s *Supervisor) obtain(key string) (*group, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	g := s.groups[key]
	if g == nil {
		g = &group{s: s, key: key, nextRun: 1}
		s.groups[key] = g
	}
	g.mu.Lock()
	return g, nil
}

// lookup gives the group of that key if it is known, locked.
func (s *Supervisor) lookup(key string) (*group, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[key]
	if g == nil {
		return nil, engine.ErrUnknownGroup
	}
	g.mu.Lock()
	if !g.known() {
		g.mu.Unlock()
		return nil, engine.ErrUnknownGroup
	}
	return g, nil
}

// Observe says what is known of the group now; it never waits for the runtime.
func (s *Supervisor) Observe(_ context.Context, key string) (*engine.Status, error) {
	g, err := s.lookup(key)
	if err != nil {
		return nil, err
	}
	defer g.mu.Unlock()
	return g.status(), nil
}

// Keys lists the groups, sorted; those being removed are among them.
func (s *Supervisor) Keys(context.Context) ([]string, error) {
	s.mu.Lock()
	groups := slices.Collect(maps.Values(s.groups))
	s.mu.Unlock()
	keys := make([]string, 0, len(groups))
	for _, g := range groups {
		g.mu.Lock()
		if g.known() {
			keys = append(keys, g.key)
		}
		g.mu.Unlock()
	}
	slices.Sort(keys)
	return keys, nil
}

// Changes gives the keys of groups whose Status may have changed. A key that
// waits to be read comes once, however often the group changes meanwhile. Close
// closes the channel.
func (s *Supervisor) Changes() <-chan string { return s.hints.out }

// Logs reads what the container's newest run printed, or with opt.Previous the
// run before. A known container that has not printed, or whose log is gone,
// gives an empty log, not an error.
func (s *Supervisor) Logs(ctx context.Context, key, container string, opt engine.LogOptions) (io.ReadCloser, error) {
	g, err := s.lookup(key)
	if err != nil {
		return nil, err
	}
	m := g.member(container)
	if m == nil {
		g.mu.Unlock()
		return nil, engine.ErrUnknownContainer
	}
	r := m.run
	if opt.Previous {
		r = m.prev
	}
	g.mu.Unlock()
	if r != nil && !r.failed {
		opt.Previous = false
		log, err := s.rt.Logs(ctx, key, r.id, opt)
		if !errors.Is(err, ErrLost) {
			return log, err
		}
	}
	return io.NopCloser(strings.NewReader("")), nil
}

// closeGrace is how long Close lets a start or clean-up under way finish.
const closeGrace = 5 * time.Second

// Close stops supervising and writes the last state; containers keep running
// where the runtime lets them.
func (s *Supervisor) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	groups := slices.Collect(maps.Values(s.groups))
	s.mu.Unlock()
	for _, g := range groups {
		g.mu.Lock()
		g.closed = true
		g.wakeAt(time.Time{})
		g.mu.Unlock()
	}
	s.stop()
	cut := time.AfterFunc(closeGrace, s.stopOps)
	s.work.Wait()
	cut.Stop()
	s.stopOps()
	err := s.keeper.flush()
	return errors.Join(err, s.rt.Close())
}
