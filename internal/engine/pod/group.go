package pod

import (
	"context"
	"slices"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// group is all that is known of one container group. Everything in it is under
// mu; whoever changes a fact calls changed, and kick when there may be work.
type group struct {
	s   *Supervisor
	key string

	mu      sync.Mutex
	working bool // a worker goroutine is alive
	closed  bool // the supervisor closes: no new work
	timer   *time.Timer

	wish       *engine.Group // newest wish; nil while only adopted
	wishSum    string        // its hash, generation included
	generation int64
	since      time.Time // when this process took the generation up
	started    bool      // every container of this generation has started once
	timedOut   bool      // …and it took too long
	init       []*member
	normal     []*member
	leaving    []*member // no longer wished; they go once their run has ended
	events     eventLog
	ground     ground
	floor      int64 // runs numbered below do not count: the init containers changed
	nextRun    int64
	adopted    bool // found at start
	groundLost bool // …without its ground: init containers run again
	discards   []discard

	removal    *removal
	afterwards *engine.Group // the wish that came while it was being removed

	cancelOp context.CancelFunc // ends the start or ground preparation under way

	fileMu  sync.Mutex // held while the state file is written or removed; before mu
	version int64      // counts changes worth keeping
	saved   int64      // the version that is on disk
	gone    bool       // removed: nothing may be written any more
}

// ground is how far the group's shared ground is.
type ground struct {
	sum   string // the wish it was made for
	fails int
	retry time.Time
	why   string // the last failure in words
}

// discard is an ended run that the runtime still holds. It is let go only when
// the state that says how it ended is on disk, so that no crash can lose that.
type discard struct {
	run     string
	version int64
}

// member is one container of the group over all its runs.
type member struct {
	name string
	init bool
	spec *engine.Container // nil while only adopted
	sum  string            // hash of the definition wished

	img  *Image // present image of this definition
	pull pull

	run  *run // newest run
	prev *run // the one before

	// Of the present definition:
	tries     int  // starts tried
	restarts  int  // starts after the first
	strikes   int  // ends in a row that came too soon
	faults    int  // starts in a row that failed through the engine's fault
	started   bool // a run has started
	attempted bool // pull or start was concluded once: the next container may go

	notBefore time.Time    // earliest next start
	waiting   engine.State // shown while a start is due
	digest    string
	events    eventLog

	standing standing // set by group.survey
}

// pull is how far a member's image is.
type pull struct {
	job       *pullJob // under way
	fails     int
	retry     time.Time
	permanent bool   // no more tries until the wish changes
	why       string // the last failure in words
}

type pullJob struct {
	cancel context.CancelFunc
	logins []engine.Login
}

// run is one run of a container.
type run struct {
	id     string
	n      int64
	sum    string
	state  engine.State // Running or Terminated
	ended  bool
	failed bool // it never got going: there is no log
	kept   bool // over for good before the ground was lost: counts although older than the init runs

	confirmed bool // at start: the runtime told of it
	killing   bool // we end it
	killAt    time.Time
}

// standing is what a member needs.
type standing uint8

const (
	wanted standing = iota // a start, now or later
	live                   // nothing: it runs
	stale                  // it runs but must end: its definition, or an init container, changed
	over                   // nothing: it ended for good
)

// known reports whether anyone may see the group: a group that Remove made up
// for a key it did not know is not.
func (g *group) known() bool {
	return g.wish != nil || g.afterwards != nil || g.adopted || len(g.init)+len(g.normal)+len(g.leaving) > 0
}

func (g *group) member(name string) *member {
	for m := range g.members() {
		if m.name == name {
			return m
		}
	}
	return nil
}

// members ranges over init and normal containers in the wish's order.
func (g *group) members() func(func(*member) bool) {
	return func(yield func(*member) bool) {
		for _, m := range g.init {
			if !yield(m) {
				return
			}
		}
		for _, m := range g.normal {
			if !yield(m) {
				return
			}
		}
	}
}

// everyone also has those that leave.
func (g *group) everyone() []*member { return slices.Concat(g.init, g.normal, g.leaving) }

// survey is the state of the init phase; it also sets every member's standing.
type survey struct {
	initsDone  bool
	initFailed *member // it ended for good without exit 0
	current    *member // the init container whose turn it is
}

func (g *group) survey() survey {
	s := survey{initsDone: true}
	after := int64(0)
	for _, m := range g.init {
		m.standing = g.judge(m, after)
		if !s.initsDone {
			continue
		}
		if m.standing == over && m.run.state.ExitCode == 0 {
			after = max(after, m.run.n)
			continue
		}
		s.initsDone, s.current, after = false, m, maxRun
		if m.standing == over {
			s.initFailed = m
		}
	}
	for _, m := range g.normal {
		m.standing = g.judge(m, after)
	}
	return s
}

const maxRun = int64(1) << 62

// judge says what m needs when runs up to number after do not count for it.
func (g *group) judge(m *member, after int64) standing {
	r := m.run
	if r == nil {
		return wanted
	}
	counts := g.current(m, r) && (r.kept || r.n > after)
	switch {
	case !r.ended && counts:
		return live
	case !r.ended:
		return stale
	case counts && !g.restarts(m, r):
		return over
	}
	return wanted
}

// current reports whether r is a run of the definition wished, on the ground
// that the init containers made last.
func (g *group) current(m *member, r *run) bool {
	return r.sum == m.sum && (r.kept || r.n >= g.floor)
}

// restarts applies the restart policy to an ended run. For init containers
// Always means OnFailure: exit 0 is their aim.
func (g *group) restarts(m *member, r *run) bool {
	if g.wish == nil {
		return false
	}
	switch g.wish.RestartPolicy {
	case ludgate.RestartNever:
		return false
	case ludgate.RestartOnFailure:
		return r.state.ExitCode != 0
	}
	return !m.init || r.state.ExitCode != 0
}

// noteStarted sets started once every container of the generation has started.
// An init container has then run, too.
func (g *group) noteStarted() {
	if g.started || g.wish == nil {
		return
	}
	for _, m := range g.normal {
		if !m.started {
			return
		}
	}
	g.started, g.timedOut = true, false
}

// changed tells readers that the Status may differ, and has the state kept.
func (g *group) changed() {
	g.version++
	g.s.keeper.mark(g)
	g.s.hints.tell(g.key)
}

// kick sees to it that a worker looks at the group.
func (g *group) kick() {
	if g.working || g.closed {
		return
	}
	g.working = true
	g.s.work.Go(g.toil)
}

// toil does one step after the other until there is none.
func (g *group) toil() {
	for {
		g.mu.Lock()
		step := g.next()
		if step == nil {
			g.working = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		step()
	}
}

// wakeAt has the group looked at again at t; the zero time means not at all.
func (g *group) wakeAt(t time.Time) {
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	if t.IsZero() {
		return
	}
	g.timer = time.AfterFunc(t.Sub(g.s.opt.Clock()), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.kick()
	})
}

func (g *group) now() time.Time { return g.s.opt.Clock() }
