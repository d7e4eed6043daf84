package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/sealed"
	"ludgate/internal/engine/native/stage1"
)

// Builtin launches containers from a sealed copy of this binary.
type Builtin struct{ Self *os.File }

// Gated is a process in fresh namespaces, within its limits, that waits to
// become a container.
type Gated struct {
	Process *os.Process
	config  *os.File // writing end of the gate
	status  *os.File // reading end of what it has to say
}

// environment of the inner half: it lives for milliseconds on one thread, and
// must not inherit settings of ours. The container's own comes with the spec.
var environment = []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}

// Spawn starts one process with some attributes, as [cgroup.Group.Spawn] does.
type Spawn func(attr *syscall.SysProcAttr, start func() error) error

// Plain is a Spawn that adds nothing.
func Plain(_ *syscall.SysProcAttr, start func() error) error { return start() }

// Clone makes the process. Its standard streams are the ones given; spawn puts
// it where its limits are.
func (b *Builtin) Clone(spawn Spawn, stdin, stdout, stderr *os.File) (*Gated, error) {
	configRead, config, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer configRead.Close()
	status, statusWrite, err := os.Pipe()
	if err != nil {
		config.Close()
		return nil, err
	}
	defer statusWrite.Close()

	var process *os.Process
	attr := &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
	}
	err = spawn(attr, func() (err error) {
		process, err = os.StartProcess(sealed.Path(b.Self), []string{stage1.Name}, &os.ProcAttr{
			Dir:   "/",
			Env:   environment,
			Files: []*os.File{stdin, stdout, stderr, stage1.ConfigFD: configRead, stage1.StatusFD: statusWrite},
			Sys:   attr,
		})
		return err
	})
	if err != nil && process != nil {
		_ = process.Kill()
		_, _ = process.Wait()
	}
	if err != nil {
		config.Close()
		status.Close()
		return nil, fmt.Errorf("clone: %w", err)
	}
	return &Gated{Process: process, config: config, status: status}, nil
}

// Release tells the process what to become, and says when the container's program began. When it
// did not, the process has ended; failures of the wish are *stage1.Failure with
// Wish set.
func (g *Gated) Release(config *stage1.Config) (time.Time, error) {
	defer g.status.Close()
	text, err := json.Marshal(config)
	if err == nil {
		_, err = g.config.Write(text)
	}
	if err != nil {
		g.Abort()
		return time.Time{}, fmt.Errorf("configure the container: %w", err)
	}
	g.config.Close()

	answer, err := io.ReadAll(g.status) // ends when the program starts: exec closes it
	now := time.Now()
	if err == nil && len(answer) == 0 {
		return now, nil
	}
	g.reap()
	if err != nil {
		return time.Time{}, err
	}
	var failure stage1.Failure
	if json.Unmarshal(answer, &failure) != nil {
		return time.Time{}, errors.New("the container's first process failed without saying why")
	}
	return time.Time{}, &failure
}

// Abort ends a process that is not to become a container.
func (g *Gated) Abort() {
	g.config.Close()
	g.status.Close()
	g.reap()
}

func (g *Gated) reap() {
	// It ends by itself or is ended here; in both cases there is only its
	// status to collect.
	_ = g.Process.Kill()
	_, _ = g.Process.Wait()
}
