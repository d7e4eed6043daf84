package image

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

var (
	// layerInMount finds layers in the options of an overlay mount, whether its
	// lower directories were given absolute or relative to layers/.
	layerInMount = regexp.MustCompile(`(?:^|[/:=,+])([a-z2-7]{26})/fs\b`)
	// anyInMount finds lower directories that were given as open files. The
	// kernel keeps the words, so they no longer tell which directories.
	anyInMount = regexp.MustCompile(`lowerdir\+?=[^ ,]*/fd/\d`)
)

// usage is what is known about the layers that are part of mounts.
type usage struct {
	ids map[string]bool
	any bool // some mount does not tell its layers, so any may be in use
}

func (u *usage) has(id string) bool { return u.any || u.ids[id] }

// mountedLayers looks for mounted layers in every mount namespace this process
// may see into. Containers have their own namespaces, so every process is asked,
// but each namespace once.
func mountedLayers() (*usage, error) {
	mounted := &usage{ids: map[string]bool{}}
	seen := map[string]bool{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		proc := filepath.Join("/proc", entry.Name())
		// A process that has ended, or that belongs to somebody else and so
		// cannot have our private directories mounted, is no obstacle.
		namespace, err := os.Readlink(filepath.Join(proc, "ns", "mnt"))
		if err != nil || seen[namespace] {
			continue
		}
		mounts, err := os.ReadFile(filepath.Join(proc, "mountinfo"))
		if err != nil {
			continue
		}
		seen[namespace] = true
		mounted.any = mounted.any || anyInMount.Match(mounts)
		for _, m := range layerInMount.FindAllSubmatch(mounts, -1) {
			mounted.ids[string(m[1])] = true
		}
	}
	return mounted, nil
}
