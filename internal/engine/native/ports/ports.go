package ports

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// Dial opens a socket inside the group to a port there. network is "tcp" or
// "udp".
type Dial func(ctx context.Context, network string, port uint16) (net.Conn, error)

// Limits for one published port.
const (
	maxConnections = 4096 // more wait in the listener's queue
	maxClients     = 1024 // UDP; packets of more are dropped
)

// Set is the published ports of one group. The zero value is not usable: see
// [New].
type Set struct {
	dial Dial
	log  *slog.Logger
	idle time.Duration // see idleTime

	mu   sync.Mutex
	open map[published]closer
}

type closer interface{ close() }

// published is one port at one address.
type published struct {
	address  netip.Addr
	port     uint16
	protocol ludgate.Protocol
}

func (p published) String() string { return fmt.Sprintf("%d/%s", p.port, p.protocol) }

// New gives a set without ports.
func New(dial Dial, log *slog.Logger) *Set {
	return &Set{dial: dial, log: log, idle: idleTime, open: map[published]closer{}}
}

// Update makes the set's ports these: what is open stays open, what is not
// wanted any more is closed with its connections, the rest is opened. When one
// cannot be opened, none of the new ones is.
func (s *Set) Update(address netip.Addr, publish []engine.Publish) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var wanted []published
	for _, p := range publish {
		protocol := p.Protocol
		if protocol == "" {
			protocol = ludgate.TCP
		}
		wanted = append(wanted, published{address.Unmap(), p.Port, protocol})
	}
	if len(wanted) > 0 && !address.IsValid() {
		return errors.New("ports are published, but the group has no address")
	}

	opened := map[published]closer{}
	for _, p := range wanted {
		if s.open[p] != nil || opened[p] != nil {
			continue
		}
		c, err := s.listen(p)
		if err != nil {
			for _, c := range opened {
				c.close()
			}
			return explain(p, err)
		}
		opened[p] = c
	}
	for p, c := range s.open {
		if !slices.Contains(wanted, p) {
			c.close()
			delete(s.open, p)
		}
	}
	for p, c := range opened {
		s.open[p] = c
	}
	return nil
}

// Close closes all ports and their connections.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, c := range s.open {
		c.close()
		delete(s.open, p)
	}
}

func (s *Set) listen(p published) (closer, error) {
	switch p.protocol {
	case ludgate.TCP:
		return s.listenTCP(p)
	case ludgate.UDP:
		return s.listenUDP(p)
	}
	return nil, fmt.Errorf("unknown protocol %q", p.protocol)
}

// explain says what is wrong in words for whoever chose the address.
func explain(p published, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("port %s of %s is taken by another program or group", p, p.address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("port %s cannot be published: %s is not an address of this machine", p, p.address)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("port %s of %s cannot be published: the system keeps ports below 1024 for root (see net.ipv4.ip_unprivileged_port_start)", p, p.address)
	}
	return fmt.Errorf("port %s of %s cannot be published: %w", p, p.address, err)
}

// quiet reports whether an error is only the end of something.
func quiet(err error) bool {
	return err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) ||
		strings.HasSuffix(err.Error(), "connection refused")
}
