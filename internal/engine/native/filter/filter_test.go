//go:build linux && (amd64 || arm64)

package filter

import (
	"encoding/binary"
	"testing"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// machine runs a compiled program on the data of a call, as the kernel would.
type machine struct{ vm *bpf.VM }

func load(t *testing.T, profile *specs.LinuxSeccomp) machine {
	t.Helper()
	program, err := Compile(profile)
	if err != nil {
		t.Fatal(err)
	}
	var raw []bpf.RawInstruction
	for p := program; len(p) > 0; p = p[8:] {
		raw = append(raw, bpf.RawInstruction{
			Op: binary.NativeEndian.Uint16(p), Jt: p[2], Jf: p[3], K: binary.NativeEndian.Uint32(p[4:]),
		})
	}
	instructions, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the program does not disassemble")
	}
	vm, err := bpf.NewVM(instructions)
	if err != nil {
		t.Fatal(err)
	}
	return machine{vm}
}

// call gives the filter's answer. The test machine reads words big-endian, the
// kernel natively: so they are written big-endian here, each half of an
// argument where the kernel has it.
func (m machine) call(t *testing.T, arch, number uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offsetNumber:], number)
	binary.BigEndian.PutUint32(data[offsetArchitecture:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[offsetArguments+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[offsetArguments+8*i+4:], uint32(a>>32))
	}
	answer, err := m.vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(answer)
}

const (
	allow  = uint32(unix.SECCOMP_RET_ALLOW)
	refuse = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	absent = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS)
)

func containerSpec(caps ...string) *specs.Spec {
	return &specs.Spec{Process: &specs.Process{Capabilities: &specs.LinuxCapabilities{Bounding: caps}}}
}

func TestDefaultProfile(t *testing.T) {
	profile, err := Default(containerSpec("CAP_CHOWN", "CAP_SYS_CHROOT"))
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, profile)
	const thread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	for _, tc := range []struct {
		name   string
		number uint32
		args   []uint64
		want   uint32
	}{
		{"read", unix.SYS_READ, nil, allow},
		{"execve", unix.SYS_EXECVE, nil, allow},
		{"close_range", unix.SYS_CLOSE_RANGE, nil, allow},
		{"chroot with the capability", unix.SYS_CHROOT, nil, allow},
		{"mount", unix.SYS_MOUNT, nil, refuse},
		{"setns", unix.SYS_SETNS, nil, refuse},
		{"unshare", unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWUSER}, refuse},
		{"bpf", unix.SYS_BPF, nil, refuse},
		{"keyctl", unix.SYS_KEYCTL, nil, refuse},
		{"kexec_load", unix.SYS_KEXEC_LOAD, nil, refuse},
		{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, nil, refuse},
		{"clone of a thread", unix.SYS_CLONE, []uint64{thread}, allow},
		{"clone with a user namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER}, refuse},
		{"clone with a mount namespace and flags above 32 bits", unix.SYS_CLONE, []uint64{1<<33 | unix.CLONE_NEWNS}, refuse},
		{"clone3: its flags are in memory, so it is absent", unix.SYS_CLONE3, nil, absent},
		{"socket", unix.SYS_SOCKET, []uint64{unix.AF_INET}, allow},
		{"socket AF_VSOCK", unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, refuse},
		{"personality 0", unix.SYS_PERSONALITY, []uint64{0}, allow},
		{"personality ADDR_NO_RANDOMIZE", unix.SYS_PERSONALITY, []uint64{0x0040000}, refuse},
		{"a number nobody knows", 9999, nil, refuse},
	} {
		if got := m.call(t, auditArch, tc.number, tc.args...); got != tc.want {
			t.Errorf("%s: got %#x, want %#x", tc.name, got, tc.want)
		}
	}
	if got := m.call(t, 0x40000003, unix.SYS_READ); got != absent {
		t.Errorf("a call of another architecture: got %#x, want %#x", got, absent)
	}
	if foreignBit != 0 {
		if got := m.call(t, auditArch, foreignBit|unix.SYS_READ); got != absent {
			t.Errorf("a call of the x32 ABI: got %#x, want %#x", got, absent)
		}
	}
}

func TestProfileFollowsCapabilities(t *testing.T) {
	profile, err := Default(containerSpec("CAP_SYS_ADMIN"))
	if err != nil {
		t.Fatal(err)
	}
	if got := load(t, profile).call(t, auditArch, unix.SYS_MOUNT); got != allow {
		t.Errorf("mount with CAP_SYS_ADMIN: got %#x, want %#x", got, allow)
	}
	if profile, err = Default(containerSpec()); err != nil {
		t.Fatal(err)
	}
	if got := load(t, profile).call(t, auditArch, unix.SYS_CHROOT); got != refuse {
		t.Errorf("chroot without CAP_SYS_CHROOT: got %#x, want %#x", got, refuse)
	}
}

func TestConditions(t *testing.T) {
	const big = 0x1_0000_0005
	for _, tc := range []struct {
		op          specs.LinuxSeccompOperator
		value, two  uint64
		holds, not_ []uint64
	}{
		{specs.OpEqualTo, big, 0, []uint64{big}, []uint64{5, big - 1, 0x2_0000_0005}},
		{specs.OpNotEqual, big, 0, []uint64{5, big + 1, 0}, []uint64{big}},
		{specs.OpGreaterThan, big, 0, []uint64{big + 1, 0x2_0000_0000}, []uint64{big, 5, 6, 0xffff_ffff}},
		{specs.OpGreaterEqual, big, 0, []uint64{big, big + 1, 1 << 40}, []uint64{big - 1, 0xffff_ffff}},
		{specs.OpLessThan, big, 0, []uint64{big - 1, 0xffff_ffff, 0}, []uint64{big, 0x2_0000_0000}},
		{specs.OpLessEqual, big, 0, []uint64{big, 0xffff_ffff}, []uint64{big + 1, 0x2_0000_0000}},
		{specs.OpMaskedEqual, 0xff_0000_000f, 0x01_0000_0005, []uint64{big, 0xf00_0000_0000 | big, big | 0xf0}, []uint64{5, big + 1, 0x2_0000_0005}},
	} {
		m := load(t, &specs.LinuxSeccomp{
			DefaultAction: specs.ActErrno,
			Syscalls: []specs.LinuxSyscall{
				// A second condition behind, and a second rule, so that every
				// jump has something to jump over.
				{Names: []string{"read"}, Action: specs.ActAllow, Args: []specs.LinuxSeccompArg{
					{Index: 1, Value: tc.value, ValueTwo: tc.two, Op: tc.op}, {Index: 2, Value: 7, Op: specs.OpEqualTo}}},
				{Names: []string{"read"}, Action: specs.ActKillProcess, Args: []specs.LinuxSeccompArg{
					{Index: 0, Value: 99, Op: specs.OpEqualTo}}},
			},
		})
		for _, v := range tc.holds {
			if got := m.call(t, auditArch, unix.SYS_READ, 0, v, 7); got != allow {
				t.Errorf("%s %#x with %#x: got %#x, want allowed", tc.op, tc.value, v, got)
			}
			if got := m.call(t, auditArch, unix.SYS_READ, 0, v, 8); got != refuse {
				t.Errorf("%s %#x with %#x and the second condition false: got %#x, want refused", tc.op, tc.value, v, got)
			}
		}
		for _, v := range tc.not_ {
			if got := m.call(t, auditArch, unix.SYS_READ, 0, v, 7); got != refuse {
				t.Errorf("%s %#x with %#x: got %#x, want refused", tc.op, tc.value, v, got)
			}
			if got := m.call(t, auditArch, unix.SYS_READ, 99, v, 7); got != unix.SECCOMP_RET_KILL_PROCESS {
				t.Errorf("second rule: got %#x", got)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for name, profile := range map[string]*specs.LinuxSeccomp{
		"unknown action":   {DefaultAction: "SCMP_ACT_DANCE"},
		"notify":           {DefaultAction: specs.ActAllow, Syscalls: []specs.LinuxSyscall{{Names: []string{"read"}, Action: specs.ActNotify}}},
		"sixth argument":   {DefaultAction: specs.ActAllow, Syscalls: []specs.LinuxSyscall{{Names: []string{"read"}, Action: specs.ActErrno, Args: []specs.LinuxSeccompArg{{Index: 6, Op: specs.OpEqualTo}}}}},
		"unknown operator": {DefaultAction: specs.ActAllow, Syscalls: []specs.LinuxSyscall{{Names: []string{"read"}, Action: specs.ActErrno, Args: []specs.LinuxSeccompArg{{Op: "SCMP_CMP_LIKE"}}}}},
	} {
		if _, err := Compile(profile); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		profile, err := Default(containerSpec())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Compile(profile); err != nil {
			b.Fatal(err)
		}
	}
}
