package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/opencontainers/cgroups"
	"github.com/opencontainers/cgroups/fs2"
	"golang.org/x/sys/unix"
)

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
