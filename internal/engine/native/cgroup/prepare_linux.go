package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/opencontainers/cgroups"
	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// SwapIsCounted says whether a limit on memory can include swap.
func SwapIsCounted() bool {
	name := "/proc/swaps" // version 2 counts whenever the kernel swaps
	if !cgroups.IsCgroup2UnifiedMode() {
		name = mount + "/memory/memory.memsw.limit_in_bytes"
	}
	_, err := os.Stat(name)
	return err == nil
}

// Prepare says why limits cannot be set here; nil when they can. In a container
// of version 2, whose top group holds processes and so may not limit any, it
// moves them into a group of their own.
func Prepare() error {
	err := check()
	if err == nil || !cgroups.IsCgroup2UnifiedMode() {
		return err
	}
	if _, typeErr := os.Stat(mount + "/cgroup.type"); typeErr != nil {
		return err // the real top, where the rule does not hold
	}
	pids, listErr := cgroups.GetPids(mount)
	if listErr != nil || len(pids) == 0 {
		return errors.Join(err, listErr)
	}
	leaf := mount + "/ludgate-host"
	if mkErr := os.Mkdir(leaf, 0o755); mkErr != nil && !errors.Is(mkErr, fs.ErrExist) {
		return errors.Join(err, mkErr)
	}
	for _, pid := range pids {
		moveErr := cgroups.WriteCgroupProc(leaf, pid)
		if moveErr != nil && !errors.Is(moveErr, unix.ESRCH) { // it has ended meanwhile
			return errors.Join(err, moveErr)
		}
	}
	return check()
}

func check() error {
	var st unix.Statfs_t
	if err := unix.Statfs(mount, &st); err != nil {
		return fmt.Errorf("control groups are not mounted at %s: %w", mount, err)
	}
	have := map[string]bool{}
	if cgroups.IsCgroup2UnifiedMode() {
		text, err := os.ReadFile(mount + "/cgroup.controllers")
		if err != nil {
			return err
		}
		for _, c := range strings.Fields(string(text)) {
			have[c] = true
		}
		have["devices"] = true // part of every version 2
	} else {
		found, err := hierarchies1()
		if err != nil {
			return err
		}
		for c := range found {
			have[c] = true
		}
	}
	for _, c := range []string{"cpu", "memory", "pids", "devices"} {
		if !have[c] {
			return fmt.Errorf("the %s controller is not available at %s", c, mount)
		}
	}
	probe, err := Open(fmt.Sprintf("%s/probe-%d", Top, os.Getpid()), &specs.LinuxResources{
		Memory: &specs.LinuxMemory{Limit: ptr(int64(64 << 20))},
		Pids:   &specs.LinuxPids{Limit: ptr(int64(16))},
	})
	if err != nil {
		return err
	}
	return errors.Join(probe.Create(), probe.Destroy())
}

func ptr[T any](v T) *T { return &v }
