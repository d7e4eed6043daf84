package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

func (s *suite) identicalWish() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	g.Init = []engine.Container{s.container("prep", "exit 0")}
	s.ensure(g)
	before := s.started(g)
	for range 3 {
		s.ensure(g)
	}
	g = next(g)
	s.ensure(g)
	s.started(g)
	time.Sleep(50 * time.Millisecond) // time for what must not happen
	after := s.observe(g)
	for _, name := range []string{"prep", "web"} {
		was, is := of(before, name), of(after, name)
		if !is.Current.StartTime.Equal(was.Current.StartTime) || is.RestartCount != 0 || is.Previous != nil || len(is.Events) != len(was.Events) {
			s.Errorf("%s was touched: %+v, then %+v", name, was, is)
		}
	}
	old := next(g)
	old.Generation, old.Containers = 1, []engine.Container{s.lasting("other")}
	s.ensure(old)
	if st := s.observe(g); st.Generation != g.Generation || len(st.Containers) != 1 || st.Containers[0].Name != "web" {
		s.Errorf("an older generation was taken up: %+v", st)
	}
}

func (s *suite) replaceOnlyChanged() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"), s.lasting("side"), s.lasting("gone"))
	s.ensure(g)
	before := s.started(g)

	g = next(g)
	g.Containers = slices.Delete(g.Containers, 2, 3)
	g.Containers[0] = s.container("web", "run print new && sleep 3600")
	g.Containers = append(g.Containers, s.lasting("more"))
	s.ensure(g)
	s.started(g)
	s.logged(g, "web", "new")
	st := s.until(g, "all run", func(st *engine.Status) bool {
		return is(of(st, "web"), ludgate.ContainerRunning) && is(of(st, "more"), ludgate.ContainerRunning)
	})
	if len(st.Containers) != 3 || st.Containers[2].Name != "more" {
		s.Errorf("containers %+v", st.Containers)
	}
	if side := of(st, "side"); !side.Current.StartTime.Equal(of(before, "side").Current.StartTime) || side.RestartCount != 0 || side.Previous != nil {
		s.Errorf("the unchanged container was touched: %+v", side)
	}
	web := of(st, "web")
	if !web.Current.StartTime.After(of(before, "web").Current.StartTime) || web.RestartCount != 0 {
		s.Errorf("the changed container was not replaced: %+v", web)
	}
	if web.Previous == nil || web.Previous.State != ludgate.ContainerTerminated || web.Previous.FinishTime.After(web.Current.StartTime) {
		s.Errorf("previous state of the changed container %+v", web.Previous)
	}
	if event(web.Events, "Killing").Count == 0 {
		s.Errorf("no Killing among %+v", web.Events)
	}
	if _, err := s.engine.Logs(s.Context(), g.Key, "gone", engine.LogOptions{}); !errors.Is(err, engine.ErrUnknownContainer) {
		s.Errorf("log of a container that is gone: %v", err)
	}
}

func (s *suite) changedInit() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	g.Init = []engine.Container{s.container("prep", "print one")}
	s.ensure(g)
	before := s.started(g)
	g = next(g)
	g.Init[0] = s.container("prep", "print two")
	s.ensure(g)
	after := s.started(g)
	if got := s.logged(g, "prep", "two"); got != "two\n" {
		s.Errorf("log of the init container %q", got)
	}
	prep, web := of(after, "prep").Current, of(after, "web").Current
	if !web.StartTime.After(of(before, "web").Current.StartTime) || web.StartTime.Before(prep.FinishTime) {
		s.Errorf("prep %+v, web %+v", prep, web)
	}
}

func (s *suite) supersede() {
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	for n := range 20 {
		g = next(g)
		g.Containers[0] = s.container("web", fmt.Sprintf("run print wish %d && sleep 3600", n))
		s.ensure(g)
		time.Sleep(time.Duration(n) * time.Millisecond)
	}
	s.started(g)
	s.logged(g, "web", "wish 19")
	st := s.until(g, "the last wish runs", func(st *engine.Status) bool { return is(of(st, "web"), ludgate.ContainerRunning) })
	if web := of(st, "web"); web.RestartCount != 0 || st.Generation != g.Generation {
		s.Errorf("generation %d, web %+v", st.Generation, web)
	}
}

func (s *suite) remove() {
	web := s.container("web", "run print old && sleep 3600")
	g := s.group(ludgate.RestartAlways, web, s.container("side", "exit 1"))
	if s.Real {
		g.Containers = append(g.Containers, s.serving("serve", 8081))
		publish(g, 8081)
	}
	s.ensure(g)
	s.started(g)
	s.logged(g, "web", "old")
	if s.Real {
		s.answers(g, 8081, "/")
	}
	for range 2 { // once more is a success
		if err := s.engine.Remove(s.Context(), g.Key); err != nil {
			s.Fatalf("Remove: %v", err)
		}
	}
	if s.Real {
		if _, ok := get(g.Address, 8081, "/"); ok {
			s.Error("a published port answers after Remove has returned")
		}
	}
	if _, err := s.engine.Observe(s.Context(), g.Key); !errors.Is(err, engine.ErrUnknownGroup) {
		s.Errorf("Observe: %v", err)
	}
	if keys, err := s.engine.Keys(s.Context()); err != nil || slices.Contains(keys, g.Key) {
		s.Errorf("Keys: %v, %v", keys, err)
	}

	// The key may be used again, from the beginning and with any generation.
	g.Containers = []engine.Container{s.container("web", "run print new && sleep 3600")}
	g.Publish = nil
	s.ensure(g)
	st := s.started(g)
	if got := s.logged(g, "web", "new"); got != "new\n" {
		s.Errorf("log %q", got)
	}
	if c := of(st, "web"); c.RestartCount != 0 || c.Previous != nil || event(c.Events, "Started").Count != 1 {
		s.Errorf("a new group remembers the old one: %+v", c)
	}

	// Ensure while Remove is under way comes after it.
	done := make(chan error, 1)
	go func() { done <- s.engine.Remove(context.WithoutCancel(s.Context()), g.Key) }()
	time.Sleep(5 * time.Millisecond)
	again := next(g)
	again.Containers[0] = s.container("again", "sleep 3600")
	s.ensure(again)
	if err := <-done; err != nil {
		s.Errorf("Remove: %v", err)
	}
	s.started(again)
}

func (s *suite) unknown() {
	key := randomHex(8)
	if _, err := s.engine.Observe(s.Context(), key); !errors.Is(err, engine.ErrUnknownGroup) {
		s.Errorf("Observe: %v", err)
	}
	if _, err := s.engine.Logs(s.Context(), key, "web", engine.LogOptions{}); !errors.Is(err, engine.ErrUnknownGroup) {
		s.Errorf("Logs: %v", err)
	}
	if err := s.engine.Remove(s.Context(), key); err != nil {
		s.Errorf("Remove: %v", err)
	}
	if keys, err := s.engine.Keys(s.Context()); err != nil || slices.Contains(keys, key) {
		s.Errorf("Keys: %v, %v", keys, err)
	}
	g := s.group(ludgate.RestartAlways, s.lasting("web"))
	s.ensure(g)
	s.started(g)
	if _, err := s.engine.Logs(s.Context(), g.Key, "none", engine.LogOptions{}); !errors.Is(err, engine.ErrUnknownContainer) {
		s.Errorf("Logs of an unknown container: %v", err)
	}
	if s.engine.Name() == "" {
		s.Error("the engine has no name")
	}
}

func (s *suite) changes() {
	g := s.group(ludgate.RestartNever, s.container("web", "sleep 0.1"))
	s.ensure(g)
	end := time.After(patience)
	for told := 0; ; told++ {
		select {
		case key := <-s.engine.Changes():
			if key != g.Key {
				continue
			}
			if st := s.observe(g); is(of(st, "web"), ludgate.ContainerTerminated) {
				return // every change up to the last was told
			}
		case <-end:
			s.Fatalf("after %d hints the end was never told", told)
		}
	}
}

func (s *suite) concurrency() {
	const groups = 50
	var work sync.WaitGroup
	for n := range groups {
		work.Go(func() {
			g := s.group(ludgate.RestartNever, s.container("job", fmt.Sprintf("run print job %d && exit %d", n, n%3)))
			if n%4 == 0 {
				g.Init = []engine.Container{s.container("prep", "exit 0")}
			}
			if err := s.engine.Ensure(s.Context(), g); err != nil {
				s.Errorf("Ensure: %v", err)
				return
			}
			end := time.Now().Add(2 * patience)
			for {
				st, err := s.engine.Observe(s.Context(), g.Key)
				if err != nil {
					s.Errorf("Observe: %v", err)
					return
				}
				if c := of(st, "job"); is(c, ludgate.ContainerTerminated) {
					if c.Current.ExitCode != n%3 {
						s.Errorf("job %d ended as %+v", n, c.Current)
					}
					break
				}
				if time.Now().After(end) {
					s.Errorf("job %d is still %+v", n, of(st, "job").Current)
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			if err := s.engine.Remove(s.Context(), g.Key); err != nil {
				s.Errorf("Remove: %v", err)
			}
		})
	}
	work.Wait()
	if keys, err := s.engine.Keys(s.Context()); err != nil || len(keys) != 0 {
		s.Errorf("left over: %v, %v", keys, err)
	}
}
