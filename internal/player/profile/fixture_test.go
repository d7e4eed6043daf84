package profile

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/mail"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// mailbox keeps what was mailed; with an error it fails instead.
type mailbox struct {
	mu   sync.Mutex
	sent []string // address, subject and text
	fail error
	off  bool
}

func (m *mailbox) Configured() bool { return !m.off }

func (m *mailbox) Send(_ context.Context, msg mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.sent = append(m.sent, strings.Join(msg.To, ",")+"\n"+msg.Subject+"\n"+msg.Text)
	return nil
}

// revocations notes whose proofs were taken back.
type revocations struct {
	players   []string
	refreshed int
}

func (r *revocations) Refresh(context.Context) error { r.refreshed++; return nil }

func (r *revocations) Revoke(_ store.Tx, title, player string, _ time.Time) error {
	r.players = append(r.players, title+"/"+player)
	return nil
}

// fixture is the part behind an edge, with two titles: ABCDE and 20CA2, which
// shows clients everything.
type fixture struct {
	*calltest.Rig
	service *Service
	mail    *mailbox
	revoked *revocations
	secrets map[string]calltest.Proof
}

func newFixture(t testing.TB, n *wire.Naming, change func(*Options)) *fixture {
	t.Helper()
	all := slices.Collect(maps.Keys((&PlayerProfileViewConstraints{}).flags()))
	f := &fixture{mail: &mailbox{}, revoked: &revocations{}}
	f.Rig = calltest.New(t, calltest.Options{Areas: []store.Area{Area}, Naming: n, Titles: map[string]title.Settings{
		"ABCDE": {Name: "Rook"}, "20CA2": {AllowedConstraints: all},
	}})
	f.secrets = map[string]calltest.Proof{"ABCDE": f.Secret("ABCDE"), "20CA2": f.Secret("20CA2")}
	opt := Options{Mailer: f.mail, Revoker: f.revoked, PublicURL: "https://play.example"}
	if change != nil {
		change(&opt)
	}
	f.service = open(t, f.Gate, opt)
	f.Serve(f.service.Routes()...)
	return f
}

// open opens the part for a test.
func open(t testing.TB, g *call.Gate, o Options) *Service {
	t.Helper()
	s := must(Open(t.Context(), g, o))(t)
	t.Cleanup(s.Close)
	return s
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
func (f *fixture) player(titleID string, a account.Account) *calltest.Player {
	f.Helper()
	return f.Rig.Player(titleID, func(made *account.Account) {
		a.Title = titleID
		if a.Origination == "" {
			a.Origination = made.Origination
		}
		*made = a
	})
}

func (f *fixture) write(fn func(store.Tx) error) {
	f.Helper()
	if err := f.Store.Write(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) read(fn func(store.Tx) error) {
	f.Helper()
	if err := f.Store.Read(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

// obj is a JSON object.
type obj = calltest.Obj

type answer = *calltest.Answer

// client calls with a player's ticket, server with the secret key of ABCDE.
func (f *fixture) client(a *calltest.Player, path string, body obj) answer {
	f.Helper()
	return f.Call(path, a.Session(), body)
}

func (f *fixture) server(path string, body obj) answer {
	f.Helper()
	return f.Call(path, f.secrets["ABCDE"], body)
}

// ok gives the result of a call that succeeded.
func (f *fixture) ok(a answer) obj {
	f.Helper()
	return a.Result()
}

// refused checks name and number of a refusal, and that its body has a text.
func (f *fixture) refused(a answer, name string, number int, text string) {
	f.Helper()
	a.Refused(name, number)
	if !strings.Contains(a.Body, text) {
		f.Errorf("no %q in %s", text, a.Body)
	}
}

// profile is what a server sees of a player with one flag.
func (f *fixture) profile(a *calltest.Player, flags ...string) obj {
	f.Helper()
	show := obj{}
	for _, flag := range flags {
		show[flag] = true
	}
	return f.ok(f.Call("/Server/GetPlayerProfile", f.secrets[a.Title], obj{"PlatformId": a.ID, "ProfileConstraints": show}))["PlayerProfile"].(obj)
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
