package image

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// publishLayer turns a finished directory of tmp/, which has the layer in fs/,
// into a layer of the store. With durable everything in it is on disk before it
// can be seen. A layer of the same id that is there already is replaced: nobody
// unpacks one that is whole.
func (s *Store) publishLayer(aside string, l layer, durable bool) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(aside, "layer.json"), data, 0o600); err != nil {
		return err
	}
	if durable {
		if err := syncFilesystem(aside); err != nil {
			return err
		}
	}
	if err := os.Chmod(aside, 0o700); err != nil {
		return err
	}
	to := s.layerDir(l.Chain)
	err = os.Rename(aside, to)
	if errors.Is(err, fs.ErrExist) {
		old, terr := os.MkdirTemp(filepath.Join(s.dir, "tmp"), "old-")
		if terr != nil {
			return terr
		}
		defer removeAll(old)
		if err = os.Rename(to, filepath.Join(old, "layer")); err == nil {
			err = os.Rename(aside, to)
		}
	}
	if err == nil && durable {
		err = syncDir(filepath.Dir(to))
	}
	return err
}
