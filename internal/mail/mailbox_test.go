package mail

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"ludgate"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestMailbox(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "mailbox")
	if err := os.MkdirAll(dir, 0o755); err != nil { // somebody made it, and too open
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 4, 23, 59, 59, 999_999_990, time.FixedZone("", -7200))
	b, err := NewMailbox(MailboxOptions{Dir: dir, Most: 3, Clock: func() time.Time { now = now.Add(3); return now }})
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "00-notes.eml") // not one of ours: stays
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		m := note()
		m.Subject = string(rune('a' + i))
		if err := b.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	list := names(t, dir)
	if len(list) != 4 || list[0] != "00-notes.eml" {
		t.Fatalf("files %v", list)
	}
	for i, name := range list[1:] {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil || !filed.MatchString(name) {
			t.Fatal(name, err)
		}
		p := parsed(t, string(text))
		if want := string(rune('f' + i)); p.Header.Get("Subject") != want || p.Header.Get("To") != "<ann@example.org>" {
			t.Errorf("%s: %v, want subject %s", name, p.Header, want)
		}
		if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, info.Mode())
		}
	}
	if info, _ := os.Stat(dir); runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("directory has mode %o", info.Mode())
	}
}

func TestMailboxTogether(t *testing.T) {
	dir := t.TempDir()
	b, err := NewMailbox(MailboxOptions{Dir: dir, Most: 5, Clock: func() time.Time { return time.Unix(0, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := b.Send(context.Background(), note()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list := names(t, dir); len(list) != 5 {
		t.Errorf("files %v", list)
	}
}

func TestMailboxRefuses(t *testing.T) {
	dir := t.TempDir()
	b, err := NewMailbox(MailboxOptions{Dir: filepath.Join(dir, "box")})
	if err != nil {
		t.Fatal(err)
	}
	bad := note()
	bad.Subject = "a\nb"
	if err := b.Send(t.Context(), bad); ludgate.AsError(err).Kind != ludgate.Invalid {
		t.Errorf("bad message: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Send(ctx, note()); ludgate.AsError(err).Kind != ludgate.Unavailable {
		t.Errorf("cancelled: %v", err)
	}
	if list := names(t, filepath.Join(dir, "box")); len(list) != 0 {
		t.Errorf("files %v", list)
	}
	// A directory that cannot be used is found at the start, a later one is passing.
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewMailbox(MailboxOptions{Dir: file}); err == nil || !strings.Contains(err.Error(), "mailbox directory") {
		t.Errorf("file as a directory: %v", err)
	}
	if _, err := NewMailbox(MailboxOptions{}); err == nil {
		t.Error("no directory is taken")
	}
	if err := os.RemoveAll(filepath.Join(dir, "box")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "box"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Send(t.Context(), note()); ludgate.AsError(err).Kind != ludgate.Unavailable || ludgate.AsError(err).Code != "MailUnavailable" {
		t.Errorf("directory gone: %v", err)
	}
}
