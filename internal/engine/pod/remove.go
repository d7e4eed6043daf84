package pod

import (
	"context"
	"time"
)

// removal is the end of a group under way.
type removal struct {
	waiters  []chan error
	deadline time.Time // then the runtime cleans up even if a run still seems to live
	retry    time.Time
	fails    int
}

// cleanupSlack is how long after the grace a killed run may take to be reported.
const cleanupSlack = 10 * time.Second

// beginRemoval has the group ended; the channel gets the outcome. A wish that
// waited for an earlier removal to finish is dropped: this call is the newer one.
func (g *group) beginRemoval() <-chan error {
	done := make(chan error, 1)
	g.afterwards = nil
	if g.removal == nil {
		g.removal = &removal{deadline: g.now().Add(g.s.opt.KillGrace + cleanupSlack)}
		for _, m := range g.everyone() {
			m.pull.stop()
		}
		if g.cancelOp != nil {
			g.cancelOp()
		}
	}
	g.removal.waiters = append(g.removal.waiters, done)
	g.removal.retry = time.Time{}
	g.kick()
	return done
}

// nextRemoval ends all runs in parallel, then gives the step that cleans up.
func (g *group) nextRemoval(w *wake) func() {
	lives := false
	for _, m := range g.everyone() {
		for _, r := range []*run{m.run, m.prev} {
			if r != nil && !r.ended {
				g.kill(r, m, w)
				lives = true
			}
		}
	}
	if lives && !w.due(g.removal.deadline) || !w.due(g.removal.retry) {
		return nil
	}
	return func() {
		ctx, cancel := context.WithTimeout(g.s.ops, g.s.opt.KillGrace+g.s.opt.StartTimeout)
		err := g.s.rt.Cleanup(ctx, g.key)
		cancel()
		g.removed(err)
	}
}

// removed notes how the clean-up went. On success the group is forgotten, or
// begins anew with the wish that came meanwhile.
func (g *group) removed(err error) {
	if err == nil {
		g.mu.Lock()
		g.gone = true
		g.mu.Unlock()
		err = g.forgetFile()
	}
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.removal
	waiters := r.waiters
	r.waiters = nil
	if err != nil {
		r.retry = g.now().Add(s.opt.Backoff.delay(r.fails))
		r.fails++
		s.opt.Log.Warn("a container group could not be cleaned up", "group", g.key, "error", err)
	} else {
		wish := g.afterwards
		g.forget()
		if wish != nil {
			g.gone = false
			g.takeUp(wish)
		} else {
			delete(s.groups, g.key)
			s.hints.tell(g.key)
		}
	}
	for _, done := range waiters {
		done <- err
	}
}

// forget makes the group as if it had never been. Run numbers go on, so that no
// late word about an old run can be taken for a new one.
func (g *group) forget() {
	g.wish, g.wishSum, g.generation, g.since = nil, "", 0, time.Time{}
	g.started, g.timedOut, g.adopted, g.groundLost = false, false, false, false
	g.init, g.normal, g.leaving, g.events, g.discards = nil, nil, nil, nil, nil
	g.ground, g.floor = ground{}, 0
	g.removal, g.afterwards = nil, nil
}
