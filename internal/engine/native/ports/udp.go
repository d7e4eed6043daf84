package ports

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// idleTime is how long a client may be silent, in both directions, before
	// it is forgotten.
	idleTime = 60 * time.Second
	// waiting is how many packets of a client wait for its socket.
	waiting = 64
	maxUDP  = 64 << 10
)

// udpPort is one published UDP port.
type udpPort struct {
	set    *Set
	at     published
	conn   *net.UDPConn
	cancel context.CancelFunc

	mu      sync.Mutex
	clients map[netip.AddrPort]*client
	full    bool // and somebody was told
}

// client is one sender outside and its socket inside.
type client struct {
	packets chan []byte
	active  atomic.Int64 // monotonic time of the last packet, either way
}

func (s *Set) listenUDP(p published) (closer, error) {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.address, p.port)))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	u := &udpPort{set: s, at: p, conn: conn, cancel: cancel, clients: map[netip.AddrPort]*client{}}
	go u.receive(ctx)
	return u, nil
}

// receive hands packets from outside to their clients. It waits for none of
// them: what cannot be taken is dropped, as networks do.
func (u *udpPort) receive(ctx context.Context) {
	buf := make([]byte, maxUDP)
	for {
		n, from, err := u.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an answer that could not be delivered, reported late
		}
		c := u.client(ctx, from)
		if c == nil {
			continue
		}
		select {
		case c.packets <- append([]byte(nil), buf[:n]...):
		default:
		}
	}
}

// client finds or begins the client of an address; nil when there are too many.
func (u *udpPort) client(ctx context.Context, from netip.AddrPort) *client {
	u.mu.Lock()
	defer u.mu.Unlock()
	if c := u.clients[from]; c != nil {
		return c
	}
	if len(u.clients) >= maxClients {
		if !u.full {
			u.set.log.Warn("a published port has too many clients", "port", u.at.String(), "address", u.at.address, "clients", len(u.clients))
		}
		u.full = true
		return nil
	}
	u.full = false
	c := &client{packets: make(chan []byte, waiting)}
	u.clients[from] = c
	go u.pass(ctx, from, c)
	return c
}

// pass is the life of a client: a socket inside, packets both ways, until both
// directions have been idle.
func (u *udpPort) pass(ctx context.Context, from netip.AddrPort, c *client) {
	defer func() {
		u.mu.Lock()
		delete(u.clients, from)
		u.mu.Unlock()
	}()
	dialCtx, cancel := context.WithTimeout(ctx, dialTime)
	inner, err := u.set.dial(dialCtx, "udp", u.at.port)
	cancel()
	if err != nil {
		if !quiet(err) {
			u.set.log.Warn("a published port does not reach its group", "port", u.at.String(), "address", u.at.address, "error", err)
		}
		return
	}
	defer inner.Close()
	ctx, cancel = context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	touch := func() { c.active.Store(int64(time.Since(start))) }

	go func() { // answers
		defer cancel()
		buf := make([]byte, maxUDP)
		for {
			if err := inner.SetReadDeadline(start.Add(time.Duration(c.active.Load()) + u.set.idle)); err != nil {
				return
			}
			n, err := inner.Read(buf)
			switch {
			case errors.Is(err, os.ErrDeadlineExceeded):
				if time.Since(start)-time.Duration(c.active.Load()) >= u.set.idle {
					return
				}
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil: // nobody listens inside; somebody may, later
			default:
				touch()
				_, _ = u.conn.WriteToUDPAddrPort(buf[:n], from)
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-c.packets:
			touch()
			_, _ = inner.Write(p)
		}
	}
}

func (u *udpPort) close() {
	u.cancel()
	u.conn.Close()
}
