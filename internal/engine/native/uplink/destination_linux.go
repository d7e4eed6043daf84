package uplink

import (
	"bufio"
	"errors"
	"net/netip"
	"os"
	"strings"

	"ludgate/internal/engine/native/tun"
)

// resolvConf says who looks up names for this machine.
const resolvConf = "/etc/resolv.conf"

var errForbidden = errors.New("not for containers")

// destination gives the address to dial for one that a container asked for.
func destination(asked netip.AddrPort) (netip.AddrPort, error) {
	a := asked.Addr()
	switch {
	case a == tun.Gateway && asked.Port() == 53:
		return nameServer(resolvConf)
	case tun.Subnet.Contains(a), !a.Is4(), a.IsLoopback(), a.IsUnspecified(), a.IsMulticast(), a.IsLinkLocalUnicast(),
		a == netip.AddrFrom4([4]byte{255, 255, 255, 255}), a.As4()[0] == 0:
		return netip.AddrPort{}, errForbidden
	}
	return asked, nil
}

// nameServer gives the machine's first name server. Unlike a container, this
// process reaches one on the loopback interface.
func nameServer(path string) (netip.AddrPort, error) {
	f, err := os.Open(path)
	if err != nil {
		return netip.AddrPort{}, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		if a, err := netip.ParseAddr(fields[1]); err == nil {
			return netip.AddrPortFrom(a, 53), nil
		}
	}
	return netip.AddrPort{}, errors.New("this machine has no name server")
}
