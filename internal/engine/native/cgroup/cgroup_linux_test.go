package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

func needRoot(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: only it may make control groups")
	}
	if err := Check(); err != nil {
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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if err := g.Join(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
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

func BenchmarkCreateJoinDestroy(b *testing.B) {
	needRoot(b)
	path := fmt.Sprintf("%s/bench-%d", Top, os.Getpid())
	cmd := exec.Command("/bin/sleep", "100")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for b.Loop() {
		g, err := Open(path, resources())
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Create(); err != nil {
			b.Fatal(err)
		}
		if err := g.Join(cmd.Process.Pid); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		home, err := Open(Top+"/bench-home", nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := home.Create(); err != nil {
			b.Fatal(err)
		}
		if err := home.Join(cmd.Process.Pid); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := g.Destroy(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	cmd.Process.Kill()
	cmd.Wait()
	if err := RemoveAll(Top + "/bench-home"); err != nil {
		b.Error(err)
	}
	RemoveEmpty(Top)
}
