package native

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/cgroup"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/logfile"
	"ludgate/internal/engine/pod"
)

// known gives a group and its run; nil for what is unknown.
func (r *Runtime) known(key, name string) (*group, *run, error) {
	g, err := r.group(key, false)
	if err != nil || g == nil {
		return nil, nil, err
	}
	if err := layout.CheckRun(name); err != nil {
		return nil, nil, err
	}
	return g, g.find(name), nil
}

// Wait blocks until the run has ended.
func (r *Runtime) Wait(ctx context.Context, key, name string) (pod.Exit, error) {
	g, known, err := r.known(key, name)
	if err != nil {
		return pod.Exit{}, err
	}
	if known == nil {
		return pod.Exit{}, pod.ErrLost
	}
	select {
	case <-known.done:
		g.mu.Lock()
		defer g.mu.Unlock()
		return convert(*known.record.Exit), nil
	case <-ctx.Done():
		return pod.Exit{}, context.Cause(ctx)
	}
}

// NotifyExit calls f once, when the run has ended.
func (r *Runtime) NotifyExit(key, name string, f func(pod.Exit, error)) {
	g, known, err := r.known(key, name)
	if err == nil && known == nil {
		err = pod.ErrLost
	}
	if err != nil {
		go f(pod.Exit{}, err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if known.record.Exit != nil {
		go f(convert(*known.record.Exit), nil)
		return
	}
	known.notify = append(known.notify, f)
}

// settle waits for a start of the run that is under way.
func (g *group) settle(ctx context.Context, name string) error {
	g.mu.Lock()
	over := g.starting[name]
	g.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Kill ends the run: the stop signal, grace, SIGKILL.
func (r *Runtime) Kill(ctx context.Context, key, name string, grace time.Duration) error {
	g, _, err := r.known(key, name)
	if err != nil || g == nil {
		return err
	}
	if err := g.settle(ctx, name); err != nil {
		return err
	}
	known := g.find(name)
	if known == nil {
		return nil
	}
	select {
	case <-known.done:
		return nil
	default:
	}
	err = g.client.Kill(ctx, name, grace)
	// The shim has told of the end, or is gone and the end is made up; in both
	// cases it becomes known here.
	select {
	case <-known.done:
		return nil
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), err)
	}
}

// Discard frees what an ended run held, but not its log.
func (r *Runtime) Discard(ctx context.Context, key, name string) error {
	g, _, err := r.known(key, name)
	if err != nil || g == nil {
		return err
	}
	if err := g.settle(ctx, name); err != nil {
		return err
	}
	if g.isAlive() {
		if err := g.client.Discard(ctx, name); err != nil {
			return err
		}
	}
	// A run of an earlier shim is not known to the present one.
	if err := r.removeRun(g, name); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.runs, name)
	return nil
}

// removeRun removes what a run without a shim has left. There is nothing when
// the shim has discarded it.
func (r *Runtime) removeRun(g *group, name string) error {
	dir := g.place.Run(name).Dir
	if _, err := os.Lstat(dir); absent(err) {
		return nil
	}
	if r.limits {
		if err := cgroup.RemoveAll(filepath.Join(r.cgroup(g.key), name)); err != nil {
			return err
		}
	}
	return removeTree(dir)
}

// removeTree removes a directory whatever modes a container has left in it: an
// ordinary user, too, may change those of its own files.
func removeTree(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, os.ErrPermission) {
		return err
	}
	walkErr := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	return errors.Join(walkErr, os.RemoveAll(dir))
}

// Logs reads what the run printed.
func (r *Runtime) Logs(ctx context.Context, key, name string, opt engine.LogOptions) (io.ReadCloser, error) {
	g, known, err := r.known(key, name)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, pod.ErrLost
	}
	text, err := logfile.Read(g.place.Logs(), name, opt.Tail, opt.Timestamps)
	if absent(err) && known == nil {
		return nil, pod.ErrLost
	}
	if err != nil && !absent(err) {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}
