package pod

import (
	"slices"

	"ludgate/internal/engine"
)

// status puts what is known of the group into engine words.
func (g *group) status() *engine.Status {
	s := g.survey()
	out := &engine.Status{
		Generation: g.generation,
		Init:       make([]engine.ContainerStatus, 0, len(g.init)),
		Containers: make([]engine.ContainerStatus, 0, len(g.normal)),
		Events:     slices.Clone(g.events),
		Started:    g.started,
		Fault:      g.fault(s),
		Simulated:  g.s.traits.Simulated,
	}
	for _, m := range g.init {
		out.Init = append(out.Init, m.status(g.wish != nil))
	}
	for _, m := range g.normal {
		out.Containers = append(out.Containers, m.status(g.wish != nil))
	}
	if w := g.afterwards; w != nil && len(out.Containers) == 0 {
		// Only the end of an earlier removal is waited for: nobody has looked at
		// the containers yet.
		for _, c := range w.Init {
			out.Init = append(out.Init, engine.ContainerStatus{Name: c.Name})
		}
		for _, c := range w.Containers {
			out.Containers = append(out.Containers, engine.ContainerStatus{Name: c.Name})
		}
	}
	return out
}

// status tells of one container. While a start is due it is Waiting and the run
// before is the previous state; without a wish nobody knows whether one is due.
func (m *member) status(wished bool) engine.ContainerStatus {
	c := engine.ContainerStatus{
		Name: m.name, RestartCount: m.restarts, ImageDigest: m.digest, Events: slices.Clone(m.events),
	}
	current, previous := m.run, m.prev
	if current != nil && current.ended && m.standing == wanted && wished {
		current, previous = nil, m.run
	}
	switch {
	case current != nil:
		state := current.state
		c.Current = &state
	case m.waiting.State != "":
		state := m.waiting
		state.DetailStatus = m.whyWaiting()
		c.Current = &state
	}
	if previous != nil {
		state := previous.state
		c.Previous = &state
	}
	return c
}

// whyWaiting is the detail of a Waiting state: what the container waits for
// beyond the usual, "" when nothing is wrong.
func (m *member) whyWaiting() string {
	switch {
	case m.pull.permanent:
		return "ErrImagePull: " + m.pull.why
	case m.pull.fails > 0:
		return `ImagePullBackOff: Back-off pulling image "` + m.spec.Image + `"`
	}
	return m.waiting.DetailStatus
}
