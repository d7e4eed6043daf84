package uplink

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/tun"
)

// Name is argv[0] of an uplink process.
const Name = "ludgate-uplink"

// SocketFD is its end of the socket to the shim.
const SocketFD = 3

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
	device, err := tun.Receive(shim)
	if err != nil {
		return err
	}
	closed := make(chan error, 1)
	if err := serve(device, func(err error) { closed <- err }); err != nil {
		return err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = shim.Read(make([]byte, 1)) // it says nothing more; its end is what is waited for
	}()
	select {
	case err := <-closed:
		return err
	case <-gone:
		return nil
	}
}
