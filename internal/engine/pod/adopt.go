package pod

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// adopt makes the groups from the state files and from what the runtime still
// has. The runtime is right about what runs; the files add what it cannot know.
func (s *Supervisor) adopt(ctx context.Context) error {
	states, err := s.keeper.read(func(key string, err error) {
		s.opt.Log.Warn("a container group's kept state cannot be read and is left aside", "group", key, "error", err)
	})
	if err != nil {
		return err
	}
	found, err := s.rt.Adopt(ctx)
	if err != nil {
		return fmt.Errorf("pod: taking over what still runs: %w", err)
	}
	for key, state := range states {
		g := &group{s: s, key: key, adopted: true, groundLost: true}
		g.restore(state)
		s.groups[key] = g
	}
	for i := range found {
		a := &found[i]
		if !keyPattern.MatchString(a.Key) {
			s.opt.Log.Warn("the engine holds something that is no container group", "key", a.Key)
			continue
		}
		g := s.groups[a.Key]
		if g == nil {
			g = &group{s: s, key: a.Key, adopted: true, nextRun: 1}
			s.groups[a.Key] = g
		}
		g.groundLost = false
		g.merge(a.Runs)
	}
	for _, g := range s.groups {
		g.settle()
	}
	return nil
}

// merge brings the runs found into the group's facts, oldest first.
func (g *group) merge(found []AdoptedRun) {
	type adopted struct {
		AdoptedRun
		container, sum string
		n              int64
	}
	var runs []adopted
	for _, a := range found {
		container, n, sum, ok := parseRun(a.Run)
		if !ok {
			g.s.opt.Log.Warn("the engine holds a container that is none of ours; it will be ended", "group", g.key, "run", a.Run)
		}
		runs = append(runs, adopted{a, container, sum, n})
		g.nextRun = max(g.nextRun, n+1)
	}
	slices.SortFunc(runs, func(a, b adopted) int { return cmp.Compare(a.n, b.n) })
	for _, a := range runs {
		m := g.member(a.container)
		if m == nil {
			m = &member{name: a.container, sum: a.sum}
			if a.container == "" {
				g.leaving = append(g.leaving, m)
			} else {
				g.normal = append(g.normal, m) // which kind it is, the wish will say
			}
		}
		r := m.adoptRun(g, a.AdoptedRun, a.n, a.sum)
		if r == nil { // older than what is known, or known to have ended
			g.discards = append(g.discards, discard{run: a.Run})
			continue
		}
		r.confirmed = true
		if a.Exit != nil && !r.ended {
			g.end(m, r, *a.Exit)
		}
	}
}

// adoptRun finds or makes the run that was found; nil when it is of no interest
// any more.
func (m *member) adoptRun(g *group, a AdoptedRun, n int64, sum string) *run {
	switch {
	case m.run != nil && m.run.id == a.Run:
		if m.run.ended {
			return nil
		}
		return m.run
	case m.run != nil && n <= m.run.n:
		if a.Exit != nil {
			return nil
		}
		// It should have ended before its successor began: it goes now.
		r := &run{id: a.Run, n: n, sum: sum, state: runningSince(a.Started)}
		g.leaving = append(g.leaving, &member{name: m.name, sum: sum, run: r})
		return r
	}
	// Newer than the state file: started shortly before the server ended.
	r := &run{id: a.Run, n: n, sum: sum, state: runningSince(a.Started)}
	if m.run != nil && !m.run.ended && !m.run.confirmed {
		g.lose(m)
	}
	if m.run != nil && !m.run.ended {
		g.leaving = append(g.leaving, &member{name: m.name, sum: m.run.sum, run: m.run})
	}
	m.attach(r)
	if m.sum != sum {
		m.sum, m.tries, m.restarts, m.strikes = sum, 0, 0, 0
	}
	m.countTry()
	m.started = true
	return r
}

func runningSince(t time.Time) engine.State {
	return engine.State{State: ludgate.ContainerRunning, StartTime: t}
}

// settle decides about runs that were going when the server ended and that the
// runtime knows nothing of.
func (g *group) settle() {
	for m := range g.members() {
		r := m.run
		if r == nil || r.ended || r.confirmed {
			continue
		}
		if g.s.traits.Volatile { // it ended with the server, by design: begin afresh
			m.run = nil
			m.tries, m.strikes = 0, 0
			m.notBefore, m.waiting = time.Time{}, waitingState(g.now(), "")
			continue
		}
		g.lose(m)
	}
}

// lose notes that m's run vanished without a word about its end.
func (g *group) lose(m *member) {
	g.end(m, m.run, Exit{Code: 137, At: g.now(), Err: "it was gone when the server came back; how it ended is not known"})
}

// resume begins supervising an adopted group: runs are watched, ended ones let
// go. What needs the wish waits for Ensure.
func (g *group) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.everyone() {
		if m.run != nil && !m.run.ended {
			g.watch(m, m.run)
		}
	}
	g.changed()
	g.kick()
}
