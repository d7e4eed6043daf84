package uplink

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
)

func TestDestination(t *testing.T) {
	for _, ok := range []string{"198.51.100.7:80", "10.0.0.1:5432", "192.168.1.1:22", "8.8.8.8:53"} {
		if got, err := destination(netip.MustParseAddrPort(ok)); err != nil || got.String() != ok {
			t.Errorf("%s: got %v, %v", ok, got, err)
		}
	}
	for _, no := range []string{
		"127.0.0.1:80", "127.9.9.9:53", "0.0.0.0:80", "0.1.2.3:80", "169.254.169.254:80", "224.0.0.1:5353", "255.255.255.255:67",
		"192.168.127.1:80", "192.168.127.2:80", "192.168.127.254:22", "[::1]:80", "[::ffff:127.0.0.1]:80", "[2001:db8::1]:80",
	} {
		if got, err := destination(netip.MustParseAddrPort(no)); err == nil {
			t.Errorf("%s leads to %v", no, got)
		}
	}
}

func TestNameServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resolv.conf")
	for text, want := range map[string]string{
		"# x\nsearch a\nnameserver 127.0.0.53\nnameserver 10.0.0.1\n": "127.0.0.53:53",
		"nameserver bad\nnameserver fd00::1\n":                        "[fd00::1]:53",
		"nameserver\n":                                                "invalid AddrPort",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := nameServer(path); got.String() != want || (err == nil) != got.IsValid() {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
	if _, err := nameServer(path + "-absent"); err == nil {
		t.Error("a name server from nowhere")
	}
}
