package economy

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
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

// obj is a JSON object.
type obj map[string]any

// list is a JSON array.
type list []any

// fixture is the economy behind an edge on a real connection, with two titles:
// ABCDE, and FFFFF, which lets clients pay themselves.
type fixture struct {
	t       testing.TB
	service *Service
	store   store.Store
	tickets *ticket.Issuer
	secrets map[string]string // by title
	at      atomic.Int64
	naming  *wire.Naming
	url     string
}

func newFixture(t testing.TB) *fixture { return newFixtureOn(t, wire.Neutral) }

func newFixtureOn(t testing.TB, n *wire.Naming) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{t: t, secrets: map[string]string{}, naming: n, store: storetest.Open(t, account.Area, title.Area, Area)}
	f.at.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixMilli())
	log := slog.New(slog.DiscardHandler)
	ring := must(ticket.OpenRing(dir, "tickets.json", f.now))(t)
	f.tickets = ticket.NewIssuer(ring, f.now)
	box := must(secret.NewBox(must(secret.LoadKey(dir, "secrets"))(t), "player"))(t)
	registry := must(title.Open(t.Context(), title.Options{Store: f.store, Box: box, Clock: f.now, Log: log,
		Declared: map[string]title.Settings{"ABCDE": {}, "FFFFF": {AllowClientCurrency: true}}}))(t)
	t.Cleanup(registry.Close)
	for _, id := range []string{"ABCDE", "FFFFF"} {
		err := registry.UpdateKeys(t.Context(), id, func(k *title.Keys) error {
			f.secrets[id] = k.AddSecret("test", f.now())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	gate := call.NewGate(call.Options{Store: f.store, Titles: registry, Tickets: f.tickets, Box: box, Clock: f.now, Log: log})
	f.service = New(gate)
	server := httptest.NewServer(wire.NewEdge(wire.Options{Default: n, Log: log}, f.service.Routes()...))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fixture) now() time.Time          { return time.UnixMilli(f.at.Load()) }
func (f *fixture) advance(d time.Duration) { f.at.Add(d.Milliseconds()) }

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

// player is a player with a ticket.
type player struct {
	f      *fixture
	title  string
	id     string
	ticket string
}

// player makes a new player of a title.
func (f *fixture) player(titleID string) *player {
	f.t.Helper()
	a := &account.Account{Title: titleID, Origination: account.CustomID}
	err := account.Write(f.t.Context(), f.store, func(tx store.Tx) error {
		return account.Create(tx, a, account.Options{}, f.now().UnixMilli())
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return &player{f, titleID, a.ID, f.tickets.Session(ticket.Bearer{Title: titleID, Player: a.ID, Account: a.Account})}
}

// answer is a reply of the server.
type answer struct {
	t      testing.TB
	status int
	body   string
}

func (f *fixture) post(path string, body obj, header, proof string) answer {
	f.t.Helper()
	text := must(json.Marshal(body, json.Deterministic(true)))(f.t)
	req := must(http.NewRequest("POST", f.url+path, strings.NewReader(string(text))))(f.t)
	req.Header.Set("Content-Type", "application/json")
	if proof != "" {
		req.Header.Set(header, proof)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Error(err)
		return answer{t: f.t}
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return answer{f.t, res.StatusCode, string(b)}
}

// call makes a client's call.
func (p *player) call(path string, body obj) answer {
	p.f.t.Helper()
	return p.f.post("/Client/"+path, body, "X-Authorization", p.ticket)
}

// server makes a server's or administrator's call about the player.
func (p *player) server(path string, body obj) answer {
	p.f.t.Helper()
	if body == nil {
		body = obj{}
	}
	id := "PlatformId"
	if to, ok := p.f.naming.Player.Fields[id]; ok {
		id = to
	}
	body[id] = p.id
	return p.f.admin(p.title, path, body)
}

// admin makes a call of a title's server: "Server/X" or "Admin/X".
func (f *fixture) admin(titleID, path string, body obj) answer {
	f.t.Helper()
	return f.post("/"+path, body, "X-SecretKey", f.secrets[titleID])
}

// ok gives the result of a call that must succeed.
func (a answer) ok() obj {
	a.t.Helper()
	var out obj
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != 200 {
		a.t.Fatalf("status %d: %s", a.status, a.body)
	}
	return out
}

// fails holds a refusal against the name and number it must have.
func (a answer) fails(name string, number int) {
	a.t.Helper()
	var out struct {
		Error     string `json:"error"`
		ErrorCode int    `json:"errorCode"`
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || out.Error != name || out.ErrorCode != number {
		a.t.Errorf("got status %d: %s\nwant %s %d", a.status, a.body, name, number)
	}
}

// name is the name of the error, "" for a success.
func (a answer) name() string {
	var out struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(a.body), &out) != nil {
		return a.body
	}
	return out.Error
}

// is compares a result, in any order of members, with JSON; ids and times that
// differ from run to run are given by args.
func (a answer) is(want string, args ...any) {
	a.t.Helper()
	if got, want := pretty(a.body), pretty(fmt.Sprintf(want, args...)); a.status != 200 || got != want {
		a.t.Errorf("status %d\n got %s\nwant %s", a.status, got, want)
	}
}

func pretty(text string) string {
	v := jsontext.Value(text)
	if v.Canonicalize() != nil || v.Indent() != nil {
		return text
	}
	return string(v)
}

// currency adds a currency to a title.
func (f *fixture) currency(titleID, code string, more obj) {
	f.t.Helper()
	v := obj{"CurrencyCode": code}
	for k, m := range more {
		v[k] = m
	}
	f.admin(titleID, "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": list{v}}).ok()
}

// catalog sets version 1 of a title's catalog.
func (f *fixture) catalog(titleID string, items ...obj) {
	f.t.Helper()
	f.admin(titleID, "Admin/SetCatalogItems", obj{"CatalogVersion": "1", "Catalog": items}).ok()
}

// balance is what the player has of a currency.
func (p *player) balance(code string) int {
	p.f.t.Helper()
	all := p.call("GetUserInventory", obj{}).ok()["VirtualCurrency"].(map[string]any)
	n, ok := all[code].(float64)
	if !ok {
		p.f.t.Fatalf("no %s in %v", code, all)
	}
	return int(n)
}

// inventory is what the player has, as "item" or "item x uses", in order.
func (p *player) inventory() string {
	p.f.t.Helper()
	return inventoryText(p.call("GetUserInventory", obj{}).ok())
}

func inventoryText(result obj) string {
	var out []string
	for _, it := range result["Inventory"].([]any) {
		it := it.(map[string]any)
		text := it["ItemId"].(string)
		if n, ok := it["RemainingUses"].(float64); ok {
			text += fmt.Sprintf(" x%d", int(n))
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// grant gives the player items and their instance ids.
func (p *player) grant(items ...string) []string {
	p.f.t.Helper()
	var ids []string
	for _, it := range p.server("Server/GrantItemsToUser", obj{"ItemIds": items}).ok()["ItemGrantResults"].([]any) {
		ids = append(ids, it.(map[string]any)["ItemInstanceId"].(string))
	}
	return ids
}

// character makes the player a character.
func (p *player) character(name string) string {
	p.f.t.Helper()
	return p.server("Server/GrantCharacterToUser", obj{"CharacterName": name, "CharacterType": "Knight"}).ok()["CharacterId"].(string)
}
