package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// TestPullFromRegistry goes the whole way with a registry of the library's own.
func TestPullFromRegistry(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	ref := strings.TrimPrefix(server.URL, "http://") + "/team/tool:1.0"

	var img v1.Image = empty.Image
	for _, content := range [][]byte{
		tarOf(t, dir("etc/"), file("etc/name", "lower")),
		tarOf(t, file("etc/name", "upper"), file("etc/other", "x")),
	} {
		l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
		if err != nil {
			t.Fatal(err)
		}
		if img, err = mutate.AppendLayers(img, l); err != nil {
			t.Fatal(err)
		}
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = v1.Config{Entrypoint: []string{"/tool"}, Cmd: []string{"go"}, Env: []string{"K=V"}, WorkingDir: "/w", User: "7", StopSignal: "9"}
	if img, err = mutate.ConfigFile(img, config); err != nil {
		t.Fatal(err)
	}
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(parsed, img); err != nil {
		t.Fatal(err)
	}
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}

	root := t.TempDir()
	s := openStore(t, root, quick)
	got := mustPull(t, s, ref)
	if got.Cached || got.Reference != ref || got.Digest != digest.String() {
		t.Errorf("first pull: %+v, want digest %s, not cached", got, digest)
	}
	if !slices.Equal(got.Entrypoint, []string{"/tool"}) || !slices.Equal(got.Cmd, []string{"go"}) || !slices.Equal(got.Env, []string{"K=V"}) ||
		got.WorkingDir != "/w" || got.User != "7" || got.StopSignal != "9" {
		t.Errorf("configuration: %+v", got)
	}
	if len(got.Layers) != 2 {
		t.Fatalf("layers: %v", got.Layers)
	}
	if got := tree(t, got.Layers[0]); got != "drwxr-xr-x etc\n-rw-r--r-- etc/name \"lower\"\n" {
		t.Errorf("lower layer:\n%s", got)
	}
	if got := tree(t, got.Layers[1]); got != "drwxr-xr-x etc\n-rw-r--r-- etc/name \"upper\"\n-rw-r--r-- etc/other \"x\"\n" {
		t.Errorf("upper layer:\n%s", got)
	}

	// From here on the store does without the registry.
	server.Close()
	again := openStore(t, root, quick)
	for _, s := range []*Store{s, again} {
		for _, asked := range []string{ref, strings.TrimSuffix(ref, ":1.0") + "@" + digest.String()} {
			second := mustPull(t, s, asked)
			if !second.Cached || second.Digest != digest.String() || !slices.Equal(second.Layers, got.Layers) || second.Reference != asked {
				t.Errorf("second pull of %s: %+v", asked, second)
			}
		}
	}
}

func TestPullRefusals(t *testing.T) {
	simple := func(t *testing.T) *testImage { return imageOf(t, tarOf(t, file("f", "x"))) }
	tests := []struct {
		name      string
		setUp     func(t *testing.T, f *fakeRegistry) (ref string)
		permanent bool
		words     string // in the error
	}{
		{"missing tag", func(t *testing.T, f *fakeRegistry) string {
			return f.ref("a:missing")
		}, true, "MANIFEST_UNKNOWN: manifest unknown"},
		{"missing repository", func(t *testing.T, f *fakeRegistry) string {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/v2/" {
					return false
				}
				registryError(w, 404, "NAME_UNKNOWN", "repository name not known to registry")
				return true
			}
			return f.ref("a:1")
		}, true, "NAME_UNKNOWN"},
		{"denied", func(t *testing.T, f *fakeRegistry) string {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/v2/" {
					return false
				}
				registryError(w, 403, "DENIED", "requested access to the resource is denied")
				return true
			}
			return f.ref("a:1")
		}, true, "DENIED"},
		{"server errors", func(t *testing.T, f *fakeRegistry) string {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				http.Error(w, "out of\x1b[31m order\n", http.StatusServiceUnavailable)
				return true
			}
			return f.ref("a:1")
		}, false, "503 Service Unavailable: out of[31m order"},
		{"nobody listens", func(t *testing.T, f *fakeRegistry) string {
			f.Server.Close()
			return f.ref("a:1")
		}, false, "connection refused"},
		{"plain http elsewhere", func(t *testing.T, f *fakeRegistry) string {
			return "registry.localhost:1/a:1"
		}, false, "registries on this machine only"},
		{"schema 1", func(t *testing.T, f *fakeRegistry) string {
			f.manifests["1"] = []byte(`{"schemaVersion":1,"mediaType":"application/vnd.docker.distribution.manifest.v1+json","fsLayers":[]}`)
			return f.ref("a:1")
		}, true, "schema 1"},
		{"no JSON", func(t *testing.T, f *fakeRegistry) string {
			f.manifests["1"] = []byte(`<html>`)
			return f.ref("a:1")
		}, true, "malformed"},
		{"index and image at once", func(t *testing.T, f *fakeRegistry) string {
			raw := simple(t).raw(t)
			f.manifests["1"] = append([]byte(`{"manifests":[],`), raw[1:]...)
			return f.ref("a:1")
		}, true, "at once"},
		{"manifest above the limit", func(t *testing.T, f *fakeRegistry) string {
			f.manifests["1"] = append(simple(t).raw(t), make([]byte, 5<<20)...)
			return f.ref("a:1")
		}, true, "limit of 4194304 bytes"},
		{"not an image", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.raw(t)
			img.manifest.Config.MediaType = "application/vnd.cncf.helm.config.v1+json"
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "not a container image but application/vnd.cncf.helm.config.v1+json"},
		{"other platforms only", func(t *testing.T, f *fakeRegistry) string {
			d := f.put(t, "x", simple(t))
			f.manifests["1"] = mustJSON(t, v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{
				{MediaType: types.OCIManifestSchema1, Digest: d, Size: 10, Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}},
				{MediaType: types.OCIManifestSchema1, Digest: d, Size: 10, Platform: &v1.Platform{OS: "windows", Architecture: runtime.GOARCH}},
			}})
			return f.ref("a:1")
		}, true, "not made for linux/" + runtime.GOARCH},
		{"configuration for another machine", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.config.Architecture = "s390x"
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "made for linux/s390x"},
		{"indexes without end", func(t *testing.T, f *fakeRegistry) string {
			inner := f.put(t, "x", simple(t))
			for range 5 {
				raw := mustJSON(t, v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{{MediaType: types.OCIImageIndex, Digest: inner, Size: 1}}})
				inner = digestOf(raw)
				f.manifests["1"], f.manifests[inner.String()] = raw, raw
			}
			return f.ref("a:1")
		}, true, "nested too deeply"},
		{"too many layers", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			for range 125 {
				img.add(t, gzipped(t, tarOf(t)), digestOf(tarOf(t)))
			}
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "126 layers"},
		{"layers and diff ids differ in number", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.config.RootFS.DiffIDs = nil
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "has 1 layers but its configuration says 0"},
		{"foreign layer", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.manifest.Layers[0].MediaType = types.DockerForeignLayer
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "not supported"},
		{"encrypted layer", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.manifest.Layers[0].MediaType += "+encrypted"
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "not supported"},
		{"digest that is a path", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			raw := img.raw(t)
			f.put(t, "x", img)
			f.manifests["1"] = bytes.ReplaceAll(raw, []byte(img.manifest.Layers[0].Digest.Hex), []byte("../../../etc/passwd"))
			return f.ref("a:1")
		}, true, "malformed"},
		{"negative size", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.manifest.Layers[0].Size = -1
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "-1 bytes"},
		{"layer above the limit", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.manifest.Layers[0].Size = 1 << 50
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "limit"},
		{"configuration above the limit", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.raw(t)
			img.manifest.Config.Size = 9 << 20
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "limit"},
		{"configuration is another one", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.raw(t)
			img.blobs[img.manifest.Config.Digest][2] ^= 1
			f.put(t, "1", img)
			return f.ref("a:1")
		}, false, "sha256"},
		{"missing blob", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			f.put(t, "1", img)
			delete(f.blobs, img.manifest.Layers[0].Digest.String())
			return f.ref("a:1")
		}, true, "BLOB_UNKNOWN"},
		{"blob of another digest", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			f.put(t, "1", img)
			blob := f.blobs[img.manifest.Layers[0].Digest.String()]
			blob[len(blob)/2] ^= 1
			return f.ref("a:1")
		}, false, "sha256"},
		{"blob shorter than the manifest says", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.manifest.Layers[0].Size++
			f.put(t, "1", img)
			return f.ref("a:1")
		}, false, "where its manifest says"},
		{"blob longer than the manifest says", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			img.manifest.Layers[0].Size--
			f.put(t, "1", img)
			return f.ref("a:1")
		}, false, "is longer than"},
		{"blob that breaks off", func(t *testing.T, f *fakeRegistry) string {
			img := simple(t)
			f.put(t, "1", img)
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, img.manifest.Layers[0].Digest.Hex) {
					return false
				}
				w.Header().Set("Content-Length", fmt.Sprint(img.manifest.Layers[0].Size))
				w.Write([]byte("\x1f\x8b"))
				return true
			}
			return f.ref("a:1")
		}, false, "EOF"},
		{"diff id is another one", func(t *testing.T, f *fakeRegistry) string {
			img := imageOf(t)
			img.add(t, gzipped(t, tarOf(t, file("f", "evil"))), digestOf(tarOf(t, file("f", "good"))))
			f.put(t, "1", img)
			return f.ref("a:1")
		}, true, "where the image configuration says"},
		{"manifest digest is another one", func(t *testing.T, f *fakeRegistry) string {
			d := f.put(t, "1", simple(t))
			f.manifests[d.String()] = append(f.manifests[d.String()], ' ')
			return f.ref("a@" + d.String())
		}, false, "does not match"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeRegistry(t)
			ref := tt.setUp(t, f)
			s := openStore(t, t.TempDir(), quick)
			e := pullError(t, s, ref)
			if e.Permanent != tt.permanent || !strings.Contains(e.Error(), tt.words) {
				t.Errorf("permanent = %v, %v; want %v with %q", e.Permanent, e, tt.permanent, tt.words)
			}
			if layers := listDir(t, filepath.Join(s.dir, "layers")); len(layers) > 0 {
				t.Errorf("layers %v are left", layers)
			}
			if strings.ContainsAny(e.Err.Error(), "\x1b\n") {
				t.Errorf("error text %q holds control characters", e.Err)
			}
		})
	}
}

func TestIndexChoosesThisMachine(t *testing.T) {
	f := newFakeRegistry(t)
	entry := func(tag, os, arch, variant string) v1.Descriptor {
		img := imageOf(t, tarOf(t, file("f", tag)))
		img.config.Architecture = arch
		img.config.OS = os
		d := f.put(t, tag, img)
		return v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: d, Size: 10, Platform: &v1.Platform{OS: os, Architecture: arch, Variant: variant}}
	}
	attestation := entry("attestation", "linux", runtime.GOARCH, "")
	attestation.Annotations = map[string]string{"vnd.docker.reference.type": "attestation-manifest"}
	ours := entry("ours", "linux", runtime.GOARCH, variants[runtime.GOARCH][0])
	f.manifests["1"] = mustJSON(t, v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{
		attestation,
		entry("windows", "windows", runtime.GOARCH, ""),
		entry("exotic", "linux", "s390x", ""),
		entry("future", "linux", runtime.GOARCH, "v99"),
		ours,
	}})
	f.manifests[digestOf(f.manifests["1"]).String()] = f.manifests["1"]
	s := openStore(t, t.TempDir(), quick)
	img := mustPull(t, s, f.ref("a:1"))
	if img.Digest != ours.Digest.String() {
		t.Errorf("digest %s, want that of the image, %s", img.Digest, ours.Digest)
	}
	if got := tree(t, img.Layers[0]); !strings.Contains(got, `"ours"`) {
		t.Errorf("layer: %s", got)
	}
	// The index by its digest is a reference of its own; after one look at the
	// registry it is known.
	byDigest := f.ref("a@" + digestOf(f.manifests["1"]).String())
	if got := mustPull(t, s, byDigest); got.Digest != img.Digest {
		t.Errorf("by digest: %+v", got)
	}
	f.Close()
	if got := mustPull(t, s, byDigest); !got.Cached {
		t.Errorf("by digest again: %+v", got)
	}
}

// TestConcurrentPulls: whoever wants the same image shares one download, and one
// who gives up does not disturb the others.
func TestConcurrentPulls(t *testing.T) {
	f := newFakeRegistry(t)
	img := imageOf(t, tarOf(t, file("f", "1")), tarOf(t, file("g", "2")))
	f.put(t, "1", img)
	blob := img.manifest.Layers[0].Digest.String()
	arrived, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, blob) {
			once.Do(func() { close(arrived) })
			<-release
		}
		return false
	}
	s := openStore(t, t.TempDir(), quick)
	first, giveUp := context.WithCancel(context.Background())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := s.Pull(first, f.ref("a:1"), nil)
		gaveUp <- err
	}()
	<-arrived
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if img, err := s.Pull(context.Background(), f.ref("a:1"), nil); err != nil || len(img.Layers) != 2 {
				t.Errorf("%+v, %v", img, err)
			}
		})
	}
	for joined := 0; joined < 21; {
		s.pulls.mu.Lock()
		for _, c := range s.pulls.calls {
			joined = c.waiting
		}
		s.pulls.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	giveUp()
	var e *PullError
	if err := <-gaveUp; !errors.As(err, &e) || e.Permanent || !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up got %v", err)
	}
	close(release)
	all.Wait()
	if n := f.count("GET /v2/a/blobs/"); n != 3 {
		t.Errorf("%d blobs were fetched, want configuration and two layers: %v", n, f.requests)
	}
}

// TestPullGivenUp: when nobody waits any more, the download ends.
func TestPullGivenUp(t *testing.T) {
	f := newFakeRegistry(t)
	f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
	arrived, ended := make(chan struct{}), make(chan struct{})
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/manifests/") {
			close(arrived)
			<-r.Context().Done()
			close(ended)
			return true
		}
		return false
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-arrived
		cancel()
	}()
	s := openStore(t, t.TempDir(), quick)
	if _, err := s.Pull(ctx, f.ref("a:1"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Pull: %v", err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the request is still open")
	}
	f.mu.Lock()
	f.before = nil
	f.mu.Unlock()
	mustPull(t, s, f.ref("a:1")) // and a new one starts afresh
}

// TestSharedLayers: images that share a layer share its directory, also when
// they are pulled side by side.
func TestSharedLayers(t *testing.T) {
	f := newFakeRegistry(t)
	base := tarOf(t, file("base", "b"))
	for i := range 8 {
		f.put(t, fmt.Sprint(i), imageOf(t, base, tarOf(t, file("own", fmt.Sprint(i)))))
	}
	s := openStore(t, t.TempDir(), quick)
	images := make([]*Image, 8)
	var all sync.WaitGroup
	for i := range images {
		all.Go(func() {
			var err error
			if images[i], err = s.Pull(context.Background(), f.ref(fmt.Sprintf("a:%d", i)), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for _, img := range images {
		if img.Layers[0] != images[0].Layers[0] {
			t.Errorf("lower layer %s, want %s", img.Layers[0], images[0].Layers[0])
		}
	}
	if n := len(listDir(t, filepath.Join(s.dir, "layers"))); n != 9 {
		t.Errorf("%d layers in the store, want 9", n)
	}
	if left := listDir(t, filepath.Join(s.dir, "tmp")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
