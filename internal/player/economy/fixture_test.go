package economy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// obj is a JSON object.
type obj map[string]any

// list is a JSON array.
type list []any

// fixture is the economy behind an edge on a real connection, with two titles:
// ABCDE, and FFFFF, which lets clients pay themselves.
type fixture struct {
	*calltest.Rig
	service *Service
	secrets map[string]calltest.Proof // by title
}

func newFixture(t testing.TB) *fixture { return newFixtureOn(t, wire.Neutral) }

func newFixtureOn(t testing.TB, n *wire.Naming) *fixture {
	t.Helper()
	f := &fixture{secrets: map[string]calltest.Proof{}}
	f.Rig = calltest.New(t, calltest.Options{Areas: []store.Area{Area}, Naming: n, Titles: map[string]title.Settings{"FFFFF": {AllowClientCurrency: true}}})
	f.Clock.Advance(-890 * time.Millisecond) // to a full second
	for _, id := range []string{"ABCDE", "FFFFF"} {
		f.secrets[id] = f.Secret(id)
	}
	f.service = New(f.Gate)
	f.Serve(f.service.Routes()...)
	return f
}

func (f *fixture) now() int64              { return f.Clock.Now().UnixMilli() }
func (f *fixture) advance(d time.Duration) { f.Clock.Advance(d) }

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
	*calltest.Player
	f      *fixture
	ticket calltest.Proof
}

// player makes a new player of a title.
func (f *fixture) player(titleID string) *player {
	f.Helper()
	p := f.Player(titleID)
	return &player{p, f, p.Session()}
}

// answer is a reply of the server.
type answer struct{ *calltest.Answer }

func (f *fixture) post(path string, body obj, proof calltest.Proof) answer {
	f.Helper()
	return answer{f.Call(path, proof, map[string]any(body))}
}

// call makes a client's call.
func (p *player) call(path string, body obj) answer {
	p.f.Helper()
	return p.f.post("/Client/"+path, body, p.ticket)
}

// server makes a server's or administrator's call about the player.
func (p *player) server(path string, body obj) answer {
	p.f.Helper()
	if body == nil {
		body = obj{}
	}
	id := "PlatformId"
	if to, ok := p.f.Naming.Player.Fields[id]; ok {
		id = to
	}
	body[id] = p.ID
	return p.f.admin(p.Title, path, body)
}

// admin makes a call of a title's server: "Server/X" or "Admin/X".
func (f *fixture) admin(titleID, path string, body obj) answer {
	f.Helper()
	return f.post("/"+path, body, f.secrets[titleID])
}

// ok gives the result of a call that must succeed.
func (a answer) ok() obj {
	a.Helper()
	return obj(a.Result())
}

// fails holds a refusal against the name and number it must have.
func (a answer) fails(name string, number int) {
	a.Helper()
	a.Refused(name, number)
}

// name is the name of the error, "" for a success.
func (a answer) name() string {
	var out struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(a.Body), &out) != nil {
		return a.Body
	}
	return out.Error
}

// is compares a result, in any order of members, with JSON; ids and times that
// differ from run to run are given by args.
func (a answer) is(want string, args ...any) {
	a.Helper()
	if got, want := pretty(a.Body), pretty(fmt.Sprintf(want, args...)); a.Status != 200 || got != want {
		a.Errorf("status %d\n got %s\nwant %s", a.Status, got, want)
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
	f.Helper()
	v := obj{"CurrencyCode": code}
	for k, m := range more {
		v[k] = m
	}
	f.admin(titleID, "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": list{v}}).ok()
}

// catalog sets version 1 of a title's catalog.
func (f *fixture) catalog(titleID string, items ...obj) {
	f.Helper()
	f.admin(titleID, "Admin/SetCatalogItems", obj{"CatalogVersion": "1", "Catalog": items}).ok()
}

// balance is what the player has of a currency.
func (p *player) balance(code string) int {
	p.f.Helper()
	all := p.call("GetUserInventory", obj{}).ok()["VirtualCurrency"].(map[string]any)
	n, ok := all[code].(float64)
	if !ok {
		p.f.Fatalf("no %s in %v", code, all)
	}
	return int(n)
}

// inventory is what the player has, as "item" or "item x uses", in order.
func (p *player) inventory() string {
	p.f.Helper()
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
	p.f.Helper()
	var ids []string
	for _, it := range p.server("Server/GrantItemsToUser", obj{"ItemIds": items}).ok()["ItemGrantResults"].([]any) {
		ids = append(ids, it.(map[string]any)["ItemInstanceId"].(string))
	}
	return ids
}

// character makes the player a character.
func (p *player) character(name string) string {
	p.f.Helper()
	return p.server("Server/GrantCharacterToUser", obj{"CharacterName": name, "CharacterType": "Knight"}).ok()["CharacterId"].(string)
}
