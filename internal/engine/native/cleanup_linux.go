package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"ludgate/internal/engine/native/cgroup"
	"ludgate/internal/engine/native/layout"
)

// Cleanup ends what still runs of a group and removes all of it.
func (r *Runtime) Cleanup(ctx context.Context, key string) error {
	if err := layout.CheckKey(key); err != nil {
		return err
	}
	g, err := r.group(key, false)
	if err != nil {
		return err
	}
	if g == nil {
		// Never adopted, or removed already; its files say which.
		if _, err := os.Lstat(layout.NewGroup(r.dir, r.runDir, key).Dir); absent(err) {
			return nil
		}
		if g, err = r.group(key, true); err != nil {
			return err
		}
		if err := layout.Read(g.place.Record(), &g.record); err != nil && !absent(err) {
			return err
		}
	}
	g.change.Lock()
	defer g.change.Unlock()
	return r.cleanup(ctx, g)
}

// shutdownTime is how long a shim may take to end its containers; they are
// killed at once, so what takes time is removing their files.
const shutdownTime = 60 * time.Second

// cleanup is Cleanup with g.change held.
func (r *Runtime) cleanup(ctx context.Context, g *group) error {
	g.ports.Close()
	g.mu.Lock()
	starting := make([]string, 0, len(g.starting))
	for name := range g.starting {
		starting = append(starting, name)
	}
	host, gone := g.record.Host, g.gone
	g.removing = true
	g.mu.Unlock()
	for _, name := range starting {
		if err := g.settle(ctx, name); err != nil {
			return err
		}
	}

	var shutdown error
	var both sync.WaitGroup
	both.Go(func() { shutdown = r.endShim(ctx, g, gone) })
	var detach error
	if r.network != nil {
		both.Go(func() { detach = r.network.Detach(host) })
	}
	both.Wait()
	if shutdown != nil {
		return shutdown
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	var faults []error
	faults = append(faults, detach)
	if r.limits {
		faults = append(faults, killLeft(r.cgroup(g.key)), cgroup.RemoveAll(r.cgroup(g.key)))
	}
	faults = append(faults, removeTree(g.place.RunDir), removeTree(g.place.Dir))
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("remove the group's leftovers: %w", err)
	}
	r.mu.Lock()
	delete(r.groups, g.key)
	delete(r.hosts, host)
	r.mu.Unlock()

	g.mu.Lock()
	defer g.mu.Unlock()
	r.endAll(g, nil) // for whoever still waits
	return nil
}

// endShim has the shim end its containers and itself, or ends it.
func (r *Runtime) endShim(ctx context.Context, g *group, gone chan struct{}) error {
	if g.isAlive() {
		limited, cancel := context.WithTimeout(ctx, shutdownTime)
		err := g.client.Shutdown(limited)
		cancel()
		if err != nil {
			r.log.Warn("a group's shim does not end as it should", "group", g.key, "error", err)
		}
	}
	if err := g.killShim(); err != nil {
		return err
	}
	if gone != nil {
		select {
		case <-gone:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.closing.Done():
		}
	}
	return nil
}

// killLeft ends processes in a group's control groups. There are none when its
// shim was the first of their process namespace, as it is.
func killLeft(path string) error {
	pids, err := cgroup.Pids(path)
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}
