package ticket

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// states is what the keys of a ring do, the newest first.
func states(t *testing.T, dir string, now time.Time) string {
	t.Helper()
	keys, err := Keys(dir, FileName, now)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, k := range keys {
		words = append(words, string(k.State))
	}
	return strings.Join(words, " ")
}

func rotate(t *testing.T, dir string, now time.Time) Rotation {
	t.Helper()
	r, err := Rotate(dir, FileName, now, RotationDelay)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRotateByTheClock(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	if _, err := OpenRing(dir, FileName, c.get); err != nil {
		t.Fatal(err)
	}
	start := c.now
	for _, step := range []struct {
		at     time.Duration
		rotate bool
		want   string
	}{
		{0, false, "signing"},
		{time.Hour, true, "waiting signing"},
		{time.Hour + 9*time.Second, false, "waiting signing"},
		{time.Hour + 11*time.Second, false, "signing checking"},
		{2 * time.Hour, true, "waiting signing checking"},
		{3 * time.Hour, false, "signing checking checking"},
		{26 * time.Hour, false, "signing checking checking"}, // the first key signed until an hour and some seconds
		{26*time.Hour + time.Minute, false, "signing checking retired"},
		{27*time.Hour + time.Minute, false, "signing retired retired"},
		{28 * time.Hour, true, "waiting signing"},
	} {
		c.now = start.Add(step.at)
		if step.rotate {
			rotate(t, dir, c.now)
		}
		if got := states(t, dir, c.now); got != step.want {
			t.Errorf("after %v: %s, want %s", step.at, got, step.want)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, FileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info, err)
	}
}

// TestRotationSignsNobodyOut: over weeks of daily rotations each proof is good
// for its whole life on two servers, one of which notices two seconds late, and
// no server meets a key it does not know.
func TestRotationSignsNobodyOut(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	open := func() (*Ring, *Issuer) {
		r, err := OpenRing(dir, FileName, c.get)
		if err != nil {
			t.Fatal(err)
		}
		return r, NewIssuer(r, c.get)
	}
	one, issuerOne := open()
	two, issuerTwo := open()
	type proof struct {
		text string
		ends time.Time
	}
	var proofs []proof
	check := func(what string) {
		t.Helper()
		proofs = append(proofs, proof{issuerOne.Session(ann), c.now.Add(Lifetime)}, proof{issuerTwo.Session(ann), c.now.Add(Lifetime)})
		kept := proofs[:0]
		for _, p := range proofs {
			if !c.now.Before(p.ends.Add(-time.Millisecond)) {
				continue
			}
			kept = append(kept, p)
			for n, i := range []*Issuer{issuerOne, issuerTwo} {
				if _, err := i.CheckSession(p.text); err != nil {
					t.Fatalf("%s: server %d: a proof that is good until %v: %v", what, n+1, p.ends, err)
				}
			}
		}
		proofs = kept
	}
	dropped := 0
	for day := range 10 {
		check("before the rotation")
		r := rotate(t, dir, c.now)
		dropped += len(r.Dropped)
		if r.Added.State != Waiting || r.Added.From.Before(c.now.Add(RotationDelay)) {
			t.Fatalf("day %d: the new key is %+v", day, r.Added)
		}
		check("nobody has noticed")
		reload := func(r *Ring) {
			t.Helper()
			if err := r.Reload(); err != nil {
				t.Fatal(err)
			}
		}
		reload(one)
		check("one has noticed")
		c.now = c.now.Add(2 * time.Second)
		reload(two)
		check("both have noticed")
		before := issuerOne.Session(ann)
		c.now = r.Added.From
		check("the new key signs")
		if after := issuerOne.Session(ann); after[17:22] == before[17:22] { // the key's id
			t.Errorf("day %d: the key that signs is still the old one", day)
		}
		for range 24 {
			c.now = c.now.Add(time.Hour)
			check("during the day")
		}
	}
	if dropped < 7 {
		t.Errorf("%d keys were dropped in ten days", dropped)
	}
}

func TestRotateRefused(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	refused := func(what, want string, delay time.Duration) {
		t.Helper()
		if _, err := Rotate(dir, FileName, c.now, delay); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", what, err, want)
		}
	}
	refused("no ring", "made when a server first starts", RotationDelay)
	if _, err := Keys(dir, FileName, c.now); err == nil || !strings.Contains(err.Error(), "made when a server first starts") {
		t.Errorf("no ring: %v", err)
	}
	if _, err := OpenRing(dir, FileName, c.get); err != nil {
		t.Fatal(err)
	}
	refused("too soon", "at least 10s", RotationDelay-1)
	rotate(t, dir, c.now)
	refused("again at once", "rotated just now", RotationDelay)
	for range mostKeys - 2 {
		c.now = c.now.Add(time.Minute)
		rotate(t, dir, c.now)
	}
	c.now = c.now.Add(time.Minute)
	refused("very often", "which is the most", RotationDelay)
	if got := len(strings.Fields(states(t, dir, c.now))); got != mostKeys {
		t.Errorf("%d keys, want %d", got, mostKeys)
	}
	if err := os.Chmod(filepath.Join(dir, FileName), 0o644); err != nil {
		t.Fatal(err)
	}
	refused("readable by others", "chmod 600", RotationDelay)
}

// TestKeysOfUnknownAge: where nobody wrote down when a key began to sign, what it
// superseded is kept until a later key's time says that it can go.
func TestKeysOfUnknownAge(t *testing.T) {
	now := newClock().now
	f := ringFile{Keys: []keyFile{{ID: "00000003"}, {ID: "00000002"}, {ID: "00000001", Created: now.Add(-1000 * time.Hour)}}}
	last := func() KeyState { return f.describe(now)[len(f.Keys)-1].State }
	if got := last(); got != Checking {
		t.Errorf("superseded at an unknown time: %s", got)
	}
	f.Keys = append([]keyFile{{ID: "00000004", Created: now.Add(-100 * time.Hour)}}, f.Keys...)
	if got := last(); got != Retired {
		t.Errorf("superseded before a key that signs for four days: %s", got)
	}
	// A clock that went back: the oldest key signs.
	f.Keys = []keyFile{{ID: "00000002", Activates: now.Add(time.Hour)}, {ID: "00000001", Activates: now.Add(time.Minute)}}
	if got := f.describe(now); got[0].State != Waiting || got[1].State != Signing {
		t.Errorf("before every key's time: %+v", got)
	}
}

// TestOneFirstStart: servers that start together on an empty directory have one
// ring.
func TestOneFirstStart(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	proofs := make([]string, 8)
	for n := range proofs {
		wg.Go(func() {
			r, err := OpenRing(dir, FileName, newClock().get)
			if err != nil {
				t.Error(err)
				return
			}
			proofs[n] = NewIssuer(r, newClock().get).Session(ann)
		})
	}
	wg.Wait()
	r, err := OpenRing(dir, FileName, newClock().get)
	if err != nil {
		t.Fatal(err)
	}
	for n, p := range proofs {
		if _, err := NewIssuer(r, newClock().get).CheckSession(p); err != nil {
			t.Errorf("server %d: %v", n, err)
		}
	}
}

// lines is a log that can be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Reset forgets what was logged.
func (l *lines) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}

// TestWatch: a running server knows a rotation within two seconds, survives a
// broken file, and picks up again when it is whole.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(dir, FileName)
		ring, err := OpenRing(dir, FileName, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		log := &lines{}
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { ring.Watch(ctx, slog.New(slog.NewTextHandler(log, nil))) })
		defer work.Wait()
		defer stop()
		keys := func() int { return len(*ring.keys.Load()) }
		wait := func() { time.Sleep(2 * time.Second); synctest.Wait() }

		wait()
		if log.String() != "" {
			t.Errorf("read again although nothing changed: %s", log)
		}
		issuer := NewIssuer(ring, time.Now)
		before := issuer.Session(ann)
		rotate(t, dir, time.Now())
		wait()
		if keys() != 2 {
			t.Fatalf("%d keys two seconds after the rotation", keys())
		}
		time.Sleep(RotationDelay)
		if _, err := issuer.CheckSession(before); err != nil {
			t.Errorf("after the rotation: %v", err)
		}

		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log.Reset()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		wait()
		wait()
		if err := ring.Reload(); err == nil || keys() != 2 {
			t.Errorf("without a file: %v, %d keys", err, keys())
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
			t.Errorf("%d errors in the log, want 1: %s", n, log)
		}
		if err := os.WriteFile(path, whole[:20], 0o600); err != nil {
			t.Fatal(err)
		}
		wait()
		if n := strings.Count(log.String(), "level=ERROR"); n != 2 || keys() != 2 {
			t.Errorf("a broken file: %d errors, want 2, %d keys: %s", n, keys(), log)
		}
		if _, err := issuer.CheckSession(issuer.Session(ann)); err != nil {
			t.Errorf("while the file is broken: %v", err)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		wait()
		if keys() != 2 || !strings.Contains(log.String(), "level=INFO") {
			t.Errorf("whole again: %d keys, %s", keys(), log)
		}
	})
	if _, err := OpenRing(dir, "none/"+FileName, newClock().get); err != nil {
		t.Errorf("a directory that is made: %v", err)
	}
	if err := (&Ring{path: filepath.Join(dir, "absent")}).Reload(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestRotateWhileSealing: proofs are made and checked while the ring changes.
func TestRotateWhileSealing(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	r, err := OpenRing(dir, FileName, c.get)
	if err != nil {
		t.Fatal(err)
	}
	i := NewIssuer(r, c.get)
	done := make(chan struct{})
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := i.CheckSession(i.Session(ann)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range 10 {
		rotate(t, dir, c.now.Add(time.Duration(n)*time.Minute))
		if err := r.Reload(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	work.Wait()
}
