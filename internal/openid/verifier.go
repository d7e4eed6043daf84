package openid

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"ludgate"
)

const (
	maxToken   = 32 << 10 // bytes of an ID token
	maxSources = 1000     // providers whose keys are kept
	leeway     = 5 * time.Minute
)

// Options configure a Verifier. The zero value of a field has the default its
// comment names.
type Options struct {
	Timeout time.Duration // for all a call asks of a provider; 5 s
	// AllowLoopback: connections may lead to this machine, also by http. For
	// development only.
	AllowLoopback bool
	// AllowPrivate: connections may lead into private networks, for a provider
	// that a studio runs itself.
	AllowPrivate bool
	TLS          *tls.Config   // the system's roots
	Clock        ludgate.Clock // time.Now
	Log          *slog.Logger  // slog.Default
}

// Identity is whom a token belongs to. Issuer and Subject together name one
// person for ever; the rest is what the provider says today, and may be "".
type Identity struct {
	Issuer  string // as the connection spells it
	Subject string // 1 to 255 bytes
	Email   string // unless the provider says that it is not verified
	Name    string
}

// Verifier checks ID tokens. It is safe for concurrent use.
type Verifier struct {
	opt    Options
	client *http.Client
	life   context.Context // ends with Close
	end    context.CancelFunc
	nonces nonces

	mu      sync.Mutex
	sources map[string]*kept
}

// kept is a source and when it was last wanted.
type kept struct {
	*source
	used time.Time
}

// New makes a Verifier. Close it.
func New(opt Options) *Verifier {
	opt.Timeout = cmp.Or(opt.Timeout, 5*time.Second)
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	v := &Verifier{opt: opt, client: newClient(opt), sources: map[string]*kept{}}
	v.life, v.end = context.WithCancel(context.Background())
	return v
}

// Close ends what is under way and drops connections.
func (v *Verifier) Close() {
	v.end()
	v.client.CloseIdleConnections()
}

// Verify gives the person that an ID token of the connection's provider is
// about. The token must be a compact JWS, signed by a key of the provider with an
// algorithm that the connection allows, name the connection's issuer and, among
// its audiences, its client, not be expired, and neither begin nor be issued more
// than 5 minutes from now.
//
// It fails with InvalidAuthToken or ExpiredAuthToken where the token is at
// fault, with DownstreamServiceUnavailable where the provider gives no usable
// keys, and with MisconfiguredIdentityProvider where the connection cannot be
// used. The causes are for the log.
func (v *Verifier) Verify(ctx context.Context, c Connection, token string) (Identity, error) {
	if err := v.Check(c); err != nil {
		return Identity{}, ludgate.Errorf(ludgate.Invalid, "MisconfiguredIdentityProvider", "The identity provider is not configured properly").Because(err)
	}
	if !compact(token) {
		return Identity{}, errToken(errors.New("it is not of the form of a token"))
	}
	ctx, cancel := context.WithTimeout(ctx, v.opt.Timeout)
	defer cancel()
	algorithms := c.Algorithms
	if len(algorithms) == 0 {
		algorithms = Algorithms
	}
	check := &signature{v: v, c: c}
	id, err := oidc.NewVerifier(c.Issuer, check, &oidc.Config{
		ClientID: c.ClientID, SupportedSigningAlgs: algorithms, Now: v.opt.Clock,
	}).Verify(ctx, token)
	var expired *oidc.TokenExpiredError
	switch {
	case check.trouble != nil:
		return Identity{}, errProvider(check.trouble)
	case errors.As(err, &expired):
		return Identity{}, ludgate.Errorf(ludgate.Invalid, "ExpiredAuthToken", "The identity token is expired").Because(err)
	case err != nil:
		return Identity{}, errToken(err)
	}
	return v.identify(c, id, token)
}

// identify reads the claims of a token whose signature holds.
func (v *Verifier) identify(c Connection, id *oidc.IDToken, token string) (Identity, error) {
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers send a string
		Name     string `json:"name"`
	}
	if err := id.Claims(&claims); err != nil {
		return Identity{}, errToken(err)
	}
	now := v.opt.Clock()
	switch {
	case id.Subject == "" || !storable(id.Subject, 255):
		return Identity{}, errToken(errors.New("its subject is missing or cannot be one"))
	case id.IssuedAt.After(now.Add(leeway)):
		return Identity{}, errToken(errors.New("it is issued in the future"))
	case id.Nonce != "" && !c.IgnoreNonce && !v.nonces.use(c.Issuer, c.ClientID, id.Nonce, token, now, id.Expiry):
		return Identity{}, errToken(errors.New("its nonce was used before"))
	}
	out := Identity{Issuer: c.Issuer, Subject: id.Subject}
	if claims.Verified != false && claims.Verified != "false" && storable(claims.Email, 320) {
		out.Email = claims.Email
	}
	if storable(claims.Name, 256) {
		out.Name = claims.Name
	}
	return out, nil
}

// signature is the key set of one call: it keeps what went wrong with the
// provider, which the library would fold into a text.
type signature struct {
	v       *Verifier
	c       Connection
	trouble *trouble
}

// trouble is a provider's fault, not the token's.
type trouble struct{ error }

func (t *trouble) Unwrap() error { return t.error }

// VerifySignature gives the payload of a token that a key of the provider signed.
func (s *signature) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	all := make([]jose.SignatureAlgorithm, len(Algorithms)) // the caller has held it against the connection's
	for i, a := range Algorithms {
		all[i] = jose.SignatureAlgorithm(a)
	}
	jws, err := jose.ParseSignedCompact(jwt, all)
	if err != nil {
		return nil, err
	}
	if len(s.c.Keys) > 0 {
		keys, err := parseKeys(s.c.Keys)
		if err != nil {
			return nil, err
		}
		if payload, ok := signedBy(keys, jws); ok {
			return payload, nil
		}
		return nil, errors.New("no key of the connection made its signature")
	}
	payload, err := s.v.source(s.c).verify(ctx, jws)
	errors.As(err, &s.trouble)
	return payload, err
}

// source gives the keys of a connection's provider, which connections to one
// provider share. When there are too many, the one that was not wanted for the
// longest time is dropped.
func (v *Verifier) source(c Connection) *source {
	key, now := c.Issuer+"\x00"+c.JWKSURL, v.opt.Clock()
	v.mu.Lock()
	defer v.mu.Unlock()
	k := v.sources[key]
	if k == nil {
		if len(v.sources) >= maxSources {
			oldest := ""
			for name, other := range v.sources {
				if oldest == "" || other.used.Before(v.sources[oldest].used) {
					oldest = name
				}
			}
			delete(v.sources, oldest)
		}
		k = &kept{source: &source{v: v, issuer: c.Issuer, jwks: c.JWKSURL}}
		v.sources[key] = k
	}
	k.used = now
	return k.source
}

// compact reports whether a text has the form of a compact JWS: three parts of
// base64url. Anything else is refused before it is decoded.
func compact(token string) bool {
	for i := range len(token) {
		switch b := token[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_', b == '.':
		default:
			return false
		}
	}
	return len(token) <= maxToken && strings.Count(token, ".") == 2
}

// storable reports whether s can be kept: UTF-8, not too long, no control
// characters.
func storable(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

func errToken(cause error) error {
	return ludgate.Errorf(ludgate.Invalid, "InvalidAuthToken", "The identity token is not valid").Because(errors.New(clip(cause)))
}

func errProvider(cause error) error {
	return ludgate.Errorf(ludgate.Unavailable, "DownstreamServiceUnavailable", "The identity provider cannot be reached").Because(errors.New(clip(cause)))
}

// clip bounds what a caller or a provider can put in a log.
func clip(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
