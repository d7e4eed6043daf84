package wire

import (
	"bytes"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ludgate"
)

// Request is one call as a handler sees it: routed, authenticated, its body read
// and its words neutral.
type Request struct {
	HTTP *http.Request
	// ID identifies the request in logs and replies, a GUID.
	ID string
	// ClientID is the caller's own request id, or "".
	ClientID string
	// Client is the caller's network address.
	Client netip.Addr
	// Naming is the set of words the client speaks.
	Naming *Naming
	// Namespace is the provider namespace of the path as this naming spells
	// it, for ids and types in the reply ("" when the path has none).
	Namespace string
	// APIVersion is the api-version of the query (Management).
	APIVersion string
	// Body is the body after decompression, at most the route's limit.
	Body []byte

	surface      Surface
	params       map[string]string
	titleDomains []string
	buffer       *bytes.Buffer
}

// Param gives the text of a wildcard of the route's path, unescaped and in the
// caller's spelling.
func (r *Request) Param(name string) string { return r.params[name] }

// Query gives the first value of a query parameter whose name compares without
// regard to case, and whether it was there.
func (r *Request) Query(name string) (string, bool) { return queryFold(r.HTTP.URL.Query(), name) }

func queryFold(q url.Values, name string) (string, bool) {
	if v, ok := q[name]; ok && len(v) > 0 {
		return v[0], true
	}
	for k, v := range q {
		if strings.EqualFold(k, name) && len(v) > 0 {
			return v[0], true
		}
	}
	return "", false
}

// BaseURL is the absolute address the caller used, without a final slash.
func (r *Request) BaseURL() string {
	scheme := "http"
	if r.HTTP.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.HTTP.Host
}

// HostTitle is the title id that the host name carries ("abcde.play.example"
// gives "ABCDE"), or "" for an address, localhost, a first label that is no
// title id of 3 to 5 hexadecimal digits, or a name outside the domains of titles.
func (r *Request) HostTitle() string { return hostTitle(r.HTTP.Host, r.titleDomains) }

func hostTitle(host string, domains []string) string {
	label, rest, ok := strings.Cut(host, ".")
	if !ok || rest == "" || len(label) < 3 || len(label) > 5 || !isHex(label) || isAddress(host) {
		return ""
	}
	if len(domains) > 0 {
		rest, _, _ = strings.Cut(rest, ":")
		if !slices.ContainsFunc(domains, func(d string) bool { return strings.EqualFold(d, strings.TrimSuffix(rest, ".")) }) {
			return ""
		}
	}
	return strings.ToUpper(label)
}

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// isAddress reports whether host is a dotted number, with or without a port.
func isAddress(host string) bool {
	for i := range len(host) {
		if c := host[i]; (c < '0' || c > '9') && c != '.' && c != ':' {
			return false
		}
	}
	return true
}

// Decode reads the body into v, a pointer to a record, by the rules of the
// surface. The error is ready to be returned.
func (r *Request) Decode(v any) error {
	switch r.surface {
	case Player:
		return decodePlayer(r.Naming, r.Body, v)
	case Directory:
		return decodeStrict(r.Body, v)
	default:
		return decodeLenient(r.Body, v)
	}
}

// invalidRequest makes the surface's refusal of a body that cannot be read.
func invalidRequest(s Surface, format string, args ...any) *ludgate.Error {
	switch s {
	case Player:
		return ludgate.Errorf(ludgate.Invalid, "InvalidRequest", format, args...)
	case Directory:
		return ludgate.Errorf(ludgate.Invalid, "Request_BadRequest", format, args...)
	default:
		return ludgate.Errorf(ludgate.Invalid, "InvalidRequestContent", format, args...)
	}
}
