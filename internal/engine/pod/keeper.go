package pod

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// keeper writes the groups' state files, beside the path to Running: a change is
// marked, and a little later one file is written for all changes so far. Files
// are replaced by rename, so a killed server never leaves half of one. They are
// not flushed: a power cut ends the containers, too.
type keeper struct {
	dir  string // empty: nothing is kept
	wake chan struct{}

	mu    sync.Mutex // after group.mu
	dirty map[*group]bool
}

const (
	keepDelay   = 25 * time.Millisecond
	stateSuffix = ".json"
	secretFile  = "definitions.key"
)

// openKeeper makes the directory ready and gives the key of the definitions'
// hashes, which is made at first use.
func openKeeper(dir string) (*keeper, []byte, error) {
	k := &keeper{dir: dir, wake: make(chan struct{}, 1), dirty: map[*group]bool{}}
	secret := make([]byte, 32)
	if dir == "" {
		_, err := rand.Read(secret)
		return k, secret, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("pod: the state directory cannot be made: %w", err)
	}
	path := filepath.Join(dir, secretFile)
	kept, err := os.ReadFile(path)
	switch {
	case err == nil && len(kept) == len(secret):
		return k, kept, nil
	case err == nil:
		return nil, nil, fmt.Errorf("pod: %s is damaged; remove it, and containers are replaced when their groups are next made sure of", path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("pod: reading the state directory: %w", err)
	}
	if _, err := rand.Read(secret); err != nil {
		return nil, nil, err
	}
	if err := replaceFile(path, secret, true); err != nil {
		return nil, nil, fmt.Errorf("pod: writing to the state directory: %w", err)
	}
	return k, secret, nil
}

// mark has g's state written soon. g.mu is held.
func (k *keeper) mark(g *group) {
	if k.dir == "" {
		g.saved = g.version
		return
	}
	k.mu.Lock()
	k.dirty[g] = true
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *keeper) run(life context.Context) {
	pause := keepDelay
	for {
		select {
		case <-life.Done():
			return
		case <-k.wake:
		}
		select {
		case <-life.Done():
			return
		case <-time.After(pause):
		}
		pause = keepDelay
		if err := k.flush(); err != nil {
			pause = retryPause // what failed is marked again
		}
	}
}

// flush writes everything marked. What fails is logged and stays marked.
func (k *keeper) flush() error {
	k.mu.Lock()
	dirty := k.dirty
	k.dirty = map[*group]bool{}
	k.mu.Unlock()
	var first error
	for g := range dirty {
		if err := k.write(g); err != nil {
			g.s.opt.Log.Warn("a container group's state could not be kept", "group", g.key, "error", err)
			g.mu.Lock()
			k.mark(g)
			g.mu.Unlock()
			first = err
		}
	}
	return first
}

func (k *keeper) write(g *group) error {
	g.fileMu.Lock()
	defer g.fileMu.Unlock()
	g.mu.Lock()
	if g.gone {
		g.mu.Unlock()
		return nil
	}
	version := g.version
	data, err := g.encodeState()
	g.mu.Unlock()
	if err != nil {
		return err
	}
	if err := replaceFile(k.path(g.key), data, false); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.saved = max(g.saved, version)
	if len(g.discards) > 0 {
		g.kick()
	}
	return nil
}

func (k *keeper) path(key string) string { return filepath.Join(k.dir, key+stateSuffix) }

// forgetFile removes the state file; group.gone keeps it from coming back.
func (g *group) forgetFile() error {
	if g.s.keeper.dir == "" {
		return nil
	}
	g.fileMu.Lock()
	defer g.fileMu.Unlock()
	err := os.Remove(g.s.keeper.path(g.key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// read gives the kept states by key; unreadable ones are reported to bad and
// count as absent.
func (k *keeper) read(bad func(key string, err error)) (map[string]*groupState, error) {
	states := map[string]*groupState{}
	if k.dir == "" {
		return states, nil
	}
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return nil, fmt.Errorf("pod: reading the state directory: %w", err)
	}
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), stateSuffix)
		if !ok || !keyPattern.MatchString(key) {
			continue
		}
		data, err := os.ReadFile(k.path(key))
		if err != nil {
			return nil, fmt.Errorf("pod: reading the state directory: %w", err)
		}
		state, err := decodeState(data)
		if err != nil {
			bad(key, err)
			continue
		}
		states[key] = state
	}
	return states, nil
}

// replaceFile writes path as a whole or not at all.
func replaceFile(path string, data []byte, flush bool) error {
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && flush {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(next))
	}
	return err
}
