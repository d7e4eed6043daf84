package native

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/sealed"
	"ludgate/internal/engine/native/shim"
	"ludgate/internal/engine/native/uplink"
)

// hatchling is a shim that has not been told its group yet. One is always kept
// as a spare, which takes its start off the way of the next group. It ends by
// itself when its pipe closes, so also when this process dies.
type hatchling struct {
	process *os.Process
	setup   *os.File // writing end
	ready   *os.File // reading end
}

// spareDelay is how long after one spare was taken the next is made: the group
// that took it has better use for the processors.
const spareDelay = 100 * time.Millisecond

// takeSpare gives the spare, nil when there is none now, and sees to the next.
func (r *Runtime) takeSpare() *hatchling {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.spare
	r.spare = nil
	r.refill(spareDelay)
	return h
}

// refill makes a spare in the background after a while, unless one is on its
// way. r.mu is held.
func (r *Runtime) refill(after time.Duration) {
	if r.refilling || r.closed {
		return
	}
	r.refilling = true
	r.watches.Go(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.closing.Done():
			return
		}
		h, err := r.hatchShim()
		if err != nil {
			r.log.Warn("no spare shim can be started", "error", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refilling = false
		if r.closed {
			if h != nil {
				h.drop()
			}
			return
		}
		r.spare = h
	})
}

// hatchShim starts a shim, with its uplink where it needs one.
func (r *Runtime) hatchShim() (*hatchling, error) {
	if !r.uplink {
		return r.hatch(shim.Name, nil)
	}
	socket, err := r.spawnUplink()
	if err != nil {
		return nil, fmt.Errorf("start an uplink: %w", err)
	}
	defer socket.Close() // the shim's copy is the one that counts
	return r.hatch(shim.Name, socket)
}

// hatch starts this binary under another name in a shim's namespaces.
func (r *Runtime) hatch(name string, uplink *os.File) (*hatchling, error) {
	setupRead, setup, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer setupRead.Close()
	ready, readyWrite, err := os.Pipe()
	if err != nil {
		setup.Close()
		return nil, err
	}
	defer readyWrite.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		setup.Close()
		ready.Close()
		return nil, err
	}
	defer null.Close()

	files := []*os.File{null, null, null, shim.SetupFD: setupRead, shim.ReadyFD: readyWrite, shim.BinaryFD: r.self}
	mode := shim.ModeRoot
	switch {
	case uplink != nil:
		mode = shim.ModeUplink
		files = append(files, uplink)
	case r.rootless:
		mode = shim.ModeRootless
	}
	process, err := os.StartProcess(sealed.Path(r.self), []string{name, r.runDir, mode}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=2", "PATH=" + os.Getenv("PATH")},
		Files: files,
		Sys:   r.shimAttributes(),
	})
	if err != nil {
		setup.Close()
		ready.Close()
		return nil, fmt.Errorf("start a process in fresh namespaces: %w", err)
	}
	return &hatchling{process, setup, ready}, nil
}

// shimAttributes are a shim's namespaces. An ordinary user gets a user namespace
// on top, in which it is root and there is nobody else.
func (r *Runtime) shimAttributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET}
	if r.rootless {
		a.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return a
}

// tell gives the process its group, and waits for its word.
func (h *hatchling) tell(ctx context.Context, setup *protocol.Setup) (answer protocol.Ready, err error) {
	text, err := json.Marshal(setup)
	if err != nil {
		return answer, err
	}
	defer h.ready.Close()
	// It fits into the pipe, so this does not wait. What went wrong on the other
	// side is told on the other pipe.
	_, writeErr := h.setup.Write(text)
	h.setup.Close()
	stop := context.AfterFunc(ctx, func() { h.ready.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err = json.NewDecoder(h.ready).Decode(&answer)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case writeErr != nil:
		return answer, writeErr
	}
	return answer, fmt.Errorf("it ended without a word: %w", err)
}

// drop ends the process.
func (h *hatchling) drop() {
	h.setup.Close()
	h.ready.Close()
	_ = h.process.Kill()
	_, _ = h.process.Wait()
}

// spawnUplink starts the process that connects a group of an ordinary user with
// the world. It gives the shim's end of the socket between the two.
func (r *Runtime) spawnUplink() (*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "uplink"), os.NewFile(uintptr(pair[1]), "shim")
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer null.Close()
	process, err := os.StartProcess(sealed.Path(r.self), []string{uplink.Name, r.runDir}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=2"},
		Files: []*os.File{null, null, null, uplink.SocketFD: theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		ours.Close()
		return nil, err
	}
	go func() { _, _ = process.Wait() }() // it ends with the shim
	return ours, nil
}
