package rootfs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ludgate/internal/engine/native/layout"
)

func TestRelative(t *testing.T) {
	for _, tc := range []struct {
		layers       []string
		above, lower string
	}{
		{[]string{"/a/layers/x/fs"}, "/a/layers", "x/fs"}, // the image store must see which layer it is
		{[]string{"/a/layers/x/fs", "/a/layers/y/fs"}, "/a/layers", "y/fs:x/fs"},
		{[]string{"/a/b/c", "/a/bc/d"}, "/a", "bc/d:b/c"},
		{[]string{"/a/b", "/c/d"}, "/", "c/d:a/b"},
		{[]string{"/b/a/x:y", `/b/a/z,\`}, "/b", `a/z\,\\:a/x\:y`},
	} {
		above, lower, err := relative(tc.layers)
		if err != nil || above != tc.above || lower != tc.lower {
			t.Errorf("%q: got %q %q %v, want %q %q", tc.layers, above, lower, err, tc.above, tc.lower)
		}
	}
}

func TestMountLaysLayersOverEachOther(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root: only it may mount")
	}
	dir := filepath.Join(t.TempDir(), "odd: name, with \\ all")
	var layers []string
	// As many as an image may have.
	for i := range 125 {
		layer := filepath.Join(dir, "layers", fmt.Sprintf("%026d", i), "fs")
		if err := os.MkdirAll(layer, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"top", fmt.Sprintf("own-%d", i)} {
			if err := os.WriteFile(filepath.Join(layer, name), []byte(fmt.Sprint(i)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		layers = append(layers, layer)
	}
	for name, layers := range map[string][]string{"many": layers, "one": layers[:1], "none": nil} {
		t.Run(name, func(t *testing.T) {
			run := layout.Run{Dir: filepath.Join(dir, name)}
			if err := os.Mkdir(run.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := Mount(run, layers, false); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := Unmount(run); err != nil {
					t.Error(err)
				}
				if err := Unmount(run); err != nil {
					t.Errorf("unmounting what is not mounted: %v", err)
				}
			}()
			if err := os.WriteFile(filepath.Join(run.Root(), "written"), nil, 0o644); err != nil {
				t.Error(err)
			}
			if st, err := os.Stat(run.Root()); err != nil || st.Mode().Perm() != 0o755 {
				t.Errorf("the root: %v %v", st.Mode(), err)
			}
			if len(layers) == 0 {
				return
			}
			last := len(layers) - 1
			got, err := os.ReadFile(filepath.Join(run.Root(), "top"))
			if err != nil || string(got) != fmt.Sprint(last) {
				t.Errorf("the top layer does not win: %q %v", got, err)
			}
			if _, err := os.Stat(filepath.Join(run.Root(), "own-0")); err != nil {
				t.Errorf("the lowest layer is not there: %v", err)
			}
			if _, err := os.Stat(filepath.Join(layers[last], "written")); err == nil {
				t.Error("a layer was written to")
			}
		})
	}
}
