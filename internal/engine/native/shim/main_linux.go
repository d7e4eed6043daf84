package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/rootfs"
)

// Names that this binary is started under, as argv[0].
const (
	Name = "ludgate-shim"
	// ProbeName is a process that tries what a shim has to do first, says in a
	// protocol.Ready how it went, and ends.
	ProbeName = "ludgate-probe"
)

// File descriptors of a shim, besides its standard streams.
const (
	SetupFD  = 3 // JSON of protocol.Setup, up to end of file
	ReadyFD  = 4 // JSON of protocol.Ready
	BinaryFD = 5 // the sealed binary, for containers
	UplinkFD = 6 // protocol.Setup.UplinkFD, when there is an uplink
)

func init() {
	if len(os.Args) == 0 {
		return
	}
	switch os.Args[0] {
	case Name:
		// The main goroutine is bound to its thread during initialisation; the
		// shim's work is not.
		go Main()
		select {}
	case ProbeName:
		probe()
	}
}

// shim is the state of the process.
type shim struct {
	setup protocol.Setup
	self  *os.File // the sealed binary
	log   *slog.Logger

	mu       sync.Mutex
	runs     map[string]*run
	watchers map[*watcher]bool
	closing  bool
	hosting  sync.Once // see host
	unfit    error
}

// Main runs a shim. It never returns.
func Main() {
	// A group's shim is there all the time and does little: it trades
	// processor time for memory.
	debug.SetGCPercent(25)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ready := os.NewFile(ReadyFD, "ready")
	s, listener, notes, err := open(log)
	answer := protocol.Ready{Notes: notes}
	if err != nil {
		answer.Error = err.Error()
	}
	if ready != nil {
		if err := errors.Join(json.NewEncoder(ready).Encode(answer), ready.Close()); err != nil {
			log.Error("the server does not hear", "error", err)
		}
	}
	if err != nil {
		log.Error("cannot begin", "error", err)
		os.Exit(1)
	}
	err = s.serve(listener)
	log.Error("cannot go on", "error", err)
	os.Exit(1)
}

// probe prepares the namespaces and mounts an overlay, says how that went, and
// ends.
func probe() {
	log := slog.New(slog.DiscardHandler)
	s, err := begin(log)
	var answer protocol.Ready
	if err == nil {
		answer.Notes, err = prepare(&s.setup)
	}
	if err == nil {
		err = rootfs.Mount(layout.Run{Dir: s.setup.Group.Dir}, nil, s.setup.Rootless)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	if json.NewEncoder(os.NewFile(ReadyFD, "ready")).Encode(answer) != nil {
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

// open reads the setup, prepares the namespaces and listens.
func open(log *slog.Logger) (*shim, *net.UnixListener, []string, error) {
	s, err := begin(log)
	if err != nil {
		return nil, nil, nil, err
	}
	// A signal to the whole service, or a closed terminal, is for the server;
	// the group ends when it is told to. Ignoring would be inherited by the
	// containers, so they are caught and dropped.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	unix.Umask(0o077)
	notes, err := prepare(&s.setup)
	if err != nil {
		return nil, nil, nil, err
	}
	listener, err := listen(s.setup.Group.RunDir)
	return s, listener, notes, err
}

// begin reads the setup.
func begin(log *slog.Logger) (*shim, error) {
	for fd := SetupFD; fd <= UplinkFD; fd++ {
		unix.CloseOnExec(fd)
	}
	in := os.NewFile(SetupFD, "setup")
	if in == nil {
		return nil, errors.New("started by hand: there is nothing to do")
	}
	defer in.Close()
	s := &shim{log: log, self: os.NewFile(BinaryFD, "binary"), runs: map[string]*run{}, watchers: map[*watcher]bool{}}
	if err := json.NewDecoder(in).Decode(&s.setup); err != nil {
		return nil, fmt.Errorf("read the setup: %w", err)
	}
	if s.setup.Version != protocol.Version || s.self == nil {
		return nil, fmt.Errorf("the setup is for version %d, this is %d", s.setup.Version, protocol.Version)
	}
	return s, nil
}

// listen binds the socket in the group's run directory.
func listen(runDir string) (*net.UnixListener, error) {
	dir, err := os.OpenFile(runDir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := os.Remove(filepath.Join(runDir, layout.SocketName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: protocol.SocketPath(dir), Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // by that name it could not; the server removes the directory
	return listener, os.Chmod(filepath.Join(runDir, layout.SocketName), 0o600)
}
