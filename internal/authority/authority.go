package authority

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/wire"
)

// personalTenant is the tenant claim of personal accounts.
const personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

// Audiences a token can be issued for.
const (
	ManagementAudience = "urn:ludgate:management"
	DirectoryAudience  = "urn:ludgate:directory"
)

// Limits of a token.
const (
	maxTokenBytes   = 16 << 10
	maxLifetime     = 30 * 24 * time.Hour
	defaultLifetime = 3599 * time.Second
	clockSkew       = time.Minute
)

// Options configure an Authority.
type Options struct {
	Dir string // keys, under the data directory
	// Anonymous: a caller without a token is the developer (development mode),
	// provided that it asks for a name of this machine: localhost, *.localhost, a
	// loopback address, or one of Hosts.
	Anonymous bool
	Hosts     []string
	// Audiences are further accepted audiences per surface, for clients that
	// ask for a fixed one.
	Management, Directory []string
	Clock                 ludgate.Clock
}

// Authority issues and checks tokens. It is safe for concurrent use.
type Authority struct {
	opt    Options
	tenant string
	keys   func() (*jose.JSONWebKeySet, error)
}

// New makes an authority over the keys of its directory. A new key is made in
// the background, because that takes longer than a start should.
func New(opt Options) (*Authority, error) {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	dir := filepath.Clean(opt.Dir)
	tenant, err := loadTenant(dir)
	if err != nil {
		return nil, err
	}
	a := &Authority{opt: opt, tenant: tenant}
	a.keys = sync.OnceValues(func() (*jose.JSONWebKeySet, error) { return loadKeys(dir) })
	go a.keys() //nolint:errcheck // the first user of the keys gets the error
	return a, nil
}

// Tenant is the id of this installation's tenant, a GUID.
func (a *Authority) Tenant() string { return a.tenant }

// issuer is the claim iss of the tokens of this installation.
func (a *Authority) issuer() string { return "urn:ludgate:" + a.tenant }

// Grant says what a token to be issued carries.
type Grant struct {
	Audience string        // ManagementAudience, DirectoryAudience or a configured one
	Subject  string        // object id, a GUID; made up when empty
	Name     string        // for logs and messages
	App      bool          // an application's token: Permissions become roles, else scopes
	Lifetime time.Duration // 3599 s when 0, at most 30 days
	// Permissions are short names: user_impersonation, Group.ReadWrite.All, …
	Permissions []string
	// Roles are the template ids of directory roles the subject holds.
	Roles []string
}

// claims is the payload of an access token.
type claims struct {
	jwt.Claims
	Tenant string   `json:"tid"`
	Object string   `json:"oid"`
	AppID  string   `json:"appid,omitempty"`
	Name   string   `json:"name,omitempty"`
	Scope  string   `json:"scp,omitempty"`
	Roles  []string `json:"roles,omitempty"`
	Wids   []string `json:"wids,omitempty"`
	Kind   string   `json:"idtyp"`
	Ver    string   `json:"ver"`
}

// Issue makes an access token.
func (a *Authority) Issue(g Grant) (string, error) {
	if g.Lifetime == 0 {
		g.Lifetime = defaultLifetime
	}
	if g.Lifetime < 0 || g.Lifetime > maxLifetime {
		return "", fmt.Errorf("a token lives at most %s", maxLifetime)
	}
	if g.Subject == "" {
		g.Subject = ludgate.NewGUID()
	}
	set, err := a.keys()
	if err != nil {
		return "", err
	}
	key := set.Keys[0]
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	now := a.opt.Clock()
	c := claims{
		Claims: jwt.Claims{
			Issuer: a.issuer(), Subject: g.Subject, Audience: jwt.Audience{g.Audience}, ID: ludgate.NewGUID(),
			IssuedAt: jwt.NewNumericDate(now), NotBefore: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(g.Lifetime)),
		},
		Tenant: a.tenant, Object: g.Subject, Name: g.Name, Wids: g.Roles, Kind: "user", Ver: "2.0",
	}
	if g.App {
		c.Kind, c.AppID, c.Roles = "app", g.Subject, g.Permissions
	} else {
		c.Scope = strings.Join(g.Permissions, " ")
	}
	return jwt.Signed(signer).Claims(c).Serialize()
}

// Authenticate finds the principal of a management or directory request.
func (a *Authority) Authenticate(r *http.Request, s wire.Surface) (context.Context, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if a.opt.Anonymous {
			if err := a.local(r, s); err != nil {
				return nil, err
			}
			return access.With(r.Context(), &access.Principal{Kind: access.Developer, Name: "developer", Tenant: a.tenant}), nil
		}
		return nil, refusal(s, errNoToken)
	}
	scheme, token, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(token) == "" {
		return nil, refusal(s, errNoToken)
	}
	p, err := a.check(strings.TrimSpace(token), s)
	if err != nil {
		return nil, refusal(s, err)
	}
	return access.With(r.Context(), p), nil
}

// Why a token is refused.
var (
	errNoToken   = errors.New("no token")
	errMalformed = errors.New("not a token")
	errSignature = errors.New("bad signature or unknown key")
	errIssuer    = errors.New("wrong issuer")
	errAudience  = errors.New("wrong audience")
	errLifetime  = errors.New("outside its lifetime")
)

// check validates a token: shape, algorithm, key, signature, issuer, audience,
// times, tenant, in this order.
func (a *Authority) check(token string, s wire.Surface) (*access.Principal, error) {
	if len(token) > maxTokenBytes {
		return nil, errMalformed
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil || len(parsed.Headers) != 1 {
		return nil, errMalformed
	}
	set, err := a.keys()
	if err != nil {
		return nil, err
	}
	found := set.Key(parsed.Headers[0].KeyID)
	if len(found) != 1 {
		return nil, errSignature
	}
	var c claims
	if err := parsed.Claims(found[0].Public().Key, &c); err != nil {
		return nil, errSignature
	}
	now := a.opt.Clock()
	switch {
	case c.Issuer != a.issuer():
		return nil, errIssuer
	case !slices.ContainsFunc(a.audiences(s), func(x string) bool { return c.Audience.Contains(x) }):
		return nil, errAudience
	case c.Expiry == nil || c.NotBefore == nil || now.After(c.Expiry.Time().Add(clockSkew)) || now.Before(c.NotBefore.Time().Add(-clockSkew)):
		return nil, errLifetime
	case c.Tenant != a.tenant && c.Tenant != personalTenant:
		return nil, errIssuer
	}
	p := &access.Principal{
		Kind: access.User, ID: c.Object, Name: c.Name, Tenant: c.Tenant, AppID: c.AppID,
		Scopes: strings.Fields(c.Scope), Roles: c.Roles, Wids: c.Wids, Personal: c.Tenant == personalTenant,
	}
	if c.Scope == "" && (len(c.Roles) > 0 || c.Kind == "app") {
		p.Kind = access.Application
	}
	return p, nil
}

// audiences are the accepted audiences of a surface.
func (a *Authority) audiences(s wire.Surface) []string {
	if s == wire.Directory {
		return append([]string{DirectoryAudience}, a.opt.Directory...)
	}
	return append([]string{ManagementAudience}, a.opt.Management...)
}

// refusal words a refused token for a surface.
func refusal(s wire.Surface, why error) error {
	code, text := "InvalidAuthenticationToken", "The access token is invalid."
	if s == wire.Directory {
		switch {
		case errors.Is(why, errNoToken):
			text = "Access token is empty."
		case errors.Is(why, errMalformed):
			text = "CompactToken parsing failed with error code: 80049217"
		case errors.Is(why, errLifetime):
			text = "Lifetime validation failed, the token is expired."
		case errors.Is(why, errAudience):
			text = "Access token validation failure. Invalid audience."
		default:
			text = "Access token validation failure."
		}
		return ludgate.Errorf(ludgate.Unauthenticated, code, "%s", text).Because(why)
	}
	switch {
	case errors.Is(why, errNoToken):
		code, text = "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing."
	case errors.Is(why, errLifetime):
		code, text = "ExpiredAuthenticationToken", "The access token is outside its lifetime."
	case errors.Is(why, errIssuer):
		code, text = "InvalidAuthenticationTokenTenant", "The access token is from the wrong issuer."
	}
	return ludgate.Errorf(ludgate.Unauthenticated, code, "%s", text).Because(why)
}
