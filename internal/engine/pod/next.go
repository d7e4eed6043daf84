package pod

import (
	"time"

	"ludgate/internal/engine"
)

// next is the heart of the state machine: it looks at all that is known, begins
// what may go on beside (pulls, kills), and returns the one step that the worker
// shall do now, or nil when there is none; then a timer is set for the next
// moment that matters. The numbers are those of README.md.
func (g *group) next() func() {
	g.wakeAt(time.Time{})
	if g.closed {
		return nil
	}
	w := &wake{now: g.now()}
	var step func()
	switch {
	case g.removal != nil: // 1
		step = g.nextRemoval(w)
	case g.wish != nil:
		step = g.nextWished(w)
	}
	if step == nil && g.removal == nil {
		step = g.nextDiscard() // 8
	}
	if step == nil {
		g.wakeAt(w.first)
	}
	return step
}

// wake collects the moments at which the group must be looked at again.
type wake struct{ now, first time.Time }

// due reports whether t has come; if not, the group is woken then.
func (w *wake) due(t time.Time) bool {
	if !t.After(w.now) {
		return true
	}
	if w.first.IsZero() || t.Before(w.first) {
		w.first = t
	}
	return false
}

func (g *group) nextWished(w *wake) func() {
	g.checkTimeout(w)
	s := g.survey()
	for m := range g.members() { // 2
		g.pullIfNeeded(m, s, w)
	}
	draining, soon := g.endStale(s, w) // 3
	if g.ground.sum != g.wishSum {
		if !w.due(g.ground.retry) {
			return nil
		}
		return g.prepareGround() // 4
	}
	if draining {
		return nil
	}
	if !s.initsDone { // 5
		if s.initFailed != nil || s.current.standing != wanted || anyLive(g.init) || anyLive(g.normal) {
			return nil
		}
		return g.startIfDue(s.current, w)
	}
	for _, m := range g.normal { // 6
		if m.standing != wanted || soon && !m.attempted {
			continue
		}
		if step := g.startIfDue(m, w); step != nil {
			return step
		}
		if !m.attempted {
			return nil // the first time round containers start in order
		}
	}
	return nil
}

// checkTimeout sets timedOut when the generation did not start in time.
func (g *group) checkTimeout(w *wake) {
	if g.started || g.timedOut || !w.due(g.since.Add(g.timeout())) {
		return
	}
	g.timedOut = true
	g.events.warning(w.now, "Failed", g.timeoutFault().Message)
	g.changed()
}

func (g *group) timeout() time.Duration {
	if g.wish.Timeout > 0 {
		return g.wish.Timeout
	}
	return 30 * time.Minute
}

// pullIfNeeded begins the pull of m's image when m will have to start. All
// images of a group are pulled at once and beforehand.
func (g *group) pullIfNeeded(m *member, s survey, w *wake) {
	if m.standing != wanted && m.standing != stale || s.initFailed != nil {
		return
	}
	if m.img != nil || m.pull.job != nil || m.pull.permanent || !w.due(m.pull.retry) {
		return
	}
	g.beginPull(m)
}

// endStale ends what must not run any more. What is no longer wished ends at
// once. What is replaced runs on until the images for its replacement are here:
// an update to an image that does not exist takes nothing down. Nothing is
// started while anything is being ended (draining), and nothing new while
// something will be as soon as its first pull is through (soon), so that the new
// does not meet the old on a port.
func (g *group) endStale(s survey, w *wake) (draining, soon bool) {
	leaving := g.leaving[:0]
	for _, m := range g.leaving {
		if m.run != nil && !m.run.ended {
			g.kill(m.run, m, w)
			leaving = append(leaving, m)
			draining = true
		}
	}
	clear(g.leaving[len(leaving):])
	g.leaving = leaving
	initsReady := true
	for _, m := range g.init {
		initsReady = initsReady && (s.initsDone || m.img != nil)
	}
	for m := range g.members() {
		if m.standing != stale {
			continue
		}
		if m.run.killing || m.img != nil && initsReady {
			g.kill(m.run, m, w)
			draining = true
		} else if m.pull.job != nil && m.pull.fails == 0 {
			soon = true
		}
	}
	return draining, soon
}

func anyLive(members []*member) bool {
	for _, m := range members {
		if m.run != nil && !m.run.ended {
			return true
		}
	}
	return false
}

// startIfDue gives the step that starts m, unless its image is missing or its
// back-off lasts.
func (g *group) startIfDue(m *member, w *wake) func() {
	if m.img == nil || !w.due(m.notBefore) {
		return nil
	}
	return g.start(m)
}

// nextDiscard gives the step that lets go of one ended run whose end is kept.
func (g *group) nextDiscard() func() {
	if len(g.discards) == 0 || g.discards[0].version > g.saved {
		return nil
	}
	d := g.discards[0]
	g.discards = g.discards[1:]
	return func() {
		if err := g.s.rt.Discard(g.s.ops, g.key, d.run); err != nil {
			g.s.opt.Log.Warn("an ended container could not be discarded", "group", g.key, "run", d.run, "error", err)
		}
	}
}

// fault says why the wish cannot be met, or nil.
func (g *group) fault(s survey) *engine.Fault {
	if g.wish == nil || g.removal != nil {
		return nil
	}
	for m := range g.members() {
		if m.pull.permanent {
			return &engine.Fault{Code: "InaccessibleImage", Message: g.inaccessible(m), Permanent: true}
		}
	}
	if m := s.initFailed; m != nil {
		return &engine.Fault{
			Code: "InitContainerFailed", Permanent: true,
			Message: "The init container '" + m.name + "' in container group '" + g.wish.Name + "' ended with exit code " + itoa(m.run.state.ExitCode) + ".",
		}
	}
	for _, m := range g.normal {
		if m.standing == over && m.run.failed && !m.started {
			return &engine.Fault{
				Code: "ContainerStartFailed", Permanent: true,
				Message: "The container '" + m.name + "' in container group '" + g.wish.Name + "' could not be started: " + trimDetail(m.run.state.DetailStatus) + ".",
			}
		}
	}
	if g.timedOut {
		return g.timeoutFault()
	}
	return nil
}

// timeoutFault says what kept the group from starting in time.
func (g *group) timeoutFault() *engine.Fault {
	f := &engine.Fault{Code: "ContainerGroupStartTimeout"}
	why := ""
	if g.ground.why != "" {
		why = ": " + g.ground.why
	}
	for m := range g.members() {
		if m.pull.fails > 0 {
			f.Code, f.Message = "InaccessibleImage", g.inaccessible(m)
			return f
		}
		if why == "" && !m.started && m.waiting.DetailStatus != "" && m.tries+m.faults > 0 {
			why = ": container '" + m.name + "': " + trimDetail(m.failure())
		}
	}
	f.Message = "The container group '" + g.wish.Name + "' did not start all its containers within " + g.timeout().String() + why + "."
	return f
}

func (g *group) inaccessible(m *member) string {
	return "The image '" + m.spec.Image + "' in container group '" + g.wish.Name + "' is not accessible. Please check the image and registry credential."
}
