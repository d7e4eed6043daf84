// Package outbound says to which network addresses a URL that somebody else wrote
// down may lead: a title's name filter, an OpenID provider. Without it, whoever
// may set such a URL could have the server ask what only it can reach.
//
// A [Policy] judges addresses, not names: its Control, in a net.Dialer, sees the
// address that a name has at the moment, so one that leads elsewhere the second
// time is judged again.
package outbound

import (
	"fmt"
	"net/netip"
	"syscall"
)

// Policy is what is allowed besides public addresses. An address at which a cloud
// tells a machine its secrets is never allowed, nor is one that names no single
// machine.
type Policy struct {
	Loopback bool // this machine, for development
	Private  bool // private networks, and those of carriers
}

// metadata are addresses outside the link-local ranges at which clouds tell a
// machine its own secrets.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::254/128"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("168.63.129.16/32"),
}

// Networks beside those netip can tell.
var (
	reserved = prefixes("0.0.0.0/8", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "100::/64")
	carriers = prefixes("100.64.0.0/10")
)

// IPv6 ranges whose addresses lead to an IPv4 address that they hold.
var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	compat = netip.MustParsePrefix("::/96")
	sixTo4 = netip.MustParsePrefix("2002::/16")
)

func prefixes(all ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range all {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

func within(ip netip.Addr, nets []netip.Prefix) bool {
	for _, n := range nets {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// Check refuses an address that may not be reached.
func (p Policy) Check(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	refuse := func(what string) error { return fmt.Errorf("%s is %s, which may not be reached", ip, what) }
	switch b := ip.As16(); {
	case ip.IsLoopback():
		if !p.Loopback {
			return refuse("this machine")
		}
	case ip.IsUnspecified(), within(ip, metadata):
		return refuse("a special address")
	case !ip.Is4() && (nat64.Contains(ip) || compat.Contains(ip)):
		return p.Check(netip.AddrFrom4([4]byte(b[12:])))
	case sixTo4.Contains(ip):
		return p.Check(netip.AddrFrom4([4]byte(b[2:6])))
	case ip.IsPrivate(), within(ip, carriers):
		if !p.Private {
			return refuse("in a private network")
		}
	case !ip.IsGlobalUnicast(), within(ip, reserved):
		return refuse("a special address")
	}
	return nil
}

// Control is Check as a net.Dialer wants it.
func (p Policy) Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return p.Check(at.Addr())
}
