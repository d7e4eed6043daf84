package native

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/spec"
	"ludgate/internal/engine/pod"
	"ludgate/internal/image"
)

// Start starts a run. When ctx ends first, the start goes on without its caller:
// Kill and Discard wait for it.
func (r *Runtime) Start(ctx context.Context, wish *engine.Group, c *engine.Container, img pod.Image, name string) (time.Time, error) {
	g, err := r.group(wish.Key, true)
	if err != nil {
		return time.Time{}, err
	}
	if err := errors.Join(layout.CheckRun(name), layout.CheckRun(c.Name)); err != nil {
		return time.Time{}, err
	}
	present, err := r.image(ctx, img)
	if err != nil {
		return time.Time{}, err
	}
	request, err := r.request(g, wish, c, present, name)
	if err != nil {
		return time.Time{}, err
	}
	over, err := r.ready(ctx, g, wish, name)
	if err != nil {
		return time.Time{}, err
	}

	type result struct {
		at  time.Time
		err error
	}
	results := make(chan result, 1)
	go func() {
		defer over()
		at, err := g.client.Start(r.closing, request)
		if err == nil {
			g.observe(layout.RunRecord{Run: name, Container: c.Name, Started: at})
		}
		results <- result{at, err}
	}()
	select {
	case res := <-results:
		var failure *protocol.Failure
		if errors.As(res.err, &failure) && failure.Wish {
			return time.Time{}, &pod.StartError{Err: errors.New(failure.Message)}
		}
		return res.at, res.err
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	}
}

// ready sees to it that the group has a shim and notes that a start is under
// way, until over is called.
func (r *Runtime) ready(ctx context.Context, g *group, wish *engine.Group, name string) (over func(), err error) {
	g.change.Lock()
	defer g.change.Unlock()
	if !g.isAlive() { // lost since Sandbox was called
		if err := r.sandbox(ctx, g, wish); err != nil {
			return nil, err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.starting[name] != nil || g.runs[name] != nil {
		return nil, fmt.Errorf("run %s exists already", name)
	}
	done := make(chan struct{})
	g.starting[name] = done
	return func() {
		g.mu.Lock()
		delete(g.starting, name)
		g.mu.Unlock()
		close(done)
	}, nil
}

// request describes the run to the shim.
func (r *Runtime) request(g *group, wish *engine.Group, c *engine.Container, img *image.Image, name string) (*protocol.Start, error) {
	return r.requestFor(r.launcher().runtime, g, wish, c, img, name)
}

func (r *Runtime) requestFor(runtime string, g *group, wish *engine.Group, c *engine.Container, img *image.Image, name string) (*protocol.Start, error) {
	what := spec.Container{
		Wish: c, Entrypoint: img.Entrypoint, Cmd: img.Cmd, Env: img.Env, WorkingDir: img.WorkingDir,
		Hostname: hostname(wish), EtcDir: g.place.Etc(""), LimitSwap: r.limitSwap, NoFile: r.noFile, Rootless: r.rootless,
	}
	if r.limits {
		what.CgroupsPath = r.cgroup(g.key) + "/" + name
	}
	request := &protocol.Start{
		Run: name, Container: c.Name, Layers: img.Layers, User: img.User,
		Spec: spec.New(&what), Runtime: runtime, StopSignal: stopSignal(img.StopSignal),
	}
	if !r.limits {
		request.Spec.Linux.Resources = nil
	}
	if runtime != "" { // it compiles the profile itself; a shim has it compiled
		filter, _ := defaultFilter() // a profile comes with it in any case
		request.Spec.Linux.Seccomp = filter.profile
	}
	return request, nil
}

// stopSignal reads an image's STOPSIGNAL; 0 means the usual one.
func stopSignal(name string) int {
	if name == "" {
		return 0
	}
	if n := unix.SignalNum(name); n != 0 {
		return int(n)
	}
	if n := unix.SignalNum("SIG" + name); n != 0 {
		return int(n)
	}
	n := 0
	if _, err := fmt.Sscanf(name, "%d", &n); err != nil || n < 1 || n > 64 {
		return 0
	}
	return n
}
