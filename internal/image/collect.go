package image

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// handOutGrace is how long a layer stays after it was handed out, in any case:
// its taker may be about to mount it.
const handOutGrace = 10 * time.Minute

// handedOut notes that somebody got the image's layers.
func (s *Store) handedOut(r *record) {
	now := s.opt.Clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, chain := range r.Chain {
		s.given[s.layerID(chain)] = now
	}
}

// collect removes what is not finished and will never be, images without a
// reference, and layers that no image has and nobody uses. While anything is
// being brought in, here or in another process, it does nothing: what is left
// goes the next time.
func (s *Store) collect() error {
	if !s.busy.TryLock() {
		return nil
	}
	defer s.busy.Unlock()
	alone, err := lockExclusive(s.lock)
	if err != nil || !alone {
		return err
	}
	defer func() { _ = lockShared(s.lock) }() // from exclusive to shared nothing can fail

	tmp := filepath.Join(s.dir, "tmp")
	if err := removeContents(tmp); err != nil {
		return err
	}

	wanted := map[string]bool{} // file names of images/
	if err := s.eachReference(func(_ string, ref reference) error {
		wanted[filepath.Base(s.imageFile(ref.Digest))] = true
		return nil
	}); err != nil {
		return err
	}
	images, err := os.ReadDir(filepath.Join(s.dir, "images"))
	if err != nil {
		return err
	}
	needed := map[string]bool{} // layer ids
	for _, entry := range images {
		path := filepath.Join(s.dir, "images", entry.Name())
		var r record
		switch err := readJSON(path, &r); {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err != nil || !wanted[entry.Name()]:
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		}
		for _, chain := range r.Chain {
			needed[s.layerID(chain)] = true
		}
	}

	layers, err := os.ReadDir(filepath.Join(s.dir, "layers"))
	if err != nil {
		return err
	}
	var mounted *usage // looked up once, and only if something is to go
	for _, entry := range layers {
		id := entry.Name()
		if needed[id] || s.justGiven(id) {
			continue
		}
		if mounted == nil {
			if mounted, err = s.mounted(); err != nil {
				return err
			}
		}
		if mounted.has(id) {
			continue
		}
		// Out of sight first: a half-removed layer must not look like a layer.
		gone := filepath.Join(tmp, "gone-"+id)
		if err := os.Rename(filepath.Join(s.dir, "layers", id), gone); err != nil {
			return err
		}
		if err := removeAll(gone); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) justGiven(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.given[id]
	if ok && s.opt.Clock().Sub(at) < handOutGrace {
		return true
	}
	delete(s.given, id)
	return false
}

// removeContents empties a directory.
func removeContents(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := removeAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// removeAll is os.RemoveAll for trees that an ordinary user unpacked: they may
// hold directories without permissions for their owner.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			// WalkDir calls before it reads a directory, and again when that
			// failed; the mode is right by then.
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}
