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
// of version 2, whose top group may not limit others while it holds processes, it
// first moves those into a group of their own.
func Prepare() error {
	if cgroups.IsCgroup2UnifiedMode() {
		if err := clearTop(); err != nil {
			return err
		}
	}
	return check()
}

// clearTop moves all processes out of the top group, unless it is the machine's
// own, for which the rule does not hold and which alone has no type. It must come
// before any try to use controllers: a failed one leaves the tree threaded.
func clearTop() error {
	if _, err := os.Stat(mount + "/cgroup.type"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	pids, err := cgroups.GetPids(mount)
	if err != nil || len(pids) == 0 {
		return err
	}
	leaf := mount + "/ludgate-host"
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, pid := range pids {
		err := cgroups.WriteCgroupProc(leaf, pid)
		if err != nil && !errors.Is(err, unix.ESRCH) { // it has ended meanwhile
			return fmt.Errorf("clear the top group: %w", err)
		}
	}
	return nil
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
