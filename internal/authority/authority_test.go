package authority

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/wire"
)

func newAuthority(t testing.TB, opt Options) *Authority {
	t.Helper()
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	a, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.keys(); err != nil { // before the directory is removed
		t.Fatal(err)
	}
	return a
}

// ask authenticates a request with an Authorization header.
func ask(t *testing.T, a *Authority, header string, s wire.Surface) (*access.Principal, *ludgate.Error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://localhost/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != "" {
		r.Header.Set("Authorization", header)
	}
	ctx, err := a.Authenticate(r, s)
	if err != nil {
		return nil, ludgate.AsError(err)
	}
	return access.From(ctx), nil
}

func TestIssuedTokensAreAccepted(t *testing.T) {
	dir := t.TempDir()
	a := newAuthority(t, Options{Dir: dir})
	user, err := a.Issue(Grant{Audience: ManagementAudience, Name: "ann", Permissions: []string{"user_impersonation"}})
	if err != nil {
		t.Fatal(err)
	}
	app, err := a.Issue(Grant{Audience: DirectoryAudience, App: true, Permissions: []string{"Group.Read.All"}})
	if err != nil {
		t.Fatal(err)
	}
	again := newAuthority(t, Options{Dir: dir}) // after a restart
	p, refused := ask(t, again, "bearer "+user, wire.Management)
	if refused != nil || p.Kind != access.User || p.Name != "ann" || p.Tenant != a.Tenant() || len(p.Scopes) != 1 {
		t.Errorf("user: %+v, %v", p, refused)
	}
	p, refused = ask(t, again, "Bearer "+app, wire.Directory)
	if refused != nil || p.Kind != access.Application || len(p.Roles) != 1 || p.Roles[0] != "Group.Read.All" {
		t.Errorf("app: %+v, %v", p, refused)
	}
}

// A server that starts and a command that issues a token may make the keys at the
// same moment; both must end with the same ones.
func TestKeysAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	tokens := make(chan string, 4)
	for range cap(tokens) {
		go func() {
			a, err := New(Options{Dir: dir})
			if err == nil {
				var token string
				if token, err = a.Issue(Grant{Audience: ManagementAudience}); err == nil {
					tokens <- token
					return
				}
			}
			tokens <- "failed: " + err.Error()
		}()
	}
	var all []string
	for range cap(tokens) {
		all = append(all, <-tokens)
	}
	a := newAuthority(t, Options{Dir: dir})
	for _, token := range all {
		if _, refused := ask(t, a, "Bearer "+token, wire.Management); refused != nil {
			t.Errorf("%.40s: %v", token, refused)
		}
	}
}

func TestRefusedTokens(t *testing.T) {
	now := time.Now()
	a := newAuthority(t, Options{Clock: func() time.Time { return now }})
	good, err := a.Issue(Grant{Audience: DirectoryAudience, Permissions: []string{"Group.Read.All"}})
	if err != nil {
		t.Fatal(err)
	}
	strangers, err := newAuthority(t, Options{}).Issue(Grant{Audience: DirectoryAudience})
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	raised := parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(payload), "Group.Read.All", "Group.ReadWrite.All", 1))) + "." + parts[2]
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
	for _, c := range []struct {
		name, header string
		directory    string // message on the directory surface
		management   string // code on the management surface
	}{
		{"no token", "", "Access token is empty.", "AuthenticationFailed"},
		{"another scheme", "Basic YTpi", "Access token is empty.", "AuthenticationFailed"},
		{"empty token", "Bearer ", "Access token is empty.", "AuthenticationFailed"},
		{"not a token", "Bearer abc", "CompactToken parsing failed with error code: 80049217", "InvalidAuthenticationToken"},
		{"huge", "Bearer " + strings.Repeat("a", 20<<10), "CompactToken parsing failed with error code: 80049217", "InvalidAuthenticationToken"},
		{"algorithm none", "Bearer " + none, "CompactToken parsing failed with error code: 80049217", "InvalidAuthenticationToken"},
		{"signed with the public key as a secret", "Bearer " + hmacWithPublicKey(t, a, payload), "CompactToken parsing failed with error code: 80049217", "InvalidAuthenticationToken"},
		{"changed", "Bearer " + raised, "Access token validation failure.", "InvalidAuthenticationToken"},
		{"of another installation", "Bearer " + strangers, "Access token validation failure.", "InvalidAuthenticationToken"},
		{"its own key in the header", "Bearer " + ownKey(t, payload), "Access token validation failure.", "InvalidAuthenticationToken"},
	} {
		p, refused := ask(t, a, c.header, wire.Directory)
		if p != nil || refused == nil || refused.Kind != ludgate.Unauthenticated || refused.Code != "InvalidAuthenticationToken" || refused.Message != c.directory {
			t.Errorf("%s, directory: %+v, %v", c.name, p, refused)
		}
		if _, refused := ask(t, a, c.header, wire.Management); refused == nil || refused.Code != c.management {
			t.Errorf("%s, management: %v", c.name, refused)
		}
	}
	if _, refused := ask(t, a, "Bearer "+good, wire.Management); refused == nil || refused.Code != "InvalidAuthenticationToken" {
		t.Errorf("a directory token opened a management call: %v", refused)
	}
	for _, shift := range []time.Duration{-2 * time.Minute, 62 * time.Minute} {
		issued := now
		now = issued.Add(shift)
		if _, refused := ask(t, a, "Bearer "+good, wire.Directory); refused == nil || refused.Message != "Lifetime validation failed, the token is expired." {
			t.Errorf("after %s: %v", shift, refused)
		}
		now = issued
	}
}

func TestAnonymous(t *testing.T) {
	a := newAuthority(t, Options{Anonymous: true})
	if p, refused := ask(t, a, "", wire.Management); refused != nil || p.Kind != access.Developer {
		t.Errorf("%+v, %v", p, refused)
	}
	if _, refused := ask(t, a, "Bearer abc", wire.Management); refused == nil {
		t.Error("a bad token was not checked")
	}
}

// A web page must not be the developer, neither by a request across origins nor
// by a host name that was made to point here.
func TestAnonymousIsLocal(t *testing.T) {
	a := newAuthority(t, Options{Anonymous: true, Hosts: []string{"ludgate.test"}})
	for _, c := range []struct {
		host, origin string
		ok           bool
	}{
		{"127.0.0.1:8080", "", true},
		{"127.9.8.7", "", true},
		{"[::1]:8080", "", true},
		{"localhost:8080", "http://localhost:3000", true},
		{"ace.LOCALHOST", "", true},
		{"ludgate.test:8443", "https://ludgate.test:8443", true},
		{"evil.example:8080", "", false},
		{"localhost.evil.example", "", false},
		{"notlocalhost", "", false},
		{"192.0.2.1:8080", "", false},
		{"127.0.0.1:8080", "https://evil.example", false},
		{"127.0.0.1:8080", "null", false},
		{"", "", false},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://x/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if _, err := a.Authenticate(r, wire.Management); (err == nil) != c.ok {
			t.Errorf("host %q, origin %q: %v", c.host, c.origin, err)
		}
	}
}

func TestLifetimeIsBounded(t *testing.T) {
	a := newAuthority(t, Options{})
	for _, d := range []time.Duration{-time.Second, 31 * 24 * time.Hour} {
		if _, err := a.Issue(Grant{Lifetime: d}); err == nil {
			t.Errorf("%s was issued", d)
		}
	}
}

// hmacWithPublicKey is the confusion of algorithms: HS256 keyed by public data.
func hmacWithPublicKey(t *testing.T, a *Authority, payload []byte) string {
	t.Helper()
	set, err := a.keys()
	if err != nil {
		t.Fatal(err)
	}
	public, err := json.Marshal(set.Keys[0].Public())
	if err != nil {
		t.Fatal(err)
	}
	return sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: public, KeyID: set.Keys[0].KeyID}}, nil, payload)
}

// ownKey is a token that brings the key it is signed with.
func ownKey(t *testing.T, payload []byte) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: key}, &jose.SignerOptions{EmbedJWK: true}, payload)
}

func sign(t *testing.T, key jose.SigningKey, opt *jose.SignerOptions, payload []byte) string {
	t.Helper()
	s, err := jose.NewSigner(key, opt)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := s.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := sig.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func FuzzToken(f *testing.F) {
	a := newAuthority(f, Options{})
	good, err := a.Issue(Grant{Audience: DirectoryAudience})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add("a.b.c")
	f.Add(good[:len(good)-3])
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := a.check(token, wire.Directory); err == nil && token != good {
			t.Fatalf("accepted %q", token)
		}
	})
}
