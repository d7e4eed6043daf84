package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/rootfs"
)

// newVariable makes this binary open a Runtime in a directory, and say what came
// of it.
const newVariable = "LUDGATE_TEST_NATIVE_NEW"

func newMain(dir string) {
	r, err := native.New(context.Background(), native.Options{
		Dir: filepath.Join(dir, "native"), RunDir: filepath.Join(dir, "run"), Images: &puller{},
		Launcher: os.Getenv(newVariable + "_LAUNCHER"),
	})
	var missing *engine.Unavailable
	switch {
	case errors.As(err, &missing):
		fmt.Printf("unavailable: %s\n", err)
	case err != nil:
		fmt.Printf("failed: %s\n", err)
	default:
		fmt.Printf("works: %v\n", r.Close())
	}
	os.Exit(0)
}

// open gives what newMain says, in a process that lacks a capability.
func openWithout(t *testing.T, dir string, capability uintptr, env ...string) string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), newVariable+"="+dir), env...)
	started := make(chan error)
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	go func() {
		runtime.LockOSThread() // for good: what is dropped here is gone
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	return out.String()
}

// none is a capability that nobody misses here.
const none = unix.CAP_WAKE_ALARM

func TestUnavailableWithoutPrivilege(t *testing.T) {
	needRoot(t)
	got := openWithout(t, t.TempDir(), unix.CAP_SYS_ADMIN)
	for _, want := range []string{"unavailable: the native engine cannot run here: Root may not make namespaces here", "CAP_SYS_ADMIN"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUnavailableOnAnotherOverlay(t *testing.T) {
	needRoot(t)
	run := layout.Run{Dir: t.TempDir()}
	if err := rootfs.Mount(run, nil, false); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rootfs.Unmount(run); err != nil {
			t.Error(err)
		}
	}()
	got := openWithout(t, run.Root(), none)
	for _, want := range []string{"unavailable: ", "Overlayfs does not work on", "Put the data directory on ext4"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLaunchers(t *testing.T) {
	needRoot(t)
	for launcher, want := range map[string]string{
		"builtin": "works: <nil>",
		"auto":    "works: <nil>",
		"oci":     "unavailable: the native engine cannot run here: No installed OCI runtime works: none of crun, runc, runsc, kata-runtime is in PATH. Install crun or runc",
		"fancy":   "failed: ",
	} {
		got := openWithout(t, t.TempDir(), none, newVariable+"_LAUNCHER="+launcher, "PATH=/nowhere")
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", launcher, got, want)
		}
	}
}

// An installed runtime that does not work is passed over, and that is said.
func TestBrokenRuntimeIsPassedOver(t *testing.T) {
	needRoot(t)
	only := t.TempDir()
	if err := os.WriteFile(filepath.Join(only, "runc"), []byte("#!/bin/sh\necho broken >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, native.LauncherAuto, only)
	if got := r.succeed(r.sandbox(), container("print", "fine")); got != "fine\n" {
		t.Errorf("got %q", got)
	}
	if log := r.log.String(); !strings.Contains(log, "an installed runtime is not used") || !strings.Contains(log, "builtin launcher") {
		t.Errorf("that was not said:\n%s", log)
	}
}

// Of two installed runtimes, the one that works is taken.
func TestAutoPrefersAnInstalledRuntime(t *testing.T) {
	runc, err := exec.LookPath("runc")
	if err != nil {
		t.Skip("runc is not installed")
	}
	needRoot(t)
	only := t.TempDir()
	if err := errors.Join(os.Symlink(runc, filepath.Join(only, "runc")), os.WriteFile(filepath.Join(only, "crun"), []byte("#!/bin/sh\nexit 1\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, native.LauncherAuto, only)
	g := r.sandbox()
	r.succeed(g, container("print", "fine"))
	if log := r.log.String(); !strings.Contains(log, `containers are started by an installed runtime" runtime=`+only+"/runc") {
		t.Errorf("runc was not taken:\n%s", log)
	}
}
