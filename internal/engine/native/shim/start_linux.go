package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/cgroup"
	"ludgate/internal/engine/native/launch"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/logfile"
	"ludgate/internal/engine/native/oci"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/rootfs"
	"ludgate/internal/engine/native/stage1"
)

// run is one run of a container.
type run struct {
	place   layout.Run
	request *protocol.Start
	begun   chan struct{} // closed when starting is over, well or not
	ended   chan struct{} // closed when record.Exit is set, or it never began
	freed   chan struct{} // closed when all but its directory is free

	// Guarded by shim.mu.
	record layout.RunRecord

	// Set while starting, then read only by the goroutine that sees it out.
	group   *cgroup.Group // nil where there are no limits
	process *os.Process
	log     *logfile.Writer
	pipes   [2]*os.File // reading ends of stdout and stderr
	copying sync.WaitGroup
	runtime *oci.Runtime // nil for the builtin launcher
}

// start makes and starts a run. It returns when the program has begun, or not.
func (s *shim) start(ctx context.Context, request *protocol.Start) (time.Time, error) {
	if err := errors.Join(layout.CheckRun(request.Run), layout.CheckRun(request.Container)); err != nil {
		return time.Time{}, err
	}
	r := &run{
		place:   s.setup.Group.Run(request.Run),
		request: request,
		record:  layout.RunRecord{Run: request.Run, Container: request.Container},
		begun:   make(chan struct{}),
		ended:   make(chan struct{}),
		freed:   make(chan struct{}),
	}
	s.mu.Lock()
	switch {
	case s.closing:
		s.mu.Unlock()
		return time.Time{}, errors.New("the group is being removed")
	case s.runs[request.Run] != nil:
		s.mu.Unlock()
		return time.Time{}, fmt.Errorf("run %s exists already", request.Run)
	}
	s.runs[request.Run] = r
	s.mu.Unlock()

	at, err := s.begin(ctx, r)
	if err != nil {
		// Nothing of it runs. It is forgotten before anybody is told.
		s.free(r)
		err = errors.Join(err, os.RemoveAll(r.place.Dir))
		s.mu.Lock()
		delete(s.runs, request.Run)
		s.mu.Unlock()
		close(r.freed)
		close(r.ended)
		close(r.begun)
		return time.Time{}, err
	}
	s.mu.Lock()
	r.record.Started = at
	s.tell(r.record)
	s.mu.Unlock()
	if err := layout.Write(r.place.Record(), r.record, false); err != nil {
		s.log.Error("a run has no record", "run", request.Run, "error", err)
	}
	close(r.begun)
	go s.seeOut(r)
	return at, nil
}

// begin does the work of start; what it leaves behind when it fails is freed by
// the caller.
func (s *shim) begin(ctx context.Context, r *run) (time.Time, error) {
	request := r.request
	if err := os.MkdirAll(s.setup.Group.Runs(), 0o700); err != nil {
		return time.Time{}, err
	}
	if err := os.Mkdir(r.place.Dir, 0o700); err != nil {
		return time.Time{}, err
	}
	var err error
	if r.log, err = logfile.Create(filepath.Join(s.setup.Group.Logs(), request.Container), request.Run, time.Now); err != nil {
		return time.Time{}, fmt.Errorf("create the log: %w", err)
	}
	if request.Runtime != "" {
		r.runtime = &oci.Runtime{Command: request.Runtime, Root: s.setup.Group.OCI()}
	}
	limits := make(chan error, 1)
	go func() { limits <- s.limit(r) }()
	err = rootfs.Mount(r.place, request.Layers, s.rootless)
	if err := errors.Join(err, <-limits); err != nil {
		return time.Time{}, err
	}
	stdin, stdout, stderr, err := r.streams()
	if err != nil {
		return time.Time{}, err
	}
	defer stdin.Close()
	defer stdout.Close()
	defer stderr.Close()

	if r.runtime != nil {
		return s.beginInstalled(ctx, r, stdin, stdout, stderr)
	}
	return s.beginBuiltin(r, stdin, stdout, stderr)
}

// limit makes the run's control group, where it is to have one. Some installed
// runtimes make it themselves; then we only read what it counts.
func (s *shim) limit(r *run) (err error) {
	path := r.request.Spec.Linux.CgroupsPath
	if path == "" {
		return nil
	}
	if r.group, err = cgroup.Open(path, r.request.Spec.Linux.Resources); err != nil {
		return err
	}
	if r.runtime != nil {
		if !r.runtime.JoinsGroups() {
			return nil
		}
		r.runtime.Spawn, r.runtime.Release = r.group.Spawn, r.group.Pace
		return r.group.CreateUnpaced()
	}
	return r.group.Create()
}

// beginBuiltin starts the process and, while it comes up, finds out the rest of
// what it is to be.
func (s *shim) beginBuiltin(r *run, stdin, stdout, stderr *os.File) (time.Time, error) {
	request := r.request
	spawn := launch.Plain
	if r.group != nil {
		spawn = r.group.Spawn
	}
	launcher := launch.Builtin{Self: s.self}
	gated, err := launcher.Clone(spawn, stdin, stdout, stderr)
	if err != nil {
		return time.Time{}, err
	}
	if err := s.complete(r); err != nil {
		gated.Abort()
		return time.Time{}, err
	}
	config, err := launch.Configure(request.Spec, s.setup.Filter, s.rootless)
	if err != nil {
		gated.Abort()
		return time.Time{}, err
	}
	at, err := gated.Release(config)
	if err != nil {
		return time.Time{}, err
	}
	r.process = gated.Process
	return at, nil
}

// beginInstalled has an installed OCI runtime do the same.
func (s *shim) beginInstalled(ctx context.Context, r *run, stdin, stdout, stderr *os.File) (time.Time, error) {
	request := r.request
	if err := s.complete(r); err != nil {
		return time.Time{}, err
	}
	network, err := s.host(request.Runtime)
	if err != nil {
		return time.Time{}, err
	}
	spec := *request.Spec
	linux := *spec.Linux
	linux.Namespaces = append(linux.Namespaces[:len(linux.Namespaces):len(linux.Namespaces)],
		specs.LinuxNamespace{Type: specs.NetworkNamespace, Path: network})
	spec.Linux = &linux
	r.runtime.Filter = s.setup.Filter
	ctx, cancel := context.WithTimeout(ctx, runtimeTime)
	defer cancel()
	process, at, err := r.runtime.Start(ctx, request.Run, r.place.Dir, &spec, stdin, stdout, stderr)
	if err != nil {
		return time.Time{}, err
	}
	r.process = process
	return at, nil
}

// complete fills in what only the mounted root file system can tell.
func (s *shim) complete(r *run) error {
	spec := r.request.Spec
	if err := rootfs.CheckMountPoints(r.place.Root()); err != nil {
		return fault(err)
	}
	user, err := rootfs.Lookup(r.place.Root(), r.request.User)
	if err != nil {
		return fault(err)
	}
	if s.rootless && (user.UID != 0 || user.GID != 0) {
		return &stage1.Failure{Wish: true, Message: fmt.Sprintf(
			"the image runs as user %d:%d, but Ludgate was started by an ordinary user and can only run containers as root inside (which is that user outside)", user.UID, user.GID)}
	}
	process := *spec.Process
	process.User = specs.User{UID: user.UID, GID: user.GID, AdditionalGids: user.Groups}
	if user.UID != 0 && process.Capabilities != nil {
		caps := *process.Capabilities
		caps.Permitted, caps.Effective = nil, nil
		process.Capabilities = &caps
	}
	if !hasVariable(process.Env, "HOME") {
		process.Env = append(process.Env[:len(process.Env):len(process.Env)], "HOME="+user.Home)
	}
	spec.Process = &process
	spec.Root = &specs.Root{Path: r.place.Root()}
	return nil
}

// fault marks what is the image's own fault.
func fault(err error) error {
	var image *rootfs.ImageError
	if errors.As(err, &image) {
		return &stage1.Failure{Wish: true, Message: err.Error()}
	}
	return err
}

func hasVariable(env []string, name string) bool {
	for _, e := range env {
		if strings.HasPrefix(e, name+"=") {
			return true
		}
	}
	return false
}

// streams opens the standard streams of the container and starts copying what
// it prints into the log.
func (r *run) streams() (stdin, stdout, stderr *os.File, err error) {
	if stdin, err = os.Open(os.DevNull); err != nil {
		return nil, nil, nil, err
	}
	if r.pipes[0], stdout, err = os.Pipe(); err != nil {
		stdin.Close()
		return nil, nil, nil, err
	}
	if r.pipes[1], stderr, err = os.Pipe(); err != nil {
		stdin.Close()
		stdout.Close()
		return nil, nil, nil, err
	}
	for i, stream := range []string{"stdout", "stderr"} {
		pipe := r.pipes[i]
		// A larger pipe saves a talkative container waiting; the default serves
		// where the limit of the user is reached.
		if raw, err := pipe.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 256<<10) })
		}
		r.copying.Go(func() { r.log.Copy(stream, pipe) })
	}
	return stdin, stdout, stderr, nil
}
