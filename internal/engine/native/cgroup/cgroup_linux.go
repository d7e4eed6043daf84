package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"github.com/opencontainers/cgroups"
	_ "github.com/opencontainers/cgroups/devices" // makes the managers able to limit devices
	devices "github.com/opencontainers/cgroups/devices/config"
	fs1 "github.com/opencontainers/cgroups/fs"
	"github.com/opencontainers/cgroups/fs2"
	specs "github.com/opencontainers/runtime-spec/specs-go"
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
	if err := g.CreateUnpaced(); err != nil {
		return err
	}
	return g.Pace()
}

// CreateUnpaced is Create without the limit on processor time, which Pace adds:
// whoever works inside the group before the container does is not slowed down
// by it.
func (g *Group) CreateUnpaced() error {
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
	free := *config.Resources
	free.CpuQuota = 0
	if err := g.manager.Set(&free); err != nil {
		return fmt.Errorf("set the cgroup's limits: %w", err)
	}
	return nil
}

// Pace puts the limit on processor time in force.
func (g *Group) Pace() error {
	config, err := g.manager.GetCgroups()
	if err != nil {
		return err
	}
	all := config.Resources
	if all.CpuQuota == 0 {
		return nil
	}
	pace := &cgroups.Resources{CpuQuota: all.CpuQuota, CpuPeriod: all.CpuPeriod, CpuShares: all.CpuShares, CpuWeight: all.CpuWeight, SkipDevices: true}
	if err := g.manager.Set(pace); err != nil {
		return fmt.Errorf("set the cgroup's limit on processor time: %w", err)
	}
	return nil
}

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
