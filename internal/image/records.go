package image

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reference is a file of refs/.
type reference struct {
	Reference string `json:"reference"` // canonical
	Digest    string `json:"digest"`    // of the manifest
}

// record is a file of images/.
type record struct {
	Digest     string    `json:"digest"`
	Created    time.Time `json:"created"` // when it came into the store
	Size       int64     `json:"size"`    // bytes of its unpacked layers
	Entrypoint []string  `json:"entrypoint,omitempty"`
	Cmd        []string  `json:"cmd,omitempty"`
	Env        []string  `json:"env,omitempty"`
	WorkingDir string    `json:"workingDir,omitempty"`
	User       string    `json:"user,omitempty"`
	StopSignal string    `json:"stopSignal,omitempty"`
	Chain      []string  `json:"chain"` // chain ids of the layers, lowest first
}

// layer is the file layer.json beside an unpacked layer.
type layer struct {
	Chain   string `json:"chain"`
	Size    int64  `json:"size"`    // bytes of its files
	Entries int    `json:"entries"` // files, links and directories
}

// layerID is the directory name of a layer: 130 bits of a hash over its chain id
// and the form it is unpacked in, because a layer unpacked by root marks
// deletions in another way than one unpacked by an ordinary user.
func (s *Store) layerID(chain string) string {
	form := "trusted."
	if s.userXattr {
		form = "user."
	}
	sum := sha256.Sum256([]byte(form + chain))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:layerIDLength])
}

const layerIDLength = 26

func (s *Store) layerDir(chain string) string {
	return filepath.Join(s.dir, "layers", s.layerID(chain))
}

// layer gives the record of an unpacked layer; nil when it is absent.
func (s *Store) layer(chain string) (*layer, error) {
	var l layer
	err := readJSON(filepath.Join(s.layerDir(chain), "layer.json"), &l)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case l.Chain != chain:
		// Only somebody who can find collisions gets here, to pass one layer
		// off as another.
		return nil, fmt.Errorf("layer %s is stored as %s already", chain, l.Chain)
	}
	return &l, nil
}

func (s *Store) referenceFile(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return filepath.Join(s.dir, "refs", hex.EncodeToString(sum[:16])+".json")
}

func (s *Store) imageFile(digest string) string {
	return filepath.Join(s.dir, "images", strings.ReplaceAll(digest, ":", "-")+".json")
}

// point makes a canonical reference lead to a digest.
func (s *Store) point(canonical, digest string) error {
	return s.writeJSON(s.referenceFile(canonical), reference{Reference: canonical, Digest: digest})
}

// find gives the whole image that a canonical reference leads to; nil when it,
// or any part of it, is absent.
func (s *Store) find(canonical string) (*record, error) {
	var ref reference
	if err := readJSON(s.referenceFile(canonical), &ref); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return s.findDigest(ref.Digest)
}

// findDigest is find for the digest of a manifest.
func (s *Store) findDigest(digest string) (*record, error) {
	var r record
	if err := readJSON(s.imageFile(digest), &r); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for _, chain := range r.Chain {
		if l, err := s.layer(chain); err != nil || l == nil {
			return nil, err
		}
	}
	return &r, nil
}

// image makes the public form of a record.
func (s *Store) image(asked string, r *record, cached bool) *Image {
	img := &Image{
		Reference: asked, Digest: r.Digest, Cached: cached,
		Entrypoint: r.Entrypoint, Cmd: r.Cmd, Env: r.Env,
		WorkingDir: r.WorkingDir, User: r.User, StopSignal: r.StopSignal,
	}
	for _, chain := range r.Chain {
		img.Layers = append(img.Layers, filepath.Join(s.layerDir(chain), "fs"))
	}
	return img
}

// readJSON reads a record. A file that is no record, which no crash of ours can
// leave behind, is treated as absent: the image is fetched again.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if json.Unmarshal(data, v) != nil {
		return fs.ErrNotExist
	}
	return nil
}

// writeJSON puts a record in its place in one step, after its content is on
// disk.
func (s *Store) writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Join(s.dir, "tmp"), "record-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	return err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
