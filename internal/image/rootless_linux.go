package image

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/containerd/continuity/fs"
)

// setModes gives the directories of a layer that an ordinary user unpacked their
// modes: those of the archive, or for directories it does not describe those of
// the same directory below. (Root lets the archive package do it.)
func (f *filter) setModes(below []string) error {
	modes := map[string]os.FileMode{} // by real path
	for _, name := range slices.Sorted(maps.Keys(f.modes)) {
		dir, err := fs.RootPath(f.root, name)
		if err != nil {
			return err
		}
		modes[dir] = f.modes[name]
	}
	for name := range f.seen {
		dir, err := fs.RootPath(f.root, name)
		if err != nil {
			return err
		}
		if _, named := modes[dir]; named || dir == f.root {
			continue
		}
		rel, err := filepath.Rel(f.root, dir)
		if err != nil {
			return err
		}
		if mode, ok := modeBelow(rel, below); ok {
			modes[dir] = mode
		}
	}
	// What lies deepest first: its parents may be closed afterwards.
	deepest := slices.SortedFunc(maps.Keys(modes), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, dir := range deepest {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue // replaced by a later entry
		}
		if err := os.Chmod(dir, modes[dir]); err != nil {
			return err
		}
	}
	return nil
}

// modeBelow finds the mode of a directory in the layers below, highest first.
func modeBelow(rel string, below []string) (os.FileMode, bool) {
	for _, root := range below {
		path, err := fs.RootPath(root, rel)
		if err != nil {
			return 0, false
		}
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		return info.Mode(), info.IsDir()
	}
	return 0, false
}
