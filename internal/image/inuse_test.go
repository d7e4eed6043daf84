//go:build linux

package image

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMountedLayersStay: what a container runs on is not collected, also by a
// process that knows nothing of the container.
func TestMountedLayersStay(t *testing.T) {
	needRoot(t)
	for _, byDescriptor := range []bool{false, true} {
		t.Run(fmt.Sprintf("by descriptor=%v", byDescriptor), func(t *testing.T) {
			f := newFakeRegistry(t)
			f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
			root := t.TempDir()
			s, err := Open(root, quick)
			if err != nil {
				t.Fatal(err)
			}
			img := mustPull(t, s, f.ref("a:1"))
			if err := os.Remove(s.referenceFile(f.ref("a:1"))); err != nil {
				t.Fatal(err)
			}
			s.Close()

			t.Run("mounted", func(t *testing.T) {
				layers := img.Layers
				if byDescriptor {
					d, err := os.Open(img.Layers[0])
					if err != nil {
						t.Fatal(err)
					}
					defer d.Close()
					layers = []string{fmt.Sprintf("/proc/self/fd/%d", d.Fd())}
				}
				at := mountLayers(t, layers)
				s := openStore(t, root, quick)
				defer s.Close()
				if data, err := os.ReadFile(filepath.Join(at, "f")); err != nil || string(data) != "x" {
					t.Errorf("the container reads %q, %v", data, err)
				}
				if _, err := os.Stat(img.Layers[0]); err != nil {
					t.Error(err)
				}
			})
			// Another program's mounts that do not tell their layers keep all of
			// them; they come and go.
			hidden := false
			for range 20 {
				hidden = hidden || anythingMountedByDescriptor(t)
				openStore(t, root, quick)
				if _, err := os.Stat(img.Layers[0]); errors.Is(err, os.ErrNotExist) {
					return
				}
				hidden = hidden || anythingMountedByDescriptor(t)
				time.Sleep(20 * time.Millisecond)
			}
			if hidden {
				t.Skip("another program's overlay mounts do not tell their layers")
			}
			t.Error("unmounted, the layer is still there")
		})
	}
}

// anythingMountedByDescriptor reports whether this machine has mounts that hide
// their layers, so that nothing is collected here.
func anythingMountedByDescriptor(t *testing.T) bool {
	t.Helper()
	u, err := mountedLayers()
	if err != nil {
		t.Fatal(err)
	}
	return u.any
}
