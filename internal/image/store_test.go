package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestListAndRemove(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	opt := quick
	opt.Clock = func() time.Time { return now }
	f := newFakeRegistry(t)
	base := tarOf(t, file("base", "12345"))
	f.put(t, "1", imageOf(t, base))
	f.put(t, "2", imageOf(t, base, tarOf(t, file("own", "123"))))
	s := openStore(t, t.TempDir(), opt)
	s.mounted = func() (*usage, error) { return &usage{}, nil } // whatever runs on this machine
	ctx := context.Background()
	if infos, err := s.List(ctx); err != nil || len(infos) != 0 {
		t.Errorf("empty store: %v, %v", infos, err)
	}
	one, two := mustPull(t, s, f.ref("a:1")), mustPull(t, s, f.ref("a:2"))
	same := mustPull(t, s, f.ref("b@"+two.Digest))
	if !same.Cached {
		t.Error("a digest that is here was fetched again")
	}
	infos, err := s.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{{f.ref("a:1"), one.Digest, 5, now}, {f.ref("a:2"), two.Digest, 8, now}}
	if fmt.Sprint(infos) != fmt.Sprint(want) {
		t.Errorf("List:\n%v, want\n%v", infos, want)
	}

	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	if err := s.Remove(ctx, f.ref("a:2")); err != nil {
		t.Fatal(err)
	}
	if !exists(two.Layers[1]) {
		t.Error("a layer went while its taker may be about to mount it")
	}
	now = now.Add(time.Hour)
	if err := s.Remove(ctx, f.ref("a:2")); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if err := s.collect(); err != nil {
		t.Fatal(err)
	}
	if exists(two.Layers[1]) || !exists(two.Layers[0]) {
		t.Errorf("own layer there: %v, shared layer there: %v", exists(two.Layers[1]), exists(two.Layers[0]))
	}
	if img := mustPull(t, s, f.ref("a:2")); img.Cached || len(img.Layers) != 2 {
		t.Errorf("after removal: %+v", img)
	}
	if err := s.Remove(ctx, "no/such:image"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Remove of the unknown: %v", err)
	}
	if err := s.Remove(ctx, "BAD REFERENCE"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("Remove of the malformed: %v", err)
	}
}

// TestOtherProcessPulls: a store that opens while another is at work takes
// nothing away from it.
func TestOtherProcessPulls(t *testing.T) {
	f := newFakeRegistry(t)
	img := imageOf(t, tarOf(t, file("f", "x")), tarOf(t, file("g", "y")))
	f.put(t, "1", img)
	root := t.TempDir()
	s := openStore(t, root, quick)
	var others atomic.Int64
	f.before = newHook(func(path string) {
		if strings.Contains(path, "/blobs/") {
			other, err := Open(root, quick)
			if err != nil {
				t.Error(err)
				return
			}
			others.Add(1)
			other.Close()
		}
	})
	mustPull(t, s, f.ref("a:1"))
	if others.Load() == 0 {
		t.Error("no other store was opened")
	}
}

// TestReopen: an image is whole after a restart, and files that are no records do
// no harm.
func TestReopen(t *testing.T) {
	needLinux(t)
	f := newFakeRegistry(t)
	f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
	root := t.TempDir()
	s, err := Open(root, quick)
	if err != nil {
		t.Fatal(err)
	}
	img := mustPull(t, s, f.ref("a:1"))
	s.Close()
	for _, junk := range []string{"tmp/layer-1/fs/x", "tmp/blob-1", "refs/junk.json", "images/junk.json", "layers/junk/fs/x"} {
		path := filepath.Join(root, junk)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, root, quick)
	if again := mustPull(t, s, f.ref("a:1")); !again.Cached || again.Layers[0] != img.Layers[0] {
		t.Errorf("after reopening: %+v", again)
	}
	if left := listDir(t, filepath.Join(root, "tmp")); len(left) > 0 {
		t.Errorf("tmp holds %v", left)
	}
	if infos, err := s.List(context.Background()); err != nil || len(infos) != 1 {
		t.Errorf("List: %v, %v", infos, err)
	}
	// A layer that went missing makes the image absent, not broken.
	if err := os.RemoveAll(filepath.Dir(img.Layers[0])); err != nil {
		t.Fatal(err)
	}
	if again := mustPull(t, s, f.ref("a:1")); again.Cached {
		t.Error("an image without its layer counts as present")
	}
}

func TestOpenMakesPrivateDirectory(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(root, 0o777); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, root, Options{})
	for _, d := range []string{"", "layers", "refs", "images", "tmp"} {
		if info, err := os.Stat(filepath.Join(s.dir, d)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%q: %v, %v", d, info, err)
		}
	}
	if _, err := Open(filepath.Join(writeFileOf(t, "f", nil), "x"), Options{}); err == nil {
		t.Error("a store opened inside a file")
	}
}

// TestKilled kills a process again and again while it brings images in. Whatever
// the moment, the store opens, and an image it has is whole.
func TestKilled(t *testing.T) {
	if os.Getenv("LUDGATE_TEST_IMAGE_DIR") != "" {
		s, err := Open(os.Getenv("LUDGATE_TEST_IMAGE_DIR"), quick)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("started")
		for _, ref := range strings.Split(os.Getenv("LUDGATE_TEST_IMAGE_REFS"), " ") {
			mustPull(t, s, ref)
		}
		fmt.Println("finished")
		return
	}
	needLinux(t)
	f := newFakeRegistry(t)
	var refs []string
	var layers [][]byte
	for i := range 6 {
		var entries []entry
		for j := range 30 {
			entries = append(entries, file(fmt.Sprintf("d%d/f%d", i, j), strings.Repeat("x", 1000)))
		}
		layers = append(layers, tarOf(t, entries...))
		f.put(t, fmt.Sprint(i), imageOf(t, layers...))
		refs = append(refs, f.ref(fmt.Sprintf("a:%d", i)))
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	rounds, whole, finished := 40, 0, 0
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		cmd := exec.Command(exe, "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "LUDGATE_TEST_IMAGE_DIR="+root, "LUDGATE_TEST_IMAGE_REFS="+strings.Join(refs, " "))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, len("started"))
		if n, err := out.Read(buf); err != nil || string(buf[:n]) != "started" {
			t.Fatalf("the child says %q, %v", buf[:n], err)
		}
		time.Sleep(time.Duration(round) * 400 * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if cmd.Wait() == nil {
			finished++
		}

		s, err := Open(root, quick)
		if err != nil {
			t.Fatal(err)
		}
		infos, err := s.List(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			whole++
			img := mustPull(t, s, info.Reference)
			if !img.Cached {
				t.Errorf("%s is listed but not whole", info.Reference)
			}
			for i, l := range img.Layers {
				if n := strings.Count(tree(t, l), strings.Repeat("x", 1000)); n != 30 {
					t.Errorf("round %d: layer %d of %s has %d files", round, i, info.Reference, n)
				}
			}
		}
		if left := listDir(t, filepath.Join(root, "tmp")); len(left) > 0 {
			t.Errorf("tmp holds %v", left)
		}
		s.Close()
		if round%3 == 2 { // from the start again
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d kills, %d of them too late; %d images checked", rounds, finished, whole)
}
