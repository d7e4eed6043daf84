package native_test

import (
	"path/filepath"
	"testing"

	"ludgate/internal/engine"
	"ludgate/internal/engine/enginetest"
	"ludgate/internal/engine/pod"
)

// TestEngine is the suite that every engine passes, under the supervisor, with
// every launcher.
func TestEngine(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		r.close() // the suite opens its own
		enginetest.Run(t, func(t *testing.T, dir string) engine.Engine {
			own := *r
			own.test = test{t}
			own.dir, own.runDir = filepath.Join(dir, "native"), filepath.Join(dir, "run")
			rt, err := openAgain(&own)
			if err != nil {
				t.Fatal(err)
			}
			e, err := pod.New(t.Context(), rt, enginetest.PodOptions(filepath.Join(dir, "pods")))
			if err != nil {
				rt.Close()
				t.Fatal(err)
			}
			return e
		}, enginetest.Features{Real: true, Adopts: true, Limits: true, MissingImage: missing})
	})
}
