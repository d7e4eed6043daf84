package native

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/oci"
	"ludgate/internal/engine/native/protocol"
)

// vetImage is the built-in image; vetCode an exit code that nothing else gives.
const (
	vetImage = "ludgate/hello"
	vetCode  = 42
	vetTime  = 30 * time.Second
)

// vet gives the first installed runtime that can do what groups need, or why
// none can. A group is run with each: its containers must start, end with their
// code, and share the network of the group. (A runtime that gives every container
// a network of its own inside a virtual machine fails the last.)
func (r *Runtime) vet(ctx context.Context, commands []string) (string, error) {
	if len(commands) == 0 {
		return "", oci.ErrNone
	}
	var faults []error
	for _, command := range commands {
		err := r.try(ctx, command)
		if err == nil {
			r.log.Info("containers are started by an installed runtime", "runtime", command)
			return command, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		r.log.Warn("an installed runtime is not used: it failed its check", "runtime", command, "error", err)
		faults = append(faults, fmt.Errorf("%s: %w", command, err))
	}
	return "", errors.Join(faults...)
}

// try runs the check with one runtime.
func (r *Runtime) try(ctx context.Context, command string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, vetTime)
	defer cancel()
	img, err := r.Pull(ctx, vetImage, nil)
	if err != nil {
		return err
	}
	present, err := r.image(ctx, img)
	if err != nil {
		return err
	}

	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	// It has no number, so it is not connected to the bridge, and no ports.
	wish := &engine.Group{Key: hex.EncodeToString(random), Name: "check"}
	r.mu.Lock()
	g := r.newGroup(wish.Key)
	r.mu.Unlock()
	g.change.Lock()
	defer g.change.Unlock()
	defer func() {
		// Also when ctx has ended: nothing may be left.
		err = errors.Join(err, r.cleanup(context.WithoutCancel(ctx), g))
	}()
	if err := r.spawnShim(ctx, g); err != nil {
		return err
	}
	if err := r.writeEtc(g, wish); err != nil {
		return err
	}
	start := func(name string, args ...string) error {
		c := &engine.Container{Name: "check", Command: append([]string{"/hello"}, args...), MemoryLimit: 256 << 20, CPULimit: 1}
		request, err := r.requestFor(command, g, wish, c, present, name)
		if err != nil {
			return err
		}
		at, err := g.client.Start(ctx, request)
		if err == nil {
			g.observe(layout.RunRecord{Run: name, Container: c.Name, Started: at})
		}
		return err
	}

	if err := start("check-1", "exit", fmt.Sprint(vetCode)); err != nil {
		return err
	}
	exit, err := r.Wait(ctx, g.key, "check-1")
	if err != nil {
		return err
	}
	if exit.Code != vetCode {
		return fmt.Errorf("a container ended with %d instead of %d", exit.Code, vetCode)
	}
	const port = 80
	if err := start("check-2", "serve", "--port", fmt.Sprint(port)); err != nil {
		return err
	}
	return answers(ctx, g, port)
}

// answers waits until a program in the group answers on a port.
func answers(ctx context.Context, g *group, port uint16) error {
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
	for {
		conn, err := g.client.Connect(ctx, &protocol.Connect{Network: "tcp", Addresses: []netip.AddrPort{at}})
		if err == nil {
			return conn.Close()
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("a container does not share the group's network: %w", err)
		}
	}
}
