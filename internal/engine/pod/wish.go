package pod

import (
	"slices"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// takeUp makes w the group's wish. It only changes what is known; the worker
// does the rest. An older generation than the newest of this process, and an
// identical wish, change nothing.
func (g *group) takeUp(w *engine.Group) {
	sum := g.s.hash(w)
	if g.wish != nil && (w.Generation < g.generation || sum == g.wishSum) {
		return
	}
	now := g.now()
	fresh := w.Generation != g.generation
	if fresh {
		g.generation, g.started = w.Generation, false
	}
	if fresh || g.since.IsZero() {
		g.since, g.timedOut = now, false
	}
	g.wish, g.wishSum = w, sum

	old := map[string]*member{}
	ran := false
	for m := range g.members() {
		old[m.name] = m
		ran = ran || m.run != nil
	}
	initChanged := false
	list := func(specs []engine.Container, isInit bool) []*member {
		out := make([]*member, 0, len(specs))
		for i := range specs {
			c := &specs[i]
			m := old[c.Name]
			if m == nil {
				m = &member{name: c.Name}
			} else {
				delete(old, c.Name)
			}
			m.init = isInit
			definition := g.s.sum(c, isInit)
			if isInit && m.sum != definition {
				initChanged = true
			}
			m.define(c, definition, w.Logins, fresh, now)
			out = append(out, m)
		}
		return out
	}
	g.init = list(w.Init, true)
	g.normal = list(w.Containers, false)
	for _, m := range old {
		m.pull.stop()
		g.leaving = append(g.leaving, m)
	}
	switch {
	case initChanged && ran:
		g.restartAll(now)
	case g.groundLost:
		g.renewGround(now)
	}
	g.groundLost = false
	g.noteStarted()
	g.changed()
	g.kick()
}

// define gives m its wished definition; what concerned another one is reset.
// Pulls that failed are tried again at once for a fresh generation.
func (m *member) define(c *engine.Container, sum string, logins []engine.Login, fresh bool, now time.Time) {
	m.spec = c
	if m.sum != sum {
		m.sum = sum
		m.pull.stop()
		m.img, m.pull = nil, pull{}
		m.reset(now)
		m.restarts = 0
		if m.run != nil && !m.run.ended && m.run.sum == sum { // back to what still runs
			m.tries, m.started, m.attempted = 1, true, true
		}
		return
	}
	if m.waiting.State == "" {
		m.waiting = waitingState(now, "")
	}
	if m.pull.job != nil && !slices.Equal(m.pull.job.logins, logins) {
		m.pull.stop()
		m.pull = pull{}
	}
	if fresh && m.pull.job == nil {
		m.pull = pull{}
	}
}

// reset forgets how the definition fared so far, except its restarts.
func (m *member) reset(now time.Time) {
	m.tries, m.strikes, m.faults = 0, 0, 0
	m.started, m.attempted = false, false
	m.notBefore = time.Time{}
	m.waiting = waitingState(now, "")
}

// restartAll makes every earlier run count for nothing: all init containers run
// again, then every container is started anew, because what it was started on
// has changed.
func (g *group) restartAll(now time.Time) {
	g.floor = g.nextRun
	g.started = false
	for m := range g.members() {
		m.reset(now)
		if m.run != nil {
			m.run.kept = false
		}
	}
}

// renewGround has the init containers run again after the ground was lost (a
// reboot), provided that there is anything to start after them. Containers that
// had ended for good stay so.
func (g *group) renewGround(now time.Time) {
	again := false
	for _, m := range g.normal {
		ended := m.run != nil && m.run.ended && m.run.sum == m.sum
		if ended && !g.restarts(m, m.run) {
			m.run.kept = true
		} else {
			again = true
		}
	}
	if !again {
		return
	}
	g.floor = g.nextRun
	for _, m := range g.init {
		m.tries, m.notBefore, m.waiting = 0, time.Time{}, waitingState(now, "")
	}
}

func waitingState(since time.Time, detail string) engine.State {
	return engine.State{State: ludgate.ContainerWaiting, DetailStatus: detail, StartTime: since}
}

// stop calls a pull under way off.
func (p *pull) stop() {
	if p.job != nil {
		p.job.cancel()
		p.job = nil
	}
}
