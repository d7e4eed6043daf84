package spec

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"ludgate/internal/engine"
)

func TestCommand(t *testing.T) {
	for _, tc := range []struct {
		name                         string
		entrypoint, cmd, wish, wants []string
	}{
		{"the image's", []string{"/e"}, []string{"a", "b"}, nil, []string{"/e", "a", "b"}},
		{"no entrypoint", nil, []string{"/c"}, nil, []string{"/c"}},
		{"the wish replaces both", []string{"/e"}, []string{"a"}, []string{"/w", "x"}, []string{"/w", "x"}},
		{"none at all", nil, nil, nil, nil},
	} {
		s := New(&Container{Wish: &engine.Container{Command: tc.wish}, Entrypoint: tc.entrypoint, Cmd: tc.cmd})
		if !slices.Equal(s.Process.Args, tc.wants) {
			t.Errorf("%s: got %q, want %q", tc.name, s.Process.Args, tc.wants)
		}
	}
}

func TestEnvironment(t *testing.T) {
	s := New(&Container{
		Hostname: "h", Env: []string{"A=1", "B=image", "EMPTY=", "=bad", "worse"},
		Wish: &engine.Container{Env: []engine.EnvVar{{Name: "B", Value: "wish=x"}, {Name: "C", Value: "", Secret: true}}},
	})
	want := []string{"PATH=" + DefaultPath, "HOSTNAME=h", "A=1", "B=wish=x", "EMPTY=", "C="}
	if !slices.Equal(s.Process.Env, want) {
		t.Errorf("got %q, want %q", s.Process.Env, want)
	}
	s = New(&Container{Env: []string{"PATH=/mine"}, Wish: &engine.Container{}})
	if s.Process.Env[0] != "PATH=/mine" {
		t.Errorf("the image's PATH is lost: %q", s.Process.Env)
	}
}

func TestResources(t *testing.T) {
	type limits struct {
		quota  int64
		shares uint64
		memory int64
		swap   int64
	}
	for _, tc := range []struct {
		name string
		wish engine.Container
		swap bool
		want limits
	}{
		{"nothing", engine.Container{}, true, limits{}},
		{"requests are limits", engine.Container{CPURequest: 1.5, MemoryRequest: 64 << 20}, true, limits{150_000, 1536, 64 << 20, 64 << 20}},
		{"limits above requests", engine.Container{CPURequest: 0.5, CPULimit: 2, MemoryRequest: 1 << 20, MemoryLimit: 2 << 20}, false, limits{200_000, 512, 2 << 20, 0}},
		{"limits alone", engine.Container{CPULimit: 1, MemoryLimit: 1 << 30}, false, limits{100_000, 0, 1 << 30, 0}},
		{"less than the kernel takes", engine.Container{CPURequest: 0.0001}, false, limits{1000, 2, 0, 0}},
	} {
		r := New(&Container{Wish: &tc.wish, LimitSwap: tc.swap, CgroupsPath: "/x"}).Linux.Resources
		var got limits
		if r.CPU != nil {
			got.quota, got.shares = value(r.CPU.Quota), value(r.CPU.Shares)
		}
		if r.Memory != nil {
			got.memory, got.swap = value(r.Memory.Limit), value(r.Memory.Swap)
		}
		if got != tc.want {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
		if value(r.Pids.Limit) != maxProcesses {
			t.Errorf("%s: processes are not limited", tc.name)
		}
		if first := r.Devices[0]; first.Allow || first.Type != "" || first.Access != "rwm" {
			t.Errorf("%s: devices are not forbidden first: %+v", tc.name, first)
		}
	}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func TestPrivileges(t *testing.T) {
	s := New(&Container{Wish: &engine.Container{}, CgroupsPath: "/x", NoFile: 512})
	caps := s.Process.Capabilities
	if len(caps.Bounding) != 14 || !reflect.DeepEqual(caps.Bounding, caps.Permitted) || !reflect.DeepEqual(caps.Bounding, caps.Effective) || caps.Inheritable != nil || caps.Ambient != nil {
		t.Errorf("capabilities: %+v", caps)
	}
	if slices.Contains(caps.Bounding, "CAP_SYS_ADMIN") {
		t.Error("CAP_SYS_ADMIN")
	}
	if l := s.Process.Rlimits[0]; l.Soft != 512 || l.Hard != 512 {
		t.Errorf("more open files than we have: %+v", l)
	}
	if s.Process.NoNewPrivileges {
		t.Error("setuid programs of images would not work")
	}
	// Where nothing limits devices, none can be made.
	if s := New(&Container{Wish: &engine.Container{}}); slices.Contains(s.Process.Capabilities.Bounding, "CAP_MKNOD") {
		t.Error("devices can be made, and nothing forbids to open them")
	}
	for _, ns := range s.Linux.Namespaces {
		if ns.Type == specs.NetworkNamespace || ns.Type == specs.UserNamespace || ns.Path != "" {
			t.Errorf("namespace %+v", ns)
		}
	}
	for _, path := range []string{"/proc/kcore", "/proc/keys", "/sys/firmware"} {
		if !slices.Contains(s.Linux.MaskedPaths, path) {
			t.Errorf("%s is not hidden", path)
		}
	}
}

func TestMounts(t *testing.T) {
	for _, rootless := range []bool{false, true} {
		s := New(&Container{Wish: &engine.Container{}, EtcDir: "/group/etc", Rootless: rootless})
		seen := map[string]specs.Mount{}
		for _, m := range s.Mounts {
			seen[m.Destination] = m
		}
		if m := seen["/etc/hosts"]; m.Source != "/group/etc/hosts" || m.Type != "bind" {
			t.Errorf("%+v", m)
		}
		for _, path := range []string{"/sys", "/sys/fs/cgroup"} {
			if !slices.Contains(seen[path].Options, "ro") {
				t.Errorf("%s can be written", path)
			}
		}
		if gid := slices.Contains(seen["/dev/pts"].Options, "gid=5"); gid == rootless {
			t.Errorf("rootless %t: /dev/pts has %s", rootless, strings.Join(seen["/dev/pts"].Options, ","))
		}
	}
}
