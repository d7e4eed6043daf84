package openid

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// newClient makes the HTTP client that asks providers. Proxies of the
// environment are not used: an address could not be judged behind one.
func newClient(opt Options) *http.Client {
	dialer := &net.Dialer{
		Timeout: opt.Timeout,
		// Control sees the address after the name was resolved, so a name that
		// leads elsewhere the second time is judged again.
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return judge(at.Addr(), opt)
		},
	}
	return &http.Client{
		Transport: bounded{&http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        tlsConfig(opt.TLS),
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a bomb would be small on the way
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 32 << 10,
		}},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 {
				return errors.New("more than 3 redirects")
			}
			if !sameHost(r.URL, via[0].URL) {
				return fmt.Errorf("a redirect to another host, %s", r.URL.Host)
			}
			return nil
		},
	}
}

func tlsConfig(c *tls.Config) *tls.Config {
	if c == nil {
		return nil
	}
	return c.Clone()
}

// Networks that are no provider's, beside those netip can tell.
var (
	reserved = prefixes("0.0.0.0/8", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "100::/64")
	private  = prefixes("100.64.0.0/10") // of carriers; netip tells the others
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
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

// judge refuses an address that a provider's URL may not reach.
func judge(ip netip.Addr, opt Options) error {
	ip = ip.Unmap().WithZone("")
	if nat64.Contains(ip) { // an IPv4 address in an IPv6 coat
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	refuse := func(what string) error { return fmt.Errorf("%s is %s, where no provider is looked for", ip, what) }
	switch {
	case ip.IsLoopback():
		if !opt.AllowLoopback {
			return refuse("this machine")
		}
	case ip.IsPrivate() || within(ip, private):
		if !opt.AllowPrivate {
			return refuse("in a private network")
		}
	case !ip.IsGlobalUnicast() || within(ip, reserved):
		return refuse("a special address")
	}
	return nil
}

// bounded is a transport whose answers end with an error when they are longer
// than maxKeySet.
type bounded struct{ *http.Transport }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.Transport.RoundTrip(r)
	if err == nil {
		res.Body = &boundedBody{res.Body, maxKeySet}
	}
	return res, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("an answer of more than %d bytes", maxKeySet)
	}
	if len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	return n, err
}
