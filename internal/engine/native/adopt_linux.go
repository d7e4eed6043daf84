package native

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/pod"
)

// adoptTime bounds how long a shim may take to introduce itself.
const adoptTime = 10 * time.Second

// Adopt finds the groups of a former server: those whose shim answers go on as if
// nothing had happened, the others' runs are told as they ended or as lost.
func (r *Runtime) Adopt(ctx context.Context) ([]pod.Adopted, error) {
	entries, err := os.ReadDir(layout.Groups(r.dir))
	if err != nil {
		return nil, err
	}
	var found []*group
	r.mu.Lock()
	for _, e := range entries {
		if layout.CheckKey(e.Name()) != nil || r.groups[e.Name()] != nil {
			continue // not ours, or made since
		}
		g := r.newGroup(e.Name())
		if err := layout.Read(g.place.Record(), &g.record); err != nil && !absent(err) {
			r.log.Warn("a group's record cannot be read", "group", g.key, "error", err)
		}
		if g.record.Host != 0 {
			r.hosts[g.record.Host] = g.key
		}
		found = append(found, g)
	}
	r.mu.Unlock()

	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, g := range found {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			r.adopt(ctx, g)
		})
	}
	all.Wait()

	adopted := make([]pod.Adopted, 0, len(found))
	for _, g := range found {
		adopted = append(adopted, g.adopted())
	}
	return adopted, nil
}

// adopt takes up one group.
func (r *Runtime) adopt(ctx context.Context, g *group) {
	records, err := g.place.ReadRuns()
	if err != nil {
		r.log.Warn("records of runs cannot be read", "group", g.key, "error", err)
	}
	err = r.meet(ctx, g)
	if err != nil {
		// Nobody there: after a reboot, or because it died with the server.
		r.log.Warn("a group's shim is gone", "group", g.key, "reason", err)
		if err := g.killShim(); err != nil {
			r.log.Error("a shim that does not answer cannot be ended", "group", g.key, "error", err)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, record := range records {
		// What the shim told is newer. A run that it does not know is one of a
		// shim before it.
		if g.runs[record.Run] != nil {
			continue
		}
		if record.Exit == nil {
			record.Exit = r.lostExit("it was still running when Ludgate or the machine was stopped, and is gone")
			if err := layout.Write(g.place.Run(record.Run).Record(), record, true); err != nil {
				r.log.Error("the end of a run is not on disk", "group", g.key, "run", record.Run, "error", err)
			}
		}
		g.set(record)
	}
}

// meet dials the group's shim and waits until it has told of its runs.
func (r *Runtime) meet(ctx context.Context, g *group) error {
	ctx, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	hello, err := g.client.Hello(ctx)
	if err != nil {
		return err
	}
	if hello.Version != protocol.Version {
		return fmt.Errorf("it speaks version %d, and this is version %d", hello.Version, protocol.Version)
	}
	known := make(chan struct{})
	r.follow(g, sync.OnceFunc(func() { close(known) }))
	select {
	case <-known:
		return nil
	case <-g.gone:
		return fmt.Errorf("it went away")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// adopted tells of the group's runs, in the order of their beginning.
func (g *group) adopted() pod.Adopted {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := pod.Adopted{Key: g.key}
	for _, known := range g.runs {
		one := pod.AdoptedRun{Run: known.record.Run, Started: known.record.Started}
		if known.record.Exit != nil {
			exit := convert(*known.record.Exit)
			one.Exit = &exit
		}
		a.Runs = append(a.Runs, one)
	}
	slices.SortFunc(a.Runs, func(x, y pod.AdoptedRun) int {
		if c := x.Started.Compare(y.Started); c != 0 {
			return c
		}
		return strings.Compare(x.Run, y.Run)
	})
	return a
}
