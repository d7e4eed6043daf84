package ports

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// dialTime bounds how long the inside may take to answer.
const dialTime = 10 * time.Second

// tcpPort is one published TCP port.
type tcpPort struct {
	set      *Set
	at       published
	listener *net.TCPListener
	cancel   context.CancelFunc

	mu    sync.Mutex
	conns map[net.Conn]bool // both ends of each; nil once closed
}

func (s *Set) listenTCP(p published) (closer, error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(p.address, p.port)))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &tcpPort{set: s, at: p, listener: l, cancel: cancel, conns: map[net.Conn]bool{}}
	go t.accept(ctx)
	return t, nil
}

func (t *tcpPort) accept(ctx context.Context) {
	slots := make(chan struct{}, maxConnections)
	for {
		slots <- struct{}{}
		outer, err := t.listener.AcceptTCP()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			// Out of descriptors, most likely: it passes.
			t.set.log.Warn("a published port cannot take connections", "port", t.at.String(), "address", t.at.address, "error", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return
			}
			<-slots
			continue
		}
		go func() {
			defer func() { <-slots }()
			t.pass(ctx, outer)
		}()
	}
}

// pass connects an accepted connection with one inside the group.
func (t *tcpPort) pass(ctx context.Context, outer *net.TCPConn) {
	defer outer.Close()
	dialCtx, cancel := context.WithTimeout(ctx, dialTime)
	conn, err := t.set.dial(dialCtx, "tcp", t.at.port)
	cancel()
	if err != nil {
		if !quiet(err) {
			t.set.log.Warn("a published port does not reach its group", "port", t.at.String(), "address", t.at.address, "error", err)
		}
		// Nobody listens there: say so as the system would, by a reset.
		_ = outer.SetLinger(0)
		return
	}
	defer conn.Close()
	inner, ok := conn.(*net.TCPConn)
	if !ok || !t.keep(outer, inner) {
		return
	}
	defer t.forget(outer, inner)

	var both sync.WaitGroup
	both.Go(func() { copyHalf(inner, outer) })
	both.Go(func() { copyHalf(outer, inner) })
	both.Wait()
}

// copyHalf passes one direction on until its end, and then the end too: the
// other direction may go on. A broken connection breaks both.
func copyHalf(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = to.SetLinger(0)
		to.Close()
		from.Close()
		return
	}
	_ = to.CloseWrite()
}

// keep remembers connections for closing; false when it is too late.
func (t *tcpPort) keep(conns ...net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conns == nil {
		return false
	}
	for _, c := range conns {
		t.conns[c] = true
	}
	return true
}

func (t *tcpPort) forget(conns ...net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range conns {
		delete(t.conns, c)
	}
}

func (t *tcpPort) close() {
	t.cancel()
	t.listener.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.conns {
		c.Close()
	}
	t.conns = nil
}
