//go:build linux

package image

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestExtendedAttributes(t *testing.T) {
	capability := "\x01\x00\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // cap_net_bind_service+ep
	e := file("f", "x")
	e.pax = map[string]string{
		"SCHILY.xattr.security.capability":    capability,
		"SCHILY.xattr.user.note":              "kept",
		"SCHILY.xattr.user.overlay.redirect":  "/etc",
		"SCHILY.xattr.trusted.overlay.opaque": "y",
		"SCHILY.xattr.security.selinux":       "x",
	}
	d := dir("d/")
	d.pax = map[string]string{"SCHILY.xattr.user.overlay.opaque": "y", "SCHILY.xattr.trusted.overlay.opaque": "y"}
	readOnly := entry{name: "r", body: "x", mode: 0o444, pax: map[string]string{"SCHILY.xattr.user.note": "kept by root"}}
	s := openStore(t, t.TempDir(), quick)
	layers, err := install(t, s, imageOf(t, tarOf(t, e, d, readOnly)))
	if err != nil {
		t.Fatal(err)
	}
	names := func(name string) []string {
		buf := make([]byte, 4096)
		n, err := unix.Llistxattr(filepath.Join(layers[0], name), buf)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, name := range strings.Split(string(buf[:n]), "\x00") {
			if name != "" && name != "security.selinux" { // some systems give every file one
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	want := []string{"user.note"}
	if !s.UserXattr() {
		want = []string{"security.capability", "user.note"}
	}
	if got := names("f"); !slices.Equal(got, want) {
		t.Errorf("attributes of the file: %v, want %v", got, want)
	}
	if got := names("d"); len(got) > 0 {
		t.Errorf("attributes of the directory: %v", got)
	}
}

// whiteoutLayers is an image in which the upper layer removes and replaces.
func whiteoutLayers(t *testing.T) *testImage {
	return imageOf(t,
		tarOf(t, file("gone", "1"), file("kept", "2"), dir("gonedir/"), file("gonedir/x", "3"),
			dir("opaque/"), file("opaque/old", "4"), dir("replaced/"), file("replaced/old", "5"),
			dir("replacedbefore/"), file("replacedbefore/old", "6"), entry{name: "closed/", mode: 0o711, uid: 0}, file("closed/a", "7"),
			symlink("link", "opaque")),
		tarOf(t, file(".wh.gone", ""), file(".wh.gonedir", ""), file("opaque/.wh..wh..opq", ""), file("opaque/new", "n"),
			file(".wh.replaced", ""), dir("replaced/"), file("replaced/new", "n"),
			dir("replacedbefore/"), file("replacedbefore/new", "n"), file(".wh.replacedbefore", ""),
			file("closed/b", "8"), file("kept2", ""), file(".wh.kept2", ""),
			// Deletions of what is not there, in and outside merged directories.
			file("own/.wh.x", ""), file("opaque/.wh.old", ""), file("closed/.wh.x", "")))
}

const afterWhiteouts = `drwx--x--x closed
-rw-r--r-- closed/a "7"
-rw-r--r-- closed/b "8"
-rw-r--r-- kept "2"
-rw-r--r-- kept2 ""
Lrwxrwxrwx link -> opaque
drwxr-xr-x opaque
-rw-r--r-- opaque/new "n"
drwxr-xr-x own
drwxr-xr-x replaced
-rw-r--r-- replaced/new "n"
drwxr-xr-x replacedbefore
-rw-r--r-- replacedbefore/new "n"
`

// TestWhiteoutsThroughOverlay mounts what was unpacked, as an engine does.
func TestWhiteoutsThroughOverlay(t *testing.T) {
	needRoot(t)
	s := openStore(t, t.TempDir(), quick)
	layers, err := install(t, s, whiteoutLayers(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := tree(t, mountLayers(t, layers)); got != afterWhiteouts {
		t.Errorf("got:\n%swant:\n%s", got, afterWhiteouts)
	}
}

// mountLayers mounts layers read-only and gives the mount point.
func mountLayers(t *testing.T, layers []string) string {
	t.Helper()
	reversed := slices.Clone(layers)
	slices.Reverse(reversed)
	if len(reversed) == 1 {
		reversed = append(reversed, t.TempDir())
	}
	at := t.TempDir()
	if err := unix.Mount("overlay", at, "overlay", unix.MS_RDONLY, "lowerdir="+strings.Join(reversed, ":")); err != nil {
		t.Skipf("overlay cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
	return at
}

func TestOwners(t *testing.T) {
	needRoot(t)
	s := openStore(t, t.TempDir(), quick)
	layers, err := install(t, s, imageOf(t,
		tarOf(t, entry{name: "home/", uid: 1234, mode: 0o750}, entry{name: "home/f", uid: 99}),
		tarOf(t, file("home/g", ""))))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		layer int
		name  string
		uid   uint32
		mode  uint32
	}{{0, "home", 1234, 0o750}, {0, "home/f", 99, 0o644}, {1, "home", 1234, 0o750}, {1, "home/g", 0, 0o644}} {
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(layers[tt.layer], tt.name), &st); err != nil {
			t.Fatal(err)
		}
		if st.Uid != tt.uid || st.Mode&0o7777 != tt.mode {
			t.Errorf("%s of layer %d: owner %d, mode %o, want %d and %o", tt.name, tt.layer, st.Uid, st.Mode&0o7777, tt.uid, tt.mode)
		}
	}
	var st unix.Stat_t
	if err := unix.Lstat(filepath.Join(layers[0], "home/f"), &st); err != nil || st.Mtim.Sec != 1000000000 {
		t.Errorf("time of the file: %v, %v", time.Unix(st.Mtim.Sec, 0), err)
	}
}
