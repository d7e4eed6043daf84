package economy

import (
	"testing"

	"github.com/go-json-experiment/json"
)

// FuzzCatalog: whatever a catalog holds, it is refused or can be granted: every
// bundle ends, within the bounds.
func FuzzCatalog(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"ItemId":"a"}]`, `[{"ItemId":"a"},{"ItemId":"a"}]`,
		`[{"ItemId":"a","Bundle":{"BundledItems":["b","b"],"BundledVirtualCurrencies":{"GC":1}}},{"ItemId":"b","Consumable":{"UsageCount":1}}]`,
		`[{"ItemId":"a","Bundle":{"BundledItems":["a"]}}]`, `[{"ItemId":"a","Container":{}}]`,
		`[{"ItemId":"a","VirtualCurrencyPrices":{"GC":4294967295,"RM":1},"Tags":["x"]}]`,
	} {
		f.Add([]byte(seed))
	}
	d := &Definitions{currencies: []*currency{{code: "GC", periods: []period{{}}}}}
	f.Fuzz(func(t *testing.T, body []byte) {
		var items []CatalogItem
		if json.Unmarshal(body, &items) != nil {
			return
		}
		c := newCatalog("1", merge(nil, items, "1", true))
		if checkCatalog(d, c) != nil {
			return
		}
		for i := range c.items {
			it := &c.items[i]
			if n := count(c, it); n > maxUnpacked {
				t.Errorf("%s unpacks to %d items", it.ItemId, n)
			}
			if it.uses() < 0 || it.period() < 0 {
				t.Errorf("%s: %d uses for %d ms", it.ItemId, it.uses(), it.period())
			}
		}
	})
}

// count unpacks an item as a grant does.
func count(c *catalog, it *CatalogItem) int {
	n := 1
	if it.Bundle != nil {
		for _, id := range it.Bundle.BundledItems {
			n += count(c, c.byID[id])
		}
	}
	return n
}

// FuzzDump: a dump from outside is refused or within the bounds, never a panic.
func FuzzDump(f *testing.F) {
	const id = `"0123456789ABCDEF"`
	for _, seed := range []string{
		`{}`, `{"items":[null]}`, `{"balances":[{"code":"GC","amount":1,"at":1}]}`,
		`{"items":[{"id":` + id + `,"item":"a","bought":1,"custom":{"a":"b"},"contents":["x"]}]}`,
		`{"characters":[{"id":` + id + `,"name":"a","type":"b","created":1}]}`,
	} {
		f.Add([]byte(seed))
	}
	d := &Definitions{currencies: []*currency{{code: "GC", periods: []period{{}}}}}
	f.Fuzz(func(t *testing.T, body []byte) {
		dump := &Dump{}
		if json.Unmarshal(body, dump) != nil || dump.check(d) != nil {
			return
		}
		for _, it := range dump.Items {
			if !isText(it.Item) || it.Uses < 0 || !idPattern.MatchString(it.ID) {
				t.Errorf("%+v", it)
			}
			it.instance()
		}
	})
}
