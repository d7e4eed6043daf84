package openid

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"ludgate"
)

// Codes of refusals.
const (
	invalid = "InvalidAuthToken"
	expired = "ExpiredAuthToken"
	down    = "DownstreamServiceUnavailable"
	config  = "MisconfiguredIdentityProvider"
)

// Keys are made once; RSA keys take their time.
var (
	rsaKey, rsaOther, rsaWeak = makeRSA(2048), makeRSA(2048), makeRSA(1024)
	ecKey                     = makeEC()
)

func makeRSA(bits int) *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return k
}

func makeEC() *ecdsa.PrivateKey {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return k
}

// provider is an OpenID Connect provider on a real connection.
type provider struct {
	*httptest.Server
	calls   atomic.Int32 // for keys
	mu      sync.Mutex
	keys    []jose.JSONWebKey
	handler http.HandlerFunc // in place of everything, if any
	issuer  string           // in the discovery document; its URL
	jwksURL string           // likewise; its own
}

func newProvider(t *testing.T, keys ...jose.JSONWebKey) *provider {
	p := &provider{keys: keys}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	p.Start()
	t.Cleanup(p.Close)
	return p
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	handler, keys, issuer, jwks := p.handler, p.keys, p.issuer, p.jwksURL
	p.mu.Unlock()
	if r.URL.Path == "/keys" || handler != nil {
		p.calls.Add(1)
	}
	if handler != nil {
		handler(w, r)
		return
	}
	if issuer == "" {
		issuer = p.URL
	}
	if jwks == "" {
		jwks = p.URL + "/keys"
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer, "jwks_uri": jwks})
	case "/keys":
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: keys})
	default:
		http.NotFound(w, r)
	}
}

func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func jwk(key crypto.PrivateKey, kid, alg string) jose.JSONWebKey {
	k := jose.JSONWebKey{Key: key, KeyID: kid, Algorithm: alg}
	return k.Public()
}

// clock is a time that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(c.at.Load(), 0) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d.Seconds())) }

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func newClock() *clock { c := &clock{}; c.at.Store(start.Unix()); return c }

func newVerifier(t *testing.T, opt Options) *Verifier {
	if opt.Clock == nil {
		opt.Clock = newClock().now
	}
	opt.Log = slog.New(slog.DiscardHandler)
	v := New(opt)
	t.Cleanup(v.Close)
	return v
}

type claims map[string]any

// claims of a good token, and what a case changes; nil takes a claim away.
func (p *provider) claims(more claims) claims {
	out := claims{
		"iss": p.URL, "sub": "ann-1", "aud": "game", "iat": start.Unix(), "exp": start.Add(time.Hour).Unix(),
		"email": "ann@example.com", "name": "Ann",
	}
	for k, v := range more {
		if out[k] = v; v == nil {
			delete(out, k)
		}
	}
	return out
}

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, c claims) string {
	t.Helper()
	opt := (&jose.SignerOptions{}).WithType("JWT")
	if kid != "" {
		opt = opt.WithHeader("kid", kid)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opt)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := s.Sign(body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// code is the code of an error, "" for none.
func code(err error) string {
	if err == nil {
		return ""
	}
	return ludgate.AsError(err).Code
}

func TestVerify(t *testing.T) {
	p := newProvider(t, jwk(rsaKey, "r1", "RS256"), jwk(ecKey, "e1", ""), jwk(rsaWeak, "weak", ""), jose.JSONWebKey{Key: []byte("a secret that is in a public key set"), KeyID: "oct"})
	v := newVerifier(t, Options{AllowLoopback: true})
	conn := Connection{ID: "c", Issuer: p.URL, ClientID: "game"}
	rs := func(more claims) string { return sign(t, jose.RS256, rsaKey, "r1", p.claims(more)) }
	pemText := func() []byte {
		der, err := x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	none := func() string {
		body, _ := json.Marshal(p.claims(nil))
		return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(body) + "."
	}
	good := rs(nil)
	flipped := good[:len(good)-10] + "A" + good[len(good)-9:]
	if flipped == good {
		flipped = good[:len(good)-10] + "B" + good[len(good)-9:]
	}
	unix := func(d time.Duration) int64 { return start.Add(d).Unix() }
	for _, tc := range []struct{ name, token, want string }{
		{"RSA", good, ""},
		{"elliptic curve", sign(t, jose.ES256, ecKey, "e1", p.claims(nil)), ""},
		{"no key id", sign(t, jose.ES256, ecKey, "", p.claims(nil)), ""},
		{"several audiences", rs(claims{"aud": []string{"site", "game"}}), ""},
		{"begins in a moment", rs(claims{"nbf": unix(4 * time.Minute)}), ""},
		{"expires now", rs(claims{"exp": unix(0)}), ""},

		{"expired", rs(claims{"exp": unix(-time.Second)}), expired},
		{"never expires", rs(claims{"exp": nil}), expired},
		{"not yet valid", rs(claims{"nbf": unix(10 * time.Minute)}), invalid},
		{"issued in the future", rs(claims{"iat": unix(10 * time.Minute)}), invalid},
		{"wrong audience", rs(claims{"aud": "site"}), invalid},
		{"no audience", rs(claims{"aud": nil}), invalid},
		{"wrong issuer", rs(claims{"iss": "https://example.com"}), invalid},
		{"no issuer", rs(claims{"iss": nil}), invalid},
		{"no subject", rs(claims{"sub": nil}), invalid},
		{"endless subject", rs(claims{"sub": strings.Repeat("x", 256)}), invalid},
		{"control character in the subject", rs(claims{"sub": "a\u0000b"}), invalid},
		{"subject of the wrong type", rs(claims{"sub": 7}), invalid},
		{"alg none", none(), invalid},
		{"HS256 with the public key", sign(t, jose.HS256, pemText(), "r1", p.claims(nil)), invalid},
		{"HS256 with a secret of the set", sign(t, jose.HS256, []byte("a secret that is in a public key set"), "oct", p.claims(nil)), invalid},
		{"an algorithm the key is not for", sign(t, jose.PS256, rsaKey, "r1", p.claims(nil)), invalid},
		{"a key that is too weak", sign(t, jose.RS256, rsaWeak, "weak", p.claims(nil)), invalid},
		{"someone else's key", sign(t, jose.RS256, rsaOther, "r1", p.claims(nil)), invalid},
		{"a flipped bit", flipped, invalid},
		{"the body of another token", strings.Join([]string{strings.Split(good, ".")[0], strings.Split(rs(claims{"sub": "eve"}), ".")[1], strings.Split(good, ".")[2]}, "."), invalid},
		{"empty", "", invalid},
		{"no token", "hello", invalid},
		{"four parts", good + ".x", invalid},
		{"a blank", good + " ", invalid},
		{"JSON serialisation", `{"payload":"e30","signatures":[]}`, invalid},
		{"huge", "a." + strings.Repeat("b", maxToken) + ".c", invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id, err := v.Verify(t.Context(), conn, tc.token)
			if code(err) != tc.want {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if want := (Identity{p.URL, "ann-1", "ann@example.com", "Ann"}); err == nil && id != want {
				t.Errorf("got %+v, want %+v", id, want)
			}
			if err != nil && id != (Identity{}) {
				t.Errorf("a refusal comes with %+v", id)
			}
		})
	}
	if n := p.calls.Load(); n > 1 {
		t.Errorf("%d fetches of keys for known keys, want 1", n)
	}
	t.Run("an algorithm the connection does not allow", func(t *testing.T) {
		only := conn
		only.Algorithms = []string{"ES256"}
		if _, err := v.Verify(t.Context(), only, good); code(err) != invalid {
			t.Errorf("got %v", err)
		}
		if _, err := v.Verify(t.Context(), only, sign(t, jose.ES256, ecKey, "e1", p.claims(nil))); err != nil {
			t.Error(err)
		}
	})
}

func TestEmailAndName(t *testing.T) {
	p := newProvider(t, jwk(rsaKey, "r1", ""))
	v := newVerifier(t, Options{AllowLoopback: true})
	for _, tc := range []struct {
		more        claims
		email, name string
	}{
		{claims{"email_verified": true}, "ann@example.com", "Ann"},
		{claims{"email_verified": "true"}, "ann@example.com", "Ann"},
		{claims{"email_verified": false}, "", "Ann"},
		{claims{"email_verified": "false"}, "", "Ann"},
		{claims{"email": nil, "name": nil}, "", ""},
		{claims{"email": "a\nb", "name": strings.Repeat("x", 257)}, "", ""},
	} {
		id, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(tc.more)))
		if err != nil || id.Email != tc.email || id.Name != tc.name {
			t.Errorf("%v: %+v, %v", tc.more, id, err)
		}
	}
}

func TestExplicitKeys(t *testing.T) {
	p := newProvider(t, jwk(rsaKey, "r1", ""))
	v := newVerifier(t, Options{AllowLoopback: true})
	set, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{jwk(rsaKey, "r1", "")}})
	token := func(iss string, key *rsa.PrivateKey) string {
		return sign(t, jose.RS256, key, "r1", p.claims(claims{"iss": iss}))
	}
	for _, tc := range []struct {
		name  string
		conn  Connection
		token string
		want  string
	}{
		{"URL", Connection{Issuer: "the-shop", JWKSURL: p.URL + "/keys", ClientID: "game"}, token("the-shop", rsaKey), ""},
		{"URL, wrong issuer", Connection{Issuer: "the-shop", JWKSURL: p.URL + "/keys", ClientID: "game"}, token(p.URL, rsaKey), invalid},
		{"keys", Connection{Issuer: "the-shop", Keys: set, ClientID: "game"}, token("the-shop", rsaKey), ""},
		{"keys, another key", Connection{Issuer: "the-shop", Keys: set, ClientID: "game"}, token("the-shop", rsaOther), invalid},
	} {
		if _, err := v.Verify(t.Context(), tc.conn, tc.token); code(err) != tc.want {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestRotation(t *testing.T) {
	p, c := newProvider(t, jwk(rsaKey, "r1", "")), newClock()
	v := newVerifier(t, Options{AllowLoopback: true, Clock: c.now})
	ask := func(key *rsa.PrivateKey, kid, want string) {
		t.Helper()
		token := sign(t, jose.RS256, key, kid, p.claims(claims{"exp": c.now().Add(time.Hour).Unix()}))
		if _, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, token); code(err) != want {
			t.Errorf("%s: got %v, want %q", kid, err, want)
		}
	}
	fetches := func(want int32) {
		t.Helper()
		if n := p.calls.Load(); n != want {
			t.Errorf("%d fetches, want %d", n, want)
		}
	}
	ask(rsaKey, "r1", "")
	for range 50 { // unknown key ids cannot make us ask again and again
		ask(rsaOther, "r2", invalid)
	}
	fetches(1)
	c.advance(refetch)
	ask(rsaOther, "r2", invalid) // not published yet
	fetches(2)
	p.set(func() { p.keys = []jose.JSONWebKey{jwk(rsaOther, "r2", "")} })
	ask(rsaOther, "r2", invalid)
	c.advance(refetch)
	ask(rsaOther, "r2", "")
	ask(rsaKey, "r1", invalid) // withdrawn
	fetches(3)

	// A provider that is down does not take away the keys that are known.
	p.set(func() { p.handler = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) } })
	c.advance(refetch)
	ask(rsaOther, "r2", "")
	ask(rsaKey, "r3", down)
	c.advance(freshFor)
	ask(rsaOther, "r2", "")
	c.advance(validFor)
	ask(rsaOther, "r2", down) // too old to be trusted
	p.set(func() { p.handler = nil })
	c.advance(retryAfter)
	ask(rsaOther, "r2", "")
}

func TestManyCallersShareAFetch(t *testing.T) {
	p := newProvider(t, jwk(rsaKey, "r1", ""))
	v := newVerifier(t, Options{AllowLoopback: true})
	token := sign(t, jose.RS256, rsaKey, "r1", p.claims(nil))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, token); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := p.calls.Load(); n > 2 {
		t.Errorf("%d fetches for 32 callers", n)
	}
}

func TestTroubleWithTheProvider(t *testing.T) {
	elsewhere := newProvider(t, jwk(rsaKey, "r1", ""))
	write := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	secretSet, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: []byte("0123456789abcdef"), KeyID: "s"}}})
	manyKeys, _ := json.Marshal(jose.JSONWebKeySet{Keys: func() (all []jose.JSONWebKey) {
		for i := range maxKeys + 1 {
			all = append(all, jwk(ecKey, fmt.Sprint(i), ""))
		}
		return all
	}()})
	for name, h := range map[string]http.HandlerFunc{
		"500":                func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"404":                http.NotFound,
		"204":                func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"garbage":            write("<html>"),
		"empty":              write(""),
		"empty set":          write(`{"keys":[]}`),
		"no set":             write(`{}`),
		"a list":             write(`[1,2,3]`),
		"only secrets":       write(string(secretSet)),
		"too many keys":      write(string(manyKeys)),
		"huge":               write(`{"keys":[` + strings.Repeat(" ", maxKeySet) + `]}`),
		"another host":       http.RedirectHandler(elsewhere.URL+"/keys", http.StatusFound).ServeHTTP,
		"redirects in a row": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte(" "), 64<<10)); err != nil {
					return
				}
			}
		},
		"hang": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"hang in the body": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("{"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"hang up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			p.set(func() { p.handler = h })
			v := newVerifier(t, Options{AllowLoopback: true, Timeout: 300 * time.Millisecond})
			token := sign(t, jose.RS256, rsaKey, "r1", p.claims(nil))
			for what, conn := range map[string]Connection{
				"discovery": {Issuer: p.URL, ClientID: "game"},
				"keys":      {Issuer: p.URL, JWKSURL: p.URL + "/keys", ClientID: "game"},
			} {
				for range 3 {
					if _, err := v.Verify(t.Context(), conn, token); code(err) != down {
						t.Errorf("%s: got %v", what, err)
					}
				}
			}
		})
	}
	t.Run("down", func(t *testing.T) {
		p := newProvider(t)
		p.Close()
		v := newVerifier(t, Options{AllowLoopback: true})
		if _, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(nil))); code(err) != down {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another issuer in its discovery document", func(t *testing.T) {
		p := newProvider(t, jwk(rsaKey, "r1", ""))
		p.issuer = "https://example.com"
		v := newVerifier(t, Options{AllowLoopback: true})
		if _, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(nil))); code(err) != down {
			t.Errorf("got %v", err)
		}
	})
	t.Run("keys at a plain http URL", func(t *testing.T) {
		p := newProvider(t, jwk(rsaKey, "r1", ""))
		p.jwksURL = "http://example.com/keys"
		v := newVerifier(t, Options{AllowLoopback: true})
		_, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(nil)))
		if code(err) != down || !strings.Contains(err.Error(), "not an https URL") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a redirect at home", func(t *testing.T) {
		p := newProvider(t, jwk(rsaKey, "r1", ""))
		v := newVerifier(t, Options{AllowLoopback: true})
		p.handler = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/old" {
				http.Redirect(w, r, "/keys", http.StatusMovedPermanently)
				return
			}
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: p.keys})
		}
		if _, err := v.Verify(t.Context(), Connection{Issuer: p.URL, JWKSURL: p.URL + "/old", ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(nil))); err != nil {
			t.Error(err)
		}
	})
}

func TestNothingOfTheProviderReachesTheCaller(t *testing.T) {
	p := newProvider(t)
	p.set(func() {
		p.handler = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			_, _ = w.Write([]byte("secret" + strings.Repeat("\x1b[31m", 10_000)))
		}
	})
	v := newVerifier(t, Options{AllowLoopback: true})
	_, err := v.Verify(t.Context(), Connection{Issuer: p.URL, ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(nil)))
	if e := ludgate.AsError(err); strings.Contains(e.Message, "secret") || len(err.Error()) > 500 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("got %q", err)
	}
}

func TestNonce(t *testing.T) {
	p, c := newProvider(t, jwk(rsaKey, "r1", "")), newClock()
	v := newVerifier(t, Options{AllowLoopback: true, Clock: c.now})
	conn := Connection{Issuer: p.URL, ClientID: "game"}
	free := conn
	free.IgnoreNonce = true
	token := func(nonce, sub string) string {
		return sign(t, jose.RS256, rsaKey, "r1", p.claims(claims{"nonce": nonce, "sub": sub}))
	}
	for _, tc := range []struct {
		name  string
		conn  Connection
		token string
		after time.Duration
		want  string
	}{
		{"first use", conn, token("n1", "ann"), 0, ""},
		{"a client tries again", conn, token("n1", "ann"), 10 * time.Second, ""},
		{"another token with its nonce", conn, token("n1", "eve"), 0, invalid},
		{"later", conn, token("n1", "ann"), again, invalid},
		{"another nonce", conn, token("n2", "ann"), 0, ""},
		{"another client's nonce", Connection{Issuer: p.URL, ClientID: "site"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(claims{"nonce": "n1", "aud": "site"})), 0, ""},
		{"ignored", free, token("n1", "ann"), 0, ""},
		{"ignored again", free, token("n1", "ann"), again, ""},
	} {
		c.advance(tc.after)
		if _, err := v.Verify(t.Context(), tc.conn, tc.token); code(err) != tc.want {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestNoncesAreBounded(t *testing.T) {
	var n nonces
	now := start
	for i := range maxNonces + 500 {
		if !n.use("i", "c", fmt.Sprint(i), "t", now, now.Add(time.Hour)) {
			t.Fatal("a new nonce is refused")
		}
	}
	if len(n.seen) != maxNonces || len(n.order)-n.head != maxNonces {
		t.Errorf("%d nonces in %d places, want %d", len(n.seen), len(n.order)-n.head, maxNonces)
	}
	if n.use("i", "c", fmt.Sprint(maxNonces), "other", now, now.Add(time.Hour)) {
		t.Error("a recent nonce is forgotten")
	}
	later := now.Add(2 * time.Hour)
	n.use("i", "c", "last", "t", later, later.Add(time.Hour))
	if len(n.seen) != 1 {
		t.Errorf("%d nonces are left when all but one are over", len(n.seen))
	}
}

func TestSourcesAreBounded(t *testing.T) {
	c := newClock()
	v := newVerifier(t, Options{Clock: c.now})
	first := v.source(Connection{Issuer: "first"})
	for i := range maxSources - 1 {
		c.advance(time.Second)
		v.source(Connection{Issuer: fmt.Sprint(i)})
	}
	c.advance(time.Second)
	if v.source(Connection{Issuer: "first"}) != first {
		t.Error("a source is dropped before there are too many")
	}
	v.source(Connection{Issuer: "one more"})
	if len(v.sources) != maxSources || v.sources["0\x00"] != nil || v.sources["first\x00"] == nil {
		t.Error("not the one that was not wanted for the longest time is dropped")
	}
}

func TestConnectionsThatCannotBeUsed(t *testing.T) {
	strict, dev := newVerifier(t, Options{}), newVerifier(t, Options{AllowLoopback: true})
	weak, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{jwk(rsaWeak, "w", "")}})
	ok := Connection{Issuer: "https://example.com", ClientID: "game"}
	if err := strict.Check(ok); err != nil {
		t.Error(err)
	}
	if err := dev.Check(Connection{Issuer: "http://localhost:8080", ClientID: "game"}); err != nil {
		t.Error(err)
	}
	for name, tc := range map[string]struct {
		v *Verifier
		c Connection
	}{
		"no client":             {dev, Connection{Issuer: "https://example.com"}},
		"no issuer":             {dev, Connection{ClientID: "game"}},
		"plain http":            {dev, Connection{Issuer: "http://example.com", ClientID: "game"}},
		"looks like this host":  {dev, Connection{Issuer: "http://localhost.example.com", ClientID: "game"}},
		"this host, plain http": {strict, Connection{Issuer: "http://127.0.0.1:1", ClientID: "game"}},
		"a file":                {dev, Connection{Issuer: "file:///etc/passwd", ClientID: "game"}},
		"a user":                {dev, Connection{Issuer: "https://u:p@example.com", ClientID: "game"}},
		"a fragment":            {dev, Connection{Issuer: "https://example.com/#x", ClientID: "game"}},
		"relative":              {dev, Connection{Issuer: "/x", ClientID: "game"}},
		"URL of keys":           {dev, Connection{Issuer: "shop", JWKSURL: "gopher://example.com", ClientID: "game"}},
		"HS256":                 {dev, Connection{Issuer: "https://example.com", ClientID: "game", Algorithms: []string{"HS256"}}},
		"none":                  {dev, Connection{Issuer: "https://example.com", ClientID: "game", Algorithms: []string{"none"}}},
		"both":                  {dev, Connection{Issuer: "https://example.com", ClientID: "game", JWKSURL: "https://example.com", Keys: weak}},
		"weak keys":             {dev, Connection{Issuer: "https://example.com", ClientID: "game", Keys: weak}},
		"huge keys":             {dev, Connection{Issuer: "https://example.com", ClientID: "game", Keys: make([]byte, maxKeySet+1)}},
	} {
		if err := tc.v.Check(tc.c); err == nil {
			t.Errorf("%s: can be used", name)
		}
		if _, err := tc.v.Verify(t.Context(), tc.c, "a.b.c"); code(err) != config {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestThisMachineIsNotReached: a URL that is fine as it is written does not reach
// a loopback address.
func TestThisMachineIsNotReached(t *testing.T) {
	called := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer server.Close()
	p := newProvider(t)
	v := newVerifier(t, Options{TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
	_, err := v.Verify(t.Context(), Connection{Issuer: server.URL, ClientID: "game"}, sign(t, jose.RS256, rsaKey, "r1", p.claims(nil)))
	if code(err) != down || !strings.Contains(err.Error(), "this machine") || called {
		t.Errorf("got %v, called %v", err, called)
	}
}

func FuzzVerify(f *testing.F) {
	set, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{jwk(ecKey, "e1", "")}})
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJFUzI1NiIsImtpZCI6ImUxIn0.e30.AAAA")
	v := New(Options{Clock: newClock().now})
	f.Cleanup(v.Close)
	f.Fuzz(func(t *testing.T, token string) {
		if id, err := v.Verify(t.Context(), Connection{Issuer: "shop", Keys: set, ClientID: "game"}, token); err == nil {
			t.Errorf("%q is taken for %+v", token, id)
		}
	})
}
