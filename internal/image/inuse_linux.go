package image

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// layerInMount finds layers in the options of an overlay mount, however its lower
// directories were written: absolute, or relative to layers/.
var layerInMount = regexp.MustCompile(`(?:^|[/:=,+])([a-z2-7]{26})/fs\b`)

// mountedLayers gives the ids of layers that are part of a mount in any mount
// namespace this process may see into. Containers have their own namespaces, so
// every process is asked, but each namespace once.
func mountedLayers() (map[string]bool, error) {
	mounted := map[string]bool{}
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
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				continue
			}
			var gone *fs.PathError
			if errors.As(err, &gone) {
				continue
			}
			return nil, err
		}
		seen[namespace] = true
		for _, m := range layerInMount.FindAllSubmatch(mounts, -1) {
			mounted[string(m[1])] = true
		}
	}
	return mounted, nil
}
