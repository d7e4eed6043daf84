package outbound

import (
	"net/netip"
	"testing"
)

// TestCheck: which addresses may be reached, and under which policies.
func TestCheck(t *testing.T) {
	const always, loopback, private, never = "always", "loopback", "private", "never"
	for allowed, addresses := range map[string][]string{
		always:   {"93.184.216.34", "2606:4700::1111", "64:ff9b::5db8:d822", "2002:5db8:d822::1", "::93.184.216.34"},
		loopback: {"127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "::127.0.0.1"},
		private: {"10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
			"2002:a00:1::1"},
		never: {"169.254.169.254", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "0.1.2.3", "224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1",
			"198.18.0.1", "192.0.0.192", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::169.254.169.254",
			"fd00:ec2::254", "100.100.100.200", "168.63.129.16", "::ffff:168.63.129.16"},
	} {
		for _, ip := range addresses {
			for _, p := range []Policy{{}, {Loopback: true}, {Private: true}, {Loopback: true, Private: true}} {
				want := allowed == always || allowed == loopback && p.Loopback || allowed == private && p.Private
				if err := p.Check(netip.MustParseAddr(ip)); (err == nil) != want {
					t.Errorf("%s under %+v: %v", ip, p, err)
				}
			}
		}
	}
	if err := (Policy{}).Control("tcp", "nonsense", nil); err == nil {
		t.Error("what is no address may be reached")
	}
}
