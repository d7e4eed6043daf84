package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
)

// Client calls the shim whose socket is in a directory.
type Client struct{ RunDir string }

// Dial connects to the socket. Names of sockets are limited to 107 bytes, and
// run directories need not be that short: so it goes through a descriptor of
// the directory.
func (c Client) dial(ctx context.Context) (*net.UnixConn, error) {
	dir, err := os.OpenFile(c.RunDir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", SocketPath(dir))
	if err != nil {
		return nil, fmt.Errorf("reach the group's shim: %w", err)
	}
	return conn.(*net.UnixConn), nil
}

// SocketPath is the shim's socket in an open directory.
func SocketPath(dir *os.File) string {
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + layout.SocketName
}

// open sends a request. The connection is closed when ctx ends, which makes
// what is under way on it fail.
func (c Client) open(ctx context.Context, request *Request) (conn *net.UnixConn, done func(), err error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > MaxMessage {
		return nil, nil, fmt.Errorf("the container's definition is too large (%d bytes)", len(text))
	}
	conn, err = c.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	done = func() { stop(); conn.Close() }
	if _, err := conn.Write(append(text, '\n')); err != nil {
		done()
		return nil, nil, cause(ctx, err)
	}
	return conn, done, nil
}

// cause prefers the reason why ctx ended over its symptom.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.EPIPE) {
		return fmt.Errorf("the group's shim is gone: %w", err)
	}
	return err
}

// call sends a request and waits for its reply.
func (c Client) call(ctx context.Context, request *Request) (*Reply, error) {
	conn, done, err := c.open(ctx, request)
	if err != nil {
		return nil, err
	}
	defer done()
	var reply Reply
	if err := json.NewDecoder(io.LimitReader(conn, MaxMessage)).Decode(&reply); err != nil {
		return nil, cause(ctx, err)
	}
	if reply.Failure != nil {
		return nil, reply.Failure
	}
	return &reply, nil
}

// Hello asks who is there.
func (c Client) Hello(ctx context.Context) (Hello, error) {
	reply, err := c.call(ctx, &Request{Op: OpHello})
	if err != nil {
		return Hello{}, err
	}
	if reply.Hello == nil {
		return Hello{}, errors.New("the group's shim did not introduce itself")
	}
	return *reply.Hello, nil
}

// Start starts a run and says when its program began. Failures of the run
// itself are *Failure.
func (c Client) Start(ctx context.Context, start *Start) (time.Time, error) {
	reply, err := c.call(ctx, &Request{Op: OpStart, Start: start})
	if err != nil {
		return time.Time{}, err
	}
	return reply.Started, nil
}

// Kill ends a run and returns when it has ended.
func (c Client) Kill(ctx context.Context, run string, grace time.Duration) error {
	_, err := c.call(ctx, &Request{Op: OpKill, Run: run, Grace: grace})
	return err
}

// Discard frees what an ended run held.
func (c Client) Discard(ctx context.Context, run string) error {
	_, err := c.call(ctx, &Request{Op: OpDiscard, Run: run})
	return err
}

// Shutdown ends all runs at once, frees what they held, and ends the shim.
func (c Client) Shutdown(ctx context.Context) error {
	_, err := c.call(ctx, &Request{Op: OpShutdown})
	return err
}

// Watch calls run for every run the shim knows, then ready once, then run
// whenever one has begun or ended. It returns when ctx ends or the shim is gone,
// never with nil.
func (c Client) Watch(ctx context.Context, run func(layout.RunRecord), ready func()) error {
	conn, done, err := c.open(ctx, &Request{Op: OpWatch})
	if err != nil {
		return err
	}
	defer done()
	replies := json.NewDecoder(conn)
	for {
		var reply Reply
		if err := replies.Decode(&reply); err != nil {
			return cause(ctx, err)
		}
		switch {
		case reply.Failure != nil:
			return reply.Failure
		case reply.Run != nil:
			run(*reply.Run)
		case reply.Snapshot:
			ready()
		}
	}
}

// Connect gives a socket inside the group, connected to the first address that
// answers.
func (c Client) Connect(ctx context.Context, connect *Connect) (net.Conn, error) {
	conn, done, err := c.open(ctx, &Request{Op: OpConnect, Connect: connect})
	if err != nil {
		return nil, err
	}
	defer done()
	buf, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := conn.ReadMsgUnix(buf, oob)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return nil, cause(ctx, err)
	}
	file, err := received(oob[:oobn])
	if err != nil {
		return nil, err
	}
	if file != nil {
		defer file.Close() // FileConn makes a copy
	}
	var reply Reply
	if err := json.Unmarshal(buf[:n], &reply); err != nil {
		return nil, fmt.Errorf("the group's shim does not make sense: %w", err)
	}
	if reply.Failure != nil {
		return nil, reply.Failure
	}
	if file == nil {
		return nil, errors.New("the group's shim sent no socket")
	}
	return net.FileConn(file)
}

// received takes a descriptor out of a control message; nil when there is none.
func received(oob []byte) (*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var file *os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			if file != nil {
				unix.Close(fd)
				continue
			}
			file = os.NewFile(uintptr(fd), "group")
		}
	}
	return file, nil
}
