package profile

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// clock is a time that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }

// mailbox keeps what was mailed; with an error it fails instead.
type mailbox struct {
	mu   sync.Mutex
	sent []string // address, subject and text
	fail error
}

func (m *mailbox) send(_ context.Context, to, subject, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.sent = append(m.sent, to+"\n"+subject+"\n"+text)
	return nil
}

// revocations notes whose proofs were taken back.
type revocations struct{ players []string }

func (r *revocations) Revoke(_ store.Tx, title, player string, _ time.Time) error {
	r.players = append(r.players, title+"/"+player)
	return nil
}

// fixture is the part behind an edge, with two titles: ABCDE and 20CA2, which
// shows clients everything.
type fixture struct {
	t       testing.TB
	service *Service
	store   store.Store
	titles  *title.Registry
	tickets *ticket.Issuer
	clock   *clock
	mail    *mailbox
	revoked *revocations
	secrets map[string]string
	url     string
}

func newFixture(t testing.TB, n *wire.Naming, change func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: &clock{}, mail: &mailbox{}, revoked: &revocations{}, secrets: map[string]string{}}
	f.clock.at.Store(time.Date(2026, 3, 4, 5, 6, 7, 890e6, time.UTC).UnixMilli())
	f.store = storetest.Open(t, account.Area, title.Area, Area)
	dir := t.TempDir()
	ring := must(ticket.OpenRing(dir, "tickets.json", f.clock.now))(t)
	box := must(secret.NewBox(must(secret.LoadKey(dir, "secrets"))(t), "player"))(t)
	all := []string{}
	for flag := range (&PlayerProfileViewConstraints{}).flags() {
		all = append(all, flag)
	}
	f.titles = must(title.Open(t.Context(), title.Options{Store: f.store, Box: box, Clock: f.clock.now,
		Log:      slog.New(slog.DiscardHandler),
		Declared: map[string]title.Settings{"ABCDE": {Name: "Rook"}, "20CA2": {AllowedConstraints: all}},
	}))(t)
	t.Cleanup(f.titles.Close)
	for _, id := range []string{"ABCDE", "20CA2"} {
		err := f.titles.UpdateKeys(t.Context(), id, func(k *title.Keys) error {
			f.secrets[id] = k.AddSecret("test", f.clock.now())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	f.tickets = ticket.NewIssuer(ring, f.clock.now)
	gate := call.NewGate(call.Options{Store: f.store, Titles: f.titles, Tickets: f.tickets, Box: box, Clock: f.clock.now,
		Log: slog.New(slog.DiscardHandler)})
	opt := Options{Mail: f.mail.send, Revoker: f.revoked, PublicURL: "https://play.example"}
	if change != nil {
		change(&opt)
	}
	f.service = New(gate, opt)
	server := httptest.NewServer(wire.NewEdge(wire.Options{Default: n, Log: slog.New(slog.DiscardHandler)}, f.service.Routes()...))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// newNeutral is a fixture with nothing special about it.
func newNeutral(t testing.TB) *fixture { return newFixture(t, wire.Neutral, nil) }

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// player makes an account in a title.
func (f *fixture) player(titleID string, a account.Account) *account.Account {
	f.t.Helper()
	a.Title = titleID
	if a.Origination == "" {
		a.Origination = account.Organic
	}
	f.write(func(tx store.Tx) error { return account.Create(tx, &a, account.Options{}, f.clock.now().UnixMilli()) })
	return &a
}

func (f *fixture) write(fn func(store.Tx) error) {
	f.t.Helper()
	if err := f.store.Write(f.t.Context(), fn); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) read(fn func(store.Tx) error) {
	f.t.Helper()
	if err := f.store.Read(f.t.Context(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// obj is a JSON object.
type obj map[string]any

// answer is a reply.
type answer struct {
	status int
	header http.Header
	body   string
}

func (f *fixture) do(method, path string, body any, header, value string) answer {
	f.t.Helper()
	text := ""
	if body != nil {
		b, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			f.t.Fatal(err)
		}
		text = string(b)
	}
	req, err := http.NewRequest(method, f.url+path, strings.NewReader(text))
	if err != nil {
		f.t.Fatal(err)
	}
	if header != "" {
		req.Header.Set(header, value)
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

// client calls with a player's ticket.
func (f *fixture) client(a *account.Account, path string, body obj) answer {
	f.t.Helper()
	return f.do("POST", path, body, "X-Authorization", f.tickets.Session(ticket.Bearer{Title: a.Title, Player: a.ID, Account: a.Account}))
}

// server calls with the secret key of title ABCDE.
func (f *fixture) server(path string, body obj) answer {
	f.t.Helper()
	return f.do("POST", path, body, "X-SecretKey", f.secrets["ABCDE"])
}

// ok gives the result of a call that succeeded.
func (f *fixture) ok(a answer) obj {
	f.t.Helper()
	if a.status != 200 {
		f.t.Fatalf("status %d: %s", a.status, a.body)
	}
	var out obj
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		f.t.Fatalf("%v: %s", err, a.body)
	}
	return out
}

// refused checks name and number of a refusal, and that its body has a text.
func (f *fixture) refused(a answer, name string, number int, text string) {
	f.t.Helper()
	var e struct {
		Error     string `json:"error"`
		ErrorCode int    `json:"errorCode"`
	}
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		f.t.Fatalf("%v: %s", err, a.body)
	}
	if e.Error != name || e.ErrorCode != number || !strings.Contains(a.body, text) {
		f.t.Errorf("got %s, want %s %d with %q", a.body, name, number, text)
	}
}

// profile is what a server sees of a player with one flag.
func (f *fixture) profile(a *account.Account, flags ...string) obj {
	f.t.Helper()
	show := obj{}
	for _, flag := range flags {
		show[flag] = true
	}
	return obj(f.ok(f.do("POST", "/Server/GetPlayerProfile", obj{"PlatformId": a.ID, "ProfileConstraints": show},
		"X-SecretKey", f.secrets[a.Title]))["PlayerProfile"].(map[string]any))
}

// same compares a value with a JSON text.
func same(t testing.TB, what string, got any, want string) {
	t.Helper()
	b, err := json.Marshal(got, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	g, w := jsontext.Value(b), jsontext.Value(want)
	if err := w.Canonicalize(); err != nil {
		t.Fatalf("%s: %v in %s", what, err, want)
	}
	if err := g.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	if string(g) != string(w) {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
