package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Load brings the images of a file or directory into the store and gives their
// references. path is an OCI image layout (a directory or a tar archive of one)
// or an archive as `docker save` writes it; archives may be compressed. A
// reference that the store has already leads to the loaded image afterwards. An
// image without a name gets that of the file.
func (s *Store) Load(ctx context.Context, path string) ([]string, error) {
	s.busy.RLock()
	defer s.busy.RUnlock()
	files, err := s.openFiles(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	defer files.Close()
	var found []named
	switch {
	case files.has("oci-layout"):
		found, err = s.layoutImages(files, baseName(path))
	case files.has("manifest.json"):
		found, err = s.dockerImages(files, baseName(path))
	default:
		err = errors.New("it holds neither an OCI image layout nor what docker save writes")
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	references, err := s.loadAll(ctx, found)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, printable{err, s.dir})
	}
	return references, nil
}

// named is an image of a file: a manifest or index under a reference.
type named struct {
	reference string
	src       source
	raw       []byte
	desc      v1.Descriptor
}

// loadAll installs the images, and names them when all are there.
func (s *Store) loadAll(ctx context.Context, found []named) ([]string, error) {
	if len(found) == 0 {
		return nil, errors.New("it holds no image")
	}
	digests := map[string]string{}
	var references []string
	for _, n := range found {
		ref, err := parse(n.reference)
		if err == nil && isBuiltin(ref) {
			err = errors.New("this name belongs to the built-in image")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.reference, err)
		}
		r, err := s.install(ctx, n.src, n.raw, n.desc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.reference, err)
		}
		digests[canonical(ref)] = r.Digest
		references = append(references, n.reference)
	}
	for name, digest := range digests {
		if err := s.point(name, digest); err != nil {
			return nil, err
		}
	}
	return references, nil
}

// Annotations of an image in a layout: the whole reference as containerd and
// Docker write it, and the standard one, which may be only a tag.
const (
	containerdName = "io.containerd.image.name"
	ociRefName     = "org.opencontainers.image.ref.name"
)

// layoutImages reads the index of an OCI image layout. Entries of one name are
// the same image for several platforms; without any name, all are.
func (s *Store) layoutImages(files files, base string) ([]named, error) {
	raw, err := readLimited(files, "index.json", s.opt.Limits.Manifest)
	if err != nil {
		return nil, err
	}
	var index v1.IndexManifest
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, fmt.Errorf("index.json is malformed: %w", err)
	}
	var names []string
	entries := map[string][]v1.Descriptor{}
	for _, d := range index.Manifests {
		if !isImage(d) {
			continue
		}
		name := d.Annotations[containerdName]
		if name == "" {
			name = d.Annotations[ociRefName]
			if tagPattern.MatchString(name) {
				name = base + ":" + name
			}
		}
		if _, known := entries[name]; !known {
			names = append(names, name)
		}
		entries[name] = append(entries[name], d)
	}
	src := &layoutSource{files: files, limit: s.opt.Limits.Manifest}
	var found []named
	for _, name := range names {
		if name == "" && len(names) > 1 {
			continue // parts of the named ones
		}
		raw, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries[name]})
		if err != nil {
			return nil, err
		}
		if name == "" {
			name = base + ":latest"
		}
		found = append(found, named{name, src, raw, v1.Descriptor{MediaType: types.OCIImageIndex}})
	}
	return found, nil
}

// layoutSource is the [source] of an OCI image layout.
type layoutSource struct {
	files files
	limit int64
}

func (l *layoutSource) manifest(_ context.Context, d v1.Descriptor) ([]byte, error) {
	return readLimited(l.files, blobFile(d), l.limit)
}

func (l *layoutSource) blob(_ context.Context, d v1.Descriptor) (io.ReadCloser, error) {
	return openFile(l.files, blobFile(d))
}

func blobFile(d v1.Descriptor) string {
	return "blobs/" + d.Digest.Algorithm + "/" + d.Digest.Hex
}

// dockerImages reads the table of contents of a docker save archive. It has no
// manifests, so they are made, of the files' digests.
func (s *Store) dockerImages(files files, base string) ([]named, error) {
	raw, err := readLimited(files, "manifest.json", s.opt.Limits.Manifest)
	if err != nil {
		return nil, err
	}
	var contents []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(raw, &contents); err != nil {
		return nil, fmt.Errorf("manifest.json is malformed: %w", err)
	}
	src := &dockerSource{files: files, names: map[v1.Hash]string{}}
	var found []named
	for i, c := range contents {
		if len(c.Layers) > s.opt.Limits.Layers {
			return nil, fmt.Errorf("an image has %d layers, more than the limit of %d", len(c.Layers), s.opt.Limits.Layers)
		}
		m := v1.Manifest{SchemaVersion: 2, MediaType: types.DockerManifestSchema2}
		if m.Config, err = src.describe(c.Config, types.DockerConfigJSON); err != nil {
			return nil, err
		}
		for _, name := range c.Layers {
			d, err := src.describe(name, types.DockerLayer)
			if err != nil {
				return nil, err
			}
			m.Layers = append(m.Layers, d)
		}
		raw, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		if len(c.RepoTags) == 0 {
			name := base
			if len(contents) > 1 {
				name = fmt.Sprintf("%s-%d", base, i+1)
			}
			c.RepoTags = []string{name + ":latest"}
		}
		for _, tag := range c.RepoTags {
			found = append(found, named{tag, src, raw, v1.Descriptor{MediaType: types.DockerManifestSchema2}})
		}
	}
	return found, nil
}

// dockerSource is the [source] of a docker save archive.
type dockerSource struct {
	files files
	names map[v1.Hash]string
}

// describe reads a file for its digest.
func (d *dockerSource) describe(name string, t types.MediaType) (v1.Descriptor, error) {
	f, err := openFile(d.files, name)
	if err != nil {
		return v1.Descriptor{}, err
	}
	defer f.Close()
	digest, size, err := v1.SHA256(f)
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("%s: %w", name, err)
	}
	d.names[digest] = name
	return v1.Descriptor{MediaType: t, Digest: digest, Size: size}, nil
}

func (d *dockerSource) manifest(context.Context, v1.Descriptor) ([]byte, error) {
	return nil, permanently(errors.New("an archive of docker save holds no further manifests"))
}

func (d *dockerSource) blob(_ context.Context, desc v1.Descriptor) (io.ReadCloser, error) {
	return openFile(d.files, d.names[desc.Digest])
}

// openFile opens a file that an archive's own documents name.
func openFile(files files, name string) (io.ReadCloser, error) {
	f, err := files.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, permanently(fmt.Errorf("%s is missing", name))
	}
	return f, err
}

func readLimited(files files, name string, limit int64) ([]byte, error) {
	f, err := openFile(files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = permanently(fmt.Errorf("%s is longer than the limit of %d bytes", name, limit))
	}
	return data, err
}

// baseName makes a repository name of a file's name.
func baseName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	base := strings.ToLower(filepath.Base(path))
	for _, ext := range []string{".gz", ".zst", ".tgz", ".tar", ".oci"} {
		base = strings.TrimSuffix(base, ext)
	}
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, base)
	base = strings.Trim(base[:min(len(base), 100)], "-_.")
	if len(base) < 2 || !repositoryPattern.MatchString(base) {
		return "image"
	}
	return base
}
