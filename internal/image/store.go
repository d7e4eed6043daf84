package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// ErrNotFound: the store has no image of that reference.
var ErrNotFound = errors.New("image: no such image in the store")

// Store keeps images in a directory. It is safe for concurrent use, and several
// processes may have the same directory open.
type Store struct {
	dir       string
	opt       Options
	userXattr bool // layers mark deletions with user.* attributes
	transport http.RoundTripper
	slots     chan struct{} // one per running download
	lock      *os.File
	mounted   func() (*usage, error)

	// busy is held for reading while something is being brought in, and for
	// writing while collecting.
	busy   sync.RWMutex
	pulls  flight[*record]
	layers flight[struct{}]

	mu      sync.Mutex
	given   map[string]time.Time // layer id -> when it was last handed out
	builtin *record              // once it is known to be whole
}

// Open opens the store in dir, which is made if it is absent, and removes what
// an earlier process left unfinished and what nothing refers to any more. It
// fails where images cannot be unpacked (not on Linux).
func Open(dir string, opt Options) (*Store, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	for _, d := range []string{dir, filepath.Join(dir, "refs"), filepath.Join(dir, "images"), filepath.Join(dir, "layers"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("image store: %w", err)
		}
	}
	// Layers hold setuid programs of unknown makers: nobody but the owner may
	// reach them, whatever the mode of a directory that was there before.
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	s := &Store{dir: dir, opt: opt.withDefaults(), userXattr: !privileged(), mounted: mountedLayers, given: map[string]time.Time{}}
	s.slots = make(chan struct{}, s.opt.Downloads)
	s.transport = newTransport(s.opt)
	if s.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	if err := lockShared(s.lock); err != nil {
		s.lock.Close()
		return nil, fmt.Errorf("image store: %w", err)
	}
	if err := s.collect(); err != nil {
		s.lock.Close()
		return nil, fmt.Errorf("image store: %w", err)
	}
	return s, nil
}

// Close lets go of the store. Pulls under way must have ended; unpacked layers
// stay usable.
func (s *Store) Close() error {
	if t, ok := s.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
	return s.lock.Close()
}

// UserXattr reports whether layers mark opaque directories with the attribute
// user.overlay.opaque, so that overlayfs needs the mount option userxattr. It is
// so when this process has not the rights of root; else the attribute is
// trusted.overlay.opaque.
func (s *Store) UserXattr() bool { return s.userXattr }

// Info is one line of [Store.List].
type Info struct {
	Reference string    // canonical
	Digest    string    // "sha256:…" of the manifest
	Size      int64     // bytes of the unpacked layers; shared ones count in every image
	Created   time.Time // when the image came into the store
}

// List gives the images of the store by reference. The built-in image is there
// once it has been used.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	var infos []Info
	err := s.eachReference(func(_ string, ref reference) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := s.findDigest(ref.Digest)
		if err != nil || r == nil {
			return err
		}
		infos = append(infos, Info{Reference: ref.Reference, Digest: r.Digest, Size: r.Size, Created: r.Created})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Reference < infos[j].Reference })
	return infos, nil
}

// Remove forgets a reference. Its image and layers go when no other reference
// needs them and no container runs on them; if one does, or something is being
// pulled just now, they go at a later Remove or Open. An unknown reference is
// [ErrNotFound].
func (s *Store) Remove(ctx context.Context, reference string) error {
	ref, err := parse(reference)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if isBuiltin(ref) {
		s.mu.Lock()
		s.builtin = nil
		s.mu.Unlock()
	}
	err = os.Remove(s.referenceFile(canonical(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", reference, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", reference, err)
	}
	return s.collect()
}

// eachReference calls f for every readable file of refs/.
func (s *Store) eachReference(f func(path string, ref reference) error) error {
	files, err := os.ReadDir(filepath.Join(s.dir, "refs"))
	if err != nil {
		return err
	}
	for _, file := range files {
		path := filepath.Join(s.dir, "refs", file.Name())
		var ref reference
		if err := readJSON(path, &ref); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if err := f(path, ref); err != nil {
			return err
		}
	}
	return nil
}
