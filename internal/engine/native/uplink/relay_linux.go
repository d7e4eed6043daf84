package uplink

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// Limits of one group.
const (
	maxOpening     = 512  // TCP connections being opened
	maxConnections = 4096 // TCP
	maxFlows       = 1024 // UDP
	dialTime       = 30 * time.Second
	idleTime       = 60 * time.Second // of a UDP flow, in both directions
)

// asked is where a container wanted to go: the local end, as the stack stands
// for all the world.
func asked(id stack.TransportEndpointID) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4(id.LocalAddress.As4()), id.LocalPort)
}

// forwardTCP gives the handler of new connections. Each is accepted only when
// the world has accepted it, and refused otherwise.
func forwardTCP() func(*tcp.ForwarderRequest) {
	slots := make(chan struct{}, maxConnections)
	return func(r *tcp.ForwarderRequest) {
		select {
		case slots <- struct{}{}:
		default:
			r.Complete(true)
			return
		}
		go func() {
			defer func() { <-slots }()
			outer, err := dial("tcp", asked(r.ID()))
			if err != nil {
				r.Complete(true)
				return
			}
			defer outer.Close()
			var queue waiter.Queue
			endpoint, tcpErr := r.CreateEndpoint(&queue)
			r.Complete(tcpErr != nil)
			if tcpErr != nil {
				return
			}
			inner := gonet.NewTCPConn(&queue, endpoint)
			defer inner.Close()
			relay(inner, outer.(*net.TCPConn))
		}()
	}
}

// half is a connection whose directions end one by one.
type half interface {
	net.Conn
	CloseWrite() error
}

// relay passes bytes and ends on, both ways.
func relay(a, b half) {
	var both sync.WaitGroup
	one := func(to, from half) {
		if _, err := io.Copy(to, from); err != nil {
			to.Close()
			from.Close()
			return
		}
		_ = to.CloseWrite()
	}
	both.Go(func() { one(a, b) })
	both.Go(func() { one(b, a) })
	both.Wait()
}

func dial(network string, to netip.AddrPort) (net.Conn, error) {
	target, err := destination(to)
	if err != nil {
		return nil, err
	}
	return net.DialTimeout(network, target.String(), dialTime)
}

// forwardUDP gives the handler of packets that belong to no flow yet.
func forwardUDP() func(*udp.ForwarderRequest) {
	var flows atomic.Int64
	return func(r *udp.ForwarderRequest) {
		if flows.Add(1) > maxFlows {
			flows.Add(-1)
			return
		}
		// The endpoint must be there when the handler returns, or the packet
		// that brought the request is lost.
		var queue waiter.Queue
		endpoint, err := r.CreateEndpoint(&queue)
		if err != nil {
			flows.Add(-1)
			return
		}
		inner := gonet.NewUDPConn(&queue, endpoint)
		go func() {
			defer flows.Add(-1)
			defer inner.Close()
			outer, err := dial("udp", asked(r.ID()))
			if err != nil {
				return
			}
			defer outer.Close()
			exchange(inner, outer)
		}()
	}
}

// exchange passes packets both ways until neither has come for idleTime.
func exchange(a, b net.Conn) {
	start := time.Now()
	var active atomic.Int64
	var both sync.WaitGroup
	one := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		buf := make([]byte, 64<<10)
		for {
			if err := from.SetReadDeadline(start.Add(time.Duration(active.Load()) + idleTime)); err != nil {
				return
			}
			n, err := from.Read(buf)
			switch {
			case err == nil:
				active.Store(int64(time.Since(start)))
				_, _ = to.Write(buf[:n])
			case timedOut(err):
				if time.Since(start)-time.Duration(active.Load()) >= idleTime {
					return
				}
			default:
				return
			}
		}
	}
	both.Go(func() { one(a, b) })
	both.Go(func() { one(b, a) })
	both.Wait()
}

func timedOut(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &ne) && ne.Timeout()
}
