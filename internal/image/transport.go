package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"
)

// loopback reports whether host, without a port, is this machine itself: only
// registries there may be spoken to without TLS.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// newTransport makes the round tripper that every request to a registry goes
// through.
func newTransport(opt Options) http.RoundTripper {
	inner := opt.Transport
	if inner == nil {
		inner = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			TLSHandshakeTimeout:   10 * time.Second,
			MaxIdleConnsPerHost:   opt.Downloads,
			IdleConnTimeout:       30 * time.Second,
			ExpectContinueTimeout: time.Second,
			// Layers are compressed already; their bytes must arrive as sent.
			DisableCompression: true,
		}
	}
	return &guard{inner: inner, stall: opt.Stall, limit: opt.Limits.Manifest}
}

// guard keeps requests to registries within bounds: TLS except to this machine,
// no silence longer than stall, no document longer than limit.
type guard struct {
	inner http.RoundTripper
	stall time.Duration
	limit int64
}

// CloseIdleConnections passes on to the inner transport.
func (g *guard) CloseIdleConnections() {
	if t, ok := g.inner.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

type bodyLimitKey struct{}

// withBodyLimit lets responses within ctx be up to n bytes long.
func withBodyLimit(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, bodyLimitKey{}, n)
}

var errPlainHTTP = errors.New("plain http is spoken with registries on this machine only")

// stalledError is a registry that went silent.
type stalledError struct{ after time.Duration }

func (e *stalledError) Error() string {
	return fmt.Sprintf("the registry sent nothing for %v", e.after)
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !loopback(req.URL.Hostname()) {
		return nil, errPlainHTTP
	}
	limit := g.limit
	if n, ok := req.Context().Value(bodyLimitKey{}).(int64); ok {
		limit = n
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &body{cancel: cancel, stall: g.stall, left: limit, limit: limit}
	b.timer = time.AfterFunc(g.stall, b.expire)
	resp, err := g.inner.RoundTrip(req.WithContext(ctx))
	b.timer.Stop()
	if err != nil {
		err = b.cause(err)
		cancel(nil)
		return nil, err
	}
	b.inner, resp.Body = resp.Body, b
	return resp, nil
}

// body is a response body under watch. Only the time spent waiting for the
// registry counts, not that of a slow reader.
type body struct {
	inner       io.ReadCloser
	cancel      context.CancelCauseFunc
	timer       *time.Timer
	stall       time.Duration
	stalled     atomic.Bool
	left, limit int64
}

func (b *body) expire() {
	b.stalled.Store(true)
	b.cancel(&stalledError{b.stall})
}

func (b *body) cause(err error) error {
	if b.stalled.Load() {
		return &stalledError{b.stall}
	}
	return err
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.stall)
	n, err := b.inner.Read(p)
	b.timer.Stop()
	if b.left -= int64(n); b.left < 0 {
		return 0, permanently(fmt.Errorf("the registry sent more than the limit of %d bytes", b.limit))
	}
	if err != nil && err != io.EOF {
		err = b.cause(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.timer.Stop()
	err := b.inner.Close()
	b.cancel(nil)
	return err
}
