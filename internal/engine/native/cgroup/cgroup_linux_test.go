package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

func needRoot(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: only it may make control groups")
	}
	if err := Prepare(); err != nil {
		t.Skipf("control groups do not work here: %v", err)
	}
}

func resources() *specs.LinuxResources {
	allow := func(major, minor int64) specs.LinuxDeviceCgroup {
		return specs.LinuxDeviceCgroup{Allow: true, Type: "c", Major: &major, Minor: &minor, Access: "rwm"}
	}
	return &specs.LinuxResources{
		CPU:     &specs.LinuxCPU{Shares: ptr(uint64(512)), Quota: ptr(int64(50000)), Period: ptr(uint64(100000))},
		Memory:  &specs.LinuxMemory{Limit: ptr(int64(64 << 20))},
		Pids:    &specs.LinuxPids{Limit: ptr(int64(32))},
		Devices: []specs.LinuxDeviceCgroup{{Allow: false, Access: "rwm"}, allow(1, 3), allow(1, 5)},
	}
}

func TestLifeOfAGroup(t *testing.T) {
	needRoot(t)
	parent := fmt.Sprintf("%s/test-%d", Top, os.Getpid())
	path := parent + "/web-1"
	t.Cleanup(func() {
		if err := RemoveAll(parent); err != nil {
			t.Error(err)
		}
		RemoveEmpty(Top)
	})
	g, err := Open(path, resources())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time over what the first left
		if err := g.Create(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sleep", "100")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if err := g.Spawn(cmd.SysProcAttr, cmd.Start); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pids, err := Pids(parent)
	if err != nil || !slices.Equal(pids, []int{cmd.Process.Pid}) {
		t.Errorf("processes %v, %v, want %d", pids, err, cmd.Process.Pid)
	}
	stats, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if stats.MemoryStats.Usage.Limit != 64<<20 || stats.PidsStats.Limit != 32 {
		t.Errorf("limits not set: memory %d, pids %d", stats.MemoryStats.Usage.Limit, stats.PidsStats.Limit)
	}
	if n, err := g.OOMKills(); n != 0 || err != nil {
		t.Errorf("OOM kills: %d, %v", n, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := g.Destroy(); err != nil {
		t.Fatal(err)
	}
	if g.manager.Exists() {
		t.Error("still there")
	}
	if err := g.Destroy(); err != nil {
		t.Errorf("destroying it again: %v", err)
	}
}

func TestPathsStayBelowTop(t *testing.T) {
	for _, path := range []string{"", "/", "/ludgate", "/other/x", "/ludgate/../x", "ludgate/x", "/ludgate/a/"} {
		if _, err := Open(path, nil); err == nil {
			t.Errorf("%q accepted", path)
		}
	}
}

// The thread that starts a process in a group must not be left there: it would
// keep the group from being removed, and its next child would be in it.
func TestSpawnLeavesNothingBehind(t *testing.T) {
	needRoot(t)
	parent := fmt.Sprintf("%s/test-%d", Top, os.Getpid())
	t.Cleanup(func() {
		if err := RemoveAll(parent); err != nil {
			t.Error(err)
		}
		RemoveEmpty(Top)
	})
	for i := range 20 {
		g, err := Open(fmt.Sprintf("%s/web-%d", parent, i), resources())
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Create(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		if err := g.Spawn(cmd.SysProcAttr, cmd.Start); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if err := g.Destroy(); err != nil {
			t.Fatal(err)
		}
		outside, err := exec.Command("/bin/cat", "/proc/self/cgroup").Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(outside), parent) {
			t.Fatalf("a later child is in the group:\n%s", outside)
		}
	}
}

func BenchmarkCreateSpawnDestroy(b *testing.B) {
	needRoot(b)
	path := fmt.Sprintf("%s/bench-%d", Top, os.Getpid())
	defer RemoveEmpty(Top)
	for b.Loop() {
		g, err := Open(path, resources())
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Create(); err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		if err := g.Spawn(cmd.SysProcAttr, cmd.Start); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		if err := g.Destroy(); err != nil {
			b.Fatal(err)
		}
	}
}
