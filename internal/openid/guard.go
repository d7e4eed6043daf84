package openid

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"ludgate/internal/outbound"
)

// newClient makes the HTTP client that asks providers. Proxies of the
// environment are not used: an address could not be judged behind one.
func newClient(opt Options) *http.Client {
	dialer := &net.Dialer{
		Timeout: opt.Timeout,
		Control: outbound.Policy{Loopback: opt.AllowLoopback, Private: opt.AllowPrivate}.Control,
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
