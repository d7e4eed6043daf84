package ports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// inside stands for a group: whatever port is dialled, it is the one given.
func inside(address net.Addr) Dial {
	return func(ctx context.Context, network string, port uint16) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address.String())
	}
}

func newSet(t *testing.T, dial Dial) *Set {
	t.Helper()
	s := New(dial, slog.New(slog.DiscardHandler))
	t.Cleanup(s.Close)
	return s
}

// freePort finds a port nobody uses.
func freePort(t *testing.T) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

func listenTCP(t *testing.T, serve func(*net.TCPConn)) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c.(*net.TCPConn))
		}
	}()
	return l.Addr()
}

func TestTCPPassesBothWaysAndHalfCloses(t *testing.T) {
	// The program inside answers only after it has read everything.
	addr := listenTCP(t, func(c *net.TCPConn) {
		defer c.Close()
		all, _ := io.ReadAll(c)
		fmt.Fprintf(c, "read %d bytes", len(all))
	})
	s := newSet(t, inside(addr))
	port := freePort(t)
	if err := s.Update(loopback, []engine.Publish{{Port: port}}); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(bytes.Repeat([]byte("x"), 3<<20)); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if want := fmt.Sprintf("read %d bytes", 3<<20); err != nil || string(answer) != want {
		t.Errorf("got %q, %v, want %q", answer, err, want)
	}
}

func TestTCPResetWhenNobodyListens(t *testing.T) {
	s := newSet(t, func(context.Context, string, uint16) (net.Conn, error) {
		return nil, errors.New("connect: connection refused")
	})
	port := freePort(t)
	if err := s.Update(loopback, []engine.Publish{{Port: port, Protocol: ludgate.TCP}}); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return // refused at once: as good
	}
	defer c.Close()
	if _, err := io.ReadAll(c); err == nil {
		t.Error("the connection ended as if somebody had answered nothing")
	}
}

func TestUpdateOpensAndCloses(t *testing.T) {
	addr := listenTCP(t, func(c *net.TCPConn) { io.Copy(c, c); c.Close() })
	s := newSet(t, inside(addr))
	a, b := freePort(t), freePort(t)
	dial := func(port uint16) (net.Conn, error) { return net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)) }
	echo := func(c net.Conn) error {
		if _, err := c.Write([]byte("hi")); err != nil {
			return err
		}
		_, err := io.ReadFull(c, make([]byte, 2))
		return err
	}

	if err := s.Update(loopback, []engine.Publish{{Port: a}}); err != nil {
		t.Fatal(err)
	}
	kept, err := dial(a)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if err := echo(kept); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(loopback, []engine.Publish{{Port: a}, {Port: b}, {Port: b}}); err != nil {
		t.Fatal(err)
	}
	if err := echo(kept); err != nil {
		t.Errorf("a connection broke when another port was added: %v", err)
	}
	if err := s.Update(loopback, []engine.Publish{{Port: b}}); err != nil {
		t.Fatal(err)
	}
	if err := echo(kept); err == nil {
		t.Error("a connection outlived its port")
	}
	if c, err := dial(a); err == nil {
		c.Close()
		t.Error("a port that is not published any more is open")
	}
	if c, err := dial(b); err != nil {
		t.Error(err)
	} else {
		c.Close()
	}
}

func TestAddressConflicts(t *testing.T) {
	s, other := newSet(t, nil), newSet(t, nil)
	port := freePort(t)
	if err := other.Update(loopback, []engine.Publish{{Port: port}}); err != nil {
		t.Fatal(err)
	}
	free := freePort(t)
	err := s.Update(loopback, []engine.Publish{{Port: free}, {Port: port}})
	if want := fmt.Sprintf("port %d/TCP of 127.0.0.1 is taken by another program or group", port); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := other.Update(loopback, []engine.Publish{{Port: port}, {Port: free}}); err != nil {
		t.Errorf("a failed update left a port open: %v", err)
	}
	err = s.Update(netip.MustParseAddr("192.0.2.77"), []engine.Publish{{Port: port}})
	if err == nil || !strings.Contains(err.Error(), "192.0.2.77 is not an address of this machine") {
		t.Errorf("got %v", err)
	}
	if err := s.Update(netip.Addr{}, []engine.Publish{{Port: port}}); err == nil {
		t.Error("published without an address")
	}
	if err := s.Update(netip.Addr{}, nil); err != nil {
		t.Error(err)
	}
}

func TestUDPKeepsClientsApart(t *testing.T) {
	// The program inside answers with who it believes is asking.
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			fmt.Fprintf(udpWriter{pc, from}, "%s %s", from, buf[:n])
		}
	}()
	var dials atomic.Int32
	base := inside(pc.LocalAddr())
	s := newSet(t, func(ctx context.Context, network string, port uint16) (net.Conn, error) {
		dials.Add(1)
		return base(ctx, network, port)
	})
	port := freePort(t)
	if err := s.Update(loopback, []engine.Publish{{Port: port, Protocol: ludgate.UDP}}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 3 {
		c, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, word := range []string{"one", "two"} {
			if _, err := c.Write([]byte(word)); err != nil {
				t.Fatal(err)
			}
			c.SetReadDeadline(time.Now().Add(10 * time.Second))
			buf := make([]byte, 1500)
			n, err := c.Read(buf)
			if err != nil {
				t.Fatalf("client %d: %v", i, err)
			}
			from, text, _ := strings.Cut(string(buf[:n]), " ")
			if text != word {
				t.Errorf("got %q, want %q", text, word)
			}
			seen[from] = true
		}
	}
	if len(seen) != 3 || dials.Load() != 3 {
		t.Errorf("3 clients came out as %d, with %d sockets", len(seen), dials.Load())
	}
}

type udpWriter struct {
	net.PacketConn
	to net.Addr
}

func (w udpWriter) Write(p []byte) (int, error) { return w.WriteTo(p, w.to) }

func TestUDPForgetsIdleClients(t *testing.T) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	s := newSet(t, inside(pc.LocalAddr()))
	s.idle = 50 * time.Millisecond
	port := freePort(t)
	if err := s.Update(loopback, []engine.Publish{{Port: port, Protocol: ludgate.UDP}}); err != nil {
		t.Fatal(err)
	}
	var u *udpPort
	for _, c := range s.open {
		u = c.(*udpPort)
	}
	c, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("hi")); err != nil {
		t.Fatal(err)
	}
	pc.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, _, err := pc.ReadFrom(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		u.mu.Lock()
		left := len(u.clients)
		u.mu.Unlock()
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("an idle client is not forgotten")
		}
	}
}
