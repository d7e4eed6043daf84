package secret_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludgate/internal/secret"
)

func TestTextNeverShows(t *testing.T) {
	s := secret.Text("hunter2")
	j, err := json.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s)
	for _, out := range []string{fmt.Sprint(s), fmt.Sprintf("%v %s %q %#v %+v", s, s, s, s, struct{ S secret.Text }{s}), string(j), log.String()} {
		if strings.Contains(out, "hunter2") || !strings.Contains(out, "***") {
			t.Errorf("shows %s", out)
		}
	}
	if s.Reveal() != "hunter2" {
		t.Error("Reveal hides")
	}
}

func TestBox(t *testing.T) {
	key, err := secret.LoadKey(t.TempDir(), "k")
	if err != nil {
		t.Fatal(err)
	}
	box, err := secret.NewBox(key, "a")
	if err != nil {
		t.Fatal(err)
	}
	sealed := box.Seal("hunter2", "record 1")
	if strings.Contains(sealed, "hunter2") || sealed == box.Seal("hunter2", "record 1") {
		t.Error("sealing is not hiding")
	}
	if got, err := box.Open(sealed, "record 1"); err != nil || got != "hunter2" {
		t.Errorf("got %q, %v", got, err)
	}
	other, err := secret.NewBox(key, "b")
	if err != nil {
		t.Fatal(err)
	}
	flipped := []byte(sealed)
	flipped[len(flipped)/2] ^= 1
	for name, open := range map[string]func() (string, error){
		"another record":  func() (string, error) { return box.Open(sealed, "record 2") },
		"another purpose": func() (string, error) { return other.Open(sealed, "record 1") },
		"changed":         func() (string, error) { return box.Open(string(flipped), "record 1") },
		"short":           func() (string, error) { return box.Open("AA", "record 1") },
		"no base64":       func() (string, error) { return box.Open("!!", "record 1") },
	} {
		if got, err := open(); !errors.Is(err, secret.ErrSealed) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	first, err := secret.LoadKey(dir, "k")
	if err != nil {
		t.Fatal(err)
	}
	again, err := secret.LoadKey(dir, "k")
	if err != nil || string(first) != string(again) {
		t.Fatalf("the key changed: %v", err)
	}
	path := filepath.Join(dir, "k")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.LoadKey(dir, "k"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key others can read: %v", err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.LoadKey(dir, "k"); err == nil || !strings.Contains(err.Error(), "5 bytes") {
		t.Errorf("a short key: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
