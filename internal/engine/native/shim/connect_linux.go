package shim

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/protocol"
)

// connectTimeout bounds how long one address may take; nearly all of them are
// on the loopback interface and answer at once.
const connectTimeout = 5 * time.Second

// connect dials inside the group and passes the socket to the caller.
func (s *shim) connect(conn *net.UnixConn, request *protocol.Connect) error {
	inner, err := dial(request)
	reply := protocol.Reply{}
	if err != nil {
		reply.Failure = failure(err)
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	if inner == nil {
		_, err = conn.Write(text)
		return err
	}
	defer inner.Close()
	raw, err := inner.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var sendErr error
	if err := raw.Control(func(fd uintptr) {
		_, _, sendErr = conn.WriteMsgUnix(text, unix.UnixRights(int(fd)), nil)
	}); err != nil {
		return err
	}
	return sendErr
}

func dial(request *protocol.Connect) (net.Conn, error) {
	if request == nil || len(request.Addresses) == 0 || len(request.Addresses) > 8 {
		return nil, errors.New("no address to connect to")
	}
	var faults []error
	for _, address := range request.Addresses {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		var d net.Dialer
		var conn net.Conn
		var err error
		switch request.Network {
		case "tcp":
			conn, err = d.DialTCP(ctx, "tcp", netip.AddrPort{}, address)
		case "udp":
			conn, err = d.DialUDP(ctx, "udp", netip.AddrPort{}, address)
		default:
			err = errors.New("network is neither tcp nor udp")
		}
		cancel()
		if err == nil {
			return conn, nil
		}
		faults = append(faults, err)
	}
	return nil, errors.Join(faults...)
}
