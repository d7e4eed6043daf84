package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/opencontainers/cgroups"
	_ "github.com/opencontainers/cgroups/devices" // makes the managers able to limit devices
	devices "github.com/opencontainers/cgroups/devices/config"
	fs1 "github.com/opencontainers/cgroups/fs"
	"github.com/opencontainers/cgroups/fs2"
	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

const mount = "/sys/fs/cgroup"

// Top is the parent of everything we make.
const Top = "/ludgate"

// controllers1 are the version 1 controllers a container is put under. The
// devices one is not optional: without it root in a container could make and
// open the machine's disks.
var controllers1 = []string{"cpu", "cpuacct", "devices", "memory", "pids"}

// Group is one control group.
type Group struct {
	manager cgroups.Manager
	memory  string // directory with the memory controller's files
}

// Open gives the group at path, which need not exist yet. resources may be nil
// when it is not going to be made.
func Open(path string, resources *specs.LinuxResources) (*Group, error) {
	if !strings.HasPrefix(path, Top+"/") || filepath.Clean(path) != path {
		return nil, fmt.Errorf("cgroup path %q is not below %s", path, Top)
	}
	config := &cgroups.Cgroup{Path: path, Resources: convert(resources)}
	if cgroups.IsCgroup2UnifiedMode() {
		dir := filepath.Join(mount, path)
		if config.Memory > 0 {
			// All of a container dies together, not one process of it.
			config.Unified = map[string]string{"memory.oom.group": "1"}
		}
		m, err := fs2.NewManager(config, dir)
		return &Group{manager: m, memory: dir}, err
	}
	found, err := hierarchies1()
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, c := range controllers1 {
		if top, ok := found[c]; ok {
			paths[c] = filepath.Join(top, path)
		} else if c == "devices" {
			return nil, errors.New("the devices controller is not mounted")
		}
	}
	m, err := fs1.NewManager(config, paths)
	return &Group{manager: m, memory: paths["memory"]}, err
}

// Create makes the group, fresh, with its limits. What a lost run left at the
// same path is removed first.
func (g *Group) Create() error {
	if g.manager.Exists() {
		if err := g.Destroy(); err != nil {
			return err
		}
	}
	err := g.manager.Apply(-1)
	if errors.Is(err, fs.ErrNotExist) { // a parent went while it was made
		err = g.manager.Apply(-1)
	}
	if err != nil {
		return fmt.Errorf("make the cgroup: %w", err)
	}
	config, err := g.manager.GetCgroups()
	if err != nil {
		return err
	}
	if err := g.manager.Set(config.Resources); err != nil {
		return fmt.Errorf("set the cgroup's limits: %w", err)
	}
	return nil
}

// Spawn calls start, which starts one child process, so that the child is in the
// group from its first moment. attr is what the child is started with.
//
// Moving a process that exists would make it wait for every processor of the
// machine to pass through the scheduler (cgroup_threadgroup_rwsem), which takes
// as long as everything else of a start together.
func (g *Group) Spawn(attr *syscall.SysProcAttr, start func() error) error {
	if m, ok := g.manager.(*fs2.Manager); ok {
		// Version 2: the kernel clones into the group.
		dir, err := os.OpenFile(m.Path(""), unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return fmt.Errorf("open the cgroup: %w", err)
		}
		defer dir.Close()
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
		return start()
	}
	// Version 1: a child begins in the groups of the thread that starts it, and a
	// thread that moves only itself does not have to wait.
	homes, err := homes()
	if err != nil {
		return err
	}
	paths := g.manager.GetPaths()
	runtime.LockOSThread()
	for _, dir := range paths {
		if err = moveThread(dir); err != nil {
			break
		}
	}
	if err == nil {
		err = start()
	}
	for controller := range paths {
		if backErr := moveThread(homes[controller]); backErr != nil {
			// The thread stays locked: it ends with this goroutine rather
			// than do other work where it is.
			return errors.Join(err, backErr)
		}
	}
	runtime.UnlockOSThread()
	return err
}

func moveThread(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "tasks"), []byte("0"), 0); err != nil {
		return fmt.Errorf("move a thread between cgroups: %w", err)
	}
	return nil
}

// homes are the version 1 groups that this process is in, by controller.
var homes = sync.OnceValues(func() (map[string]string, error) {
	tops, err := hierarchies1()
	if err != nil {
		return nil, err
	}
	own, err := cgroups.ParseCgroupFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	for controller, top := range tops {
		home := filepath.Join(top, own[controller])
		if _, err := os.Stat(home); err != nil {
			home = top // inside a container, which sees less than it is told
		}
		tops[controller] = home
	}
	return tops, nil
})

// OOMKills is how many processes of the group were killed because its memory
// limit was reached.
func (g *Group) OOMKills() (uint64, error) {
	if g.memory == "" {
		return 0, nil
	}
	return g.manager.OOMKillCount()
}

// Stats gives what the group uses now.
func (g *Group) Stats() (*cgroups.Stats, error) {
	return g.manager.Stats(&cgroups.StatsOptions{Controllers: cgroups.CPU | cgroups.Memory | cgroups.Pids})
}

// Destroy removes the group. Its processes must have ended.
func (g *Group) Destroy() error {
	// Destroy empties the manager's map of paths, which later calls need.
	if m, ok := g.manager.(*fs1.Manager); ok {
		return cgroups.RemovePaths(maps.Clone(m.GetPaths()))
	}
	return g.manager.Destroy()
}

// convert takes over what our specs use.
func convert(r *specs.LinuxResources) *cgroups.Resources {
	out := &cgroups.Resources{}
	if r == nil {
		return out
	}
	if r.CPU != nil {
		set(&out.CpuShares, r.CPU.Shares)
		set(&out.CpuPeriod, r.CPU.Period)
		set(&out.CpuQuota, r.CPU.Quota)
		out.CpuWeight = cgroups.ConvertCPUSharesToCgroupV2Value(out.CpuShares)
	}
	if r.Memory != nil {
		set(&out.Memory, r.Memory.Limit)
		set(&out.MemorySwap, r.Memory.Swap)
	}
	if r.Pids != nil {
		out.PidsLimit = r.Pids.Limit
	}
	for _, d := range r.Devices {
		rule := &devices.Rule{Type: devices.WildcardDevice, Major: devices.Wildcard, Minor: devices.Wildcard,
			Permissions: devices.Permissions(d.Access), Allow: d.Allow}
		if d.Type != "" {
			rule.Type = devices.Type(d.Type[0])
		}
		set(&rule.Major, d.Major)
		set(&rule.Minor, d.Minor)
		out.Devices = append(out.Devices, rule)
	}
	return out
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

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
