package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine"
	"ludgate/internal/engine/pod"
	"ludgate/internal/image"
)

func TestExitCodesAndSignals(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		for _, code := range []int{0, 1, 7, 255} {
			exit, _ := r.run(g, container("exit", strconv.Itoa(code)))
			if exit.Code != code || exit.Signal != 0 || exit.OOMKilled || exit.Err != "" {
				t.Errorf("exit %d: got %+v", code, exit)
			}
			if time.Since(exit.At) > time.Minute || time.Since(exit.At) < 0 {
				t.Errorf("ended at %v", exit.At)
			}
		}
	})
}

func TestKill(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		t.Run("the program ends when asked", func(t *testing.T) {
			run := r.start(g, container("serve", "--port", "8080"))
			r.untilLog(g, run, "listening")
			start := time.Now()
			if err := r.Kill(t.Context(), g.Key, run, patience); err != nil {
				t.Fatal(err)
			}
			if exit := r.wait(g, run); exit.Code != 0 {
				t.Errorf("got %+v", exit)
			}
			if time.Since(start) > patience/2 {
				t.Error("waited for grace although the program had ended")
			}
		})
		t.Run("by a signal that it dies of", func(t *testing.T) {
			run := r.start(g, container("run", "print up && sleep 1000"))
			r.untilLog(g, run, "up")
			if err := r.Kill(t.Context(), g.Key, run, patience); err != nil {
				t.Fatal(err)
			}
			if exit := r.wait(g, run); exit.Code != 143 {
				t.Errorf("got %+v", exit)
			}
		})
		t.Run("at once", func(t *testing.T) {
			run := r.start(g, container("sleep", "1000"))
			if err := r.Kill(t.Context(), g.Key, run, 0); err != nil {
				t.Fatal(err)
			}
			if exit := r.wait(g, run); exit.Code != 137 || exit.Signal != 9 || exit.OOMKilled {
				t.Errorf("got %+v", exit)
			}
			if err := r.Kill(t.Context(), g.Key, run, 0); err != nil {
				t.Errorf("killing it again: %v", err)
			}
		})
		if err := r.Kill(t.Context(), g.Key, "never-1", 0); err != nil {
			t.Errorf("killing an unknown run: %v", err)
		}
		if err := r.Kill(t.Context(), "abcd", "never-1", 0); err != nil {
			t.Errorf("killing a run of an unknown group: %v", err)
		}
	})
}

// A program that does not listen to SIGTERM is killed after grace.
func TestKillAfterGrace(t *testing.T) {
	r := builtin(t)
	r.probeImage("stubborn")
	g := r.sandbox()
	run := r.start(g, r.probe("stubborn", "stubborn"))
	r.untilLog(g, run, "deaf")
	start := time.Now()
	if err := r.Kill(t.Context(), g.Key, run, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if exit := r.wait(g, run); exit.Code != 137 || exit.Signal != 9 {
		t.Errorf("got %+v", exit)
	}
	if took := time.Since(start); took < 100*time.Millisecond {
		t.Errorf("killed after %v", took)
	}
}

// An image's own stop signal is used.
func TestStopSignal(t *testing.T) {
	r := builtin(t)
	r.image("interrupted", nil, func(_ string, img *image.Image) { img.StopSignal = "SIGINT" })
	g := r.sandbox()
	c := container("run", "print up && sleep 1000")
	c.Image = "interrupted"
	run := r.start(g, c)
	r.untilLog(g, run, "up")
	if err := r.Kill(t.Context(), g.Key, run, patience); err != nil {
		t.Fatal(err)
	}
	if exit := r.wait(g, run); exit.Code != 130 {
		t.Errorf("got %+v, want the code after SIGINT", exit)
	}
}

func TestMemoryLimit(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		c := container("alloc", "1000")
		c.MemoryLimit = 96 << 20
		exit, text := r.run(g, c)
		if exit.Code != 137 || exit.Signal != 9 || !exit.OOMKilled {
			t.Errorf("got %+v, want killed for want of memory; it printed\n%s", exit, text)
		}
		// The next run has counters of its own.
		c = container("sleep", "1000")
		c.MemoryRequest = 96 << 20
		run := r.start(g, c)
		if err := r.Kill(t.Context(), g.Key, run, 0); err != nil {
			t.Fatal(err)
		}
		if exit := r.wait(g, run); exit.OOMKilled {
			t.Errorf("got %+v for a run that was killed otherwise", exit)
		}
		c = container("run", "cat /sys/fs/cgroup/memory/memory.limit_in_bytes")
		if _, err := os.Stat("/sys/fs/cgroup/memory"); err != nil {
			c = container("run", "cat /sys/fs/cgroup/memory.max")
		}
		c.MemoryLimit = 96 << 20
		if got := strings.TrimSpace(r.succeed(g, c)); got != strconv.Itoa(96<<20) {
			t.Errorf("the container sees a limit of %s", got)
		}
	})
}

func TestProcessorLimit(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		c := container("burn", "1")
		c.CPULimit = 0.2
		text := r.succeed(g, c)
		var used, wall float64
		if _, err := fmt.Sscanf(text, "burned %f seconds of processor time in %f seconds", &used, &wall); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if used > 0.5*wall {
			t.Errorf("used %.2f s of processor time in %.2f s with a limit of 0.2", used, wall)
		}
	})
}

func TestLogs(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		run := r.start(g, container("run", `print one && print two && print three && exit 3`))
		r.wait(g, run)
		for _, tc := range []struct {
			opt  engine.LogOptions
			want string
		}{
			{engine.LogOptions{}, "one\ntwo\nthree\n"},
			{engine.LogOptions{Tail: 2}, "two\nthree\n"},
		} {
			rc, err := r.Logs(t.Context(), g.Key, run, tc.opt)
			if err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 1000)
			n, _ := rc.Read(text)
			rc.Close()
			if string(text[:n]) != tc.want {
				t.Errorf("%+v: got %q, want %q", tc.opt, text[:n], tc.want)
			}
		}
		rc, err := r.Logs(t.Context(), g.Key, run, engine.LogOptions{Tail: 1, Timestamps: true})
		if err != nil {
			t.Fatal(err)
		}
		defer rc.Close()
		text := make([]byte, 1000)
		n, _ := rc.Read(text)
		stamp, rest, _ := strings.Cut(string(text[:n]), " ")
		if at, err := time.Parse(time.RFC3339Nano, stamp); err != nil || rest != "three\n" || time.Since(at) > time.Hour || at.Location() != time.UTC {
			t.Errorf("got %q", text[:n])
		}

		// What is on stderr is there too, and a log outlives Discard.
		bad := r.start(g, container("cat", "/nowhere"))
		r.wait(g, bad)
		if err := r.Discard(t.Context(), g.Key, bad); err != nil {
			t.Fatal(err)
		}
		if got := r.logs(g, bad); !strings.Contains(got, "no such file") {
			t.Errorf("stderr: %q", got)
		}
		if _, err := r.Logs(t.Context(), g.Key, "never-1", engine.LogOptions{}); !errors.Is(err, pod.ErrLost) {
			t.Errorf("logs of an unknown run: %v", err)
		}
		if _, err := r.Logs(t.Context(), "abcd", "never-1", engine.LogOptions{}); !errors.Is(err, pod.ErrLost) {
			t.Errorf("logs of an unknown group: %v", err)
		}
	})
}

func TestWhatAContainerSees(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		r.image("configured", map[string]string{
			"etc/passwd": "root:x:0:0::/root:/x\nweb:x:33:34::/var/www:/x\n",
			"etc/group":  "root:x:0:\nwww:x:34:\nstaff:x:50:web\n",
		}, func(_ string, img *image.Image) {
			img.Env = []string{noSleep, "FROM_IMAGE=1", "BOTH=image", "PATH=/usr/bin"}
			img.User, img.WorkingDir = "web", "/made/on/demand"
			img.Entrypoint, img.Cmd = []string{"/hello"}, []string{"run", "cat /proc/self/status && cat /proc/self/environ"}
		})
		g := r.sandbox()
		c := container()
		c.Image = "configured"
		c.Env = []engine.EnvVar{{Name: "BOTH", Value: "wish"}, {Name: "SECRET", Value: "a b\nc", Secret: true}}
		text := r.succeed(g, c)
		status, environ, _ := strings.Cut(text, "HOSTNAME=")
		_ = environ
		for _, want := range []string{
			"Uid:\t33\t33\t33\t33", "Gid:\t34\t34\t34\t34", "Groups:\t", "Seccomp:\t2",
			"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapAmb:\t0000000000000000",
			"CapBnd:\t00000000a80425fb", "NoNewPrivs:\t0",
		} {
			if !strings.Contains(status, want) {
				t.Errorf("no %q in\n%s", want, status)
			}
		}
		if groups := field(status, "Groups:"); !strings.Contains(groups+" ", "50 ") {
			t.Errorf("groups are %q", groups)
		}
		for _, want := range []string{"FROM_IMAGE=1\x00", "BOTH=wish\x00", "PATH=/usr/bin\x00", "HOSTNAME=the-group\x00", "HOME=/var/www", "SECRET=a b\nc\x00"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in the environment:\n%q", want, text)
			}
		}

		root := r.succeed(g, container("cat", "/proc/self/status"))
		for _, want := range []string{
			"Uid:\t0\t", "CapInh:\t0000000000000000", "CapPrm:\t00000000a80425fb", "CapEff:\t00000000a80425fb", "CapBnd:\t00000000a80425fb", "NSpid:",
		} {
			if !strings.Contains(root, want) {
				t.Errorf("no %q in\n%s", want, root)
			}
		}
		if pid := field(root, "Pid:"); pid != "1" {
			t.Errorf("the program is process %s", pid)
		}
		if got := r.succeed(g, container("cat", "/etc/hostname")); got != "the-group\n" {
			t.Errorf("host name %q", got)
		}
		if got := r.succeed(g, container("cat", "/proc/sys/kernel/hostname")); got != "the-group\n" {
			t.Errorf("host name of the kernel %q", got)
		}
		if got := r.succeed(g, container("cat", "/etc/hosts")); !strings.Contains(got, "127.0.0.1 localhost\n") || !strings.Contains(got, " the-group\n") {
			t.Errorf("hosts:\n%s", got)
		}
		if got := r.succeed(g, container("cat", "/proc/self/oom_score_adj")); got != "0\n" {
			t.Errorf("OOM score %q: the shim's protection was inherited", got)
		}
		limits := r.succeed(g, container("cat", "/proc/self/limits"))
		var own unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &own); err != nil {
			t.Fatal(err)
		}
		// Go programs raise the soft limit, so the hard one is what is left to see.
		if files := strings.Fields(field(limits, "Max open files")); len(files) != 3 || files[1] != strconv.FormatUint(min(own.Max, 1<<20), 10) {
			t.Errorf("open files: %v", files)
		}
		if got := r.succeed(g, container("cat", "/proc/self/cgroup")); strings.Contains(got, g.Key) || strings.Contains(got, "..") {
			t.Errorf("the container sees the machine's control groups:\n%s", got)
		}
	})
}

// field gives the value of a line of /proc/…/status.
func field(status, name string) string {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func TestFilesBelongToOneRun(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		if got := r.succeed(g, container("run", "write /tmp/x mine && cat /tmp/x")); got != "mine\n" {
			t.Errorf("got %q", got)
		}
		if exit, text := r.run(g, container("cat", "/tmp/x")); exit.Code == 0 {
			t.Errorf("a later run sees the file: %s", text)
		}
		if got := r.succeed(g, container("run", "write /dev/shm/x mine && cat /dev/shm/x")); got != "mine\n" {
			t.Errorf("/dev/shm: %q", got)
		}
		r.succeed(g, container("run", "write /dev/null gone && cat /dev/null"))
	})
}

// notified gives a channel that is closed when the run's exit is told.
func notified(r *rig, g *engine.Group, run string) chan pod.Exit {
	c := make(chan pod.Exit, 1)
	r.NotifyExit(g.Key, run, func(exit pod.Exit, err error) {
		if err != nil {
			exit.Err = err.Error()
		}
		c <- exit
	})
	return c
}

func TestNotifyExit(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	run := r.start(g, container("sleep", "1000"))
	early := notified(r, g, run)
	if err := r.Kill(t.Context(), g.Key, run, 0); err != nil {
		t.Fatal(err)
	}
	late := notified(r, g, run)
	for _, c := range []chan pod.Exit{early, late} {
		if exit := <-c; exit.Code != 137 {
			t.Errorf("got %+v", exit)
		}
	}
	if exit := <-notified(r, g, "never-1"); exit.Err != pod.ErrLost.Error() {
		t.Errorf("for an unknown run: %+v", exit)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	run := r.start(g, container("sleep", "1000"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.Wait(ctx, g.Key, run); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestPullErrors(t *testing.T) {
	r := builtin(t)
	_, err := r.Pull(t.Context(), "not a reference!", nil)
	var pull *pod.PullError
	if !errors.As(err, &pull) || !pull.Permanent || pull.Image != "not a reference!" {
		t.Errorf("got %v", err)
	}
}

func TestNamesThatBecomePaths(t *testing.T) {
	r := builtin(t)
	for _, key := range []string{"", "..", "a/b", "UPPER", strings.Repeat("a", 33)} {
		if err := r.Sandbox(t.Context(), &engine.Group{Key: key}); err == nil {
			t.Errorf("Sandbox of %q", key)
		}
		if err := r.Cleanup(t.Context(), key); err == nil {
			t.Errorf("Cleanup of %q", key)
		}
	}
	g := r.sandbox()
	img, err := r.Pull(t.Context(), hello, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"", "..", "../x", "a/b", strings.Repeat("a", 97)} {
		if _, err := r.Start(t.Context(), g, container("exit", "0"), img, run); err == nil {
			t.Errorf("Start of %q", run)
		}
		if err := r.Discard(t.Context(), g.Key, run); err == nil {
			t.Errorf("Discard of %q", run)
		}
	}
}
