package economy

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ludgate/internal/store"
)

func TestCatalog(t *testing.T) {
	f := newFixture(t)
	p := f.player("ABCDE")
	p.call("GetCatalogItems", obj{}).is(`{"Catalog":[]}`) // none yet
	p.call("GetCatalogItems", obj{"CatalogVersion": "1"}).fails("CatalogNotConfigured", 1218)
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"a"}}).fails("CatalogNotConfigured", 1218)
	f.admin("ABCDE", "Admin/SetCatalogItems", obj{"Catalog": list{}}).fails("InvalidParams", 1000) // no version, no default
	f.currency("ABCDE", "GC", nil)
	f.catalog("ABCDE",
		obj{"ItemId": "sword", "ItemClass": "weapon", "DisplayName": "Sword", "Description": "sharp", "VirtualCurrencyPrices": obj{"GC": 5, "RM": 99},
			"RealCurrencyPrices": obj{"EUR": 89}, "Tags": list{"steel"}, "CustomData": `{"PlatformId":1}`, "ItemImageUrl": "https://example.com/s.png"},
		obj{"ItemId": "potion", "IsStackable": true, "Consumable": obj{"UsageCount": 3, "UsagePeriod": 60, "UsagePeriodGroup": "g"}},
		obj{"ItemId": "pack", "Bundle": obj{"BundledItems": list{"sword", "sword"}, "BundledVirtualCurrencies": obj{"GC": 2}}, "CanBecomeCharacter": true})
	const zeros = `"IsLimitedEdition":false,"IsTradable":false,"InitialLimitedEditionCount":0,"CatalogVersion":"1"`
	const sword = `{"ItemId":"sword","ItemClass":"weapon","DisplayName":"Sword","Description":"sharp","VirtualCurrencyPrices":{"GC":5,"RM":99},
		"RealCurrencyPrices":{"EUR":89},"Tags":["steel"],"CustomData":"{\"PlatformId\":1}","ItemImageUrl":"https://example.com/s.png",
		"CanBecomeCharacter":false,"IsStackable":false,` + zeros + `}`
	const potion = `{"ItemId":"potion","Consumable":{"UsageCount":3,"UsagePeriod":60,"UsagePeriodGroup":"g"},"CanBecomeCharacter":false,"IsStackable":true,` + zeros + `}`
	const pack = `{"ItemId":"pack","Bundle":{"BundledItems":["sword","sword"],"BundledVirtualCurrencies":{"GC":2}},"CanBecomeCharacter":true,"IsStackable":false,` + zeros + `}`
	whole := `{"Catalog":[` + sword + "," + potion + "," + pack + `]}`
	p.call("GetCatalogItems", obj{}).is("%s", whole)
	f.admin("ABCDE", "Server/GetCatalogItems", obj{"CatalogVersion": "1"}).is("%s", whole)
	f.admin("ABCDE", "Admin/GetCatalogItems", obj{}).is("%s", whole)
	f.player("FFFFF").call("GetCatalogItems", obj{"CatalogVersion": "1"}).fails("CatalogNotConfigured", 1218)

	// Update changes what it names and adds the rest; Set replaces.
	f.admin("ABCDE", "Admin/UpdateCatalogItems", obj{"Catalog": list{obj{"ItemId": "potion"}, obj{"ItemId": "shield"}}}).ok()
	names := func(version string) string {
		t.Helper()
		var out []string
		for _, it := range p.call("GetCatalogItems", obj{"CatalogVersion": version}).ok()["Catalog"].([]any) {
			it := it.(map[string]any)
			out = append(out, fmt.Sprint(it["ItemId"], it["IsStackable"]))
		}
		return strings.Join(out, " ")
	}
	if got := names(""); got != "swordfalse potionfalse packfalse shieldfalse" {
		t.Error(got)
	}
	// A second catalog becomes the default one unless it says no.
	f.admin("ABCDE", "Admin/SetCatalogItems", obj{"CatalogVersion": "2", "Catalog": list{obj{"ItemId": "two"}}, "SetAsDefaultCatalog": false}).ok()
	if got := names(""); !strings.HasPrefix(got, "sword") {
		t.Error(got)
	}
	f.admin("ABCDE", "Admin/SetCatalogItems", obj{"CatalogVersion": "2", "Catalog": list{obj{"ItemId": "zwei"}}}).ok()
	if got := names(""); got != "zweifalse" {
		t.Error(got)
	}
	if got := names("1"); !strings.HasPrefix(got, "sword") {
		t.Error(got)
	}
	f.admin("ABCDE", "Admin/SetCatalogItems", obj{"Catalog": list{}}).ok() // empties the default one
	if got := names("2"); got != "" {
		t.Error(got)
	}
	for i := 3; i <= maxCatalogs; i++ {
		f.admin("ABCDE", "Admin/SetCatalogItems", obj{"CatalogVersion": fmt.Sprint(i), "SetAsDefaultCatalog": false}).ok()
	}
	f.admin("ABCDE", "Admin/SetCatalogItems", obj{"CatalogVersion": "more"}).fails("OverLimit", 1214)
	f.post("/Client/GetCatalogItems", obj{}, nil).fails("NotAuthenticated", 1074)
}

// TestCatalogRules: what has no effect here, and what cannot be, is refused, and
// the catalog stays as it was.
func TestCatalogRules(t *testing.T) {
	f := newFixture(t)
	f.currency("ABCDE", "GC", nil)
	f.catalog("ABCDE", obj{"ItemId": "old"})
	deep := []obj{{"ItemId": "0"}}
	for i := 1; i <= maxDepth+1; i++ {
		deep = append(deep, obj{"ItemId": fmt.Sprint(i), "Bundle": obj{"BundledItems": list{fmt.Sprint(i - 1)}}})
	}
	hundred := make([]string, 100)
	for i := range hundred {
		hundred[i] = "b"
	}
	for name, tc := range map[string]struct {
		items  []obj
		text   string
		code   string
		number int
	}{
		"no id":             {[]obj{{}}, "ItemId is required", "", 0},
		"long id":           {[]obj{{"ItemId": strings.Repeat("é", 101)}}, "at most 100", "", 0},
		"zero byte":         {[]obj{{"ItemId": "a\x00"}}, "at most 100", "", 0},
		"long description":  {[]obj{{"ItemId": "a", "Description": strings.Repeat("x", 10_001)}}, "10000", "", 0},
		"tags":              {[]obj{{"ItemId": "a", "Tags": make([]string, 51)}}, "Tags", "", 0},
		"twice":             {[]obj{{"ItemId": "a"}, {"ItemId": "a"}}, "twice", "", 0},
		"container":         {[]obj{{"ItemId": "a", "Container": obj{"KeyItemId": "k"}}}, "containers", "", 0},
		"tradable":          {[]obj{{"ItemId": "a", "IsTradable": true}}, "trading", "", 0},
		"limited":           {[]obj{{"ItemId": "a", "IsLimitedEdition": true}}, "limited", "", 0},
		"limited count":     {[]obj{{"ItemId": "a", "InitialLimitedEditionCount": 1}}, "limited", "", 0},
		"membership":        {[]obj{{"ItemId": "a", "ActivatedMembership": "gold"}}, "memberships", "", 0},
		"result table":      {[]obj{{"ItemId": "a", "Bundle": obj{"BundledResultTables": list{"t"}}}}, "result tables", "", 0},
		"no uses":           {[]obj{{"ItemId": "a", "Consumable": obj{"UsageCount": 0}}}, "UsageCount", "", 0},
		"no period":         {[]obj{{"ItemId": "a", "Consumable": obj{"UsagePeriod": 0}}}, "UsagePeriod", "", 0},
		"group alone":       {[]obj{{"ItemId": "a", "Consumable": obj{"UsagePeriodGroup": "g"}}}, "UsagePeriodGroup", "", 0},
		"price":             {[]obj{{"ItemId": "a", "VirtualCurrencyPrices": obj{"GC": 1 << 31}}}, "price", "", 0},
		"negative price":    {[]obj{{"ItemId": "a", "VirtualCurrencyPrices": obj{"GC": -1}}}, "wrong type", "", 0},
		"unknown currency":  {[]obj{{"ItemId": "a", "VirtualCurrencyPrices": obj{"XX": 1}}}, "no currency XX", "InvalidVirtualCurrency", 1051},
		"bundled currency":  {[]obj{{"ItemId": "a", "Bundle": obj{"BundledVirtualCurrencies": obj{"RM": 1}}}}, "RM", "", 0},
		"bundled item":      {[]obj{{"ItemId": "a", "Bundle": obj{"BundledItems": list{"b"}}}}, "not in the catalog", "", 0},
		"bundle of itself":  {[]obj{{"ItemId": "a", "Bundle": obj{"BundledItems": list{"a"}}}}, "never themselves", "", 0},
		"bundles in a ring": {[]obj{{"ItemId": "a", "Bundle": obj{"BundledItems": list{"b"}}}, {"ItemId": "b", "Bundle": obj{"BundledItems": list{"a"}}}}, "never themselves", "", 0},
		"deep bundles":      {deep, "at most 5 deep", "", 0},
		"huge bundles": {[]obj{{"ItemId": "a", "Bundle": obj{"BundledItems": hundred}}, {"ItemId": "b", "Bundle": obj{"BundledItems": list{"c", "c", "c", "c", "c"}}}, {"ItemId": "c"}},
			"more than 500", "", 0},
	} {
		if tc.code == "" {
			tc.code, tc.number = "InvalidParams", 1000
		}
		got := f.admin("ABCDE", "Admin/SetCatalogItems", obj{"CatalogVersion": "1", "Catalog": tc.items})
		got.fails(tc.code, tc.number)
		if !strings.Contains(got.Body, tc.text) {
			t.Errorf("%s: %s does not say %q", name, got.Body, tc.text)
		}
	}
	f.catalog("ABCDE", deep[:maxDepth+1]...)
	if got := f.player("ABCDE").grant(fmt.Sprint(maxDepth)); len(got) != maxDepth+1 {
		t.Errorf("%d items of the deepest bundle", len(got))
	}
	f.admin("ABCDE", "Admin/SetCatalogItems", obj{"CatalogVersion": strings.Repeat("1", 101)}).fails("InvalidParams", 1000)
}

// TestOtherNodes: a second service on the same store sees a change within a
// moment, and reads nothing while there is none.
func TestOtherNodes(t *testing.T) {
	f := newFixture(t)
	other := New(f.Gate)
	first := must(other.Definitions(t.Context(), "ABCDE"))(t)
	if again := must(other.Definitions(t.Context(), "ABCDE"))(t); again != first {
		t.Error("definitions are read again though nothing has changed")
	}
	f.currency("ABCDE", "GC", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for must(other.Definitions(ctx, "ABCDE"))(t).currency("GC") == nil {
		time.Sleep(time.Millisecond)
	}
	err := f.Store.Write(ctx, func(tx store.Tx) error { return f.service.DeleteTitle(tx, "ABCDE") })
	if err != nil {
		t.Fatal(err)
	}
	for must(other.Definitions(ctx, "ABCDE"))(t).currency("GC") != nil {
		time.Sleep(time.Millisecond)
	}
}
