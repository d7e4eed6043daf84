package enginetest

import (
	"fmt"
	"strings"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

func (s *suite) starts() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"), s.lasting("side"))
	before := time.Now().Add(-time.Minute) // clocks of processes may differ a little
	s.ensure(g)
	if st := s.observe(g); len(st.Containers) != 2 || st.Containers[0].Name != "web" || st.Containers[1].Name != "side" {
		s.Errorf("right after Ensure: %+v", st)
	}
	st := s.started(g)
	if st.Fault != nil || st.Generation != 1 || len(st.Init) != 0 {
		s.Errorf("status %+v", st)
	}
	for _, c := range st.Containers {
		if !is(c, ludgate.ContainerRunning) || c.Current.DetailStatus != "" || !c.Current.FinishTime.IsZero() ||
			c.Current.StartTime.Before(before) || c.Previous != nil || c.RestartCount != 0 {
			s.Errorf("container %+v", c)
		}
		if !strings.HasPrefix(c.ImageDigest, "sha256:") {
			s.Errorf("digest %q", c.ImageDigest)
		}
		last := time.Time{}
		for _, want := range []struct{ name, message string }{
			{"Pulling", `pulling image "` + s.Image + `"`},
			{"Pulled", `Successfully pulled image "` + s.Image + `"`},
			{"Started", "Started container"},
		} {
			e := event(c.Events, want.name)
			if e.Message != want.message || e.Type != ludgate.EventNormal || e.Count != 1 || e.First.Before(last) || e.Last.Before(e.First) {
				s.Errorf("event %s of %s: %+v", want.name, c.Name, e)
			}
			last = e.First
		}
	}
}

func (s *suite) initOrder() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	g.Init = []engine.Container{s.container("one", "run print one && sleep 0.2"), s.container("two", "run print two && sleep 0.1")}
	s.ensure(g)
	st := s.until(g, "the first init container runs", func(st *engine.Status) bool {
		return is(of(st, "one"), ludgate.ContainerRunning)
	})
	if st.Started {
		s.Error("started while init containers run")
	}
	for _, name := range []string{"two", "web"} {
		if c := of(st, name); !is(c, ludgate.ContainerWaiting) || c.Current.DetailStatus != "" || c.Current.StartTime.IsZero() {
			s.Errorf("%s while one runs: %+v", name, c.Current)
		}
	}
	st = s.started(g)
	one, two, web := of(st, "one").Current, of(st, "two").Current, of(st, "web").Current
	if one.State != ludgate.ContainerTerminated || one.ExitCode != 0 || one.DetailStatus != "Completed" {
		s.Errorf("one %+v", one)
	}
	if two.StartTime.Before(one.FinishTime) || web.StartTime.Before(two.FinishTime) {
		s.Errorf("not one after the other: %+v, %+v, %+v", one, two, web)
	}
	if got := s.logged(g, "one", "one"); got != "one\n" {
		s.Errorf("log of an init container %q", got)
	}
}

func (s *suite) failingInit() {
	groups := map[ludgate.RestartPolicy]*engine.Group{}
	for _, policy := range []ludgate.RestartPolicy{ludgate.RestartNever, ludgate.RestartOnFailure, ludgate.RestartAlways} {
		g := s.group(policy, s.lasting("web"))
		g.Init = []engine.Container{s.container("prep", "exit 4"), s.container("more", "exit 0")}
		s.ensure(g)
		groups[policy] = g
	}
	st := s.until(groups[ludgate.RestartNever], "a fault", func(st *engine.Status) bool { return st.Fault != nil })
	if prep := of(st, "prep"); !is(prep, ludgate.ContainerTerminated) || prep.Current.ExitCode != 4 || prep.RestartCount != 0 || !st.Fault.Permanent {
		s.Errorf("under Never: %+v, fault %+v", prep.Current, st.Fault)
	}
	for _, policy := range []ludgate.RestartPolicy{ludgate.RestartOnFailure, ludgate.RestartAlways} {
		st := s.until(groups[policy], "two restarts", func(st *engine.Status) bool { return of(st, "prep").RestartCount >= 2 })
		if st.Fault != nil || st.Started {
			s.Errorf("under %s: %+v", policy, st)
		}
	}
	for policy, g := range groups {
		st := s.observe(g)
		if more, web := of(st, "more"), of(st, "web"); !is(more, ludgate.ContainerWaiting) || !is(web, ludgate.ContainerWaiting) {
			s.Errorf("under %s: more %+v, web %+v", policy, more.Current, web.Current)
		}
	}
}

func (s *suite) restartPolicy() {
	for _, c := range []struct {
		policy    ludgate.RestartPolicy
		zero, one bool // restarted after exit 0, exit 1
	}{
		{ludgate.RestartAlways, true, true},
		{ludgate.RestartOnFailure, false, true},
		{ludgate.RestartNever, false, false},
	} {
		g := s.group(c.policy, s.container("zero", "exit 0"), s.container("one", "exit 1"))
		s.ensure(g)
		for i, again := range []bool{c.zero, c.one} {
			name := []string{"zero", "one"}[i]
			if again {
				s.until(g, name+" is restarted", func(st *engine.Status) bool { return of(st, name).RestartCount >= 2 })
				continue
			}
			end := s.terminated(g, name)
			want := []string{"Completed", "Error"}[i]
			if end.Current.ExitCode != i || end.Current.DetailStatus != want || end.Current.FinishTime.Before(end.Current.StartTime) || end.Previous != nil {
				s.Errorf("%s under %s: %+v", name, c.policy, end.Current)
			}
		}
		time.Sleep(100 * time.Millisecond) // more than the first delays
		st := s.started(g)
		for i, again := range []bool{c.zero, c.one} {
			name := []string{"zero", "one"}[i]
			if !again && of(st, name).RestartCount != 0 {
				s.Errorf("%s under %s was restarted", name, c.policy)
			}
		}
	}
}

func (s *suite) backoff() {
	g := s.group(ludgate.RestartOnFailure, s.container("web", "run print hello && exit 7"), s.lasting("side"))
	s.ensure(g)
	side := of(s.started(g), "side").Current.StartTime
	st := s.until(g, "CrashLoopBackOff", func(st *engine.Status) bool {
		c := of(st, "web")
		return is(c, ludgate.ContainerWaiting) && c.Current.DetailStatus == "CrashLoopBackOff: Back-off restarting failed"
	})
	web := of(st, "web")
	if web.Previous == nil || web.Previous.State != ludgate.ContainerTerminated || web.Previous.ExitCode != 7 || web.Previous.DetailStatus != "Error" {
		s.Errorf("previous state %+v", web.Previous)
	}
	if event(web.Events, "BackOff").Count == 0 {
		s.Errorf("no BackOff among %+v", web.Events)
	}
	st = s.until(g, "more restarts", func(st *engine.Status) bool { return of(st, "web").RestartCount >= 4 })
	if e := event(of(st, "web").Events, "Started"); e.Count < 4 || !e.Last.After(e.First) {
		s.Errorf("repeated events are not counted: %+v", e)
	}
	if c := of(st, "side"); !is(c, ludgate.ContainerRunning) || !c.Current.StartTime.Equal(side) || c.RestartCount != 0 {
		s.Errorf("the neighbour was touched: %+v", c)
	}
	if !st.Started {
		s.Error("Started was taken back")
	}
}

func (s *suite) exitCodes() {
	codes := []int{0, 1, 2, 42, 126, 127, 255}
	var containers []engine.Container
	for _, code := range codes {
		containers = append(containers, s.container(fmt.Sprint("exit-", code), fmt.Sprint("exit ", code)))
	}
	g := s.group(ludgate.RestartNever, containers...)
	s.ensure(g)
	for _, code := range codes {
		if c := s.terminated(g, fmt.Sprint("exit-", code)); c.Current.ExitCode != code {
			s.Errorf("exit %d gave %+v", code, c.Current)
		}
	}
	if st := s.observe(g); !st.Started || st.Fault != nil {
		s.Errorf("status %+v", st)
	}
}

func (s *suite) startError() {
	bad := engine.Container{Name: "bad", Image: s.Image, Command: []string{"missing-program"}}
	g := s.group(ludgate.RestartNever, bad, s.lasting("side"))
	s.ensure(g)
	c := s.terminated(g, "bad")
	if c.Current.ExitCode == 0 || c.RestartCount != 0 || event(c.Events, "Failed").Type != ludgate.EventWarning {
		s.Errorf("under Never: %+v, events %+v", c.Current, c.Events)
	}
	st := s.until(g, "the neighbour runs", func(st *engine.Status) bool { return is(of(st, "side"), ludgate.ContainerRunning) })
	if st.Fault == nil || !st.Fault.Permanent || st.Started {
		s.Errorf("status %+v, fault %+v", st, st.Fault)
	}
	if got := s.log(g, "bad", engine.LogOptions{}); got != "" {
		s.Errorf("log %q", got)
	}
	g = s.group(ludgate.RestartAlways, bad)
	s.ensure(g)
	s.until(g, "it is tried again", func(st *engine.Status) bool { return event(of(st, "bad").Events, "Failed").Count >= 3 })
}

func (s *suite) missingImage() {
	missing := s.lasting("web")
	missing.Image = s.MissingImage
	g := s.group(ludgate.RestartAlways, missing, s.lasting("side"))
	s.ensure(g)
	st := s.until(g, "a fault", func(st *engine.Status) bool {
		return st.Fault != nil && is(of(st, "side"), ludgate.ContainerRunning)
	})
	want := engine.Fault{
		Code: "InaccessibleImage", Permanent: true,
		Message: "The image '" + s.MissingImage + "' in container group 'group' is not accessible. Please check the image and registry credential.",
	}
	if *st.Fault != want || st.Started {
		s.Errorf("fault %+v", st.Fault)
	}
	if e := event(of(st, "web").Events, "Failed"); e.Type != ludgate.EventWarning || !strings.HasPrefix(e.Message, `Failed to pull image "`+s.MissingImage+`": `) {
		s.Errorf("event %+v", e)
	}
	g = next(g)
	g.Containers[0].Image = s.Image
	s.ensure(g)
	if st := s.started(g); st.Fault != nil {
		s.Errorf("fault %+v after the image was put right", st.Fault)
	}
}

func (s *suite) outOfMemory() {
	hog := s.container("hog", "alloc 256")
	hog.MemoryRequest, hog.MemoryLimit = 32<<20, 64<<20
	g := s.group(ludgate.RestartNever, hog, s.lasting("side"))
	s.ensure(g)
	c := s.terminated(g, "hog")
	if !c.Current.OOMKilled || c.Current.ExitCode != 137 || !strings.HasPrefix(c.Current.DetailStatus, "OOMKilled") {
		s.Errorf("state %+v", c.Current)
	}
	if e := event(c.Events, "Terminated"); e.Type != ludgate.EventWarning || !strings.Contains(e.Message, "memory") {
		s.Errorf("events %+v", c.Events)
	}
	if st := s.started(g); !is(of(st, "side"), ludgate.ContainerRunning) {
		s.Error("the neighbour was killed as well")
	}
}

func (s *suite) startTimeout() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	g.Init = []engine.Container{s.container("prep", "sleep 0.5")}
	g.Timeout = 200 * time.Millisecond
	s.ensure(g)
	st := s.until(g, "a fault", func(st *engine.Status) bool { return st.Fault != nil })
	if st.Fault.Permanent || st.Fault.Code == "" || st.Fault.Message == "" || st.Started {
		s.Errorf("fault %+v", st.Fault)
	}
	// It keeps trying, and then all is well.
	if st := s.started(g); st.Fault != nil {
		s.Errorf("fault %+v after all has started", st.Fault)
	}
}
