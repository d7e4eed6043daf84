package native

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/ports"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/tun"
	"ludgate/internal/engine/pod"
)

// group is what this process knows of one group.
type group struct {
	key    string
	place  layout.Group
	client protocol.Client
	ports  *ports.Set

	// change is held by the calls that change the ground: Sandbox, Start (until
	// the shim has the request), Cleanup.
	change sync.Mutex

	mu       sync.Mutex
	record   layout.GroupRecord
	alive    bool          // the shim is watched
	removing bool          // Cleanup has begun
	gone     chan struct{} // closed when the watched shim is gone; nil before the first
	runs     map[string]*run
	starting map[string]chan struct{} // closed when the start is over
}

// run is one run of a container.
type run struct {
	record layout.RunRecord
	done   chan struct{} // closed when record.Exit is set
	notify []func(pod.Exit, error)
}

// group gives the group of a key; nil when it is unknown and make is false.
func (r *Runtime) group(key string, make bool) (*group, error) {
	if err := layout.CheckKey(key); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("native engine: closed")
	}
	g := r.groups[key]
	if g == nil && make {
		g = r.newGroup(key)
	}
	return g, nil
}

// newGroup begins to know a group. r.mu is held.
func (r *Runtime) newGroup(key string) *group {
	place := layout.NewGroup(r.dir, r.runDir, key)
	g := &group{
		key: key, place: place, client: protocol.Client{RunDir: place.RunDir},
		record: layout.GroupRecord{Key: key},
		runs:   map[string]*run{}, starting: map[string]chan struct{}{},
	}
	g.ports = ports.New(func(ctx context.Context, network string, port uint16) (net.Conn, error) {
		return r.dial(ctx, g, network, port)
	}, r.log.With("group", key))
	r.groups[key] = g
	return g
}

// dial opens a socket inside the group. Programs listen on all addresses, or on
// loopback, or on the group's own address.
func (r *Runtime) dial(ctx context.Context, g *group, network string, port uint16) (net.Conn, error) {
	addresses := []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)}
	if network == "tcp" { // UDP has no refusal that would let the next be tried
		if a := r.address(g); a.IsValid() {
			addresses = append(addresses, netip.AddrPortFrom(a, port))
		}
		addresses = append(addresses, netip.AddrPortFrom(netip.IPv6Loopback(), port))
	}
	return g.client.Connect(ctx, &protocol.Connect{Network: network, Addresses: addresses})
}

// address is the group's own address, if it has one besides loopback.
func (r *Runtime) address(g *group) netip.Addr {
	g.mu.Lock()
	host := g.record.Host
	g.mu.Unlock()
	if r.uplink {
		return tun.Address
	}
	if host == 0 || r.network == nil {
		return netip.Addr{}
	}
	return r.network.Address(host)
}

// follow watches a group's shim until it is gone or this Runtime is closed.
// known is called once when all its runs have been told.
func (r *Runtime) follow(g *group, known func()) {
	gone := make(chan struct{})
	g.mu.Lock()
	g.alive, g.gone = true, gone
	g.mu.Unlock()
	r.watches.Go(func() {
		err := g.client.Watch(r.closing, g.observe, known)
		if r.closing.Err() != nil {
			return
		}
		g.mu.Lock()
		g.alive = false
		g.mu.Unlock()
		r.lose(g, err)
		close(gone)
	})
}

// isAlive reports whether there is a shim that can be called.
func (g *group) isAlive() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.alive
}

// observe takes over what the shim tells of a run.
func (g *group) observe(record layout.RunRecord) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.set(record)
}

// set stores what is known of a run; what is known already does not go back. g.mu
// is held.
func (g *group) set(record layout.RunRecord) {
	known := g.runs[record.Run]
	if known == nil {
		known = &run{record: record, done: make(chan struct{})}
		g.runs[record.Run] = known
	} else if known.record.Exit != nil {
		return
	}
	known.record = record
	if record.Exit == nil {
		return
	}
	close(known.done)
	exit := convert(*record.Exit)
	for _, f := range known.notify {
		go f(exit, nil)
	}
	known.notify = nil
}

func convert(e layout.Exit) pod.Exit {
	return pod.Exit{Code: e.Code, Signal: e.Signal, OOMKilled: e.OOMKilled, At: e.At, Err: e.Err}
}

// find gives a run; nil when it is unknown.
func (g *group) find(name string) *run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.runs[name]
}

// lose makes sure that a shim which does not answer is dead, and ends its runs:
// the kernel has ended their processes with it.
func (r *Runtime) lose(g *group, cause error) {
	if err := g.killShim(); err != nil {
		r.log.Error("a shim that does not answer cannot be ended", "group", g.key, "error", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r.endAll(g, cause)
}

// endAll gives an end to all runs that have none. g.mu is held.
func (r *Runtime) endAll(g *group, cause error) {
	reason := "the process that watched over the container ended; the container was ended with it"
	if g.removing {
		reason = "the group was removed"
	}
	for _, known := range g.runs {
		if known.record.Exit != nil {
			continue
		}
		record := known.record
		record.Exit = r.lostExit(reason)
		if !g.removing {
			r.log.Error("a container was lost", "group", g.key, "run", record.Run, "cause", cause)
			if err := layout.Write(g.place.Run(record.Run).Record(), record, true); err != nil && !absent(err) {
				r.log.Error("the end of a run is not on disk", "group", g.key, "run", record.Run, "error", err)
			}
		}
		g.set(record)
	}
}

func (r *Runtime) lostExit(reason string) *layout.Exit {
	return &layout.Exit{Code: 128 + int(unix.SIGKILL), Signal: int(unix.SIGKILL), At: r.clock().UTC(), Err: reason}
}

// killShim ends the shim on record, if it is still that process, and waits until
// it is gone: then all processes of the group are.
func (g *group) killShim() error {
	var record layout.ShimRecord
	if err := layout.Read(g.place.Shim(), &record); absent(err) {
		return nil
	} else if err != nil {
		return err
	}
	fd, err := unix.PidfdOpen(record.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	// With the descriptor held, the number cannot be given to another process.
	now, err := shimRecord(record.PID)
	if absent(err) || err == nil && now != record {
		return nil
	}
	if err != nil {
		return err
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("end the shim: %w", err)
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for deadline := time.Now().Add(30 * time.Second); ; {
		n, err := unix.Poll(poll, int(time.Until(deadline).Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case n == 0:
			return os.ErrDeadlineExceeded
		default:
			return nil
		}
	}
}
