package native_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/pod"
)

// adopt opens the runtime again and gives the runs of the one group there is.
func (r *rig) adopt(t *testing.T, key string) map[string]pod.AdoptedRun {
	t.Helper()
	r.open()
	adopted, err := r.Adopt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(adopted) != 1 || adopted[0].Key != key {
		t.Fatalf("adopted %+v, want group %s", adopted, key)
	}
	runs := map[string]pod.AdoptedRun{}
	for _, run := range adopted[0].Runs {
		runs[run.Run] = run
	}
	return runs
}

// The server is killed with SIGKILL; what it started goes on and belongs to the
// next server.
func TestContainersOutliveTheServer(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		r.close()
		g := r.group()
		g.Address, g.Publish = address(), []engine.Publish{{Port: 80}}
		kill := r.server(t, serverJob{Group: *g, Containers: map[string]engine.Container{
			"page-1": *container("serve"),
			"end-1":  *container("run", "print a && sleep 0.5 && print b && sleep 0.5 && print c && exit 42"),
			"old-1":  *container("exit", "3"),
		}})
		// Something only this very process knows.
		url := fmt.Sprintf("http://%s/health", g.Address)
		get(t, url)
		if resp, err := http.Post(url+"?status=418", "", nil); err != nil {
			t.Fatal(err)
		} else {
			resp.Body.Close()
		}
		kill()
		if _, err := http.Get(url); err == nil {
			t.Error("a port is published by nobody")
		}

		runs := r.adopt(t, g.Key)
		if len(runs) != 3 {
			t.Fatalf("adopted %+v", runs)
		}
		if web := runs["page-1"]; web.Exit != nil || time.Since(web.Started) > time.Minute {
			t.Errorf("page-1: %+v", web)
		}
		eventually(t, func() error {
			exit := r.wait(g, "old-1")
			if exit.Code != 3 {
				return fmt.Errorf("old-1: %+v", exit)
			}
			return nil
		})
		if exit := r.wait(g, "end-1"); exit.Code != 42 {
			t.Errorf("end-1: %+v", exit)
		}
		if got := r.logs(g, "end-1"); got != "a\nb\nc\n" {
			t.Errorf("log: %q", got)
		}
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 418 {
			t.Errorf("status %d: the container was restarted", resp.StatusCode)
		}

		// The next server ends it like its own, and starts more.
		if err := r.Kill(t.Context(), g.Key, "page-1", patience); err != nil {
			t.Fatal(err)
		}
		if exit := r.wait(g, "page-1"); exit.Code != 0 {
			t.Errorf("page-1: %+v", exit)
		}
		if got := r.succeed(g, container("print", "more")); got != "more\n" {
			t.Errorf("got %q", got)
		}
		for run := range runs {
			if err := r.Discard(t.Context(), g.Key, run); err != nil {
				t.Error(err)
			}
		}
		r.close()
		if runs := r.adopt(t, g.Key); len(runs) != 1 {
			t.Errorf("discarded runs are adopted: %+v", runs)
		}
	})
}

// A container ends while no server is there.
func TestEndWithoutAServer(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	run := r.start(g, container("run", "sleep 0.3 && exit 9"))
	r.close()
	record := layout.NewGroup(r.dir, r.runDir, g.Key).Run(run).Record()
	eventually(t, func() error {
		var have layout.RunRecord
		if err := layout.Read(record, &have); err != nil {
			return err
		}
		if have.Exit == nil {
			return errors.New("it has not ended")
		}
		return nil
	})
	adopted := r.adopt(t, g.Key)[run]
	if adopted.Exit == nil || adopted.Exit.Code != 9 {
		t.Errorf("got %+v", adopted)
	}
	if exit := r.wait(g, run); exit.Code != 9 {
		t.Errorf("got %+v", exit)
	}
}

// shimPID finds the process of a group's shim.
func shimPID(t *testing.T, r *rig, key string) int {
	t.Helper()
	var record layout.ShimRecord
	if err := layout.Read(layout.NewGroup(r.dir, r.runDir, key).Shim(), &record); err != nil {
		t.Fatal(err)
	}
	return record.PID
}

// The shim is killed: its containers end with it, that is told, and the group
// can be used again.
func TestShimIsKilled(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.group()
		g.Address, g.Publish = address(), []engine.Publish{{Port: 80}}
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		run := r.start(g, container("serve"))
		done := r.start(g, container("exit", "5"))
		r.wait(g, done)
		get(t, fmt.Sprintf("http://%s/", g.Address))
		mark := processes(t)
		if err := syscall.Kill(shimPID(t, r, g.Key), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		exit := r.wait(g, run)
		if exit.Code != 137 || exit.Signal != 9 || exit.Err == "" {
			t.Errorf("got %+v", exit)
		}
		if exit := r.wait(g, done); exit.Code != 5 || exit.Err != "" {
			t.Errorf("a run that had ended: %+v", exit)
		}
		eventually(t, func() error {
			if left := processes(t); left >= mark {
				return fmt.Errorf("%d processes of containers, before %d", left, mark)
			}
			return nil
		})
		for _, name := range []string{run, done} {
			if err := r.Discard(t.Context(), g.Key, name); err != nil {
				t.Error(err)
			}
		}
		// Without another Sandbox: Start notices.
		r.start(g, container("serve"))
		get(t, fmt.Sprintf("http://%s/", g.Address))
	})
}

// processes counts those of containers, by their program.
func processes(t *testing.T) (n int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		if text, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(text), "/hello\x00serve") {
			n++
		}
	}
	return n
}

// Server and shim both die, as when the machine goes down.
func TestShimAndServerDie(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		r.close()
		g := r.group()
		kill := r.server(t, serverJob{Group: *g, Containers: map[string]engine.Container{
			"page-1": *container("serve"),
			"end-1":  *container("exit", "4"),
		}})
		record := layout.NewGroup(r.dir, r.runDir, g.Key).Run("end-1").Record()
		eventually(t, func() error {
			var have layout.RunRecord
			if err := layout.Read(record, &have); err != nil {
				return err
			}
			if have.Exit == nil {
				return errors.New("it has not ended")
			}
			return nil
		})
		kill()
		if err := syscall.Kill(shimPID(t, r, g.Key), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from what the first wrote down
			runs := r.adopt(t, g.Key)
			if exit := runs["end-1"].Exit; exit == nil || exit.Code != 4 || exit.Err != "" {
				t.Errorf("end-1: %+v", exit)
			}
			if exit := runs["page-1"].Exit; exit == nil || exit.Code != 137 || exit.Err == "" {
				t.Errorf("page-1: %+v", exit)
			}
			r.close()
		}
		r.adopt(t, g.Key)
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		if got := r.succeed(g, container("print", "again")); got != "again\n" {
			t.Errorf("got %q", got)
		}
	})
}

// A shim that does not answer although it lives is ended by the next server.
func TestShimIsStuck(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	run := r.start(g, container("sleep", "1000"))
	pid := shimPID(t, r, g.Key)
	r.close()
	if err := os.Remove(filepath.Join(r.runDir, g.Key, layout.SocketName)); err != nil {
		t.Fatal(err)
	}
	runs := r.adopt(t, g.Key)
	if exit := runs[run].Exit; exit == nil || exit.Err == "" {
		t.Errorf("got %+v", runs)
	}
	if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
		t.Error("the shim still lives")
	}
}

func TestCleanup(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.group()
		g.Address, g.Publish = address(), []engine.Publish{{Port: 80}}
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		run := r.start(g, container("serve"))
		r.start(g, container("run", "write /tmp/x y && exit 0"))
		waited := notified(r, g, run)
		for range 2 {
			if err := r.Cleanup(t.Context(), g.Key); err != nil {
				t.Fatal(err)
			}
		}
		if exit := <-waited; exit.Code != 137 {
			t.Errorf("whoever waited got %+v", exit)
		}
		if _, err := r.Wait(t.Context(), g.Key, run); !errors.Is(err, pod.ErrLost) {
			t.Errorf("Wait: %v", err)
		}
		if err := r.Cleanup(t.Context(), "abcdef"); err != nil {
			t.Errorf("Cleanup of what never was: %v", err)
		}
		// The key may be used again.
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		r.succeed(g, container("exit", "0"))
		shim := shimPID(t, r, g.Key)
		r.close()
		r.open() // without Adopt
		if err := r.Cleanup(t.Context(), g.Key); err != nil {
			t.Errorf("Cleanup of a group that was not adopted: %v", err)
		}
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", shim)); err == nil {
			t.Error("the shim is left")
		}
	})
}

// What is left when the shim died and nobody noticed.
func TestCleanupWithoutAShim(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		r.start(g, container("serve"))
		pid := shimPID(t, r, g.Key)
		r.close()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		r.adopt(t, g.Key)
		if err := r.Cleanup(t.Context(), g.Key); err != nil {
			t.Error(err)
		}
	})
}

func TestDirectoryIsLocked(t *testing.T) {
	r := builtin(t)
	if _, err := openAgain(r); err == nil || !strings.Contains(err.Error(), "is used by another Ludgate") {
		t.Errorf("got %v", err)
	}
}

// A shim collects every process that becomes its child, also those that an
// installed runtime leaves to it.
func TestShimCollectsItsChildren(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		for range 5 {
			r.run(g, container("exit", "0"))
			_, _ = r.tryStart(g, container("no-such-command")) // ends with an error of its own
			_, err := r.tryStart(g, &engine.Container{Name: "web", Image: hello, Command: []string{"nothing"}})
			if err == nil {
				t.Error("started nothing")
			}
		}
		shim := shimPID(t, r, g.Key)
		eventually(t, func() error {
			lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", shim))
			if err != nil {
				return err
			}
			for _, list := range lists {
				text, err := os.ReadFile(list)
				if err != nil {
					return err
				}
				for pid := range strings.FieldsSeq(string(text)) {
					stat, err := os.ReadFile("/proc/" + pid + "/stat")
					if err == nil && strings.Contains(string(stat), ") Z ") {
						return fmt.Errorf("a dead child: %s", stat)
					}
				}
			}
			return nil
		})
	})
}
