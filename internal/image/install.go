package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// maxDepth is how deep indexes may lie in indexes.
const maxDepth = 3

// install brings the image that raw describes, a manifest or an index with
// descriptor d, into the store and gives its record. It points no reference at
// it.
func (s *Store) install(ctx context.Context, src source, raw []byte, d v1.Descriptor) (*record, error) {
	raw, err := s.choose(ctx, src, raw, d.MediaType, maxDepth)
	if err != nil {
		return nil, err
	}
	digest := digestOf(raw)
	if r, err := s.findDigest(digest.String()); r != nil || err != nil {
		return r, err
	}
	m, err := v1.ParseManifest(bytes.NewReader(raw))
	if err != nil {
		return nil, permanently(fmt.Errorf("the manifest is malformed: %w", err))
	}
	if err := s.checkManifest(m); err != nil {
		return nil, err
	}
	config, err := s.config(ctx, src, m)
	if err != nil {
		return nil, err
	}
	chain := chainIDs(config.RootFS.DiffIDs)
	size, err := s.unpackAll(ctx, src, m.Layers, config.RootFS.DiffIDs, chain)
	if err != nil {
		return nil, err
	}
	c := config.Config
	r := &record{
		Digest: digest.String(), Created: s.opt.Clock().UTC(), Size: size,
		Entrypoint: c.Entrypoint, Cmd: c.Cmd, Env: c.Env,
		WorkingDir: c.WorkingDir, User: c.User, StopSignal: c.StopSignal,
		Chain: chain,
	}
	return r, s.writeJSON(s.imageFile(r.Digest), r)
}

// choose follows indexes to the manifest for this machine.
func (s *Store) choose(ctx context.Context, src source, raw []byte, mediaType types.MediaType, depth int) ([]byte, error) {
	if int64(len(raw)) > s.opt.Limits.Manifest {
		return nil, permanently(fmt.Errorf("the manifest is longer than the limit of %d bytes", s.opt.Limits.Manifest))
	}
	// What a document is, it says itself: registries' content types are not
	// reliable, and one that is read as a manifest here and an index elsewhere
	// is a trick.
	var kind struct {
		SchemaVersion int64
		Manifests     json.RawMessage
		Layers        json.RawMessage
		Config        json.RawMessage
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, permanently(fmt.Errorf("the manifest is malformed: %w", err))
	}
	switch {
	case kind.SchemaVersion == 1 || mediaType.IsSchema1():
		return nil, permanently(errors.New("the image has a manifest of schema 1, which is not supported; push it again with a present-day tool"))
	case kind.Manifests == nil:
		return raw, nil
	case kind.Layers != nil || kind.Config != nil:
		return nil, permanently(errors.New("the manifest is malformed: it is an index and an image at once"))
	case depth == 0:
		return nil, permanently(errors.New("the image's indexes are nested too deeply"))
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	if err != nil {
		return nil, permanently(fmt.Errorf("the index is malformed: %w", err))
	}
	d, err := forThisMachine(index.Manifests)
	if err != nil {
		return nil, err
	}
	if err := checkDescriptor("manifest", d, s.opt.Limits.Manifest); err != nil {
		return nil, err
	}
	raw, err = src.manifest(ctx, d)
	if err != nil {
		return nil, err
	}
	if digestOf(raw) != d.Digest {
		return nil, permanently(fmt.Errorf("manifest %s has the digest %s", d.Digest, digestOf(raw)))
	}
	return s.choose(ctx, src, raw, d.MediaType, depth-1)
}

// variants are those of this architecture that certainly run here, best first.
var variants = map[string][]string{
	"amd64": {"", "v1"},
	"arm64": {"", "v8"},
	"arm":   {"v7", "v6", "v5", ""},
}

// forThisMachine picks the image or nested index that runs here. Descriptors
// without a platform are taken when there is nothing else, for the configuration
// says it too.
func forThisMachine(all []v1.Descriptor) (v1.Descriptor, error) {
	ours := variants[runtime.GOARCH]
	if ours == nil {
		ours = []string{""}
	}
	for _, variant := range ours {
		for _, d := range all {
			if p := d.Platform; p != nil && p.OS == "linux" && p.Architecture == runtime.GOARCH && p.Variant == variant && isImage(d) {
				return d, nil
			}
		}
	}
	var open []v1.Descriptor
	for _, d := range all {
		if (d.Platform == nil || d.Platform.Architecture == "") && isImage(d) {
			open = append(open, d)
		}
	}
	if len(open) != 1 {
		return v1.Descriptor{}, permanently(fmt.Errorf("the image is not made for linux/%s", runtime.GOARCH))
	}
	return open[0], nil
}

// isImage leaves out what builders put beside images: signatures, attestations.
func isImage(d v1.Descriptor) bool {
	return (d.MediaType.IsImage() || d.MediaType.IsIndex() || d.MediaType == "") &&
		d.ArtifactType == "" && d.Annotations["vnd.docker.reference.type"] == ""
}

// dockerZstdLayer is a type that the library does not know, of layers that some
// builders compress with Zstandard in images of Docker's format.
const dockerZstdLayer types.MediaType = types.DockerUncompressedLayer + ".zstd"

func (s *Store) checkManifest(m *v1.Manifest) error {
	if t := m.Config.MediaType; !t.IsConfig() && t != "application/octet-stream" { // so written by old builders
		return permanently(fmt.Errorf("this is not a container image but %s", t))
	}
	if err := checkDescriptor("image configuration", m.Config, s.opt.Limits.Config); err != nil {
		return err
	}
	if n := len(m.Layers); n > s.opt.Limits.Layers {
		return permanently(fmt.Errorf("the image has %d layers, more than the limit of %d", n, s.opt.Limits.Layers))
	}
	left := s.opt.Limits.Download
	for _, l := range m.Layers {
		if t := l.MediaType; !(t.IsLayer() || t == dockerZstdLayer) || !t.IsDistributable() {
			return permanently(fmt.Errorf("layers of the type %s are not supported", l.MediaType))
		}
		if err := checkDescriptor("layer", l, left); err != nil {
			return err
		}
		left -= l.Size
	}
	return nil
}

// config fetches and checks the image configuration.
func (s *Store) config(ctx context.Context, src source, m *v1.Manifest) (*v1.ConfigFile, error) {
	blob, err := src.blob(ctx, m.Config)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	c := newChecked(blob, m.Config)
	data, err := io.ReadAll(c)
	if err != nil {
		return nil, err
	}
	if err := c.verify(); err != nil {
		return nil, permanently(err)
	}
	config, err := v1.ParseConfigFile(bytes.NewReader(data))
	if err != nil {
		return nil, permanently(fmt.Errorf("the image configuration is malformed: %w", err))
	}
	if config.OS != "" && config.OS != "linux" || config.Architecture != "" && config.Architecture != runtime.GOARCH {
		return nil, permanently(fmt.Errorf("the image is made for %s/%s, not for linux/%s", config.OS, config.Architecture, runtime.GOARCH))
	}
	if len(config.RootFS.DiffIDs) != len(m.Layers) {
		return nil, permanently(fmt.Errorf("the image has %d layers but its configuration says %d", len(m.Layers), len(config.RootFS.DiffIDs)))
	}
	for _, id := range config.RootFS.DiffIDs {
		if err := checkDescriptor("unpacked layer", v1.Descriptor{Digest: id}, 0); err != nil {
			return nil, err
		}
	}
	return config, nil
}

// chainIDs names each layer together with all below it: the first is its diff
// id, each further one the digest of its parent's chain id, a blank and its diff
// id (OCI image specification, layer chain id).
func chainIDs(diffIDs []v1.Hash) []string {
	var chain []string
	for i, id := range diffIDs {
		next := id.String()
		if i > 0 {
			sum := sha256.Sum256([]byte(chain[i-1] + " " + next))
			next = "sha256:" + hex.EncodeToString(sum[:])
		}
		chain = append(chain, next)
	}
	return chain
}
