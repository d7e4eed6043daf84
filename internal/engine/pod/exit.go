package pod

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"ludgate"
)

// watch has the end of run r noted as soon as it comes.
func (g *group) watch(m *member, r *run) {
	if n, ok := g.s.rt.(ExitNotifier); ok {
		n.NotifyExit(g.key, r.id, func(e Exit, err error) { g.exited(m, r, e, err) })
		return
	}
	g.s.work.Go(func() {
		for {
			e, err := g.s.rt.Wait(g.s.life, g.key, r.id)
			if g.s.life.Err() != nil {
				return
			}
			if err == nil || errors.Is(err, ErrLost) {
				g.exited(m, r, e, err)
				return
			}
			g.s.opt.Log.Warn("a container cannot be watched", "group", g.key, "run", r.id, "error", err)
			select {
			case <-g.s.life.Done():
				return
			case <-time.After(retryPause):
			}
		}
	})
}

// exited is told by the runtime that r has ended; Observe shows it from here on.
func (g *group) exited(m *member, r *run, e Exit, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || r.ended {
		return
	}
	if err != nil {
		e = Exit{Code: 137, Err: "the engine lost track of the container"}
		g.ground.sum = "" // the ground may be lost as well
	}
	g.end(m, r, e)
	g.changed()
	g.kick()
}

// end notes how r ended and when m may start again.
func (g *group) end(m *member, r *run, e Exit) {
	now := g.now()
	if e.At.IsZero() {
		e.At = now
	}
	r.ended = true
	r.state.State = ludgate.ContainerTerminated
	r.state.FinishTime = e.At
	r.state.ExitCode = e.Code
	r.state.OOMKilled = e.OOMKilled
	r.state.DetailStatus = "Error"
	unasked := ""
	switch {
	case e.Err != "":
		r.state.DetailStatus = "Error: " + e.Err
		unasked = "Container ended: " + e.Err
	case e.OOMKilled:
		why := "out of memory"
		if m.spec != nil {
			if limit := max(m.spec.MemoryLimit, m.spec.MemoryRequest); limit > 0 {
				why = "out of memory (limit " + memory(limit) + ")"
			}
		}
		r.state.DetailStatus = "OOMKilled: " + why
		unasked = "Container was killed: " + why
	case e.Signal != 0:
		r.state.DetailStatus = "Error: killed by " + signalName(e.Signal)
		unasked = "Container was killed by " + signalName(e.Signal)
	case e.Code == 0:
		r.state.DetailStatus = "Completed"
	}
	if unasked != "" && !r.killing {
		m.events.warning(now, "Terminated", unasked)
	}
	if m.run == r && g.current(m, r) && !r.killing {
		g.backOff(m, r)
	}
	g.discards = append(g.discards, discard{run: r.id, version: g.version + 1})
}

// backOff sets when m may start again after its run r. As in Kubernetes the
// first restart comes at once, then the series begins; a run that lasted starts
// it anew.
func (g *group) backOff(m *member, r *run) {
	b := g.s.opt.Backoff
	if r.state.FinishTime.Sub(r.state.StartTime) >= b.Reset {
		m.strikes = 0
	}
	delay := time.Duration(0)
	if m.strikes > 0 {
		delay = b.delay(m.strikes - 1)
	}
	m.strikes++
	m.notBefore = r.state.FinishTime.Add(delay)
	m.waiting = waitingState(r.state.FinishTime, "")
	if delay == 0 {
		return
	}
	m.waiting.DetailStatus = crashLoop
	if g.restarts(m, r) {
		m.events.warning(g.now(), "BackOff", "Back-off restarting failed container")
	}
}

// signals are the names operators look for; the numbers are Linux's.
var signals = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 31: "SIGSYS",
}

func signalName(n int) string {
	if name := signals[n]; name != "" {
		return "signal " + itoa(n) + " (" + name + ")"
	}
	return "signal " + itoa(n)
}

// failure is m's last failure in words, for a group's Fault.
func (m *member) failure() string {
	if m.run != nil && m.run.ended && m.faults == 0 {
		return m.run.state.DetailStatus
	}
	return m.waiting.DetailStatus
}

// trimDetail takes the leading word ("StartError: ") and a final dot off.
func trimDetail(s string) string {
	if _, after, ok := strings.Cut(s, ": "); ok {
		s = after
	}
	return strings.TrimSuffix(s, ".")
}

func itoa(n int) string { return strconv.Itoa(n) }
