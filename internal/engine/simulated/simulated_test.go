package simulated_test

import (
	"testing"

	"ludgate/internal/engine"
	"ludgate/internal/engine/enginetest"
	"ludgate/internal/engine/simulated"
)

// TestEngine holds the pretence to the suite of all engines, as far as it goes.
func TestEngine(t *testing.T) {
	enginetest.Run(t, func(t *testing.T, dir string) engine.Engine {
		e, err := simulated.Engine(t.Context(), dir, simulated.Options{Pod: enginetest.PodOptions(dir)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}, enginetest.Features{Limits: true, MissingImage: "registry.invalid/app:1"})
}
