package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native"
	"ludgate/internal/engine/pod"
	"ludgate/internal/image"
)

func TestWhatCannotStart(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		r.image("odd", map[string]string{
			"bin/script": "#!/bin/nowhere\n", "bin/rubbish": "\x00\x01\x02", "etc/file": "x", "etc/passwd": "root:x:0:0::/:/\n",
		}, func(layer string, img *image.Image) {
			if err := os.WriteFile(filepath.Join(layer, "bin/plain"), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(layer, "bin/plain"), 0o644); err != nil {
				t.Fatal(err)
			}
			img.Entrypoint, img.Cmd = nil, nil
		})
		r.image("nobody", nil, func(_ string, img *image.Image) { img.User = "no-such-user" })
		r.image("huge-id", nil, func(_ string, img *image.Image) { img.User = "4294967296" })
		r.image("no-dir", nil, func(_ string, img *image.Image) { img.WorkingDir = "/etc/passwd" })
		for _, tc := range []struct {
			name, image string
			command     []string
			// says is what the message says; with the builtin launcher, when in
			// brackets: the rest is up to the installed runtime.
			says string
		}{
			{"not in PATH", hello, []string{"no-such-program", "x"}, `executable file "no-such-program" not found in $PATH`},
			{"no such file", hello, []string{"/no/such/program"}, `exec "/no/such/program": no such file or directory`},
			{"not executable", "odd", []string{"/bin/plain"}, "permission denied"},
			{"a directory", hello, []string{"/etc"}, `[exec "/etc": is a directory]`},
			{"no interpreter", "odd", []string{"/bin/script"}, "[[interpreter]]"},
			{"not a program", "odd", []string{"/bin/rubbish"}, "[[exec format error]]"},
			{"no command", "odd", nil, "[[no command]]"},
			{"unknown user", "nobody", []string{"/hello", "exit", "0"}, `the image has no user "no-such-user"`},
			{"an id that does not fit", "huge-id", []string{"/hello", "exit", "0"}, "above 2147483647"},
			{"a working directory that is a file", "no-dir", []string{"/hello", "exit", "0"}, "/etc/passwd"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				if r.launcher != native.LauncherBuiltin && strings.HasPrefix(tc.says, "[[") {
					t.Skip("installed runtimes notice it later, or in their own way")
				}
				run, err := r.tryStart(g, &engine.Container{Name: "web", Image: tc.image, Command: tc.command})
				var start *pod.StartError
				if !errors.As(err, &start) {
					t.Fatalf("got %v, want a StartError", err)
				}
				says := strings.ToLower(strings.Trim(tc.says, "[]"))
				common := !strings.HasPrefix(tc.says, "[") || r.launcher == native.LauncherBuiltin
				if got := strings.ToLower(err.Error()); common && !strings.Contains(got, says) {
					t.Errorf("got %q, want %q", err, says)
				}
				if strings.Contains(err.Error(), r.dir) {
					t.Errorf("a path of this machine is in %q", err)
				}
				// As the supervisor does after any failure.
				if err := errors.Join(r.Kill(t.Context(), g.Key, run, 0), r.Discard(t.Context(), g.Key, run)); err != nil {
					t.Error(err)
				}
				if _, err := r.Wait(t.Context(), g.Key, run); !errors.Is(err, pod.ErrLost) {
					t.Errorf("Wait for a run that never began: %v", err)
				}
			})
		}
		// All of that left the group in order.
		if got := r.succeed(g, container("print", "fine")); got != "fine\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestProgramIsFoundInPath(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		r.image("scripts", nil, func(layer string, img *image.Image) {
			if err := os.Mkdir(filepath.Join(layer, "tools"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/hello", filepath.Join(layer, "tools", "hello")); err != nil {
				t.Fatal(err)
			}
			img.Env = []string{noSleep, "PATH=/nowhere:/tools"}
		})
		g := r.sandbox()
		c := &engine.Container{Name: "web", Image: "scripts", Command: []string{"hello", "print", "found"}}
		if got := r.succeed(g, c); got != "found\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestSameRunTwice(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	run := r.start(g, container("sleep", "1000"))
	img, err := r.Pull(t.Context(), hello, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Start(t.Context(), g, container("exit", "0"), img, run); err == nil {
		t.Error("a run of the same name was started")
	}
	select {
	case <-notified(r, g, run):
		t.Error("the first run was disturbed")
	case <-time.After(20 * time.Millisecond):
	}
}

// A start whose caller has left is still ended by the Kill that follows.
func TestStartWithoutItsCaller(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	img, err := r.Pull(t.Context(), hello, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 10 {
		run := fmt.Sprintf("left-%d", i)
		if _, err := r.Start(ctx, g, container("sleep", "1000"), img, run); err == nil {
			continue // it was faster
		}
		if err := errors.Join(r.Kill(t.Context(), g.Key, run, 0), r.Discard(t.Context(), g.Key, run)); err != nil {
			t.Error(err)
		}
	}
	eventually(t, func() error {
		entries, err := os.ReadDir(filepath.Join(r.dir, "groups", g.Key, "runs"))
		if err == nil && len(entries) > 0 {
			err = fmt.Errorf("%d runs are left", len(entries))
		}
		return err
	})
}
