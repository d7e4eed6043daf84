//go:build linux

package image

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// memory is a source that a test holds.
type memory map[v1.Hash][]byte

func (m memory) manifest(_ context.Context, d v1.Descriptor) ([]byte, error) { return m[d.Digest], nil }
func (m memory) blob(_ context.Context, d v1.Descriptor) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(m[d.Digest])), nil
}

// install brings an image in without a registry and gives its layers.
func install(t testing.TB, s *Store, img *testImage) ([]string, error) {
	t.Helper()
	raw := img.raw(t)
	r, err := s.install(context.Background(), memory(img.blobs), raw, v1.Descriptor{})
	if err != nil {
		return nil, err
	}
	return s.image("", r, false).Layers, nil
}

// guarded makes a store inside a directory with neighbours that nothing may
// touch.
func guarded(t *testing.T, opt Options) (s *Store, intact func()) {
	t.Helper()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(outside, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, filepath.Join(outside, "store"), opt)
	neighbours := func() string {
		var b strings.Builder
		for _, name := range []string{"secret", "empty"} {
			fmt.Fprint(&b, tree(t, outside)[:0])
			info, err := os.Lstat(filepath.Join(outside, name))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&b, name, info.Mode(), info.ModTime(), info.Sys().(*syscall.Stat_t).Nlink)
		}
		for _, d := range []string{outside, filepath.Join(outside, "empty"), filepath.Join(outside, "store"), filepath.Join(outside, "store", "layers")} {
			for _, name := range listDir(t, d) {
				if len(name) != layerIDLength {
					fmt.Fprintln(&b, d, name)
				}
			}
		}
		data, err := os.ReadFile(secret)
		if err != nil {
			t.Fatal(err)
		}
		return b.String() + string(data)
	}
	before := neighbours()
	return s, func() {
		t.Helper()
		if after := neighbours(); after != before {
			t.Errorf("outside the layer, before:\n%s\nafter:\n%s", before, after)
		}
		if left := listDir(t, filepath.Join(s.dir, "tmp")); len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
	}
}

func TestUnpack(t *testing.T) {
	up := strings.Repeat("../", 12)
	tests := []struct {
		name    string
		entries []entry
		want    string // tree; of an error, its words
		fails   bool
	}{
		{name: "nothing", want: ""},
		{
			name:    "files, modes, links",
			entries: []entry{dir("bin/"), {name: "bin/su", body: "s", mode: 0o4755}, {name: "bin/sudo", kind: tar.TypeLink, link: "bin/su", mode: 0o4755}, symlink("bin/link", "su"), {name: "tmp/", mode: 0o1777}, {name: "fifo", kind: tar.TypeFifo}},
			want:    "drwxr-xr-x bin\nLrwxrwxrwx bin/link -> su\nurwxr-xr-x bin/su \"s\"\nurwxr-xr-x bin/sudo \"s\"\nprw-r--r-- fifo\ndtrwxrwxrwx tmp\n",
		},
		{name: "directories that nothing describes", entries: []entry{file("a/b/c", "x")}, want: "drwxr-xr-x a\ndrwxr-xr-x a/b\n-rw-r--r-- a/b/c \"x\"\n"},
		{name: "the last entry of a name wins", entries: []entry{file("a", "1"), dir("a/"), file("a/b", "2"), file("a", "3")}, want: "-rw-r--r-- a \"3\"\n"},
		{name: "absolute names", entries: []entry{file("/etc/x", "x")}, want: "drwxr-xr-x etc\n-rw-r--r-- etc/x \"x\"\n"},
		{name: "dots inside", entries: []entry{file("a/./b/../c", "x")}, want: "drwxr-xr-x a\n-rw-r--r-- a/c \"x\"\n"},
		{name: "the root itself", entries: []entry{{name: "./", mode: 0o700}, file("a", "x")}, want: "-rw-r--r-- a \"x\"\n"},
		{name: "name that leaves", entries: []entry{file(up+"secret", "evil")}, want: "leaves the image", fails: true},
		{name: "name that leaves late", entries: []entry{file("a/../"+up+"secret", "evil")}, want: "leaves the image", fails: true},
		{
			name:    "through an absolute symlink",
			entries: []entry{symlink("out", "/"), file("out/tmp/x", "x")},
			want:    "Lrwxrwxrwx out -> /\ndrwxr-xr-x tmp\n-rw-r--r-- tmp/x \"x\"\n",
		},
		{
			name:    "through a relative symlink",
			entries: []entry{symlink("out", up), file("out/x", "x")},
			want:    "Lrwxrwxrwx out -> " + up + "\n-rw-r--r-- x \"x\"\n",
		},
		{
			name:    "through a chain of symlinks",
			entries: []entry{symlink("a", ".."), symlink("b", "a/.."), symlink("c", "b/../.."), file("c/x", "x")},
			want:    "Lrwxrwxrwx a -> ..\nLrwxrwxrwx b -> a/..\nLrwxrwxrwx c -> b/../..\n-rw-r--r-- x \"x\"\n",
		},
		{name: "symlinks in a circle", entries: []entry{symlink("a", "b"), symlink("b", "a"), file("a/x", "x")}, want: "too many", fails: true},
		{
			name:    "a file written over a symlink",
			entries: []entry{symlink("out", up+"secret"), file("out", "evil")},
			want:    "-rw-r--r-- out \"evil\"\n",
		},
		{
			name:    "a directory over a symlink",
			entries: []entry{symlink("out", up+"empty"), dir("out/"), file("out/x", "evil")},
			want:    "drwxr-xr-x out\n-rw-r--r-- out/x \"evil\"\n",
		},
		{name: "hard link that leaves", entries: []entry{hardlink("x", up+"secret")}, want: "no such file", fails: true},
		{name: "absolute hard link", entries: []entry{hardlink("x", "/etc/hostname")}, want: "no such file", fails: true},
		{
			name:    "hard link through a symlink",
			entries: []entry{symlink("out", "/"), hardlink("x", "out/etc/passwd")},
			want:    "no such file", fails: true,
		},
		{
			name:    "hard link to a symlink links the symlink",
			entries: []entry{symlink("out", "/etc/passwd"), hardlink("x", "out"), {name: "x", body: "evil"}},
			want:    "Lrwxrwxrwx out -> /etc/passwd\n-rw-r--r-- x \"evil\"\n",
		},
		{
			name:    "devices are left out",
			entries: []entry{{name: "sda", kind: tar.TypeBlock}, {name: "dev/mem", kind: tar.TypeChar}, file("a", "x")},
			want:    "-rw-r--r-- a \"x\"\n",
		},
		{
			name:    "notes of old union file systems are left out",
			entries: []entry{dir(".wh..wh.plnk/"), file(".wh..wh.aufs", ""), file("a", "x")},
			want:    "-rw-r--r-- a \"x\"\n",
		},
		{name: "whiteout of the directory itself", entries: []entry{file("a/.wh..", "")}, want: "whiteout", fails: true},
		{name: "whiteout of the parent", entries: []entry{file("a/.wh...", "")}, want: "whiteout", fails: true},
		{name: "whiteout of nothing", entries: []entry{file("a/.wh.", "")}, want: "whiteout", fails: true},
		{name: "owner that wraps around", entries: []entry{{name: "a", uid: 1 << 32}}, want: "no user and group", fails: true},
		{name: "negative owner", entries: []entry{{name: "a", uid: -1}}, want: "no user and group", fails: true},
		{name: "path above the limit", entries: []entry{file(strings.Repeat("a/", 2100)+"f", "x")}, want: "longer than the limit", fails: true},
		{name: "link above the limit", entries: []entry{symlink("a", strings.Repeat("b", 4097))}, want: "longer than the limit", fails: true},
		{name: "name of a file above the system's limit", entries: []entry{file(strings.Repeat("a", 300), "x")}, want: "file name too long", fails: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, intact := guarded(t, quick)
			layers, err := install(t, s, imageOf(t, tarOf(t, tt.entries...)))
			intact()
			if tt.fails {
				var permanent *permanentError
				if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &permanent) {
					t.Fatalf("got %v, want a permanent error with %q", err, tt.want)
				}
				if strings.Contains(err.Error(), s.dir) {
					t.Errorf("the error tells where the store is: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := tree(t, layers[0]); got != tt.want {
				t.Errorf("got:\n%swant:\n%s", got, tt.want)
			}
			if info, err := os.Stat(layers[0]); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("root of the layer: %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestUnpackLimits(t *testing.T) {
	small := quick
	small.Limits = Limits{Unpacked: 10_000, Entries: 20, Path: 100}
	many := func(n int, name string) []entry {
		var entries []entry
		for i := range n {
			entries = append(entries, file(fmt.Sprintf(name, i), ""))
		}
		return entries
	}
	sparse := file("sparse", "0\n0\n")
	sparse.pax = map[string]string{"GNU.sparse.major": "1"}
	tests := []struct {
		name   string
		layers [][]byte
		ok     bool
	}{
		{"as many bytes as allowed", [][]byte{tarOf(t, file("a", strings.Repeat("x", 10_000)))}, true},
		{"one byte more", [][]byte{tarOf(t, file("a", strings.Repeat("x", 10_001)))}, false},
		{"one byte more over two layers", [][]byte{tarOf(t, file("a", strings.Repeat("x", 5_000))), tarOf(t, file("a", strings.Repeat("x", 5_001)))}, false},
		{"as many files as allowed", [][]byte{tarOf(t, many(20, "f%d")...)}, true},
		{"one file more", [][]byte{tarOf(t, many(21, "f%d")...)}, false},
		{"directories that paths imply", [][]byte{tarOf(t, many(8, "a%d/b/c")...)}, false},
		{"over two layers", [][]byte{tarOf(t, many(11, "f%d")...), tarOf(t, many(11, "f%d")...)}, false},
		{"bytes after the archive", [][]byte{append(tarOf(t), make([]byte, 200_000)...)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, intact := guarded(t, small)
			_, err := install(t, s, imageOf(t, tt.layers...))
			intact()
			if tt.ok != (err == nil) {
				t.Fatalf("got %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "limits") {
				t.Errorf("got %v", err)
			}
			// What is there already counts as well.
			if _, again := install(t, s, imageOf(t, tt.layers...)); tt.ok != (again == nil) {
				t.Errorf("the second time: %v", again)
			}
		})
	}
}

// TestSparseBomb: a file whose header promises much more than its archive holds.
func TestSparseBomb(t *testing.T) {
	// A PAX sparse file, format 1.0, by hand: a map of no fragments, a real size
	// of 1 TiB.
	var buf bytes.Buffer
	header := func(name string, kind byte, size int) {
		h := make([]byte, 512)
		copy(h, name)
		copy(h[100:], "0000644\x00")
		copy(h[108:], "0000000\x00")
		copy(h[116:], "0000000\x00")
		copy(h[124:], fmt.Sprintf("%011o\x00", size))
		copy(h[136:], "00000000000\x00")
		h[156] = kind
		copy(h[257:], "ustar\x0000")
		copy(h[148:], "        ")
		sum := 0
		for _, b := range h {
			sum += int(b)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		buf.Write(h)
	}
	var pax strings.Builder
	for _, kv := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=bomb", "GNU.sparse.realsize=1099511627776"} {
		n := len(kv) + 2
		for n != len(fmt.Sprint(n))+len(kv)+2 {
			n = len(fmt.Sprint(n)) + len(kv) + 2
		}
		fmt.Fprintf(&pax, "%d %s\n", n, kv)
	}
	header("pax", 'x', pax.Len())
	buf.WriteString(pax.String())
	buf.Write(make([]byte, 512-pax.Len()))
	header("bomb", '0', 512)
	sparseMap := make([]byte, 512)
	copy(sparseMap, "0\n")
	buf.Write(sparseMap)
	buf.Write(make([]byte, 1024))
	if h, err := tar.NewReader(bytes.NewReader(buf.Bytes())).Next(); err != nil || h.Size != 1<<40 {
		t.Fatalf("the bomb is none: %+v, %v", h, err)
	}
	s, intact := guarded(t, quick)
	_, err := install(t, s, imageOf(t, buf.Bytes()))
	intact()
	if err == nil || !strings.Contains(err.Error(), "limits") {
		t.Errorf("got %v", err)
	}
}

func TestLayerContentIsChecked(t *testing.T) {
	good := tarOf(t, file("f", strings.Repeat("content ", 1000)))
	packed := gzipped(t, good)
	broken := slices.Clone(packed)
	broken[len(broken)/2] ^= 0xff
	badSum := slices.Clone(packed)
	badSum[len(badSum)-6] ^= 0xff
	tests := []struct {
		name string
		blob []byte
		diff v1.Hash
		want string // "": it is right
	}{
		{"gzip", packed, digestOf(good), ""},
		{"gzip in two members", append(gzipped(t, good[:512]), gzipped(t, good[512:])...), digestOf(good), ""},
		{"no compression", good, digestOf(good), ""},
		{"more after the archive's end", gzipped(t, append(slices.Clone(good), "tail"...)), digestOf(append(slices.Clone(good), "tail"...)), ""},
		{"more after the archive's end, not in the diff id", gzipped(t, append(slices.Clone(good), "tail"...)), digestOf(good), "image configuration says"},
		{"another diff id", packed, digestOf([]byte("x")), "image configuration says"},
		{"diff id of the compressed form", packed, digestOf(packed), "image configuration says"},
		{"broken gzip", broken, digestOf(good), "layer sha256:"},
		{"wrong checksum in gzip", badSum, digestOf(good), "gzip: invalid checksum"},
		{"cut off gzip", packed[:len(packed)-20], digestOf(good), "unexpected EOF"},
		{"cut off tar", gzipped(t, good[:2000]), digestOf(good[:2000]), "unexpected EOF"},
		{"garbage after gzip", append(slices.Clone(packed), "garbage"...), digestOf(good), "layer sha256:"},
		{"no tar", gzipped(t, bytes.Repeat([]byte("no tar "), 500)), digestOf(bytes.Repeat([]byte("no tar "), 500)), "invalid tar header"},
		{"bzip2", []byte("BZh91AY&SY"), digestOf(good), "only gzip and zstd"},
		{"broken zstd", []byte("\x28\xb5\x2f\xfd\x04\x00garbage"), digestOf(good), "layer sha256:"},
		{"empty blob", nil, digestOf(nil), ""},
	}
	var z bytes.Buffer
	w, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(good)
	w.Close()
	tests = append(tests, struct {
		name string
		blob []byte
		diff v1.Hash
		want string
	}{"zstd", z.Bytes(), digestOf(good), ""})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, intact := guarded(t, quick)
			img := imageOf(t)
			img.add(t, tt.blob, tt.diff)
			layers, err := install(t, s, img)
			intact()
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if len(tt.blob) > 0 && !strings.Contains(tree(t, layers[0]), "content content") {
					t.Errorf("layer: %s", tree(t, layers[0]))
				}
				return
			}
			var permanent *permanentError
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &permanent) {
				t.Errorf("got %v, want a permanent error with %q", err, tt.want)
			}
			if left := listDir(t, filepath.Join(s.dir, "layers")); len(left) > 0 {
				t.Errorf("a layer was published: %v", left)
			}
		})
	}
}

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

// FuzzUnpack feeds archives of any content to the unpacker: whatever happens,
// nothing outside the layer changes and nothing half-done stays.
func FuzzUnpack(f *testing.F) {
	up := strings.Repeat("../", 12)
	f.Add(tarOf(f, file("a/b", "x"), symlink("l", "/"), file("l/tmp/evil", "x")))
	f.Add(tarOf(f, symlink("l", up+"secret"), hardlink("h", "l"), file("h", "evil"), file("l", "evil")))
	f.Add(tarOf(f, file(up+"secret", "x"), hardlink("h", up+"secret")))
	f.Add(tarOf(f, file("d/.wh.x", ""), file("d/.wh..wh..opq", ""), file(".wh...", "")))
	f.Add(tarOf(f, entry{name: "p", pax: map[string]string{"SCHILY.xattr.user.a": "b"}}, entry{name: "c", kind: tar.TypeChar}))
	outside := f.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("untouched"), 0o600); err != nil {
		f.Fatal(err)
	}
	opt := quick
	opt.Limits = Limits{Unpacked: 1 << 20, Entries: 200}
	s := openStore(f, filepath.Join(outside, "store"), opt)
	f.Fuzz(func(t *testing.T, archive []byte) {
		img := imageOf(t)
		img.add(t, archive, digestOf(archive))
		layers, err := install(t, s, img)
		if err == nil {
			if _, err := os.Stat(layers[0]); err != nil {
				t.Error(err)
			}
		}
		if data, err := os.ReadFile(secret); err != nil || string(data) != "untouched" {
			t.Errorf("outside was touched: %q, %v", data, err)
		}
		if info, _ := os.Lstat(secret); info.Sys().(*syscall.Stat_t).Nlink != 1 {
			t.Error("outside was linked")
		}
		if names := listDir(t, outside); len(names) != 2 {
			t.Errorf("outside are now %v", names)
		}
		if left := listDir(t, filepath.Join(s.dir, "tmp")); len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
		for _, d := range []string{"images", "layers"} {
			if err := removeContents(filepath.Join(s.dir, d)); err != nil {
				t.Error(err)
			}
		}
	})
}
