package authority

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ludgate"
	"ludgate/internal/wire"
)

// local refuses the anonymous developer where the request may come from a web
// page: a page of another origin, or one whose host name was made to point at
// this machine (DNS rebinding). A browser tells both, in Origin and Host.
func (a *Authority) local(r *http.Request, s wire.Surface) error {
	if !a.ownHost(r.Host) {
		return stranger(s, "the host name "+clip(r.Host)+" is not one of this machine")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !a.ownHost(u.Host) {
			return stranger(s, "it comes from a web page of "+clip(origin))
		}
	}
	return nil
}

// ownHost reports whether host, with or without a port, names this machine.
func (a *Authority) ownHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(a.opt.Hosts, host)
}

// stranger is the refusal, with what would be accepted.
func stranger(s wire.Surface, why string) error {
	code := "AuthenticationFailed"
	if s == wire.Directory {
		code = "InvalidAuthenticationToken"
	}
	return ludgate.Errorf(ludgate.Unauthenticated, code,
		"Authentication failed. Without a token a request needs a local host name, and %s; use localhost, name the host under tls.names, or send a token (ludgate token).", why)
}

// clip shortens a caller's text for a message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
