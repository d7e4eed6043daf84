package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/stage1"
)

// serve answers calls until it cannot listen any more.
func (s *shim) serve(listener *net.UnixListener) error {
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			if err := s.answer(conn); err != nil {
				s.log.Warn("a call broke", "error", err)
			}
		}()
	}
}

// answer reads a call and does it.
func (s *shim) answer(conn *net.UnixConn) error {
	if err := checkPeer(conn); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	var request protocol.Request
	if err := json.NewDecoder(io.LimitReader(conn, protocol.MaxMessage)).Decode(&request); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // somebody looked whether we are there
		}
		return fmt.Errorf("read a call: %w", err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}

	switch request.Op {
	case protocol.OpWatch:
		return s.watch(conn)
	case protocol.OpConnect:
		return s.connect(conn, request.Connect)
	}
	reply, err := s.do(&request)
	if err != nil {
		reply = &protocol.Reply{Failure: failure(err)}
	}
	if err := json.NewEncoder(conn).Encode(reply); err != nil {
		return fmt.Errorf("answer %s: %w", request.Op, err)
	}
	if request.Op == protocol.OpShutdown && err == nil {
		// Not os.Exit: under the race detector that waits a second.
		syscall.Exit(0)
	}
	return nil
}

// do does a call that has one reply.
func (s *shim) do(request *protocol.Request) (*protocol.Reply, error) {
	switch request.Op {
	case protocol.OpHello:
		return &protocol.Reply{Hello: &protocol.Hello{Version: protocol.Version, PID: os.Getpid()}}, nil
	case protocol.OpStart:
		if request.Start == nil || request.Start.Spec == nil {
			return nil, errors.New("nothing to start")
		}
		at, err := s.start(context.Background(), request.Start)
		return &protocol.Reply{Started: at}, err
	case protocol.OpKill:
		s.kill(request.Run, request.Grace)
		return &protocol.Reply{}, nil
	case protocol.OpDiscard:
		return &protocol.Reply{}, s.discard(request.Run)
	case protocol.OpShutdown:
		return &protocol.Reply{}, s.shutdown()
	default:
		return nil, fmt.Errorf("unknown call %q", request.Op)
	}
}

// failure puts an error into its wire form.
func failure(err error) *protocol.Failure {
	var inner *stage1.Failure
	return &protocol.Failure{Wish: errors.As(err, &inner) && inner.Wish, Message: err.Error()}
}

// checkPeer refuses callers that are not the user we belong to. The socket's
// directory keeps others out already; this holds when its mode was changed.
func checkPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if credErr != nil {
		return credErr
	}
	if int(cred.Uid) != os.Geteuid() {
		return fmt.Errorf("user %d is not ours", cred.Uid)
	}
	return nil
}
