package cgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/opencontainers/cgroups"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if os.Args[0] == "inside" {
		if err := inside(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// inside runs as the only process of a container whose top group, as it sees it,
// is the one it is in.
func inside() error {
	if err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Unmount(mount, unix.MNT_DETACH),
		unix.Mount("cgroup2", mount, "cgroup2", 0, ""),
	); err != nil {
		return err
	}
	if err := os.WriteFile(mount+"/cgroup.subtree_control", []byte("+memory"), 0); !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("limits could be set in a group with processes, so this tests nothing: %w", err)
	}
	if err := Prepare(); err != nil {
		return err
	}
	g, err := Open(Top+"/x", resources())
	if err != nil {
		return err
	}
	if err := g.Create(); err != nil {
		return err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args, cmd.SysProcAttr = []string{"nothing", "-test.run=^$"}, &syscall.SysProcAttr{}
	if err := g.Spawn(cmd.SysProcAttr, cmd.Start); err != nil {
		return err
	}
	return errors.Join(cmd.Wait(), g.Destroy())
}

// In a container of version 2 the top group holds processes, and may therefore
// not limit its children, until they are moved.
func TestPrepareInAContainer(t *testing.T) {
	needRoot(t)
	if !cgroups.IsCgroup2UnifiedMode() {
		t.Skip("version 1 has no such rule")
	}
	top := fmt.Sprintf("%s/test-container-%d", mount, os.Getpid())
	if err := os.Mkdir(top, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cgroups.RemovePath(top); err != nil {
			t.Error(err)
		}
	})
	dir, err := os.Open(top)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{"inside"}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		UseCgroupFD: true, CgroupFD: int(dir.Fd()),
		Unshareflags: unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP,
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
