package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencontainers/cgroups"
	"golang.org/x/sys/unix"
)

// hierarchies1 says where each version 1 controller is mounted.
func hierarchies1() (map[string]string, error) {
	entries, err := os.ReadDir(mount)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, e := range entries {
		if !e.IsDir() {
			continue // cpu -> cpu,cpuacct
		}
		for name := range strings.SplitSeq(e.Name(), ",") {
			found[name] = filepath.Join(mount, e.Name())
		}
	}
	return found, nil
}

// tops lists the top directory of every hierarchy.
func tops() ([]string, error) {
	if cgroups.IsCgroup2UnifiedMode() {
		return []string{mount}, nil
	}
	entries, err := os.ReadDir(mount)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(mount, e.Name()))
		}
	}
	return dirs, nil
}

// Pids lists the processes in the group at path and below, in any hierarchy.
func Pids(path string) ([]int, error) {
	dirs, err := tops()
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	var pids []int
	for _, dir := range dirs {
		found, err := cgroups.GetAllPids(filepath.Join(dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, pid := range found {
			if !seen[pid] {
				seen[pid] = true
				pids = append(pids, pid)
			}
		}
	}
	return pids, nil
}

// RemoveAll removes the group at path and those below it, in every hierarchy.
func RemoveAll(path string) error {
	dirs, err := tops()
	if err != nil {
		return err
	}
	var faults []error
	for _, dir := range dirs {
		faults = append(faults, cgroups.RemovePath(filepath.Join(dir, path)))
	}
	return errors.Join(faults...)
}

// RemoveEmpty removes the group at path where nothing is in it.
func RemoveEmpty(path string) {
	dirs, err := tops()
	if err != nil {
		return
	}
	for _, dir := range dirs {
		_ = unix.Rmdir(filepath.Join(dir, path)) // not empty, or not there: both are right
	}
}
