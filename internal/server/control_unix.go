//go:build unix

package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// socketRoom is how long the path of a socket may be: what its address holds,
// less the zero byte at its end.
const socketRoom = len(unix.RawSockaddrUnix{}.Path) - 1

// controlPath gives a path of the control socket that is short enough, and what
// must be closed when the path is no longer needed. A data directory may be
// deeper than the system lets sockets be; Linux reaches it through a descriptor.
func controlPath(data string) (string, func(), error) {
	path := filepath.Join(data, controlName)
	if len(path) <= socketRoom {
		return path, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, fmt.Errorf("%w: its path would have %d bytes, and this system allows %d; choose a shorter data directory", errNoControl, len(path), socketRoom)
	}
	dir, err := os.Open(data)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), controlName), func() { dir.Close() }, nil
}

// controlListener is the socket with what its path needs.
type controlListener struct {
	*net.UnixListener
	release func()
}

// Close also removes the socket's file.
func (l *controlListener) Close() error {
	err := l.UnixListener.Close()
	l.release()
	return err
}

// listenControl opens the socket. The caller holds the data directory, so a file
// that is there is a dead server's.
func listenControl(data string) (net.Listener, error) {
	path, release, err := controlPath(data)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		release()
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		release()
		return nil, err
	}
	// The directory keeps others out already.
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		release()
		return nil, err
	}
	return &controlListener{l, release}, nil
}

// dialControl connects to the server that holds a data directory.
func dialControl(ctx context.Context, data string) (net.Conn, error) {
	path, release, err := controlPath(data)
	if err != nil {
		return nil, err
	}
	defer release()
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
