package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	SetupFD  = 3 // JSON of protocol.Setup
	ReadyFD  = 4 // JSON of protocol.Ready
	BinaryFD = 5 // the sealed binary, for containers
	// UplinkFD is a socket on which an uplink process waits for the group's
	// network device; only ModeUplink has it.
	UplinkFD = 6
)

// Modes, the last argument: whose namespaces the shim lives in.
const (
	ModeRoot     = "root"
	ModeRootless = "rootless"
	ModeUplink   = "rootless with an uplink"
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
	setup    protocol.Setup
	rootless bool
	self     *os.File // the sealed binary
	log      *slog.Logger

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
	// A signal to the whole service, or a closed terminal, is for the server;
	// the group ends when it is told to. Ignoring would be inherited by the
	// containers, so they are caught and dropped.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	unix.Umask(0o077)

	s := &shim{
		rootless: mode() != ModeRoot, log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		runs: map[string]*run{}, watchers: map[*watcher]bool{},
	}
	notes, err := s.open()
	var listener *net.UnixListener
	if err == nil {
		listener, err = s.takeGroup()
	}
	if errors.Is(err, io.EOF) {
		syscall.Exit(0) // it was a spare, and is not wanted any more
	}
	if sayErr := say(notes, err); sayErr != nil {
		s.log.Error("the server does not hear", "error", sayErr)
	}
	if err == nil {
		err = s.serve(listener)
	}
	s.log.Error("cannot go on", "error", err)
	syscall.Exit(1)
}

func mode() string { return os.Args[len(os.Args)-1] }

// probe prepares the namespaces and mounts an overlay in the directory of the
// setup's group, says how that went, and ends.
func probe() {
	s := &shim{rootless: mode() != ModeRoot}
	notes, err := s.open()
	if err == nil {
		err = s.readSetup()
	}
	if err == nil {
		err = rootfs.Mount(layout.Run{Dir: s.setup.Group.Dir}, nil, s.rootless)
	}
	if say(notes, err) != nil {
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

// say tells the server how the beginning went.
func say(notes []string, failure error) error {
	answer := protocol.Ready{Notes: notes}
	if failure != nil {
		answer.Error = failure.Error()
	}
	pipe := os.NewFile(ReadyFD, "ready")
	if pipe == nil {
		return os.ErrInvalid
	}
	return errors.Join(json.NewEncoder(pipe).Encode(answer), pipe.Close())
}

// open does what needs no group yet: descriptors and namespaces. Notes are what
// does not work but can be done without.
func (s *shim) open() (notes []string, err error) {
	for fd := SetupFD; fd <= BinaryFD; fd++ {
		unix.CloseOnExec(fd)
	}
	var socket *os.File
	if mode() == ModeUplink {
		unix.CloseOnExec(UplinkFD)
		socket = os.NewFile(UplinkFD, "uplink")
	}
	if s.self = os.NewFile(BinaryFD, "binary"); s.self == nil {
		return nil, errors.New("started by hand: there is nothing to do")
	}
	return prepare(s.rootless, socket)
}

// readSetup waits for the group; io.EOF when there will be none.
func (s *shim) readSetup() error {
	in := os.NewFile(SetupFD, "setup")
	if in == nil {
		return errors.New("started by hand: there is nothing to do")
	}
	defer in.Close()
	err := json.NewDecoder(in).Decode(&s.setup)
	if errors.Is(err, io.EOF) {
		return err
	}
	if err != nil {
		return fmt.Errorf("read the setup: %w", err)
	}
	if s.setup.Version != protocol.Version {
		return fmt.Errorf("the setup is for version %d, this is %d", s.setup.Version, protocol.Version)
	}
	return nil
}

// takeGroup takes the group up: from here on the shim is the group's.
func (s *shim) takeGroup() (*net.UnixListener, error) {
	if err := s.readSetup(); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(s.setup.Group.ShimLog(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for _, fd := range []int{1, 2} {
		if err := unix.Dup3(int(log.Fd()), fd, 0); err != nil {
			return nil, err
		}
	}
	// What ps shows beside the number: which group it is. Without it, the number
	// of a descriptor; that does no harm.
	name := "shim-" + filepath.Base(s.setup.Group.Dir)
	_ = os.WriteFile("/proc/self/comm", []byte(name[:min(len(name), 15)]), 0)
	// From now on, not even the same user can look into or trace the process.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	return listen(s.setup.Group.RunDir)
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
