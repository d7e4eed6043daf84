package economy

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// shop is a catalog with one item of each kind.
func shop(f *fixture) {
	f.Helper()
	f.currency("ABCDE", "GC", obj{"InitialDeposit": 10})
	f.currency("ABCDE", "XP", nil)
	f.catalog("ABCDE",
		obj{"ItemId": "sword", "ItemClass": "weapon", "DisplayName": "Sword", "VirtualCurrencyPrices": obj{"GC": 6, "RM": 99}},
		obj{"ItemId": "potion", "Consumable": obj{"UsageCount": 3}, "VirtualCurrencyPrices": obj{"GC": 1}},
		obj{"ItemId": "arrow", "IsStackable": true, "Consumable": obj{"UsageCount": 10}, "VirtualCurrencyPrices": obj{"GC": 0}},
		obj{"ItemId": "shell", "IsStackable": true},
		obj{"ItemId": "boost", "Consumable": obj{"UsagePeriod": 60}},
		obj{"ItemId": "vip", "Consumable": obj{"UsagePeriod": 100, "UsagePeriodGroup": "vip"}},
		obj{"ItemId": "hour", "IsStackable": true, "Consumable": obj{"UsagePeriod": 3600}},
		obj{"ItemId": "inner", "Bundle": obj{"BundledItems": list{"arrow"}, "BundledVirtualCurrencies": obj{"XP": 5}}},
		obj{"ItemId": "pack", "DisplayName": "Pack", "Bundle": obj{"BundledItems": list{"sword", "arrow", "inner"}, "BundledVirtualCurrencies": obj{"GC": 7, "XP": 1}},
			"VirtualCurrencyPrices": obj{"GC": 4}},
	)
}

func TestGrant(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	got := p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"sword"}, "Annotation": "for valour"})
	id := got.ok()["ItemGrantResults"].([]any)[0].(map[string]any)["ItemInstanceId"].(string)
	const member = `"ItemId":"sword","ItemInstanceId":"%s","ItemClass":"weapon","DisplayName":"Sword","CatalogVersion":"1",
		"PurchaseDate":"2026-03-04T05:06:07Z","Annotation":"for valour"`
	got.is(`{"ItemGrantResults":[{"PlatformId":"%s","Result":true,`+member+`}]}`, p.ID, id)
	p.call("GetUserInventory", obj{}).is(`{"Inventory":[{`+member+`}],"VirtualCurrency":{"GC":10,"XP":0},"VirtualCurrencyRechargeTimes":{}}`, id)
	for _, side := range []string{"Server/", "Admin/"} {
		p.server(side+"GetUserInventory", obj{}).is(`{"PlatformId":"%s","Inventory":[{`+member+`}],"VirtualCurrency":{"GC":10,"XP":0},"VirtualCurrencyRechargeTimes":{}}`, p.ID, id)
	}
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"sword", "nothing"}}).fails("ItemNotFound", 1047)
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{}}).fails("InvalidParams", 1000)
	p.server("Server/GrantItemsToUser", obj{"ItemIds": make([]string, maxGrants+1)}).fails("InvalidParams", 1000)
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"sword"}, "Annotation": strings.Repeat("x", maxAnnotation+1)}).fails("InvalidParams", 1000)
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"sword"}, "CatalogVersion": "2"}).fails("CatalogNotConfigured", 1218)
	f.admin("ABCDE", "Server/GrantItemsToUser", obj{"PlatformId": "nobody", "ItemIds": list{"sword"}}).fails("AccountNotFound", 1001)
	if got := p.inventory(); got != "sword" {
		t.Errorf("after refusals: %s", got)
	}
	if got := f.player("ABCDE").inventory(); got != "" {
		t.Errorf("another player has %s", got)
	}
}

func TestStacks(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	a, b := p.grant("arrow", "potion", "shell"), p.grant("arrow", "potion", "shell", "arrow")
	if a[0] != b[0] || a[0] != b[3] || a[1] == b[1] || a[2] != b[2] {
		t.Errorf("%v %v", a, b)
	}
	if got := p.inventory(); got != "arrow x30, potion x3, shell x2, potion x3" && got != "potion x3, arrow x30, potion x3, shell x2" { // both calls at one moment
		t.Error(got)
	}
	// What a grant adds is in its answer, and only there.
	got := p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"arrow"}})
	for _, part := range []string{`"UsesIncrementedBy":10`, `"RemainingUses":40`} {
		if !strings.Contains(got.Body, part) {
			t.Errorf("%s lacks %s", got.Body, part)
		}
	}
	if got := p.call("GetUserInventory", obj{}); strings.Contains(got.Body, "UsesIncrementedBy") {
		t.Error(got.Body)
	}
	p.server("Server/ModifyItemUses", obj{"ItemInstanceId": a[0], "UsesToAdd": math.MaxInt32 - 41}).ok()
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"arrow"}}).fails("OverLimit", 1214)
}

func TestBundles(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	all := p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"pack"}}).ok()["ItemGrantResults"].([]any)
	var got []string
	for _, it := range all {
		it := it.(map[string]any)
		got = append(got, fmt.Sprint(it["ItemId"], " ", it["BundleParent"], " ", it["BundleContents"], " ", it["UnitPrice"], it["UnitCurrency"]))
	}
	// The second arrow is on the stack of the first, so it came with the first's bundle.
	want := "pack <nil> [sword arrow inner] <nil> <nil>; sword pack <nil> <nil> <nil>; arrow pack <nil> <nil> <nil>; inner pack [arrow] <nil> <nil>; arrow pack <nil> <nil> <nil>"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
	if p.balance("GC") != 17 || p.balance("XP") != 6 {
		t.Errorf("%d GC and %d XP", p.balance("GC"), p.balance("XP"))
	}
}

func TestExpiration(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	boost := p.grant("boost")[0]
	if body := p.call("GetUserInventory", obj{}).Body; !strings.Contains(body, `"Expiration":"2026-03-04T05:07:07Z"`) {
		t.Error(body)
	}
	f.advance(59999 * time.Millisecond)
	if got := p.inventory(); got != "boost" {
		t.Error(got)
	}
	f.advance(time.Millisecond)
	if got := p.inventory(); got != "" {
		t.Error(got)
	}
	p.server("Server/RevokeInventoryItem", obj{"ItemInstanceId": boost}).fails("ItemNotFound", 1047)
	p.server("Server/UpdateUserInventoryItemCustomData", obj{"ItemInstanceId": boost}).fails("ItemNotFound", 1047)

	// Items of a group add their times up and end together.
	p.grant("vip")
	f.advance(40 * time.Second)
	p.grant("vip", "vip") // 60 + 200 left
	f.advance(259 * time.Second)
	if got := p.inventory(); got != "vip, vip, vip" {
		t.Error(got)
	}
	f.advance(time.Second)
	if got := p.inventory(); got != "" {
		t.Error(got)
	}
	// A stack adds them up, too, and a new one begins when it has ended.
	first := p.grant("hour", "hour")
	f.advance(119 * time.Minute)
	if again := p.grant("hour"); again[0] != first[0] || p.inventory() != "hour x3" {
		t.Errorf("%v %v %s", first, again, p.inventory())
	}
	f.advance(61 * time.Minute)
	if again := p.grant("hour"); again[0] == first[0] || p.inventory() != "hour x1" {
		t.Errorf("%v %v %s", first, again, p.inventory())
	}
}

func TestGrantToUsers(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p, q, stranger := f.player("ABCDE"), f.player("ABCDE"), f.player("FFFFF")
	knight := q.character("Bob")
	for _, side := range []string{"Server/", "Admin/"} {
		out := f.admin("ABCDE", side+"GrantItemsToUsers", obj{"ItemGrants": list{
			obj{"PlatformId": p.ID, "ItemId": "sword", "Annotation": "a", "Data": obj{" colour ": "red", "gone": nil}},
			obj{"PlatformId": q.ID, "ItemId": "sword", "CharacterId": knight},
		}}).ok()["ItemGrantResults"].([]any)
		one, two := out[0].(map[string]any), out[1].(map[string]any)
		if one["PlatformId"] != p.ID || fmt.Sprint(one["CustomData"]) != "map[colour:red]" || one["Annotation"] != "a" ||
			two["PlatformId"] != q.ID || two["CharacterId"] != knight || two["CustomData"] != nil {
			t.Errorf("%v", out)
		}
	}
	if p.inventory() != "sword, sword" || q.inventory() != "" {
		t.Errorf("%s; %s", p.inventory(), q.inventory())
	}
	for _, tc := range []struct {
		grant  obj
		code   string
		number int
	}{
		{obj{"PlatformId": stranger.ID, "ItemId": "sword"}, "AccountNotFound", 1001},
		{obj{"PlatformId": q.ID, "ItemId": "nothing"}, "ItemNotFound", 1047},
		{obj{"PlatformId": q.ID, "ItemId": "sword", "CharacterId": "nobody"}, "CharacterNotFound", 1135},
		{obj{"PlatformId": q.ID}, "InvalidParams", 1000},
		{obj{"ItemId": "sword"}, "InvalidParams", 1000},
		{obj{"PlatformId": q.ID, "ItemId": "sword", "Data": obj{"!a": "b"}}, "InvalidParams", 1000},
	} {
		f.admin("ABCDE", "Server/GrantItemsToUsers", obj{"ItemGrants": list{obj{"PlatformId": p.ID, "ItemId": "sword"}, tc.grant}}).fails(tc.code, tc.number)
	}
	f.admin("ABCDE", "Server/GrantItemsToUsers", obj{}).fails("InvalidParams", 1000)
	if p.inventory() != "sword, sword" {
		t.Errorf("a call that was refused gave something: %s", p.inventory())
	}
}

func TestPurchase(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	buy := func(item, currency string, price int) answer {
		t.Helper()
		return p.call("PurchaseItem", obj{"ItemId": item, "VirtualCurrency": currency, "Price": price})
	}
	buy("nothing", "GC", 6).fails("ItemNotFound", 1047)
	buy("sword", "ZZ", 6).fails("InvalidVirtualCurrency", 1051)
	buy("sword", "RM", 99).fails("InvalidVirtualCurrency", 1051) // no money of ours
	buy("sword", "XP", 6).fails("WrongVirtualCurrency", 1052)
	buy("boost", "GC", 0).fails("WrongVirtualCurrency", 1052) // not for sale
	buy("sword", "GC", 5).fails("WrongPrice", 1053)
	buy("sword", "GC", -6).fails("WrongPrice", 1053)
	p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6, "StoreId": "s"}).fails("StoreNotFound", 1221)
	p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6, "CharacterId": "c"}).fails("CharacterNotFound", 1135)
	p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6, "CatalogVersion": "2"}).fails("CatalogNotConfigured", 1218)
	p.call("PurchaseItem", obj{}).fails("InvalidParams", 1000)
	if p.balance("GC") != 10 || p.inventory() != "" {
		t.Fatalf("after refusals: %d, %s", p.balance("GC"), p.inventory())
	}
	got := buy("sword", "GC", 6)
	id := got.ok()["Items"].([]any)[0].(map[string]any)["ItemInstanceId"]
	got.is(`{"Items":[{"ItemId":"sword","ItemInstanceId":"%s","ItemClass":"weapon","DisplayName":"Sword","CatalogVersion":"1",
		"PurchaseDate":"2026-03-04T05:06:07Z","UnitCurrency":"GC","UnitPrice":6}]}`, id)
	buy("sword", "GC", 6).fails("InsufficientFunds", 1059)
	if p.balance("GC") != 4 {
		t.Error(p.balance("GC"))
	}
	if got := buy("arrow", "GC", 0).ok()["Items"].([]any)[0].(map[string]any); got["UnitPrice"] != 0.0 || got["UnitCurrency"] != "GC" || got["UsesIncrementedBy"] != 10.0 {
		t.Errorf("for nothing: %v", got)
	}
	// What comes with a bundle has no price of its own; its money arrives.
	items := buy("pack", "GC", 4).ok()["Items"].([]any)
	if top, part := items[0].(map[string]any), items[1].(map[string]any); len(items) != 5 || top["UnitPrice"] != 4.0 || part["UnitPrice"] != nil || part["UnitCurrency"] != nil {
		t.Errorf("%v", items)
	}
	if p.balance("GC") != 7 {
		t.Error(p.balance("GC"))
	}
	// A character pays with its own money.
	knight := p.character("Bob")
	p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6, "CharacterId": knight}).fails("InsufficientFunds", 1059)
	p.server("Server/AddCharacterVirtualCurrency", obj{"CharacterId": knight, "VirtualCurrency": "GC", "Amount": 6}).is(`{"VirtualCurrency":"GC","Balance":6}`)
	p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6, "CharacterId": knight}).ok()
	if got := inventoryText(p.call("GetCharacterInventory", obj{"CharacterId": knight}).ok()); got != "sword" || p.balance("GC") != 7 {
		t.Errorf("%s, %d", got, p.balance("GC"))
	}
}

func TestConsume(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p, q := f.player("ABCDE"), f.player("ABCDE")
	ids := p.grant("potion", "sword")
	potion, sword := ids[0], ids[1]
	use := func(id string, n int) answer {
		t.Helper()
		return p.call("ConsumeItem", obj{"ItemInstanceId": id, "ConsumeCount": n})
	}
	use(potion, 1).is(`{"ItemInstanceId":"%s","RemainingUses":2}`, potion)
	use(potion, 3).fails("NoRemainingUses", 1062)
	use(potion, 0).fails("InvalidParams", 1000)
	use(potion, -1).fails("InvalidParams", 1000)
	use(sword, 1).fails("NoRemainingUses", 1062)
	use("nothing", 1).fails("ItemNotFound", 1047)
	use("a\x00", 1).fails("ItemNotFound", 1047)
	q.call("ConsumeItem", obj{"ItemInstanceId": potion, "ConsumeCount": 1}).fails("ItemNotFound", 1047)
	p.call("ConsumeItem", obj{"ItemInstanceId": potion, "ConsumeCount": 1, "CharacterId": "x"}).fails("CharacterNotFound", 1135)
	p.call("ConsumeItem", obj{"ConsumeCount": 1}).fails("InvalidParams", 1000)
	p.server("Server/ConsumeItem", obj{"ItemInstanceId": potion, "ConsumeCount": 2}).is(`{"ItemInstanceId":"%s","RemainingUses":0}`, potion)
	use(potion, 1).fails("ItemNotFound", 1047)
	if got := p.inventory(); got != "sword" {
		t.Error(got)
	}
}

func TestModifyUses(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	ids := p.grant("potion", "sword")
	modify := func(id string, n int) answer {
		t.Helper()
		return p.server("Server/ModifyItemUses", obj{"ItemInstanceId": id, "UsesToAdd": n})
	}
	modify(ids[0], 4).is(`{"ItemInstanceId":"%s","RemainingUses":7}`, ids[0])
	modify(ids[0], -2).is(`{"ItemInstanceId":"%s","RemainingUses":5}`, ids[0])
	modify(ids[0], math.MaxInt32).fails("InvalidParams", 1000)
	modify(ids[1], 1).fails("InvalidItemProperties", 1091)
	modify("nothing", 1).fails("ItemNotFound", 1047)
	modify(ids[0], -6).is(`{"ItemInstanceId":"%s","RemainingUses":0}`, ids[0])
	modify(ids[0], 1).fails("ItemNotFound", 1047)
}

func TestRevoke(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p, q := f.player("ABCDE"), f.player("ABCDE")
	knight := p.character("Bob")
	for _, side := range []string{"Server/", "Admin/"} {
		ids := p.grant("sword", "potion")
		p.server(side+"RevokeInventoryItem", obj{"ItemInstanceId": ids[0], "CharacterId": knight}).fails("ItemNotFound", 1047)
		q.server(side+"RevokeInventoryItem", obj{"ItemInstanceId": ids[0]}).fails("ItemNotFound", 1047)
		p.server(side+"RevokeInventoryItem", obj{"ItemInstanceId": ids[0]}).is(`{}`)
		p.server(side+"RevokeInventoryItem", obj{"ItemInstanceId": ids[0]}).fails("ItemNotFound", 1047)
		f.admin("ABCDE", side+"RevokeInventoryItems", obj{"Items": list{
			obj{"PlatformId": p.ID, "ItemInstanceId": ids[0]},
			obj{"PlatformId": p.ID, "ItemInstanceId": ids[1]},
			obj{"PlatformId": "nobody", "ItemInstanceId": ids[1]},
			obj{"PlatformId": p.ID, "ItemInstanceId": ids[1], "CharacterId": "x"},
		}}).is(`{"Errors":[{"Error":"ItemNotFound","Item":{"PlatformId":"%s","ItemInstanceId":"%s"}},
			{"Error":"AccountNotFound","Item":{"PlatformId":"nobody","ItemInstanceId":"%s"}},
			{"Error":"CharacterNotFound","Item":{"PlatformId":"%s","ItemInstanceId":"%s","CharacterId":"x"}}]}`, p.ID, ids[0], ids[1], p.ID, ids[1])
		if got := p.inventory(); got != "" {
			t.Error(got)
		}
		f.admin("ABCDE", side+"RevokeInventoryItems", obj{"Items": make([]obj, maxRevoked+1)}).fails("InvalidParams", 1000)
		f.admin("ABCDE", side+"RevokeInventoryItems", obj{"Items": list{obj{"PlatformId": p.ID}}}).fails("InvalidParams", 1000)
	}
}

func TestItemCustomData(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	id := p.grant("sword")[0]
	set := func(body obj) answer {
		t.Helper()
		body["ItemInstanceId"] = id
		return p.server("Server/UpdateUserInventoryItemCustomData", body)
	}
	data := func() string {
		t.Helper()
		return fmt.Sprint(p.call("GetUserInventory", obj{}).ok()["Inventory"].([]any)[0].(map[string]any)["CustomData"])
	}
	if data() != "<nil>" {
		t.Error(data())
	}
	set(obj{"Data": obj{"Slot": "Head", " PlatformId ": "1", "x": "y"}}).is(`{}`)
	set(obj{"Data": obj{"Slot": "Foot", "x": nil}}).ok()
	if data() != "map[PlatformId:1 Slot:Foot]" {
		t.Error(data())
	}
	set(obj{"KeysToRemove": list{"Slot", "PlatformId"}}).ok()
	if data() != "<nil>" {
		t.Error(data())
	}
	many := obj{}
	for i := range maxCustomKeys {
		many[fmt.Sprint(i)] = strings.Repeat("v", maxCustomValue)
	}
	set(obj{"Data": many}).ok()
	set(obj{"Data": obj{"more": "1"}}).fails("TooManyKeys", 1147)
	many["more"] = "1"
	set(obj{"Data": many}).fails("TooManyKeys", 1147)
	set(obj{"Data": obj{strings.Repeat("ü", maxCustomKey+1): "1"}}).fails("KeyLengthExceeded", 1145)
	set(obj{"Data": obj{"1": strings.Repeat("v", maxCustomValue+1)}}).fails("DataLengthExceeded", 1146)
	for _, key := range []string{"", "  ", "!a", "a\x00"} {
		set(obj{"Data": obj{key: "1"}}).fails("InvalidParams", 1000)
	}
	set(obj{"Data": obj{"a": "1", " a": "2"}}).fails("InvalidParams", 1000)
	set(obj{"CharacterId": "x"}).fails("CharacterNotFound", 1135)
}
