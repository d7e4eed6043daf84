package economy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/part"
	"ludgate/internal/store"
)

// rows counts what a player has in every table.
func (f *fixture) rows(player string) string {
	f.Helper()
	out := ""
	for _, table := range []string{"economy_balances", "economy_items", "economy_characters"} {
		stmt := store.NewStmt("rows_"+table, "SELECT count(*) FROM "+table+" WHERE player = $1")
		err := f.Store.Read(f.Context(), func(tx store.Tx) error {
			_, err := store.QueryOne(tx, stmt, func(r store.Row) error { out += fmt.Sprint(r.Int(0), " "); return nil }, player)
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	return out
}

func (f *fixture) write(fn func(store.Tx) error) error { return f.Store.Write(f.Context(), fn) }

// TestExportImportDelete: what is exported as JSON and imported for another
// player, of another title, is the same there; deleting leaves nothing.
func TestExportImportDelete(t *testing.T) {
	f := newFixture(t)
	shop(f)
	f.currency("ABCDE", "LV", obj{"InitialDeposit": 5, "RechargeRate": 288, "RechargeMax": 5})
	p := f.player("ABCDE")
	bob := p.character("Bob")
	ids := p.grant("sword", "arrow", "vip", "pack")
	p.server("Server/UpdateUserInventoryItemCustomData", obj{"ItemInstanceId": ids[0], "Data": obj{"a": "b"}}).ok()
	p.server("Server/MoveItemToCharacterFromUser", obj{"ItemInstanceId": ids[0], "CharacterId": bob}).ok()
	p.server("Server/AddCharacterVirtualCurrency", obj{"CharacterId": bob, "VirtualCurrency": "XP", "Amount": 3}).ok()
	p.server("Server/SubtractUserVirtualCurrency", obj{"VirtualCurrency": "LV", "Amount": 3}).ok()
	f.advance(30 * time.Second)
	want, wantBob := p.call("GetUserInventory", obj{}).Body, p.call("GetCharacterInventory", obj{"CharacterId": bob}).Body

	keeper := part.Of[Dump]("economy", f.service)
	export := func(title, player string) (line jsontext.Value) {
		t.Helper()
		err := f.Store.Read(t.Context(), func(tx store.Tx) (err error) { line, err = keeper.Export(tx, title, player); return err })
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	line := export("ABCDE", p.ID)
	load := func(player string) error {
		t.Helper()
		dump := must(keeper.Parse(line))(t)
		return f.write(func(tx store.Tx) error { return dump.Import(tx, "FFFFF", player) })
	}
	q := f.player("FFFFF")
	err := load(q.ID)
	if err == nil || !strings.Contains(err.Error(), "no currency") {
		t.Fatalf("a title without the currencies: %v", err)
	}
	for _, c := range []obj{{"CurrencyCode": "GC"}, {"CurrencyCode": "XP"}, {"CurrencyCode": "LV", "RechargeRate": 288, "RechargeMax": 5}} {
		f.currency("FFFFF", c["CurrencyCode"].(string), c)
	}
	if err := load(q.ID); err != nil {
		t.Fatal(err)
	}
	if got := q.call("GetUserInventory", obj{}).Body; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := q.call("GetCharacterInventory", obj{"CharacterId": bob}).Body; got != wantBob {
		t.Errorf("\n got %s\nwant %s", got, wantBob)
	}
	if err := load(q.ID); err == nil {
		t.Error("a second import succeeds")
	}
	if again := export("FFFFF", q.ID); string(again) != string(line) {
		t.Errorf("\n got %s\nwant %s", again, line)
	}
	if nobody := export("ABCDE", "nobody"); nobody != nil {
		t.Errorf("nobody has %s", nobody)
	}
	if err := f.write(func(tx store.Tx) error { return f.service.Delete(tx, "ABCDE", p.ID) }); err != nil {
		t.Fatal(err)
	}
	if got := f.rows(p.ID); got != "0 0 0 " {
		t.Errorf("left behind: %s", got)
	}
	if got := f.rows(q.ID); strings.HasPrefix(got, "0") {
		t.Errorf("the other player has %s", got)
	}
}

// TestImportRules: a dump that cannot be is refused as a whole.
func TestImportRules(t *testing.T) {
	f := newFixture(t)
	f.currency("ABCDE", "GC", nil)
	p := f.player("ABCDE")
	const id = "0123456789ABCDEF"
	for _, text := range []string{
		`{"balances":[{"code":"XX","amount":1,"at":1}]}`,
		`{"balances":[{"code":"GC","amount":1,"at":-1}]}`,
		`{"balances":[{"code":"GC","amount":1,"at":1,"progress":86400000}]}`,
		`{"balances":[{"code":"GC","amount":1,"at":1,"holder":"x"}]}`,
		`{"balances":[{"code":"GC","amount":1,"at":1},{"code":"GC","amount":1,"at":1}]}`,
		`{"characters":[{"id":"x","name":"a","type":"b","created":1}]}`,
		`{"characters":[{"id":"` + id + `","name":"","type":"b","created":1}]}`,
		`{"characters":[{"id":"` + id + `","name":"a","type":"b","created":1},{"id":"` + id + `","name":"a","type":"b","created":1}]}`,
		`{"items":[null]}`,
		`{"items":[{"id":"x","item":"a","bought":1}]}`,
		`{"items":[{"id":"` + id + `","bought":1}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":-1}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":1,"uses":-1}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":1,"holder":"x"}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":1,"expires":999999999999999}]}`,
		`{"items":[{"id":"` + id + `","item":"` + strings.Repeat("x", 101) + `","bought":1}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":1,"currency":"gold"}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":1,"custom":{"!":"x"}}]}`,
		`{"items":[{"id":"` + id + `","item":"a","bought":1},{"id":"` + id + `","item":"a","bought":1}]}`,
	} {
		dump := &Dump{}
		if err := json.Unmarshal([]byte(text), dump); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := f.write(func(tx store.Tx) error { return f.service.Import(tx, "ABCDE", p.ID, dump) }); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if got := f.rows(p.ID); got != "0 0 0 " {
		t.Errorf("left behind: %s", got)
	}
}

// TestLoad: what combined info shows is what the calls show.
func TestLoad(t *testing.T) {
	f := newFixture(t)
	shop(f)
	f.currency("ABCDE", "LV", obj{"InitialDeposit": 1, "RechargeRate": 288, "RechargeMax": 5})
	f.advance(time.Second)
	p := f.player("ABCDE")
	created := f.now()
	bob, ann := p.character("Bob"), p.character("Ann")
	p.grant("sword", "arrow", "boost")
	p.server("Server/GrantItemsToCharacter", obj{"CharacterId": bob, "ItemIds": list{"potion"}}).ok()
	f.advance(time.Minute)
	now := f.now()
	d := must(f.service.Definitions(t.Context(), "ABCDE"))(t)
	err := f.Store.Read(t.Context(), func(tx store.Tx) error {
		items, err := f.service.LoadInventory(tx, "ABCDE", p.ID, now)
		if err != nil || len(items) != 2 {
			t.Errorf("%v %v", items, err)
		}
		amounts, times, err := f.service.LoadCurrency(tx, d, p.ID, created, now)
		got := must(json.Marshal(InventoryResult{Inventory: items, VirtualCurrency: amounts, VirtualCurrencyRechargeTimes: times}))(t)
		p.call("GetUserInventory", obj{}).is("%s", got)
		if err != nil || amounts["LV"] != 1 || times["LV"].SecondsToRecharge != 240 {
			t.Errorf("%v %v %v", amounts, times, err)
		}
		characters, err := f.service.LoadCharacters(tx, "ABCDE", p.ID)
		if err != nil || len(characters) != 2 {
			t.Errorf("%v %v", characters, err)
		}
		held, err := f.service.LoadCharacterInventories(tx, "ABCDE", p.ID, characters, now)
		if err != nil || len(held) != 2 {
			t.Fatalf("%v %v", held, err)
		}
		for _, h := range held {
			if h.CharacterId == bob && (len(h.Inventory) != 1 || h.Inventory[0].ItemId != "potion") || h.CharacterId == ann && (h.Inventory == nil || len(h.Inventory) != 0) {
				t.Errorf("%v", held)
			}
		}
		strangers, err := f.service.LoadCharacters(tx, "FFFFF", p.ID)
		if strangers == nil || len(strangers) != 0 || err != nil {
			t.Errorf("%v %v", strangers, err)
		}
		none, err := f.service.LoadCharacterInventories(tx, "FFFFF", p.ID, strangers, now)
		if none == nil || len(none) != 0 || err != nil {
			t.Errorf("%v %v", none, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
