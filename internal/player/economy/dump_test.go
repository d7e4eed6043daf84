package economy

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/store"
)

// rows counts what a player has in every table.
func (f *fixture) rows(player string) string {
	f.t.Helper()
	out := ""
	for _, table := range []string{"economy_balances", "economy_items", "economy_characters"} {
		stmt := store.NewStmt("rows_"+table, "SELECT count(*) FROM "+table+" WHERE player = $1")
		err := f.store.Read(f.t.Context(), func(tx store.Tx) error {
			_, err := store.QueryOne(tx, stmt, func(r store.Row) error { out += fmt.Sprint(r.Int(0), " "); return nil }, player)
			return err
		})
		if err != nil {
			f.t.Fatal(err)
		}
	}
	return out
}

func (f *fixture) write(fn func(store.Tx) error) error { return f.store.Write(f.t.Context(), fn) }

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
	want, wantBob := p.call("GetUserInventory", obj{}).body, p.call("GetCharacterInventory", obj{"CharacterId": bob}).body

	var dump *Dump
	err := f.store.Read(t.Context(), func(tx store.Tx) (err error) { dump, err = f.service.Export(tx, "ABCDE", p.id); return err })
	if err != nil {
		t.Fatal(err)
	}
	line := must(json.Marshal(dump))(t)
	read := func() *Dump {
		out := &Dump{}
		if err := json.Unmarshal(line, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	q := f.player("FFFFF")
	err = f.write(func(tx store.Tx) error { return f.service.Import(tx, "FFFFF", q.id, read()) })
	if err == nil || !strings.Contains(err.Error(), "no currency") {
		t.Fatalf("a title without the currencies: %v", err)
	}
	for _, c := range []obj{{"CurrencyCode": "GC"}, {"CurrencyCode": "XP"}, {"CurrencyCode": "LV", "RechargeRate": 288, "RechargeMax": 5}} {
		f.currency("FFFFF", c["CurrencyCode"].(string), c)
	}
	if err := f.write(func(tx store.Tx) error { return f.service.Import(tx, "FFFFF", q.id, read()) }); err != nil {
		t.Fatal(err)
	}
	if got := q.call("GetUserInventory", obj{}).body; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := q.call("GetCharacterInventory", obj{"CharacterId": bob}).body; got != wantBob {
		t.Errorf("\n got %s\nwant %s", got, wantBob)
	}
	if err := f.write(func(tx store.Tx) error { return f.service.Import(tx, "FFFFF", q.id, read()) }); err == nil {
		t.Error("a second import succeeds")
	}
	var again *Dump
	err = f.store.Read(t.Context(), func(tx store.Tx) (err error) { again, err = f.service.Export(tx, "FFFFF", q.id); return err })
	if err != nil || !reflect.DeepEqual(again.Items, dump.Items) || len(again.Balances) != len(dump.Balances) {
		t.Errorf("%v", err)
	}
	if err := f.write(func(tx store.Tx) error { return f.service.Delete(tx, "ABCDE", p.id) }); err != nil {
		t.Fatal(err)
	}
	if got := f.rows(p.id); got != "0 0 0 " {
		t.Errorf("left behind: %s", got)
	}
	if got := f.rows(q.id); strings.HasPrefix(got, "0") {
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
		if err := f.write(func(tx store.Tx) error { return f.service.Import(tx, "ABCDE", p.id, dump) }); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if got := f.rows(p.id); got != "0 0 0 " {
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
	created := f.now().UnixMilli()
	bob, ann := p.character("Bob"), p.character("Ann")
	p.grant("sword", "arrow", "boost")
	p.server("Server/GrantItemsToCharacter", obj{"CharacterId": bob, "ItemIds": list{"potion"}}).ok()
	f.advance(time.Minute)
	now := f.now().UnixMilli()
	d := must(f.service.Definitions(t.Context(), "ABCDE"))(t)
	err := f.store.Read(t.Context(), func(tx store.Tx) error {
		items, err := f.service.LoadInventory(tx, "ABCDE", p.id, now)
		if err != nil || len(items) != 2 {
			t.Errorf("%v %v", items, err)
		}
		amounts, times, err := f.service.LoadCurrency(tx, d, p.id, created, now)
		got := must(json.Marshal(InventoryResult{Inventory: items, VirtualCurrency: amounts, VirtualCurrencyRechargeTimes: times}))(t)
		p.call("GetUserInventory", obj{}).is("%s", got)
		if err != nil || amounts["LV"] != 1 || times["LV"].SecondsToRecharge != 240 {
			t.Errorf("%v %v %v", amounts, times, err)
		}
		characters, err := f.service.LoadCharacters(tx, "ABCDE", p.id)
		if err != nil || len(characters) != 2 {
			t.Errorf("%v %v", characters, err)
		}
		held, err := f.service.LoadCharacterInventories(tx, "ABCDE", p.id, now)
		if err != nil || len(held) != 2 {
			t.Fatalf("%v %v", held, err)
		}
		for _, h := range held {
			if h.CharacterId == bob && (len(h.Inventory) != 1 || h.Inventory[0].ItemId != "potion") || h.CharacterId == ann && (h.Inventory == nil || len(h.Inventory) != 0) {
				t.Errorf("%v", held)
			}
		}
		none, err := f.service.LoadCharacterInventories(tx, "FFFFF", p.id, now)
		if none == nil || len(none) != 0 || err != nil {
			t.Errorf("%v %v", none, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
