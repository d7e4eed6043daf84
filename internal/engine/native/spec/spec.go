package spec

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"ludgate/internal/engine"
)

// Version of the runtime-spec that is written.
const Version = "1.0.2"

// DefaultPath is PATH where neither image nor container sets it.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// maxProcesses bounds the processes and threads of a container, so that one that
// multiplies without end harms only itself.
const maxProcesses = 4096

// Container is what a spec is made of.
type Container struct {
	Wish *engine.Container
	// From the image's configuration.
	Entrypoint, Cmd, Env []string
	WorkingDir           string

	Hostname string
	// EtcDir holds the group's hosts, hostname and resolv.conf.
	EtcDir string
	// CgroupsPath is where the limits are set, those on devices included; ""
	// means that none can be.
	CgroupsPath string
	// LimitSwap: memory limits can include swap.
	LimitSwap bool
	// NoFile is the highest limit on open files we may give away.
	NoFile uint64
	// Rootless: in the namespaces of an ordinary user.
	Rootless bool
}

// capabilities of a container's root. The list is that of the field; what is not
// here (mounting, tracing, loading, time, raw disks…) no container has.
var capabilities = []string{
	"CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_MKNOD",
	"CAP_NET_BIND_SERVICE", "CAP_NET_RAW", "CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_CHROOT",
}

// New gives the spec of a container. Its root, the user's ids and the seccomp
// profile are still to be filled in.
func New(c *Container) *specs.Spec {
	caps := capabilities
	if c.CgroupsPath == "" && !c.Rootless {
		// Nothing limits which devices may be opened, so none may be made.
		caps = slices.DeleteFunc(slices.Clone(caps), func(c string) bool { return c == "CAP_MKNOD" })
	}
	s := &specs.Spec{
		Version:  Version,
		Hostname: c.Hostname,
		Process: &specs.Process{
			Args:        args(c),
			Env:         environment(c),
			Cwd:         c.WorkingDir,
			OOMScoreAdj: new(int),
			Capabilities: &specs.LinuxCapabilities{
				Bounding: caps, Permitted: caps, Effective: caps,
			},
			Rlimits: []specs.POSIXRlimit{{Type: "RLIMIT_NOFILE", Soft: min(1024, c.NoFile), Hard: min(1<<20, c.NoFile)}},
		},
		Mounts: mounts(c),
		Linux: &specs.Linux{
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.MountNamespace}, {Type: specs.PIDNamespace}, {Type: specs.UTSNamespace},
				{Type: specs.IPCNamespace}, {Type: specs.CgroupNamespace},
			},
			Devices:       devices,
			CgroupsPath:   c.CgroupsPath,
			Resources:     resources(c),
			MaskedPaths:   maskedPaths(),
			ReadonlyPaths: []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"},
		},
	}
	if s.Process.Cwd == "" {
		s.Process.Cwd = "/"
	}
	return s
}

// args: the container's command replaces both of the image's.
func args(c *Container) []string {
	if len(c.Wish.Command) > 0 {
		return c.Wish.Command
	}
	return append(c.Entrypoint[:len(c.Entrypoint):len(c.Entrypoint)], c.Cmd...)
}

// environment is the image's with the container's laid over it: a variable that
// both set keeps its place and has the container's value.
func environment(c *Container) []string {
	env := []string{"PATH=" + DefaultPath, "HOSTNAME=" + c.Hostname}
	at := map[string]int{"PATH": 0, "HOSTNAME": 1}
	put := func(name, value string) {
		if i, ok := at[name]; ok {
			env[i] = name + "=" + value
			return
		}
		at[name] = len(env)
		env = append(env, name+"="+value)
	}
	for _, e := range c.Env {
		if name, value, ok := strings.Cut(e, "="); ok && name != "" {
			put(name, value)
		}
	}
	for _, e := range c.Wish.Env {
		put(e.Name, e.Value)
	}
	return env
}

func mounts(c *Container) []specs.Mount {
	pts := []string{"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"}
	if !c.Rootless { // group tty does not exist among an ordinary user's ids
		pts = append(pts, "gid=5")
	}
	list := []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "noexec", "nodev"}},
		{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		{Destination: "/dev/pts", Type: "devpts", Source: "devpts", Options: pts},
		{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
		{Destination: "/dev/mqueue", Type: "mqueue", Source: "mqueue", Options: []string{"nosuid", "noexec", "nodev"}},
		{Destination: "/sys", Type: "sysfs", Source: "sysfs", Options: []string{"nosuid", "noexec", "nodev", "ro"}},
		{Destination: "/sys/fs/cgroup", Type: "cgroup", Source: "cgroup", Options: []string{"nosuid", "noexec", "nodev", "ro"}},
	}
	for _, file := range []string{"hosts", "hostname", "resolv.conf"} {
		list = append(list, specs.Mount{Destination: "/etc/" + file, Type: "bind", Source: filepath.Join(c.EtcDir, file), Options: []string{"bind", "nosuid", "nodev", "noexec"}})
	}
	return list
}

func device(path string, major, minor int64) specs.LinuxDevice {
	mode := os.FileMode(0o666)
	return specs.LinuxDevice{Path: path, Type: "c", Major: major, Minor: minor, FileMode: &mode}
}

var devices = []specs.LinuxDevice{
	device("/dev/null", 1, 3), device("/dev/zero", 1, 5), device("/dev/full", 1, 7),
	device("/dev/random", 1, 8), device("/dev/urandom", 1, 9), device("/dev/tty", 5, 0),
}

// resources: the processor limit (else the request) is a quota and the request a
// weight; the memory limit (else the request) is a limit.
func resources(c *Container) *specs.LinuxResources {
	r := &specs.LinuxResources{
		Devices: []specs.LinuxDeviceCgroup{{Allow: false, Access: "rwm"}},
		Pids:    &specs.LinuxPids{Limit: ptr(int64(maxProcesses))},
	}
	allow := func(major int64, minor *int64) {
		r.Devices = append(r.Devices, specs.LinuxDeviceCgroup{Allow: true, Type: "c", Major: &major, Minor: minor, Access: "rwm"})
	}
	for _, d := range devices {
		allow(d.Major, ptr(d.Minor))
	}
	allow(5, ptr(int64(1))) // console
	allow(5, ptr(int64(2))) // ptmx
	allow(136, nil)         // pts/*

	w := c.Wish
	cpu := &specs.LinuxCPU{}
	if limit := orElse(w.CPULimit, w.CPURequest); limit > 0 {
		cpu.Period = ptr(uint64(100_000))
		cpu.Quota = ptr(max(1000, int64(math.Round(limit*100_000)))) // microseconds of each period; the kernel takes no less
		r.CPU = cpu
	}
	if w.CPURequest > 0 {
		cpu.Shares = ptr(max(2, uint64(math.Round(w.CPURequest*1024))))
		r.CPU = cpu
	}
	if limit := orElse(w.MemoryLimit, w.MemoryRequest); limit > 0 {
		r.Memory = &specs.LinuxMemory{Limit: ptr(limit)}
		if c.LimitSwap {
			r.Memory.Swap = ptr(limit) // memory and swap together: none of it swap
		}
	}
	return r
}

func orElse[T float64 | int64](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// maskedPaths are hidden: they tell of or reach into the machine.
var maskedPaths = sync.OnceValue(func() []string {
	paths := []string{
		"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug",
		"/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/devices/virtual/powercap", "/sys/firmware",
	}
	// One for each processor, where the machine has them.
	throttles, err := filepath.Glob("/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle")
	if err != nil {
		return paths // the pattern is right
	}
	return append(paths, throttles...)
})

func ptr[T any](v T) *T { return &v }
