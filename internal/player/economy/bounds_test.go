package economy

import (
	"fmt"
	"testing"
	"time"

	"ludgate/internal/store"
)

// TestFullInventory: an inventory takes what it can hold and no more; what has
// expired makes room.
func TestFullInventory(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	dump := &Dump{}
	for i := range maxInventory - 1 {
		it := &item{ID: fmt.Sprintf("%016X", i+1), Item: "sword", Catalog: "1", Bought: f.now()}
		if i < 2 {
			it.Expires = f.now() + 1000
		}
		dump.Items = append(dump.Items, it)
	}
	if err := f.write(func(tx store.Tx) error { return f.service.Import(tx, "ABCDE", p.ID, dump) }); err != nil {
		t.Fatal(err)
	}
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"sword", "sword"}}).fails("OverLimit", 1214)
	p.grant("arrow")
	p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6}).fails("OverLimit", 1214)
	if p.balance("GC") != 10 {
		t.Error("money is gone for an item that found no room")
	}
	p.grant("arrow") // on the stack
	f.advance(time.Second)
	p.grant("sword", "sword")
	p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"sword"}}).fails("OverLimit", 1214)
}

// TestManyAtOnce: one call makes at most so many items, bundles unpacked.
func TestManyAtOnce(t *testing.T) {
	f := newFixture(t)
	parts := make([]string, 10)
	for i := range parts {
		parts[i] = "sword"
	}
	f.catalog("ABCDE", obj{"ItemId": "sword"}, obj{"ItemId": "ten", "Bundle": obj{"BundledItems": parts}})
	p := f.player("ABCDE")
	order := make([]string, maxMade/11+1)
	for i := range order {
		order[i] = "ten"
	}
	p.server("Server/GrantItemsToUser", obj{"ItemIds": order}).fails("OverLimit", 1214)
	if got := p.inventory(); got != "" {
		t.Error(got)
	}
	if got := p.grant(order[1:]...); len(got) != maxMade/11*11 {
		t.Errorf("%d items", len(got))
	}
}

// TestCurrencyHistory: a currency that is changed again and again keeps a bounded
// history, and who was there from the beginning keeps the deposit.
func TestCurrencyHistory(t *testing.T) {
	f := newFixture(t)
	f.currency("ABCDE", "GC", obj{"InitialDeposit": 100})
	p := f.player("ABCDE")
	p.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 0}).ok()
	change := func(i int) {
		t.Helper()
		err := f.service.addCurrencies(t.Context(), "ABCDE", []VirtualCurrencyData{ // one a minute, every other minute
			{CurrencyCode: "GC", InitialDeposit: int32(i), RechargeRate: int32(1440 * (i % 2)), RechargeMax: 10_000}}, f.now())
		if err != nil {
			t.Fatal(err)
		}
		f.advance(time.Minute)
	}
	for i := 1; i < maxPeriods; i++ {
		f.advance(time.Second)
		change(i)
	}
	// One unit in each period with a rate; its second more ends with the clock.
	if got := p.balance("GC"); got != 100+maxPeriods/2 {
		t.Errorf("%d", got)
	}
	for i := range 10 {
		change(i)
		change(i) // the same again is no change
	}
	c := must(f.service.Definitions(t.Context(), "ABCDE"))(t).currency("GC")
	if len(c.periods) != maxPeriods || c.born >= c.periods[0].since {
		t.Errorf("%d periods, born %d", len(c.periods), c.born)
	}
	if got := f.player("ABCDE").balance("GC"); got != 9 {
		t.Errorf("a new player has %d", got)
	}
}
