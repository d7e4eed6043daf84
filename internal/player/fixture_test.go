package player

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/password"
	_ "ludgate/internal/password/entry" // the benchmarks want the helper
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/streaming"
	"ludgate/internal/streaming/platform"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// loadEnv in the environment makes this binary the load generator of the
// benchmarks, with the directory of the streaming platform's keys as value.
const loadEnv = "LUDGATE_PLAYER_LOAD"

// generateLoad is the load generator, where there is one.
var generateLoad func() int

func TestMain(m *testing.M) {
	if os.Getenv(loadEnv) != "" && generateLoad != nil {
		os.Exit(generateLoad())
	}
	os.Exit(m.Run())
}

// clock is a time that a test sets. It is safe for concurrent use.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 3, 4, 5, 6, 7, 890e6, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }

// titles are the titles of a fixture: some by id, and what springs up for others.
type titles struct {
	listed listed
	spring *title.Settings
}

type listed = map[string]title.Settings

// setup is what a fixture is made of; a zero value has a default.
type setup struct {
	dir      string             // keys; a new one
	store    store.Store        // an empty one
	naming   *wire.Naming       // neutral
	titles   titles             // every id springs up
	platform string             // validate URL; the fixture's own platform
	hasher   Passwords          // cheap and in process
	clock    *clock             // 2026-03-04 05:06:07.890
	log      *slog.Logger       // nobody reads it
	edge     []wire.Route       // further routes
	valid    *streaming.Options // of the validator
	options  func(o *Options)   // changes what the service is made of
	revoked  func(ticket.Claims) bool
}

// fixture is a player service behind an edge on a real connection, with a
// streaming platform beside it.
type fixture struct {
	t        testing.TB
	service  *Service
	titles   *title.Registry
	store    store.Store
	platform *platform.Platform
	clock    *clock
	naming   *wire.Naming
	url      string
}

func newFixture(t testing.TB, s setup) *fixture {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	if s.clock == nil {
		s.clock = newClock()
	}
	if s.store == nil {
		s.store = storetest.Open(t, Areas()...)
	}
	if s.naming == nil {
		s.naming = wire.Neutral
	}
	if s.titles.listed == nil && s.titles.spring == nil {
		s.titles.spring = &title.Settings{StreamingClientID: platform.ClientID}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.hasher == nil {
		h := password.New(password.Options{Params: password.Params{Memory: 64, Time: 1, Threads: 1}, InProcess: true, Queue: 1000})
		t.Cleanup(h.Close)
		s.hasher = h
	}
	p := must(platform.New(s.dir, s.clock.now))(t)
	if s.platform == "" {
		server := httptest.NewServer(p)
		t.Cleanup(server.Close)
		s.platform = server.URL + platform.ValidatePath
	}
	opt := streaming.Options{URL: s.platform, Log: s.log, CacheFor: 30 * time.Second, Clock: s.clock.now}
	if s.valid != nil {
		opt = *s.valid
		opt.URL, opt.Log = s.platform, s.log
	}
	validator := must(streaming.New(opt))(t)
	t.Cleanup(validator.Close)
	ring := must(ticket.OpenRing(s.dir, "tickets.json", s.clock.now))(t)
	box := must(secret.NewBox(must(secret.LoadKey(s.dir, "secrets"))(t), "player"))(t)
	registry := must(title.Open(t.Context(), title.Options{
		Store: s.store, Box: box, Declared: s.titles.listed, Template: s.titles.spring, AllowLoopback: true, Clock: s.clock.now, Log: s.log,
		Naming: func(name string) *wire.Naming {
			return map[string]*wire.Naming{"neutral": wire.Neutral, "vendor": wire.Vendor}[name]
		},
	}))(t)
	t.Cleanup(registry.Close)
	tickets := ticket.NewIssuer(ring, s.clock.now)
	o := Options{Tickets: tickets, Passwords: s.hasher, Streaming: validator}
	if s.options != nil {
		s.options(&o)
	}
	gate := call.NewGate(call.Options{Store: s.store, Titles: registry, Tickets: tickets, Revoked: s.revoked, Box: box, Clock: s.clock.now, Log: s.log})
	o.Gate = gate
	service := must(Open(t.Context(), o))(t)
	t.Cleanup(service.Close)
	server := httptest.NewServer(wire.NewEdge(wire.Options{Default: s.naming, TitleNaming: registry.Naming, TitleOf: gate.TitleOf, Log: s.log},
		append(service.Routes(), s.edge...)...))
	t.Cleanup(server.Close)
	return &fixture{t: t, service: service, titles: registry, store: s.store, platform: p, clock: s.clock, naming: s.naming, url: server.URL}
}

// must stops the test where a constructor fails: must(New(…))(t).
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// token is a streaming token of a user of the fixture's platform.
func (f *fixture) token(userID, login string) string {
	f.t.Helper()
	return must(f.platform.Mint(platform.MintRequest{UserID: userID, Login: login}))(f.t)
}

// obj is a JSON object.
type obj map[string]any

// with gives a copy of o with further members; a nil value takes one away.
func (o obj) with(more obj) obj {
	out := maps.Clone(o)
	for k, v := range more {
		if out[k] = v; v == nil {
			delete(out, k)
		}
	}
	return out
}

// text is o as JSON.
func (o obj) text() string {
	b, err := json.Marshal(o, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// answer is a reply of the server.
type answer struct {
	status int
	header http.Header
	body   string
}

// result is the result of a successful call, without the naming's envelope.
func (f *fixture) result(a answer) obj {
	f.t.Helper()
	if a.status != 200 {
		f.t.Fatalf("status %d: %s", a.status, a.body)
	}
	out := decode(f.t, a.body)
	if f.naming.Player.Envelope == wire.Wrapped {
		if out["code"] != 200.0 || out["status"] != "OK" || len(out) != 3 {
			f.t.Fatalf("envelope: %s", a.body)
		}
		return obj(out["data"].(map[string]any))
	}
	return out
}

func decode(t testing.TB, text string) obj {
	t.Helper()
	var out obj
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

// headers are what a request sends beside its body; Host is the host name.
type headers map[string]string

// post sends a body to a path as it is spelled in the fixture's naming.
func (f *fixture) post(path, body string, h headers) answer {
	f.t.Helper()
	if to, ok := f.naming.Player.Paths[path]; ok {
		path = to
	}
	req, err := http.NewRequest("POST", f.url+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range h {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

// register and signIn are the two calls of the contract.
func (f *fixture) register(body obj) answer {
	f.t.Helper()
	return f.post("/Client/RegisterPlatformUser", body.text(), nil)
}

func (f *fixture) signIn(body obj) answer {
	f.t.Helper()
	return f.post("/Client/LoginWithStreamingPlatform", body.text(), nil)
}

// ann is a registration that succeeds.
var ann = obj{"TitleId": "ABCDE", "Username": "Ann42", "Email": "ann@example.com", "Password": "secret"}

// word is a naming's spelling of a member.
func (f *fixture) word(neutral string) string {
	if to, ok := f.naming.Player.Fields[neutral]; ok {
		return to
	}
	return neutral
}

// pretty sorts and indents a JSON text for messages.
func pretty(text string) string {
	v := jsontext.Value(text)
	if v.Canonicalize() != nil || v.Indent() != nil {
		return text
	}
	return string(v)
}

// sameJSON compares two JSON texts without regard to the order of members.
func sameJSON(t testing.TB, what, got, want string) {
	t.Helper()
	if g, w := pretty(got), pretty(want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// bothNamings runs a test under the neutral and the vendor naming.
func bothNamings(t *testing.T, test func(t *testing.T, n *wire.Naming)) {
	for _, n := range []*wire.Naming{wire.Neutral, wire.Vendor} {
		t.Run(n.Name, func(t *testing.T) { test(t, n) })
	}
}

// count gives the number of rows of a table.
func (f *fixture) count(table string) int64 {
	f.t.Helper()
	stmt := store.NewStmt("count_"+table, "SELECT count(*) FROM "+table)
	n := int64(-1)
	err := f.store.Read(f.t.Context(), func(tx store.Tx) error {
		_, err := store.QueryOne(tx, stmt, func(r store.Row) error { n = r.Int(0); return nil })
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}
