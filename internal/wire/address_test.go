package wire

import (
	"net/http"
	"net/netip"
	"testing"
)

// TestAddress: a client cannot say itself where it comes from.
func TestAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	for _, tc := range []struct {
		peer      string
		forwarded []string
		trusted   []netip.Prefix
		want      string
	}{
		{"198.51.100.7:1234", nil, nil, "198.51.100.7"},
		{"[::ffff:198.51.100.7]:1234", nil, nil, "198.51.100.7"},
		{"198.51.100.7:1234", []string{"203.0.113.9"}, nil, "198.51.100.7"},
		{"198.51.100.7:1234", []string{"203.0.113.9"}, proxies, "198.51.100.7"},
		{"192.0.2.1:1234", []string{"203.0.113.9"}, proxies, "203.0.113.9"},
		{"192.0.2.1:1234", []string{"10.0.0.1, 203.0.113.9"}, proxies, "203.0.113.9"},
		{"192.0.2.1:1234", []string{"10.0.0.1", "203.0.113.9, 192.0.2.77"}, proxies, "203.0.113.9"},
		{"[2001:db8::1]:1234", []string{"2001:db9::5"}, proxies, "2001:db9::5"},
		{"192.0.2.1:1234", []string{"nonsense"}, proxies, "192.0.2.1"},
		{"192.0.2.1:1234", []string{"nonsense, 192.0.2.8"}, proxies, "192.0.2.8"},
		{"192.0.2.1:1234", nil, proxies, "192.0.2.1"},
		{"@", []string{"203.0.113.9"}, proxies, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: tc.peer, Header: http.Header{"X-Forwarded-For": tc.forwarded}}
		if got := address(r, tc.trusted).String(); got != tc.want {
			t.Errorf("%s %v: %s, want %s", tc.peer, tc.forwarded, got, tc.want)
		}
	}
}

// TestHostTitle: which host names carry a title.
func TestHostTitle(t *testing.T) {
	domains := []string{"play.example", "localhost"}
	for _, tc := range []struct {
		host    string
		domains []string
		want    string
	}{
		{"abcde.play.example", nil, "ABCDE"}, {"abc.play.example:8443", nil, "ABC"}, {"cafe.example", nil, "CAFE"}, {"abcde.localhost:80", nil, "ABCDE"},
		{"play.example", nil, ""}, {"abcdef.play.example", nil, ""}, {"ab.play.example", nil, ""}, {"xyz.play.example", nil, ""}, {"abcde", nil, ""},
		{"127.0.0.1", nil, ""}, {"127.0.0.1:8080", nil, ""}, {"localhost:8080", nil, ""}, {"[::1]:8080", nil, ""}, {"", nil, ""},
		{"abcde.play.example", domains, "ABCDE"}, {"ABCDE.Play.Example.:443", domains, "ABCDE"}, {"abc.localhost:8080", domains, "ABC"},
		{"cafe.example", domains, ""}, {"abcde.other.play.example", domains, ""}, {"abcde.play.example.evil.example", domains, ""},
	} {
		if got := hostTitle(tc.host, tc.domains); got != tc.want {
			t.Errorf("%s in %v: %q, want %q", tc.host, tc.domains, got, tc.want)
		}
	}
}
