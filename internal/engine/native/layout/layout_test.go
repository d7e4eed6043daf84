package layout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRecordsComeBack(t *testing.T) {
	g := NewGroup(t.TempDir(), t.TempDir(), "a1")
	run := g.Run("web-1")
	if err := os.MkdirAll(run.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(g.Run("never-started-1").Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, durable := range []bool{false, true} {
		want := RunRecord{Run: "web-1", Container: "web", Started: at, Exit: &Exit{Code: 137, Signal: 9, OOMKilled: true, At: at}}
		if err := Write(run.Record(), want, durable); err != nil {
			t.Fatal(err)
		}
		runs, err := g.ReadRuns()
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) != 1 || runs[0].Run != want.Run || !runs[0].Started.Equal(at) || *runs[0].Exit != *want.Exit {
			t.Fatalf("got %+v, want %+v", runs, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(run.Dir, ".record-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

func TestReadRunsOfNothing(t *testing.T) {
	runs, err := NewGroup(t.TempDir(), t.TempDir(), "a1").ReadRuns()
	if runs != nil || err != nil {
		t.Errorf("got %v, %v", runs, err)
	}
}

func TestReadFaults(t *testing.T) {
	dir := t.TempDir()
	if err := Read(filepath.Join(dir, "absent"), &RunRecord{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	for name, text := range map[string]string{"torn": `{"run":"a`, "large": strings.Repeat(" ", maxRecord+1)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Read(path, &RunRecord{}); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}

func TestNames(t *testing.T) {
	for _, key := range []string{"", "G1", "../x", "abc/def", strings.Repeat("a", 33)} {
		if CheckKey(key) == nil {
			t.Errorf("key %q accepted", key)
		}
	}
	for _, run := range []string{"", ".", "..", "a/b", "A-1", "a_1", strings.Repeat("a", 97)} {
		if CheckRun(run) == nil {
			t.Errorf("run %q accepted", run)
		}
	}
	if err := errors.Join(CheckKey("0123456789abcdef"), CheckRun("web-12")); err != nil {
		t.Error(err)
	}
}
