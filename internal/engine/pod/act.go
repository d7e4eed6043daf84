package pod

import (
	"context"
	"errors"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// exitNotStarted is the exit code of a run that could not start, as Kubernetes
// has it for its reason StartError.
const exitNotStarted = 128

const crashLoop = "CrashLoopBackOff: Back-off restarting failed"

// op makes the context of a step; Remove ends it early through cancelOp.
func (g *group) op() (context.Context, func()) {
	ctx, cancel := context.WithTimeout(g.s.ops, g.s.opt.StartTimeout)
	g.cancelOp = cancel
	return ctx, cancel
}

// prepareGround gives the step that makes the group's ground as wished.
func (g *group) prepareGround() func() {
	wish, sum := g.wish, g.wishSum
	ctx, cancel := g.op()
	return func() {
		err := g.s.rt.Sandbox(ctx, wish)
		cancel()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.cancelOp = nil
		switch {
		case err == nil:
			g.ground = ground{sum: sum}
		case g.removal != nil || g.closed:
		default:
			now := g.now()
			g.ground.retry = now.Add(g.s.opt.Backoff.delay(g.ground.fails))
			g.ground.fails++
			g.ground.why = reason(err)
			g.events.warning(now, "Failed", "Failed to prepare the container group: "+g.ground.why)
			g.s.opt.Log.Warn("a container group's ground could not be prepared", "group", g.key, "error", err)
			g.changed()
		}
	}
}

// beginPull pulls m's image beside the worker.
func (g *group) beginPull(m *member) {
	ctx, cancel := context.WithCancel(g.s.life)
	job := &pullJob{cancel: cancel, logins: g.wish.Logins}
	m.pull.job = job
	image := m.spec.Image
	m.events.normal(g.now(), "Pulling", `pulling image "`+image+`"`)
	g.changed()
	g.s.work.Go(func() {
		img, err := g.s.rt.Pull(ctx, image, job.logins)
		cancel()
		g.mu.Lock()
		defer g.mu.Unlock()
		if m.pull.job != job || g.s.life.Err() != nil {
			return // called off: another wish, removal, or Close
		}
		g.pulled(m, image, img, err)
	})
}

// pulled notes how a pull ended.
func (g *group) pulled(m *member, image string, img Image, err error) {
	now := g.now()
	m.pull.job = nil
	defer g.kick()
	defer g.changed()
	if err == nil {
		m.pull = pull{}
		m.img = &img
		m.events.normal(now, "Pulled", `Successfully pulled image "`+image+`"`)
		return
	}
	var refused *PullError
	if errors.As(err, &refused) {
		m.pull.why, m.pull.permanent = refused.Err.Error(), refused.Permanent
	} else {
		m.pull.why = reason(err)
		g.s.opt.Log.Warn("an image could not be pulled", "group", g.key, "container", m.name, "error", err)
	}
	m.attempted = true
	m.events.warning(now, "Failed", `Failed to pull image "`+image+`": `+m.pull.why)
	if m.pull.permanent {
		return
	}
	m.pull.retry = now.Add(g.s.opt.PullBackoff.delay(m.pull.fails))
	m.pull.fails++
	m.events.normal(now, "BackOff", `Back-off pulling image "`+image+`"`)
}

// start gives the step that starts the next run of m.
func (g *group) start(m *member) func() {
	r := &run{id: runName(m.name, g.nextRun, m.sum), n: g.nextRun, sum: m.sum}
	g.nextRun++
	wish, spec, img := g.wish, m.spec, *m.img
	ctx, cancel := g.op()
	return func() {
		at, err := g.s.rt.Start(ctx, wish, spec, img, r.id)
		cancel()
		if err != nil {
			g.sweep(r.id)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.cancelOp = nil
		var refused *StartError
		switch {
		case err == nil:
			g.running(m, r, at, img.Digest)
		case g.removal != nil || g.closed:
			return
		case errors.As(err, &refused):
			g.notStarted(m, r, refused)
		default:
			g.engineFault(m, r, err)
		}
		g.changed()
	}
}

// sweep makes sure that nothing is left of a run whose start failed.
func (g *group) sweep(id string) {
	ctx, cancel := context.WithTimeout(g.s.ops, g.s.opt.StartTimeout)
	defer cancel()
	err := errors.Join(g.s.rt.Kill(ctx, g.key, id, 0), g.s.rt.Discard(ctx, g.key, id))
	if err != nil {
		g.s.opt.Log.Warn("a container that did not start may have left something", "group", g.key, "run", id, "error", err)
	}
}

// running notes that run r of m has started, and watches it.
func (g *group) running(m *member, r *run, at time.Time, digest string) {
	now := g.now()
	if at.IsZero() {
		at = now
	}
	r.state = engine.State{State: ludgate.ContainerRunning, StartTime: at}
	m.attach(r)
	m.digest = digest
	if g.current(m, r) { // else the wish changed while it started: it is stale
		m.countTry()
		m.started, m.faults = true, 0
		m.waiting.DetailStatus = ""
		g.noteStarted()
	}
	m.events.normal(now, "Created", "Created container")
	m.events.normal(now, "Started", "Started container")
	g.watch(m, r)
}

// notStarted notes a run that ended before it began, for a reason of the wish.
func (g *group) notStarted(m *member, r *run, err *StartError) {
	now := g.now()
	r.ended, r.failed = true, true
	r.state = engine.State{
		State: ludgate.ContainerTerminated, ExitCode: exitNotStarted, StartTime: now, FinishTime: now,
		DetailStatus: "StartError: " + err.Error(),
	}
	m.events.warning(now, "Failed", "Failed to start container: "+err.Error())
	m.attach(r)
	if g.current(m, r) {
		m.countTry()
		m.strikes = max(m.strikes, 1) // trying the same at once again would not help
		g.backOff(m, r)
	}
}

// engineFault notes a start that failed through no fault of the wish: it is
// tried again whatever the restart policy says, on ground made sure of.
func (g *group) engineFault(m *member, r *run, err error) {
	now := g.now()
	g.s.opt.Log.Warn("a container could not be started", "group", g.key, "run", r.id, "error", err)
	m.events.warning(now, "Failed", "Failed to start container: "+reason(err))
	g.ground.sum = ""
	if !g.current(m, r) {
		return
	}
	m.attempted = true
	m.img = nil // it may be gone from the store
	m.notBefore = now.Add(g.s.opt.Backoff.delay(m.faults))
	m.faults++
	m.waiting = waitingState(now, "CreateContainerError: "+reason(err))
}

// attach makes r the newest run.
func (m *member) attach(r *run) {
	if m.run != nil {
		m.prev = m.run
	}
	m.run = r
}

func (m *member) countTry() {
	if m.tries > 0 {
		m.restarts++
	}
	m.tries++
	m.attempted = true
}

// kill ends a run beside the worker: SIGTERM, grace, SIGKILL.
func (g *group) kill(r *run, m *member, w *wake) {
	if r.killing || !w.due(r.killAt) {
		return
	}
	r.killing = true
	m.events.normal(w.now, "Killing", "Killing container with id "+r.id+".")
	g.changed()
	g.s.work.Go(func() {
		err := g.s.rt.Kill(g.s.life, g.key, r.id, g.s.opt.KillGrace)
		if err == nil || g.s.life.Err() != nil {
			return // its end comes through watch
		}
		g.s.opt.Log.Warn("a container could not be ended", "group", g.key, "run", r.id, "error", err)
		g.mu.Lock()
		defer g.mu.Unlock()
		r.killing, r.killAt = false, g.now().Add(retryPause)
		g.kick()
	})
}

// retryPause is the pause after a failure of the runtime that should not happen.
const retryPause = time.Second
