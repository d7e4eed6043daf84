package launch

import (
	"errors"
	"fmt"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/stage1"
)

var limits = map[string]int{
	"RLIMIT_AS": unix.RLIMIT_AS, "RLIMIT_CORE": unix.RLIMIT_CORE, "RLIMIT_CPU": unix.RLIMIT_CPU,
	"RLIMIT_DATA": unix.RLIMIT_DATA, "RLIMIT_FSIZE": unix.RLIMIT_FSIZE, "RLIMIT_MEMLOCK": unix.RLIMIT_MEMLOCK,
	"RLIMIT_NOFILE": unix.RLIMIT_NOFILE, "RLIMIT_NPROC": unix.RLIMIT_NPROC, "RLIMIT_STACK": unix.RLIMIT_STACK,
}

// Configure puts a spec into the inner half's terms. Its control group is made
// and its network is that of the caller; filter is its seccomp profile compiled.
func Configure(spec *specs.Spec, filter []byte, rootless bool) (*stage1.Config, error) {
	p, linux := spec.Process, spec.Linux
	if p == nil || linux == nil || spec.Root == nil || p.Capabilities == nil {
		return nil, errors.New("the container's spec is not whole")
	}
	c := &stage1.Config{
		Root: spec.Root.Path, Hostname: spec.Hostname, Cwd: p.Cwd, Args: p.Args, Env: p.Env,
		Readonly: linux.ReadonlyPaths, Masked: linux.MaskedPaths,
		UID: p.User.UID, GID: p.User.GID, Groups: p.User.AdditionalGids, Umask: 0o022,
		NoNewPrivileges: p.NoNewPrivileges, Filter: filter, Rootless: rootless,
	}
	if p.User.Umask != nil {
		c.Umask = int(*p.User.Umask)
	}
	if p.OOMScoreAdj != nil {
		c.OOMScoreAdj = *p.OOMScoreAdj
	}
	for _, m := range spec.Mounts {
		c.Mounts = append(c.Mounts, stage1.Mount{Destination: m.Destination, Type: m.Type, Source: m.Source, Options: m.Options})
	}
	for _, d := range linux.Devices {
		if d.Type != "c" {
			return nil, fmt.Errorf("device %s is not a character device", d.Path)
		}
		mode := uint32(0o666)
		if d.FileMode != nil {
			mode = uint32(d.FileMode.Perm())
		}
		c.Devices = append(c.Devices, stage1.Device{Path: d.Path, Major: uint32(d.Major), Minor: uint32(d.Minor), Mode: mode})
	}
	for _, l := range p.Rlimits {
		resource, ok := limits[l.Type]
		if !ok {
			return nil, &stage1.Failure{Wish: true, Message: fmt.Sprintf("unknown limit %q", l.Type)}
		}
		c.Limits = append(c.Limits, stage1.Limit{Resource: resource, Soft: l.Soft, Hard: l.Hard})
	}
	var err error
	if c.Bounding, err = mask(p.Capabilities.Bounding); err != nil {
		return nil, err
	}
	c.Permitted, err = mask(p.Capabilities.Permitted)
	return c, err
}
