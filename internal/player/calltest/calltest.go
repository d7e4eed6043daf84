// Package calltest is what the tests of the player service's parts stand on: a
// store, a clock, titles, players with proofs, and an edge on a real connection
// that serves the part's routes.
//
//	r := calltest.New(t, calltest.Options{Areas: []store.Area{data.Area}})
//	r.Serve(data.New(r.Gate).Routes()...)
//	ann := r.Player("ABCDE")
//	r.Call("/Client/GetUserData", ann.Session(), calltest.Obj{}).Result()
package calltest

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// Obj is a JSON object.
type Obj = map[string]any

// Options of a Rig; a zero value has a default.
type Options struct {
	Areas   []store.Area              // schemas besides those of accounts and titles
	Naming  *wire.Naming              // neutral
	Titles  map[string]title.Settings // listed titles; every other id springs up
	Store   store.Store               // an empty one
	Limit   func(c *call.Call) error
	Revoked func(ticket.Claims) bool
}

// Rig is a player service to be.
type Rig struct {
	testing.TB
	Gate    *call.Gate
	Store   store.Store
	Titles  *title.Registry
	Tickets *ticket.Issuer
	Clock   *Clock
	Naming  *wire.Naming
	url     string
}

// Clock is a time that a test sets. It is safe for concurrent use.
type Clock struct{ ms atomic.Int64 }

// Now is the time.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.ms.Load()) }

// Advance moves it.
func (c *Clock) Advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// Start is the time at which every clock begins.
var Start = time.Date(2026, 3, 4, 5, 6, 7, 890e6, time.UTC)

// New makes a rig that serves nothing yet.
func New(t testing.TB, o Options) *Rig {
	t.Helper()
	r := &Rig{TB: t, Clock: &Clock{}, Naming: o.Naming, Store: o.Store}
	r.Clock.ms.Store(Start.UnixMilli())
	if r.Naming == nil {
		r.Naming = wire.Neutral
	}
	if r.Store == nil {
		r.Store = storetest.Open(t, append([]store.Area{account.Area, title.Area}, o.Areas...)...)
	}
	dir := t.TempDir()
	key, err := secret.LoadKey(dir, "secrets")
	r.must(err)
	box, err := secret.NewBox(key, "player")
	r.must(err)
	log := slog.New(slog.DiscardHandler)
	r.Titles, err = title.Open(t.Context(), title.Options{
		Store: r.Store, Box: box, Declared: o.Titles, Template: &title.Settings{}, AllowLoopback: true, Clock: r.Clock.Now, Log: log,
		Naming: func(name string) *wire.Naming {
			return map[string]*wire.Naming{"neutral": wire.Neutral, "vendor": wire.Vendor}[name]
		},
	})
	r.must(err)
	t.Cleanup(r.Titles.Close)
	ring, err := ticket.OpenRing(dir, "tickets", r.Clock.Now)
	r.must(err)
	r.Tickets = ticket.NewIssuer(ring, r.Clock.Now)
	r.Gate = call.NewGate(call.Options{
		Store: r.Store, Titles: r.Titles, Tickets: r.Tickets, Revoked: o.Revoked, Box: box, Limit: o.Limit, Clock: r.Clock.Now, Log: log,
	})
	return r
}

func (r *Rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// Serve puts routes behind an edge.
func (r *Rig) Serve(routes ...wire.Route) {
	s := httptest.NewServer(wire.NewEdge(wire.Options{Default: r.Naming, TitleNaming: r.Titles.Naming, TitleOf: r.Gate.TitleOf}, routes...))
	r.Cleanup(s.Close)
	r.url = s.URL
}

// Proof is the headers by which a call says who makes it.
type Proof map[string]string

// Player is a stored player with proofs.
type Player struct {
	*account.Account
	rig *Rig
}

// Player stores a new player of a title. Each fn changes the account before.
func (r *Rig) Player(titleID string, fns ...func(*account.Account)) *Player {
	r.Helper()
	a := &account.Account{Title: titleID, Origination: account.Organic}
	for _, fn := range fns {
		fn(a)
	}
	r.must(account.Write(r.Context(), r.Store, func(tx store.Tx) error {
		return account.Create(tx, a, account.Options{}, r.Clock.Now().UnixMilli())
	}))
	return &Player{a, r}
}

func (p *Player) bearer() ticket.Bearer {
	return ticket.Bearer{Title: p.Title, Player: p.ID, Account: p.Account.Account}
}

// Session is a session ticket of the player.
func (p *Player) Session() Proof { return Proof{"X-Authorization": p.rig.Tickets.Session(p.bearer())} }

// Entity is an entity token of the player in its title.
func (p *Player) Entity() Proof {
	token, _ := p.rig.Tickets.Entity(p.bearer(), ticket.TitlePlayerAccount)
	return Proof{"X-EntityToken": token}
}

// Secret is a new secret key of a title.
func (r *Rig) Secret(titleID string) Proof {
	r.Helper()
	key := ""
	r.must(r.Titles.UpdateKeys(r.Context(), titleID, func(k *title.Keys) error {
		key = k.AddSecret("test", r.Clock.Now())
		return nil
	}))
	return Proof{"X-SecretKey": key}
}

// Answer is what a call answered.
type Answer struct {
	testing.TB
	Status int
	Header http.Header
	Body   string
}

// Call makes a call of the player surface. Body is a string, sent as it is, or
// anything that JSON can write.
func (r *Rig) Call(path string, proof Proof, body any) *Answer {
	r.Helper()
	text, ok := body.(string)
	if !ok {
		b, err := json.Marshal(body)
		r.must(err)
		text = string(b)
	}
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, r.url+path, strings.NewReader(text))
	r.must(err)
	req.Header.Set("Content-Type", "application/json")
	for k, v := range maps.All(proof) {
		req.Header.Set(k, v)
	}
	return r.do(req)
}

// Get opens a page of the player surface.
func (r *Rig) Get(path string) *Answer {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, r.url+path, nil)
	r.must(err)
	return r.do(req)
}

func (r *Rig) do(req *http.Request) *Answer {
	r.Helper()
	resp, err := http.DefaultClient.Do(req)
	r.must(err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	r.must(err)
	return &Answer{TB: r.TB, Status: resp.StatusCode, Header: resp.Header, Body: string(b)}
}

// Result is the result of a call that must have succeeded, out of whichever
// envelope.
func (a *Answer) Result() Obj {
	a.Helper()
	var out Obj
	if err := json.Unmarshal([]byte(a.Body), &out); err != nil {
		a.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	if a.Status != http.StatusOK {
		a.Fatalf("%d %s", a.Status, a.Body)
	}
	if data, ok := out["data"].(Obj); ok && out["status"] == "OK" {
		return data
	}
	return out
}

// Refused checks that a call was refused with an error of that name and number,
// and gives its message and details.
func (a *Answer) Refused(name string, number int) (message string, details Obj) {
	a.Helper()
	var e struct {
		Code         int    `json:"code"`
		Error        string `json:"error"`
		ErrorCode    int    `json:"errorCode"`
		ErrorMessage string `json:"errorMessage"`
		ErrorDetails Obj    `json:"errorDetails"`
	}
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil || e.Error != name || e.ErrorCode != number || e.Code != a.Status {
		a.Errorf("%d %s: want %s %d", a.Status, a.Body, name, number)
	}
	return e.ErrorMessage, e.ErrorDetails
}
