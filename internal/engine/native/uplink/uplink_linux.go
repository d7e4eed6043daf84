package uplink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/containers/gvisor-tap-vsock/pkg/types"
	"github.com/containers/gvisor-tap-vsock/pkg/virtualnetwork"
	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/tap"
)

// Name is argv[0] of an uplink process.
const Name = "ludgate-uplink"

// SocketFD is its end of the socket to the shim.
const SocketFD = 3

// gatewayMAC is of no importance: nobody else is on that network.
const gatewayMAC = "5a:94:ef:e4:0c:dd"

func init() {
	if len(os.Args) > 0 && os.Args[0] == Name {
		go Main()
		select {}
	}
}

// Main runs an uplink. It never returns.
func Main() {
	debug.SetGCPercent(50)
	unix.CloseOnExec(SocketFD)
	// As the shim: signals to the whole service are for the server.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	err := run(os.NewFile(SocketFD, "shim"))
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "uplink:", err)
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

// run waits for the device and serves it until the shim is gone.
func run(shim *os.File) error {
	if shim == nil {
		return errors.New("started by hand: there is nothing to do")
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	device, err := tap.Receive(shim)
	if err != nil {
		return err
	}
	network, err := virtualnetwork.New(&types.Configuration{
		MTU:               tap.MTU,
		Subnet:            tap.Subnet.String(),
		GatewayIP:         tap.Gateway.String(),
		GatewayMacAddress: gatewayMAC,
	})
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- network.AcceptBess(context.Background(), frames{device}) }()
	gone := make(chan error, 1)
	go func() {
		_, err := shim.Read(make([]byte, 1)) // it says nothing more; its end is what is waited for
		gone <- err
	}()
	select {
	case err := <-served:
		return err
	case <-gone:
		return nil
	}
}

// frames is the device as a connection that carries one Ethernet frame with each
// Read and Write.
type frames struct{ *os.File }

// shortest is the length of an Ethernet header.
const shortest = 14

func (f frames) Read(p []byte) (int, error) {
	for {
		n, err := f.File.Read(p)
		if err != nil || n >= shortest {
			return n, err
		}
	}
}

func (f frames) LocalAddr() net.Addr  { return &net.UnixAddr{Name: "eth0"} }
func (f frames) RemoteAddr() net.Addr { return &net.UnixAddr{Name: "eth0"} }
