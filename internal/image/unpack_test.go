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

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"
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
