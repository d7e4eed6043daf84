package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
)

// Hosts are the numbers a group may have in the subnet; 1 is the bridge.
const (
	MinHost = 2
	MaxHost = 4093
)

// record is network.json.
type record struct {
	Subnet netip.Prefix `json:"subnet"`
}

// Network is an installation's network.
type Network struct {
	path  string // of network.json
	id    string // 8 hexadecimal digits
	name  string // of the bridge
	notes []string

	mu     sync.Mutex
	subnet netip.Prefix // invalid until prepared
	index  int          // of the bridge, while prepared
	mtu    int
}

// Open gives the network of an installation, which is made when the first group
// needs it. path is where its record is kept, id 8 hexadecimal digits of its
// own.
func Open(path, id string) (*Network, error) {
	n := &Network{path: path, id: id, name: "ludgate" + id}
	if len(n.name) >= unix.IFNAMSIZ {
		return nil, fmt.Errorf("installation id %q is too long", id)
	}
	var r record
	err := layout.Read(path, &r)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	n.subnet = r.Subnet
	return n, nil
}

// port is the name of a group's end on the machine.
func (n *Network) port(host int) string { return fmt.Sprintf("lg%s%d", n.id, host) }

// Address is what a group of that number has, once Attach has worked.
func (n *Network) Address(host int) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	return address(n.subnet, host)
}

func address(subnet netip.Prefix, host int) netip.Addr {
	if !subnet.IsValid() {
		return netip.Addr{}
	}
	b := subnet.Addr().As4()
	b[2] |= byte(host >> 8)
	b[3] = byte(host)
	return netip.AddrFrom4(b)
}

// Attach connects the network namespace of a process to the bridge, unless that
// is done already. Notes are what does not work besides; they are given once.
func (n *Network) Attach(host, pid int) (notes []string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if host < MinHost || host > MaxHost {
		return nil, fmt.Errorf("group number %d is not in %d…%d", host, MinHost, MaxHost)
	}
	if n.index == 0 {
		if err := n.prepare(); err != nil {
			return nil, err
		}
		notes = n.notes
	}
	err = n.attach(host, pid)
	if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EINVAL) {
		// Somebody removed the bridge: once more from the beginning.
		if err = n.prepare(); err == nil {
			err = n.attach(host, pid)
		}
	}
	return notes, err
}

func (n *Network) attach(host, pid int) error {
	ns, err := netns.GetFromPid(pid)
	if err != nil {
		return fmt.Errorf("open the group's network namespace: %w", err)
	}
	defer ns.Close()
	inside, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("enter the group's network namespace: %w", err)
	}
	defer inside.Close()
	if _, err := inside.LinkByName("eth0"); err == nil {
		return nil // as after a restart of the server
	}

	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MasterIndex, attrs.MTU, attrs.Flags = n.port(host), n.index, n.mtu, net.FlagUp
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: "eth0", PeerNamespace: netlink.NsFd(ns), PeerMTU: uint32(n.mtu)}
	err = netlink.LinkAdd(veth)
	if errors.Is(err, unix.EEXIST) { // of a group that is gone
		if err = n.detach(host); err == nil {
			err = netlink.LinkAdd(veth)
		}
	}
	if err != nil {
		return fmt.Errorf("make the group's network interface: %w", err)
	}
	if err := n.configure(inside, host); err != nil {
		return errors.Join(err, n.detach(host))
	}
	return nil
}

// configure finishes a fresh pair: the port first, so that nothing passes before
// it is isolated.
func (n *Network) configure(inside *netlink.Handle, host int) error {
	port, err := netlink.LinkByName(n.port(host))
	if err != nil {
		return err
	}
	if err := netlink.LinkSetIsolated(port, true); err != nil {
		return fmt.Errorf("isolate the group's port: %w", err)
	}
	eth0, err := inside.LinkByName("eth0")
	if err != nil {
		return err
	}
	mask := net.CIDRMask(n.subnet.Bits(), 32)
	if err := inside.AddrAdd(eth0, &netlink.Addr{IPNet: &net.IPNet{IP: address(n.subnet, host).AsSlice(), Mask: mask}}); err != nil {
		return fmt.Errorf("give the group its address: %w", err)
	}
	if err := inside.LinkSetUp(eth0); err != nil {
		return fmt.Errorf("bring up the group's interface: %w", err)
	}
	if err := inside.RouteAdd(&netlink.Route{LinkIndex: eth0.Attrs().Index, Gw: address(n.subnet, 1).AsSlice()}); err != nil {
		return fmt.Errorf("give the group its route: %w", err)
	}
	return nil
}

// Detach takes a group's interface away, if there is one.
func (n *Network) Detach(host int) error {
	if host == 0 {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.detach(host)
}

func (n *Network) detach(host int) error {
	link, err := netlink.LinkByName(n.port(host))
	if err == nil {
		err = netlink.LinkDel(link)
	}
	if isGone(err) {
		return nil // it went with the namespace at its other end
	}
	return err
}

func isGone(err error) bool {
	var missing netlink.LinkNotFoundError
	return errors.As(err, &missing) || errors.Is(err, unix.ENODEV)
}

// Remove takes the bridge and its rules away, when no group is left.
func (n *Network) Remove() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	link, err := netlink.LinkByName(n.name)
	if isGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	n.index = 0
	return errors.Join(n.removeRules(), netlink.LinkDel(link))
}

// prepare makes the bridge, or finds it made, and its rules.
func (n *Network) prepare() error {
	n.notes = nil
	link, err := netlink.LinkByName(n.name)
	if err != nil && !isGone(err) {
		return err
	}
	if isGone(err) {
		if link, err = n.create(); err != nil {
			return err
		}
	}
	if !n.subnet.IsValid() {
		return fmt.Errorf("there is a bridge %s, but %s is lost: remove the bridge", n.name, n.path)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring up the bridge: %w", err)
	}
	n.index, n.mtu = link.Attrs().Index, link.Attrs().MTU

	const forward = "/proc/sys/net/ipv4/ip_forward"
	before, err := os.ReadFile(forward)
	if err == nil && strings.TrimSpace(string(before)) != "1" {
		if err = os.WriteFile(forward, []byte("1"), 0); err == nil {
			n.notes = append(n.notes, "this machine forwards packets now (net.ipv4.ip_forward is 1), so that containers reach other machines")
		}
	}
	if err != nil {
		n.notes = append(n.notes, "containers do not reach other machines: "+err.Error())
	}
	if err := n.setRules(); err != nil {
		n.notes = append(n.notes, "containers do not reach other machines: masquerading cannot be set up: "+err.Error())
	}
	return nil
}

// create chooses the subnet, if the one on record does not fit any more, and
// makes the bridge.
func (n *Network) create() (netlink.Link, error) {
	taken, err := takenPrefixes()
	if err != nil {
		return nil, err
	}
	if !n.subnet.IsValid() || overlapsAny(n.subnet, taken) {
		chosen, ok := choose(n.id, taken)
		if !ok {
			return nil, errors.New("no private subnet is free on this machine")
		}
		if err := layout.Write(n.path, record{Subnet: chosen}, true); err != nil {
			return nil, err
		}
		n.subnet = chosen
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = n.name, uplinkMTU()
	if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: attrs}); err != nil {
		return nil, fmt.Errorf("make the bridge %s: %w", n.name, err)
	}
	link, err := netlink.LinkByName(n.name)
	if err != nil {
		return nil, err
	}
	gateway := &net.IPNet{IP: address(n.subnet, 1).AsSlice(), Mask: net.CIDRMask(n.subnet.Bits(), 32)}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: gateway}); err != nil {
		return nil, errors.Join(fmt.Errorf("give the bridge its address: %w", err), netlink.LinkDel(link))
	}
	return link, nil
}

// pools are the private ranges that subnets are taken from, in this order.
var pools = []netip.Prefix{
	netip.MustParsePrefix("10.192.0.0/10"),
	netip.MustParsePrefix("172.24.0.0/13"),
	netip.MustParsePrefix("192.168.128.0/17"),
}

// choose finds a free subnet of 4,096 addresses. Where in a pool it begins to
// look depends on the installation, so that several seldom want the same.
func choose(id string, taken []netip.Prefix) (netip.Prefix, bool) {
	const bits = 20
	h := fnv.New32a()
	h.Write([]byte(id))
	for _, pool := range pools {
		count := uint32(1) << (bits - pool.Bits())
		first := binary.BigEndian.Uint32(pool.Addr().AsSlice())
		for i := range count {
			k := (h.Sum32() + i) % count
			var b [4]byte
			binary.BigEndian.PutUint32(b[:], first+k<<(32-bits))
			p := netip.PrefixFrom(netip.AddrFrom4(b), bits)
			if !overlapsAny(p, taken) {
				return p, true
			}
		}
	}
	return netip.Prefix{}, false
}

func overlapsAny(p netip.Prefix, taken []netip.Prefix) bool {
	for _, t := range taken {
		if t.Overlaps(p) {
			return true
		}
	}
	return false
}

// takenPrefixes are all networks the machine has an address in or a route to,
// other than by default.
func takenPrefixes() ([]netip.Prefix, error) {
	var taken []netip.Prefix
	add := func(ipnet *net.IPNet) {
		if ipnet == nil {
			return
		}
		if a, ok := netip.AddrFromSlice(ipnet.IP); ok {
			if ones, _ := ipnet.Mask.Size(); ones > 0 {
				taken = append(taken, netip.PrefixFrom(a.Unmap(), ones).Masked())
			}
		}
	}
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	for _, r := range routes {
		add(r.Dst)
	}
	addrs, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	for _, a := range addrs {
		add(a.IPNet)
	}
	return taken, nil
}

// uplinkMTU is the largest packet that leaves the machine by its default route;
// containers must not send larger ones.
func uplinkMTU() int {
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return 1500
	}
	for _, r := range routes {
		if ones, _ := maskSize(r.Dst); ones > 0 {
			continue
		}
		if link, err := netlink.LinkByIndex(r.LinkIndex); err == nil {
			return min(link.Attrs().MTU, 9000)
		}
	}
	return 1500
}

func maskSize(p *net.IPNet) (ones, bits int) {
	if p == nil {
		return 0, 0
	}
	return p.Mask.Size()
}
