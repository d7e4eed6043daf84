package enginetest

import (
	"slices"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// restart stands for a restart of the server: Close, time passes, and an engine
// with the same directory opens.
func (s *suite) restart() {
	g := s.group(ludgate.RestartNever, s.container("web", "run print begun && sleep 3600"),
		s.container("short", "run sleep 0.7 && exit 3"), s.container("done", "run print did it && exit 5"))
	g.Init = []engine.Container{s.container("prep", "print prepared")}
	if s.Real {
		g.Containers = append(g.Containers, s.serving("serve", 8081))
		publish(g, 8081)
	}
	s.ensure(g)
	s.started(g)
	s.terminated(g, "done")
	s.logged(g, "web", "begun")
	time.Sleep(100 * time.Millisecond) // what is kept is written a little later
	before := s.observe(g)
	s.reopen()

	keys, err := s.engine.Keys(s.Context())
	if err != nil || !slices.Contains(keys, g.Key) {
		s.Fatalf("Keys after the restart: %v, %v", keys, err)
	}
	done := of(s.observe(g), "done")
	if !is(done, ludgate.ContainerTerminated) || done.Current.ExitCode != 5 || !done.Current.FinishTime.Equal(of(before, "done").Current.FinishTime) {
		s.Errorf("a container that had ended is now %+v", done.Current)
	}
	if s.Adopts {
		s.adopted(g, before)
	} else {
		s.startsAgain(g, before)
	}
	if again := of(s.observe(g), "done"); !again.Current.StartTime.Equal(done.Current.StartTime) || again.RestartCount != 0 {
		s.Errorf("a container that had ended for good was started again: %+v", again)
	}
}

// adopted checks that what ran was not touched and that what ended while nobody
// looked has ended.
func (s *suite) adopted(g *engine.Group, before *engine.Status) {
	untouched := func(st *engine.Status) {
		s.Helper()
		for _, name := range []string{"prep", "web", "serve"} {
			was, now := of(before, name), of(st, name)
			if was.Current == nil {
				continue
			}
			if now.Current == nil || now.Current.State != was.Current.State || !now.Current.StartTime.Equal(was.Current.StartTime) ||
				now.RestartCount != was.RestartCount || now.Previous != nil {
				s.Errorf("%s was %+v, is %+v", name, was.Current, now.Current)
			}
			if len(now.Events) < len(was.Events) {
				s.Errorf("events of %s are lost: %+v", name, now.Events)
			}
		}
	}
	untouched(s.observe(g)) // before anyone asks for the group
	if short := s.terminated(g, "short"); short.Current.ExitCode != 3 {
		s.Errorf("what ended meanwhile is %+v", short.Current)
	}
	s.ensure(g)
	st := s.started(g)
	untouched(st)
	if s.Real {
		s.answers(g, 8081, "/")
	}
	s.logged(g, "web", "begun")

	// It is really ours: another wish replaces it.
	h := next(g)
	h.Containers[0] = s.container("web", "run print changed && sleep 3600")
	s.ensure(h)
	s.started(h)
	s.logged(h, "web", "changed")
	g.Generation = h.Generation
}

// startsAgain checks that what ran with the server begins afresh.
func (s *suite) startsAgain(g *engine.Group, before *engine.Status) {
	s.ensure(g)
	st := s.until(g, "web runs again", func(st *engine.Status) bool { return is(of(st, "web"), ludgate.ContainerRunning) })
	web := of(st, "web")
	if !web.Current.StartTime.After(of(before, "web").Current.StartTime) || web.RestartCount != 0 {
		s.Errorf("web %+v", web)
	}
	s.logged(g, "web", "begun")
}

// orphan is a group that nobody asks for after a restart: it can be removed.
func (s *suite) orphan() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	s.ensure(g)
	s.started(g)
	s.reopen()
	if err := s.engine.Remove(s.Context(), g.Key); err != nil {
		s.Fatalf("Remove: %v", err)
	}
	s.reopen()
	if keys, err := s.engine.Keys(s.Context()); err != nil || slices.Contains(keys, g.Key) {
		s.Errorf("Keys after removal and a restart: %v, %v", keys, err)
	}
}
