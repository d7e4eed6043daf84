package tun

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The network of a group.
var (
	Subnet  = netip.MustParsePrefix("192.168.127.0/24")
	Gateway = netip.MustParseAddr("192.168.127.1") // also answers names
	Address = netip.MustParseAddr("192.168.127.2") // the group
)

// MTU of the device.
const MTU = 1500

const device = "/dev/net/tun"

// everything is the destination of the default route.
var everything = &net.IPNet{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}

// Check says why there can be no device; nil when there can.
func Check() error {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// Make makes the device in the present network namespace, with its address and
// the route to everything else.
func Make() (*os.File, error) {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: device, Err: err}
	}
	f := os.NewFile(uintptr(fd), "eth0")
	if err := configure(fd); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func configure(fd int) error {
	request, err := unix.NewIfreq("eth0")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return fmt.Errorf("make the device: %w", err)
	}
	link, err := netlink.LinkByName("eth0")
	if err != nil {
		return err
	}
	if err := netlink.LinkSetMTU(link, MTU); err != nil {
		return fmt.Errorf("set the device's MTU: %w", err)
	}
	own := &net.IPNet{IP: Address.AsSlice(), Mask: net.CIDRMask(Subnet.Bits(), 32)}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: own}); err != nil {
		return fmt.Errorf("give the device its address: %w", err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring up the device: %w", err)
	}
	if err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: everything}); err != nil {
		return fmt.Errorf("give the device its route: %w", err)
	}
	return nil
}

// Send hands a device to the process at the other end of a socket.
func Send(socket, device *os.File) error {
	return unix.Sendmsg(int(socket.Fd()), []byte{1}, unix.UnixRights(int(device.Fd())), nil, 0)
}

// Receive waits for a device; io.EOF when there will be none.
func Receive(socket *os.File) (*os.File, error) {
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := unix.Recvmsg(int(socket.Fd()), buf, oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return nil, err
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err == nil && len(fds) == 1 {
			if err := unix.SetNonblock(fds[0], true); err != nil {
				return nil, err
			}
			return os.NewFile(uintptr(fds[0]), "eth0"), nil
		}
	}
	return nil, errors.New("no device came")
}
