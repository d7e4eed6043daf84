package image

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// layoutFiles are the files of an OCI image layout with these index entries.
func layoutFiles(t *testing.T, blobs map[v1.Hash][]byte, entries ...v1.Descriptor) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`),
		"index.json": mustJSON(t, v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries}),
	}
	for d, data := range blobs {
		files["blobs/sha256/"+d.Hex] = data
	}
	return files
}

// described puts the image's manifest among its blobs and describes it.
func described(t *testing.T, img *testImage, annotations ...string) v1.Descriptor {
	t.Helper()
	raw := img.raw(t)
	img.blobs[digestOf(raw)] = raw
	d := v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: digestOf(raw), Size: int64(len(raw)), Annotations: map[string]string{}}
	for i := 0; i < len(annotations); i += 2 {
		d.Annotations[annotations[i]] = annotations[i+1]
	}
	return d
}

// dockerFiles are the files of an archive as docker save writes it.
func dockerFiles(t *testing.T, tags []string, layers ...[]byte) map[string][]byte {
	t.Helper()
	img := imageOf(t, layers...)
	files := map[string][]byte{"config.json": mustJSON(t, img.config)}
	var names []string
	for i, l := range layers {
		names = append(names, fmt.Sprintf("%d/layer.tar", i))
		files[names[i]] = l
	}
	files["manifest.json"] = mustJSON(t, []map[string]any{{"Config": "config.json", "RepoTags": tags, "Layers": names}})
	return files
}

func writeTo(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "My Image.oci")
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func archiveOf(t *testing.T, files map[string][]byte, more ...entry) []byte {
	t.Helper()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	entries := more
	for _, name := range names {
		entries = append(entries, file("./"+name, string(files[name])))
	}
	return tarOf(t, entries...)
}

func writeFileOf(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	content := tarOf(t, dir("d/"), file("d/f", "hello"))
	layout := func(t *testing.T, annotations ...string) map[string][]byte {
		img := imageOf(t, content)
		d := described(t, img, annotations...)
		return layoutFiles(t, img.blobs, d)
	}
	tests := []struct {
		name string
		path func(t *testing.T) string
		want []string
	}{
		{"layout, whole name", func(t *testing.T) string {
			return writeTo(t, layout(t, ociRefName, "registry.example/team/tool:2"))
		}, []string{"registry.example/team/tool:2"}},
		{"layout, containerd's name", func(t *testing.T) string {
			return writeTo(t, layout(t, ociRefName, "2", containerdName, "docker.io/library/tool:2"))
		}, []string{"docker.io/library/tool:2"}},
		{"layout, only a tag", func(t *testing.T) string {
			return writeTo(t, layout(t, ociRefName, "v2"))
		}, []string{"my-image:v2"}},
		{"layout, no name", func(t *testing.T) string {
			return writeTo(t, layout(t))
		}, []string{"my-image:latest"}},
		{"layout, two images", func(t *testing.T) string {
			a, b := imageOf(t, content), imageOf(t, content, content)
			da, db := described(t, a, ociRefName, "x/a:1"), described(t, b, ociRefName, "x/b:1")
			for d, data := range b.blobs {
				a.blobs[d] = data
			}
			return writeTo(t, layoutFiles(t, a.blobs, da, db))
		}, []string{"x/a:1", "x/b:1"}},
		{"layout, several platforms without names", func(t *testing.T) string {
			img := imageOf(t, content)
			d := described(t, img)
			d.Platform = &v1.Platform{OS: "linux", Architecture: runtime.GOARCH, Variant: variants[runtime.GOARCH][0]}
			other := v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: digestOf([]byte("?")), Size: 1, Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}}
			return writeTo(t, layoutFiles(t, img.blobs, other, d))
		}, []string{"my-image:latest"}},
		{"layout, an index in the index", func(t *testing.T) string {
			img := imageOf(t, content)
			d := described(t, img)
			d.Platform = &v1.Platform{OS: "linux", Architecture: runtime.GOARCH, Variant: variants[runtime.GOARCH][0]}
			inner := mustJSON(t, v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{d}})
			img.blobs[digestOf(inner)] = inner
			return writeTo(t, layoutFiles(t, img.blobs, v1.Descriptor{
				MediaType: types.OCIImageIndex, Digest: digestOf(inner), Size: int64(len(inner)),
				Annotations: map[string]string{containerdName: "docker.io/x/y:3", ociRefName: "3"}}))
		}, []string{"docker.io/x/y:3"}},
		{"layout in a tar", func(t *testing.T) string {
			return writeFileOf(t, "tool.tar", archiveOf(t, layout(t)))
		}, []string{"tool:latest"}},
		{"layout in a tar.gz", func(t *testing.T) string {
			return writeFileOf(t, "tool.tar.gz", gzipped(t, archiveOf(t, layout(t))))
		}, []string{"tool:latest"}},
		{"layout in a tar.zst", func(t *testing.T) string {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return writeFileOf(t, "TOOL.tar.zst", w.EncodeAll(archiveOf(t, layout(t)), nil))
		}, []string{"tool:latest"}},
		{"docker save", func(t *testing.T) string {
			return writeFileOf(t, "t.tar", archiveOf(t, dockerFiles(t, []string{"tool:1", "team/tool:latest"}, content)))
		}, []string{"tool:1", "team/tool:latest"}},
		{"docker save, untagged", func(t *testing.T) string {
			return writeFileOf(t, "saved.tgz", gzipped(t, archiveOf(t, dockerFiles(t, nil, content))))
		}, []string{"saved:latest"}},
		{"docker save, layers as links to shared files", func(t *testing.T) string {
			files := dockerFiles(t, []string{"tool:1"}, content)
			files["shared/layer.tar"] = files["0/layer.tar"]
			delete(files, "0/layer.tar")
			return writeFileOf(t, "t.tar", archiveOf(t, files, symlink("0/layer.tar", "../shared/layer.tar")))
		}, []string{"tool:1"}},
		{"docker save, compressed layers", func(t *testing.T) string {
			files := dockerFiles(t, []string{"tool:1"}, content)
			files["0/layer.tar"] = gzipped(t, content)
			return writeFileOf(t, "t.tar", archiveOf(t, files))
		}, []string{"tool:1"}},
		{"docker save with a layout beside", func(t *testing.T) string {
			files := layout(t, containerdName, "docker.io/library/tool:1", ociRefName, "1")
			for name, data := range dockerFiles(t, []string{"tool:1"}, content) {
				files[name] = data
			}
			return writeFileOf(t, "t.tar", archiveOf(t, files))
		}, []string{"docker.io/library/tool:1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openStore(t, t.TempDir(), quick)
			got, err := s.Load(context.Background(), tt.path(t))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Fatalf("references %v, want %v", got, tt.want)
			}
			for _, ref := range got {
				img := mustPull(t, s, ref)
				if !img.Cached || img.User != "1000:1000" {
					t.Errorf("%s: %+v", ref, img)
				}
				if got := tree(t, img.Layers[0]); got != "drwxr-xr-x d\n-rw-r--r-- d/f \"hello\"\n" {
					t.Errorf("layer of %s:\n%s", ref, got)
				}
			}
			if left := listDir(t, filepath.Join(s.dir, "tmp")); len(left) > 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

func TestLoadRefusals(t *testing.T) {
	content := tarOf(t, file("f", "x"))
	layout := func(t *testing.T, change func(img *testImage, files map[string][]byte)) string {
		img := imageOf(t, content)
		d := described(t, img, ociRefName, "x/y:1")
		files := layoutFiles(t, img.blobs, d)
		change(img, files)
		return writeTo(t, files)
	}
	tests := []struct {
		name string
		path func(t *testing.T) string
		want string
	}{
		{"nothing there", func(t *testing.T) string { return filepath.Join(t.TempDir(), "absent") }, "no such file"},
		{"an empty directory", func(t *testing.T) string { return t.TempDir() }, "neither an OCI image layout"},
		{"an empty file", func(t *testing.T) string { return writeFileOf(t, "x.tar", nil) }, "neither an OCI image layout"},
		{"no archive", func(t *testing.T) string { return writeFileOf(t, "x.tar", bytes.Repeat([]byte("no archive"), 1000)) }, "not a whole tar archive"},
		{"a cut off archive", func(t *testing.T) string {
			return writeFileOf(t, "x.tar", archiveOf(t, dockerFiles(t, nil, content))[:1700])
		}, "not a whole tar archive"},
		{"a device", func(t *testing.T) string { return os.DevNull }, "neither a file nor a directory"},
		{"a layout without images", func(t *testing.T) string { return writeTo(t, layoutFiles(t, nil)) }, "holds no image"},
		{"a broken index", func(t *testing.T) string {
			return layout(t, func(_ *testImage, files map[string][]byte) { files["index.json"] = []byte("{") })
		}, "malformed"},
		{"a missing blob", func(t *testing.T) string {
			return layout(t, func(img *testImage, files map[string][]byte) {
				delete(files, "blobs/sha256/"+img.manifest.Layers[0].Digest.Hex)
			})
		}, "is missing"},
		{"a falsified layer", func(t *testing.T) string {
			return layout(t, func(img *testImage, files map[string][]byte) {
				evil := gzipped(t, tarOf(t, file("f", "y")))
				files["blobs/sha256/"+img.manifest.Layers[0].Digest.Hex] = evil
			})
		}, "layer sha256:"},
		{"a falsified configuration", func(t *testing.T) string {
			return layout(t, func(img *testImage, files map[string][]byte) {
				files["blobs/sha256/"+img.manifest.Config.Digest.Hex][5] ^= 1
			})
		}, "has the digest"},
		{"a falsified manifest", func(t *testing.T) string {
			return layout(t, func(img *testImage, files map[string][]byte) {
				raw := img.raw(t)
				files["blobs/sha256/"+digestOf(raw).Hex] = append(raw, ' ')
			})
		}, "has the digest"},
		{"a digest that is a path", func(t *testing.T) string {
			return layout(t, func(img *testImage, files map[string][]byte) {
				files["index.json"] = bytes.ReplaceAll(files["index.json"], []byte(digestOf(img.raw(t)).Hex), []byte("../../etc/passwd"))
			})
		}, "malformed"},
		{"a blob that is a symlink to outside", func(t *testing.T) string {
			dir := layout(t, func(*testImage, map[string][]byte) {})
			blobs := filepath.Join(dir, "blobs", "sha256")
			for _, name := range listDir(t, blobs) {
				outside := writeFileOf(t, "x", []byte("x"))
				if err := os.Remove(filepath.Join(blobs, name)); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(outside, filepath.Join(blobs, name)); err != nil {
					t.Fatal(err)
				}
			}
			return dir
		}, "escapes"},
		{"files outside a docker archive", func(t *testing.T) string {
			files := dockerFiles(t, []string{"a:1"}, content)
			files["manifest.json"] = []byte(`[{"Config":"../../../../etc/passwd","Layers":[]}]`)
			return writeFileOf(t, "x.tar", archiveOf(t, files))
		}, "is missing"},
		{"links in a circle", func(t *testing.T) string {
			files := dockerFiles(t, []string{"a:1"}, content)
			delete(files, "config.json")
			return writeFileOf(t, "x.tar", archiveOf(t, files, symlink("config.json", "b"), symlink("b", "config.json")))
		}, "is missing"},
		{"a bad name", func(t *testing.T) string {
			return writeFileOf(t, "x.tar", archiveOf(t, dockerFiles(t, []string{"UPPER CASE"}, content)))
		}, "invalid image reference"},
		{"the built-in image's name", func(t *testing.T) string {
			return writeFileOf(t, "x.tar", archiveOf(t, dockerFiles(t, []string{"docker.io/ludgate/hello:1"}, content)))
		}, "built-in"},
		{"one good, one bad", func(t *testing.T) string {
			img := imageOf(t, content)
			good := described(t, img, ociRefName, "x/good:1")
			bad := good
			bad.Digest = digestOf([]byte("absent"))
			bad.Annotations = map[string]string{ociRefName: "x/bad:1"}
			return writeTo(t, layoutFiles(t, img.blobs, good, bad))
		}, "is missing"},
		{"for another machine", func(t *testing.T) string {
			img := imageOf(t, content)
			img.config.Architecture = "s390x"
			return writeTo(t, layoutFiles(t, img.blobs, described(t, img)))
		}, "made for linux/s390x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openStore(t, t.TempDir(), quick)
			path := tt.path(t)
			got, err := s.Load(context.Background(), path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("Load gave %v, %v; want an error with %q", got, err, tt.want)
			}
			for _, d := range []string{"tmp", "refs"} {
				if left := listDir(t, filepath.Join(s.dir, d)); len(left) > 0 {
					t.Errorf("%s holds %v", d, left)
				}
			}
		})
	}
}

// TestLoadMovesTag: an image loaded under a name that is taken takes it over.
func TestLoadMovesTag(t *testing.T) {
	s := openStore(t, t.TempDir(), quick)
	var digests []string
	for _, content := range []string{"old", "new"} {
		path := writeFileOf(t, "x.tar", archiveOf(t, dockerFiles(t, []string{"tool"}, tarOf(t, file("f", content)))))
		if _, err := s.Load(context.Background(), path); err != nil {
			t.Fatal(err)
		}
		img := mustPull(t, s, "docker.io/library/tool:latest")
		if got := tree(t, img.Layers[0]); !strings.Contains(got, content) {
			t.Errorf("after loading %s: %s", content, got)
		}
		digests = append(digests, img.Digest)
	}
	if digests[0] == digests[1] {
		t.Error("both have one digest")
	}
}

// TestLoadFromDocker loads what a real docker save writes, where there is one.
func TestLoadFromDocker(t *testing.T) {
	if _, err := exec.LookPath("docker"); err != nil {
		t.Skip("needs the docker command")
	}
	if out, err := exec.Command("docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		t.Skipf("needs a Docker daemon: %s", bytes.TrimSpace(out))
	}
	root := writeFileOf(t, "root.tar", tarOf(t, dir("d/"), file("d/f", "from docker")))
	name := fmt.Sprintf("ludgate-load-test:%d", os.Getpid())
	if out, err := exec.Command("docker", "import", root, name).CombinedOutput(); err != nil {
		t.Fatalf("docker import: %s", out)
	}
	defer exec.Command("docker", "rmi", name).Run()
	saved := filepath.Join(t.TempDir(), "saved.tar")
	if out, err := exec.Command("docker", "save", "-o", saved, name).CombinedOutput(); err != nil {
		t.Fatalf("docker save: %s", out)
	}
	s := openStore(t, t.TempDir(), quick)
	got, err := s.Load(context.Background(), saved)
	if err != nil {
		t.Fatal(err)
	}
	img := mustPull(t, s, got[0])
	if got := tree(t, img.Layers[0]); !strings.Contains(got, "from docker") {
		t.Errorf("layer: %s", got)
	}
}

// FuzzLoad feeds archives of any content to Load.
func FuzzLoad(f *testing.F) {
	content := tarOf(f, file("f", "x"))
	f.Add(content)
	f.Add(gzipped(f, content))
	f.Add(tarOf(f, file("oci-layout", "{}"), file("index.json", `{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0}]}`)))
	f.Add(tarOf(f, file("manifest.json", `[{"Config":"c","RepoTags":["a:1"],"Layers":["l"]}]`), file("c", `{"rootfs":{"diff_ids":[]}}`), symlink("l", "c")))
	opt := quick
	opt.Limits = Limits{Unpacked: 1 << 20, Entries: 200}
	s := openStore(f, f.TempDir(), opt)
	path := filepath.Join(f.TempDir(), "x.tar")
	f.Fuzz(func(t *testing.T, archive []byte) {
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		refs, err := s.Load(context.Background(), path)
		for _, ref := range refs {
			mustPull(t, s, ref)
		}
		if (err == nil) != (len(refs) > 0) {
			t.Errorf("Load gave %v, %v", refs, err)
		}
		if left := listDir(t, filepath.Join(s.dir, "tmp")); len(left) > 0 {
			t.Errorf("left over: %v", left)
		}
		for _, d := range []string{"refs", "images", "layers"} {
			if err := removeContents(filepath.Join(s.dir, d)); err != nil {
				t.Error(err)
			}
		}
	})
}
