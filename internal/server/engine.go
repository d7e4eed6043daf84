package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"ludgate/internal/config"
	"ludgate/internal/engine"
	"ludgate/internal/engine/native"
	"ludgate/internal/engine/pod"
	"ludgate/internal/engine/simulated"
	"ludgate/internal/image"
)

// openEngine opens the engine of the settings. An engine that cannot work here
// gives an *engine.Unavailable, with which everything else still starts.
func openEngine(ctx context.Context, c *config.Config, log *slog.Logger) (engine.Engine, *engine.Unavailable, error) {
	dir := filepath.Join(c.Data, "engine")
	var eng engine.Engine
	var err error
	switch c.Engine {
	case "simulated":
		eng, err = simulated.Engine(ctx, filepath.Join(dir, "simulated"), simulated.Options{})
	case "docker", "kubernetes":
		err = &engine.Unavailable{Engine: c.Engine, Reason: "it is not part of this release.", Remedy: "Use --engine native, or --engine simulated to run nothing."}
	default:
		eng, err = openNative(ctx, c, dir, log)
	}
	var missing *engine.Unavailable
	if errors.As(err, &missing) {
		return nil, missing, nil
	}
	return eng, nil, err
}

// openNative opens the engine that runs containers on this machine.
func openNative(ctx context.Context, c *config.Config, dir string, log *slog.Logger) (engine.Engine, error) {
	images, err := image.Open(filepath.Join(c.Data, "images"), image.Options{})
	if err != nil {
		return nil, &engine.Unavailable{Engine: "native", Reason: err.Error() + ".", Remedy: "Use Linux, or --engine simulated to run nothing."}
	}
	rt, err := native.New(ctx, native.Options{Dir: filepath.Join(dir, "native"), Images: images, Launcher: c.Launcher, Log: log})
	if err != nil {
		return nil, errors.Join(err, images.Close())
	}
	go func() {
		// The built-in image is made before the first group asks for it; a
		// failure shows when one does.
		if err := images.Prepare(context.WithoutCancel(ctx)); err != nil {
			log.Warn("the built-in image could not be made", "error", err)
		}
	}()
	sup, err := pod.New(ctx, rt, pod.Options{Dir: filepath.Join(dir, "groups"), Log: log})
	if err != nil {
		return nil, errors.Join(err, rt.Close(), images.Close())
	}
	return &closing{Engine: sup, then: images.Close}, nil
}

// closing is an engine with something to close after it.
type closing struct {
	engine.Engine
	then func() error
}

// Close closes the engine, then what it used.
func (c *closing) Close() error { return errors.Join(c.Engine.Close(), c.then()) }
