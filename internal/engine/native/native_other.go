//go:build !linux

package native

import (
	"context"
	"runtime"

	"ludgate/internal/engine"
	"ludgate/internal/engine/pod"
)

// Runtime exists on Linux only.
type Runtime struct{ pod.Runtime }

// New says that this is not Linux.
func New(context.Context, Options) (*Runtime, error) {
	return nil, &engine.Unavailable{
		Engine: "native",
		Reason: "It runs Linux containers directly, and this is " + runtime.GOOS + ".",
		Remedy: "Run Ludgate on Linux or in a Linux virtual machine, or choose --engine simulated to try everything else.",
	}
}
