package native_test

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native"
)

// benchRig is a rig for a benchmark; launcher is a name of an installed runtime
// or "builtin".
func benchRig(b *testing.B, launcher string) *rig {
	b.Helper()
	if launcher == "builtin" {
		return newRig(b, native.LauncherBuiltin, os.Getenv("PATH"))
	}
	return installed(b, launcher)
}

// times collects how long each round took: on a busy machine the median and the
// least say more than the mean.
type times []time.Duration

func (ts *times) measure(f func()) {
	start := time.Now()
	f()
	*ts = append(*ts, time.Since(start))
}

func (ts times) report(b *testing.B) {
	slices.Sort(ts)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(ts[0]), "least-ms")
	b.ReportMetric(ms(ts[len(ts)/2]), "median-ms")
	b.ReportMetric(0, "ns/op")
}

var allLaunchers = []string{"builtin", "crun", "runc"}

// BenchmarkFloor is the least that a container can cost: clone with a
// container's namespaces and exec of a program that ends at once.
func BenchmarkFloor(b *testing.B) {
	needRoot(b)
	for name, flags := range map[string]uintptr{
		"clone":     unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		"clone-net": unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWNET,
	} {
		b.Run(name, func(b *testing.B) {
			var ts times
			for b.Loop() {
				ts.measure(func() {
					cmd := exec.Command("/bin/true")
					cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
					if err := cmd.Run(); err != nil {
						b.Fatal(err)
					}
				})
			}
			ts.report(b)
		})
	}
}

// spacing is the time between groups that come one by one: enough for the engine
// to have a shim ready again.
const spacing = 250 * time.Millisecond

// BenchmarkSandboxAndStart is a group's ground and its first container, from
// nothing to running, with the image present; ending it is not counted. Groups
// come one by one, or in a storm.
func BenchmarkSandboxAndStart(b *testing.B) {
	for _, launcher := range allLaunchers {
		b.Run(launcher+"-one-by-one", func(b *testing.B) { benchSandboxAndStart(b, launcher, spacing) })
		b.Run(launcher+"-storm", func(b *testing.B) { benchSandboxAndStart(b, launcher, 0) })
	}
}

func benchSandboxAndStart(b *testing.B, launcher string, pause time.Duration) {
	r := benchRig(b, launcher)
	r.succeed(r.sandbox(), container("exit", "0"))
	c := container("sleep", "1000")
	var ts times
	for b.Loop() {
		g := r.group()
		ts.measure(func() {
			if err := r.Sandbox(b.Context(), g); err != nil {
				b.Fatal(err)
			}
			r.start(g, c)
		})
		if err := r.Cleanup(b.Context(), g.Key); err != nil {
			b.Fatal(err)
		}
		time.Sleep(pause)
	}
	ts.report(b)
}

// BenchmarkSandbox is a group's ground alone.
func BenchmarkSandbox(b *testing.B) {
	r := benchRig(b, "builtin")
	r.sandbox()
	var ts times
	for b.Loop() {
		g := r.group()
		ts.measure(func() {
			if err := r.Sandbox(b.Context(), g); err != nil {
				b.Fatal(err)
			}
		})
		if err := r.Cleanup(b.Context(), g.Key); err != nil {
			b.Fatal(err)
		}
		time.Sleep(spacing)
	}
	ts.report(b)
}

// BenchmarkRun is one short container in a group that is there: start, wait,
// discard.
func BenchmarkRun(b *testing.B) {
	for _, launcher := range allLaunchers {
		b.Run(launcher, func(b *testing.B) {
			r := benchRig(b, launcher)
			g := r.sandbox()
			c := container("exit", "0")
			var ts times
			for b.Loop() {
				ts.measure(func() {
					name := r.start(g, c)
					r.wait(g, name)
					if err := r.Discard(b.Context(), g.Key, name); err != nil {
						b.Fatal(err)
					}
				})
			}
			ts.report(b)
		})
	}
}

// BenchmarkCleanup removes a group with one running container.
func BenchmarkCleanup(b *testing.B) {
	r := benchRig(b, "builtin")
	c := container("sleep", "1000")
	var ts times
	for b.Loop() {
		g := r.sandbox()
		r.start(g, c)
		ts.measure(func() {
			if err := r.Cleanup(b.Context(), g.Key); err != nil {
				b.Fatal(err)
			}
		})
	}
	ts.report(b)
}

// BenchmarkNew is what the engine adds to the start of a server.
func BenchmarkNew(b *testing.B) {
	r := benchRig(b, "builtin")
	var ts times
	for b.Loop() {
		r.close()
		ts.measure(r.open)
	}
	ts.report(b)
}
