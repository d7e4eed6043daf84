//go:build linux

package image

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDiskFull: a full disk is a fault of this machine, not of the image, and
// leaves nothing behind that would keep it full.
func TestDiskFull(t *testing.T) {
	needRoot(t)
	f := newFakeRegistry(t)
	f.put(t, "1", imageOf(t, tarOf(t, file("small", "x")), tarOf(t, file("large", strings.Repeat("x", 2<<20)))))
	at := t.TempDir()
	if err := unix.Mount("tmpfs", at, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("tmpfs cannot be mounted here: %v", err)
	}
	s := openStore(t, at, quick)
	t.Cleanup(func() {
		s.Close()
		if err := unix.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
	e := pullError(t, s, f.ref("a:1"))
	if e.Permanent || !errors.Is(e, unix.ENOSPC) {
		t.Errorf("permanent = %v, %v", e.Permanent, e)
	}
	if err := s.Prepare(context.Background()); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Prepare: %v", err)
	}
	if left := listDir(t, filepath.Join(s.dir, "tmp")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_REMOUNT, "size=100m"); err != nil {
		t.Fatal(err)
	}
	mustPull(t, s, f.ref("a:1"))
	mustPull(t, s, Builtin)
}
