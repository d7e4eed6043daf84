package simulated_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/engine"
	"ludgate/internal/engine/simulated"
)

// TestThousandsOfGroups: a group that is up costs no goroutine.
func TestThousandsOfGroups(t *testing.T) {
	const groups = 3000
	e, err := simulated.Engine(t.Context(), "", simulated.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	before := runtime.NumGoroutine()
	for n := range groups {
		ensure(t, e, n, "sleep 3600")
	}
	for n := range groups {
		for !observe(t, e, n).Started {
			time.Sleep(time.Millisecond)
		}
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+10; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines for %d idle groups", runtime.NumGoroutine()-before, groups)
		}
	}
	for n := range groups {
		if err := e.Remove(t.Context(), key(n)); err != nil {
			t.Fatal(err)
		}
	}
	if keys, _ := e.Keys(t.Context()); len(keys) != 0 {
		t.Errorf("%d groups are left", len(keys))
	}
}

func key(n int) string { return fmt.Sprintf("%08x", n) }

func ensure(t testing.TB, e engine.Engine, n int, command string) {
	t.Helper()
	err := e.Ensure(context.Background(), &engine.Group{
		Key: key(n), Generation: 1, Name: "g", RestartPolicy: ludgate.RestartAlways,
		Containers: []engine.Container{{Name: "web", Image: "x", Command: []string{command}}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func observe(t testing.TB, e engine.Engine, n int) *engine.Status {
	t.Helper()
	s, err := e.Observe(context.Background(), key(n))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BenchmarkToRunning is what the supervisor itself costs from Ensure to Started
// and through Remove, with a runtime that takes no time.
func BenchmarkToRunning(b *testing.B) {
	for _, dir := range []string{"", b.TempDir()} {
		b.Run(map[bool]string{true: "kept", false: "forgotten"}[dir != ""], func(b *testing.B) {
			e, err := simulated.Engine(b.Context(), dir, simulated.Options{Latency: -1})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				ensure(b, e, n, "sleep 3600")
				for !observe(b, e, n).Started {
					<-e.Changes()
				}
				if err := e.Remove(b.Context(), key(n)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
