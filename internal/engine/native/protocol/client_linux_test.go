package protocol

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
)

// shim answers every call with serve, in a directory whose name is longer than
// names of sockets may be.
func shim(t *testing.T, serve func(*net.UnixConn, Request)) Client {
	t.Helper()
	runDir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	if err := os.MkdirAll(runDir, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.OpenFile(runDir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: SocketPath(dir), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				var request Request
				line, err := bufio.NewReader(conn).ReadBytes('\n')
				if err != nil || json.Unmarshal(line, &request) != nil {
					return
				}
				serve(conn, request)
			}()
		}
	}()
	return Client{RunDir: runDir}
}

func answer(conn *net.UnixConn, reply Reply) { json.NewEncoder(conn).Encode(reply) }

func TestCalls(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	c := shim(t, func(conn *net.UnixConn, r Request) {
		switch {
		case r.Op == OpHello:
			answer(conn, Reply{Hello: &Hello{Version: Version, PID: 1}})
		case r.Op == OpStart && r.Start.Run == "good-1":
			answer(conn, Reply{Started: at})
		case r.Op == OpStart:
			answer(conn, Reply{Failure: &Failure{Wish: true, Message: "no"}})
		case r.Op == OpKill && r.Run == "good-1" && r.Grace == time.Second, r.Op == OpDiscard, r.Op == OpShutdown:
			answer(conn, Reply{})
		}
	})
	ctx := t.Context()
	if hello, err := c.Hello(ctx); err != nil || hello.Version != Version {
		t.Errorf("got %+v, %v", hello, err)
	}
	if got, err := c.Start(ctx, &Start{Run: "good-1"}); err != nil || !got.Equal(at) {
		t.Errorf("got %v, %v", got, err)
	}
	var failure *Failure
	if _, err := c.Start(ctx, &Start{Run: "bad-1"}); !errors.As(err, &failure) || !failure.Wish || err.Error() != "no" {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(c.Kill(ctx, "good-1", time.Second), c.Discard(ctx, "good-1"), c.Shutdown(ctx)); err != nil {
		t.Error(err)
	}
	if err := c.Kill(ctx, "silent-1", 0); err == nil || !strings.Contains(err.Error(), "shim is gone") {
		t.Errorf("a shim that says nothing: %v", err)
	}
	if _, err := c.Start(ctx, &Start{User: strings.Repeat("x", MaxMessage)}); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a message above the limit: %v", err)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	c := shim(t, func(conn *net.UnixConn, _ Request) { io.Copy(io.Discard, conn) }) // never answers
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Hello(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "/no/such/directory"} {
		if _, err := (Client{RunDir: dir}).Hello(t.Context()); err == nil {
			t.Errorf("%s: somebody answered", dir)
		}
	}
}

func TestWatch(t *testing.T) {
	c := shim(t, func(conn *net.UnixConn, _ Request) {
		answer(conn, Reply{Run: &layout.RunRecord{Run: "a-1"}})
		answer(conn, Reply{Snapshot: true})
		answer(conn, Reply{Run: &layout.RunRecord{Run: "a-1", Exit: &layout.Exit{Code: 3}}})
	})
	var told []string
	err := c.Watch(t.Context(), func(r layout.RunRecord) {
		if r.Exit != nil {
			r.Run += " ended"
		}
		told = append(told, r.Run)
	}, func() { told = append(told, "all") })
	if err == nil || strings.Join(told, ", ") != "a-1, all, a-1 ended" {
		t.Errorf("told %v, then %v", told, err)
	}
}

func TestConnectPassesASocket(t *testing.T) {
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	go func() {
		conn, err := inside.Accept()
		if err == nil {
			io.WriteString(conn, "from inside")
			conn.Close()
		}
	}()
	c := shim(t, func(conn *net.UnixConn, r Request) {
		if r.Connect.Network != "tcp" {
			text, _ := json.Marshal(Reply{Failure: &Failure{Message: "connection refused"}})
			conn.Write(text)
			return
		}
		far, err := net.Dial("tcp", r.Connect.Addresses[0].String())
		if err != nil {
			return
		}
		defer far.Close()
		f, err := far.(*net.TCPConn).File()
		if err != nil {
			return
		}
		defer f.Close()
		text, _ := json.Marshal(Reply{})
		conn.WriteMsgUnix(text, unix.UnixRights(int(f.Fd())), nil)
	})
	at := netip.MustParseAddrPort(inside.Addr().String())
	conn, err := c.Connect(t.Context(), &Connect{Network: "tcp", Addresses: []netip.AddrPort{at}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if text, err := io.ReadAll(conn); err != nil || string(text) != "from inside" {
		t.Errorf("got %q, %v", text, err)
	}
	if _, ok := conn.(*net.TCPConn); !ok {
		t.Errorf("a %T", conn)
	}
	if _, err := c.Connect(t.Context(), &Connect{Network: "udp"}); err == nil || err.Error() != "connection refused" {
		t.Errorf("got %v", err)
	}
}
