package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"ludgate/internal/config"
)

// listeners are the open doors of a server.
type listeners struct {
	HTTP, HTTPS net.Listener // nil when off
	Control     net.Listener // for operators; nil where the system has none
}

// listen opens the doors. A taken port is one sentence that says what to do.
func listen(c *config.Config) (*listeners, error) {
	ls := &listeners{}
	for _, d := range []struct {
		name, addr string
		to         *net.Listener
	}{{"http", c.HTTP, &ls.HTTP}, {"https", c.HTTPS, &ls.HTTPS}} {
		if d.addr == "off" {
			continue
		}
		l, err := net.Listen("tcp", d.addr)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			ls.close()
			return nil, fmt.Errorf("%s: the address %s is taken by another program; stop that one, or set --%s to another address (port 0 picks a free one)", d.name, d.addr, d.name)
		case errors.Is(err, syscall.EACCES):
			ls.close()
			return nil, fmt.Errorf("%s: not permitted to listen on %s; ports below 1024 need root or CAP_NET_BIND_SERVICE", d.name, d.addr)
		case err != nil:
			ls.close()
			return nil, fmt.Errorf("%s: listen on %s: %w", d.name, d.addr, err)
		}
		*d.to = netutil.LimitListener(l, c.Limits.Connections)
	}
	return ls, nil
}

func (ls *listeners) close() {
	for _, l := range []net.Listener{ls.HTTP, ls.HTTPS, ls.Control} {
		if l != nil {
			_ = l.Close() // nothing was served on it yet, or the server closed it
		}
	}
}

// url is the address of a listener as a caller writes it, or "off".
func url(scheme string, l net.Listener) string {
	if l == nil {
		return "off"
	}
	return scheme + "://" + l.Addr().String()
}

// newHTTPServer makes the server of one door with limits on all a slow or
// greedy caller could hold.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// certificate gives the TLS configuration of https.
func certificate(c *config.Config, now time.Time) (*tls.Config, error) {
	if c.TLS.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.TLS.Cert, c.TLS.Key)
		if err != nil {
			return nil, fmt.Errorf("tls: %w", err)
		}
		return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
	}
	pair, err := localCertificate(c.Data, c.TLS.Names, now)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{*pair}, MinVersion: tls.VersionTLS12}, nil
}
