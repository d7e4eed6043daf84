package openid

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Connection says whose ID tokens are taken: those of one provider, made for one
// of its clients. With neither JWKSURL nor Keys, the provider is asked where its
// keys are, at Issuer + "/.well-known/openid-configuration".
type Connection struct {
	ID       string // name within its title; for messages only
	Issuer   string // the provider's issuer URL, exactly as its tokens name it
	JWKSURL  string // where its keys are, for a provider without discovery; or ""
	Keys     []byte // its keys themselves, a JSON Web Key Set; or nil
	ClientID string // the client that tokens must be made for
	// Algorithms are the signatures that are taken, of those [Algorithms] lists;
	// all of them when empty.
	Algorithms []string
	// IgnoreNonce takes a token with a nonce any number of times until it
	// expires; otherwise it opens one sign-in.
	IgnoreNonce bool
}

// Algorithms are the signatures that can be taken. All have a public key: a
// token "signed" with a secret that everybody can read proves nothing.
var Algorithms = []string{
	"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
}

// maxKeySet bounds a key set, given or fetched, and a discovery document.
const maxKeySet = 512 << 10

// Check reports, in a sentence, why c cannot be used.
func (v *Verifier) Check(c Connection) error {
	switch {
	case c.ClientID == "" || len(c.ClientID) > 512:
		return fmt.Errorf("the client id of connection %q must have 1 to 512 bytes", c.ID)
	case c.Issuer == "" || len(c.Issuer) > 1024:
		return fmt.Errorf("the issuer of connection %q must have 1 to 1024 bytes", c.ID)
	case c.JWKSURL != "" && len(c.Keys) > 0:
		return fmt.Errorf("connection %q has both keys and a URL of keys; one of them is enough", c.ID)
	case len(c.Keys) > maxKeySet:
		return fmt.Errorf("the keys of connection %q have more than %d bytes", c.ID, maxKeySet)
	}
	for _, a := range c.Algorithms {
		if !slices.Contains(Algorithms, a) {
			return fmt.Errorf("connection %q allows the algorithm %q; there are %s", c.ID, a, strings.Join(Algorithms, ", "))
		}
	}
	if len(c.Keys) > 0 {
		if _, err := parseKeys(c.Keys); err != nil {
			return fmt.Errorf("the keys of connection %q cannot be used: %w", c.ID, err)
		}
		return nil // nobody is asked, and the issuer is only compared
	}
	if c.JWKSURL != "" {
		return v.checkURL(c.JWKSURL)
	}
	return v.checkURL(c.Issuer)
}

// checkURL reports why a URL may not be asked: it must be https, or lead to this
// machine where the options allow that.
func (v *Verifier) checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || len(text) > 2048 {
		return fmt.Errorf("%.200q is not an absolute URL without user or fragment", text)
	}
	if u.Scheme == "https" || u.Scheme == "http" && v.opt.AllowLoopback && isLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%.200q is not an https URL", text)
}

// isLoopback reports whether a host name is this machine's own.
func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// sameHost reports whether two URLs lead to the same place.
func sameHost(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return u.Scheme
	}
	return a.Scheme == b.Scheme && strings.EqualFold(net.JoinHostPort(a.Hostname(), port(a)), net.JoinHostPort(b.Hostname(), port(b)))
}
