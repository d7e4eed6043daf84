package image

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"

	_ "ludgate/internal/hello/entry" // the built-in image of a test is the test
)

// quick are options with which failures come soon.
var quick = Options{Backoff: []time.Duration{time.Millisecond, time.Millisecond}, Stall: 5 * time.Second}

func openStore(t testing.TB, dir string, opt Options) *Store {
	t.Helper()
	needLinux(t)
	s, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func needLinux(t testing.TB) {
	t.Helper()
	if err := supported(); err != nil {
		t.Skip(err)
	}
}

// entry is one entry of a layer; a name with a final slash is a directory.
type entry struct {
	name string
	body string
	mode int64 // 0: 0644, directories 0755
	kind byte  // 0: regular, or directory by name
	link string
	uid  int
	pax  map[string]string
}

func file(name, body string) entry { return entry{name: name, body: body} }
func dir(name string) entry        { return entry{name: name} }
func symlink(name, target string) entry {
	return entry{name: name, kind: tar.TypeSymlink, link: target}
}
func hardlink(name, target string) entry { return entry{name: name, kind: tar.TypeLink, link: target} }

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: e.mode, Uid: e.uid, Size: int64(len(e.body)), PAXRecords: e.pax, ModTime: time.Unix(1000000000, 0)}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
			if strings.HasSuffix(e.name, "/") {
				h.Typeflag = tar.TypeDir
			}
		}
		if h.Mode == 0 {
			h.Mode = 0o644
			if h.Typeflag == tar.TypeDir {
				h.Mode = 0o755
			}
		}
		if e.pax != nil {
			h.Format = tar.FormatPAX
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// testImage is an image in pieces, which a test may falsify.
type testImage struct {
	manifest v1.Manifest
	config   v1.ConfigFile
	blobs    map[v1.Hash][]byte
}

// imageOf makes an image of tar archives, lowest layer first.
func imageOf(t testing.TB, layers ...[]byte) *testImage {
	t.Helper()
	img := &testImage{blobs: map[v1.Hash][]byte{}}
	img.config = v1.ConfigFile{OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers"}}
	img.config.Config = v1.Config{
		Entrypoint: []string{"/bin/tool"}, Cmd: []string{"run"}, Env: []string{"A=1"},
		WorkingDir: "/srv", User: "1000:1000", StopSignal: "SIGINT",
	}
	img.manifest = v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	for _, l := range layers {
		img.add(t, gzipped(t, l), digestOf(l))
	}
	return img
}

// add puts a layer on top, with whatever diff id.
func (i *testImage) add(t testing.TB, blob []byte, diffID v1.Hash) {
	d := digestOf(blob)
	i.blobs[d] = blob
	i.manifest.Layers = append(i.manifest.Layers, v1.Descriptor{MediaType: types.OCILayer, Digest: d, Size: int64(len(blob))})
	i.config.RootFS.DiffIDs = append(i.config.RootFS.DiffIDs, diffID)
}

// raw finishes the image: its manifest.
func (i *testImage) raw(t testing.TB) []byte {
	t.Helper()
	config := mustJSON(t, i.config)
	if i.manifest.Config.Digest.Hex == "" {
		d := digestOf(config)
		i.blobs[d] = config
		i.manifest.Config = v1.Descriptor{MediaType: types.OCIConfigJSON, Digest: d, Size: int64(len(config))}
	}
	return mustJSON(t, i.manifest)
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fakeRegistry serves what a test puts into it, right or wrong.
type fakeRegistry struct {
	*httptest.Server
	mu        sync.Mutex
	manifests map[string][]byte // by tag or digest, whatever the repository
	blobs     map[string][]byte
	requests  []string
	// before may answer a request itself, and says so.
	before func(w http.ResponseWriter, r *http.Request) bool
}

func newFakeRegistry(t testing.TB) *fakeRegistry {
	f := &fakeRegistry{manifests: map[string][]byte{}, blobs: map[string][]byte{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.Server.CloseClientConnections()
		f.Server.Close()
	})
	return f
}

func (f *fakeRegistry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r.Method+" "+r.URL.Path)
	before := f.before
	f.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	_, name, _ := strings.Cut(r.URL.Path, "/manifests/")
	f.mu.Lock()
	manifest, ok := f.manifests[name]
	f.mu.Unlock()
	if r.URL.Path == "/v2/" {
		return
	}
	if name != "" {
		if !ok {
			registryError(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown")
			return
		}
		var kind struct{ MediaType string }
		_ = json.Unmarshal(manifest, &kind)
		w.Header().Set("Content-Type", kind.MediaType)
		w.Write(manifest)
		return
	}
	_, digest, _ := strings.Cut(r.URL.Path, "/blobs/")
	f.mu.Lock()
	blob, ok := f.blobs[digest]
	f.mu.Unlock()
	if !ok {
		registryError(w, http.StatusNotFound, "BLOB_UNKNOWN", "blob unknown")
		return
	}
	w.Write(blob)
}

func registryError(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, message)
}

// put stores the image under a tag and gives its digest.
func (f *fakeRegistry) put(t testing.TB, tag string, img *testImage) v1.Hash {
	t.Helper()
	raw := img.raw(t)
	d := digestOf(raw)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.manifests[tag], f.manifests[d.String()] = raw, raw
	for d, blob := range img.blobs {
		f.blobs[d.String()] = blob
	}
	return d
}

// ref names a repository and tag, or digest, of this registry.
func (f *fakeRegistry) ref(suffix string) string {
	return strings.TrimPrefix(f.URL, "http://") + "/" + suffix
}

func (f *fakeRegistry) count(match string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, r := range f.requests {
		if strings.Contains(r, match) {
			n++
		}
	}
	return n
}

// pullError pulls what must fail, and checks that the store is as before.
func pullError(t *testing.T, s *Store, ref string, logins ...Login) *PullError {
	t.Helper()
	img, err := s.Pull(context.Background(), ref, logins)
	if err == nil {
		t.Fatalf("Pull(%s) gave %+v, want an error", ref, img)
	}
	var e *PullError
	if !errors.As(err, &e) {
		t.Fatalf("Pull(%s): %T is no *PullError", ref, err)
	}
	if e.Reference != ref {
		t.Errorf("PullError.Reference = %q, want %q", e.Reference, ref)
	}
	for _, d := range []string{"tmp", "refs", "images"} {
		if left := listDir(t, filepath.Join(s.dir, d)); len(left) > 0 {
			t.Errorf("after %v: %s holds %v", err, d, left)
		}
	}
	if strings.Contains(err.Error(), s.dir) {
		t.Errorf("error text %q tells where the store is", err)
	}
	return e
}

func listDir(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func mustPull(t testing.TB, s *Store, ref string, logins ...Login) *Image {
	t.Helper()
	img, err := s.Pull(context.Background(), ref, logins)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range img.Layers {
		if info, err := os.Stat(l); err != nil || !info.IsDir() || !filepath.IsAbs(l) {
			t.Fatalf("layer %s of %s: %v", l, ref, err)
		}
	}
	return img
}

// tree shows what is in a directory: one line per file with mode and content.
func tree(t testing.TB, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%v %s", info.Mode(), rel)
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " -> %s", target)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// needRoot skips what only root of the machine can show.
func needRoot(t testing.TB) {
	t.Helper()
	if !privileged() {
		t.Skip("needs root: whiteouts, owners and mounts of the real form")
	}
}

// newHook makes a fakeRegistry.before that only looks on.
func newHook(look func(path string)) func(http.ResponseWriter, *http.Request) bool {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		look(r.URL.Path)
		return false
	}
}
