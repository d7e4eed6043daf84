package economy

import (
	"maps"
	"math"
	"sync"
	"testing"
)

const atOnce = 32

// together makes calls at the same time and counts their errors, "" for success.
func together(call func(i int) answer) map[string]int {
	var mu sync.Mutex
	var done sync.WaitGroup
	start := make(chan struct{})
	out := map[string]int{}
	for i := range atOnce {
		done.Go(func() {
			<-start
			name := call(i).name()
			mu.Lock()
			out[name]++
			mu.Unlock()
		})
	}
	close(start)
	done.Wait()
	return out
}

func expect(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestMoneyForOne: of many purchases at once with money for one, one succeeds.
func TestMoneyForOne(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	got := together(func(int) answer {
		return p.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6})
	})
	expect(t, "purchases", got, map[string]int{"": 1, "InsufficientFunds": atOnce - 1})
	if p.inventory() != "sword" || p.balance("GC") != 4 {
		t.Errorf("%s, %d", p.inventory(), p.balance("GC"))
	}
}

// TestUsesForSome: uses are taken once each, and the item ends with the last.
func TestUsesForSome(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	id := p.grant("arrow")[0]
	got := together(func(int) answer { return p.call("ConsumeItem", obj{"ItemInstanceId": id, "ConsumeCount": 1}) })
	expect(t, "consumptions", got, map[string]int{"": 10, "ItemNotFound": atOnce - 10})
	if p.inventory() != "" {
		t.Error(p.inventory())
	}
}

// TestPaymentsAddUp: nothing is lost or doubled, also where an initial deposit
// and a stack are made by the first of them.
func TestPaymentsAddUp(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	got := together(func(i int) answer {
		switch i % 3 {
		case 0:
			return p.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 3})
		case 1:
			return p.server("Admin/SubtractUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 1})
		default:
			return p.server("Server/GrantItemsToUser", obj{"ItemIds": list{"arrow", "inner"}})
		}
	})
	expect(t, "payments", got, map[string]int{"": atOnce})
	if want := 10 + 11*3 - 11; p.balance("GC") != want {
		t.Errorf("%d, want %d", p.balance("GC"), want)
	}
	if p.balance("XP") != 50 {
		t.Errorf("%d XP, want 50", p.balance("XP"))
	}
	stacks := 0
	for _, it := range p.call("GetUserInventory", obj{}).ok()["Inventory"].([]any) {
		if it := it.(map[string]any); it["ItemId"] == "arrow" {
			if stacks++; it["RemainingUses"] != 200.0 {
				t.Errorf("%v arrows, want 200", it["RemainingUses"])
			}
		}
	}
	if stacks != 1 {
		t.Errorf("%d stacks of arrows", stacks)
	}
}

// TestOneMove: an item that several want at once goes to one.
func TestOneMove(t *testing.T) {
	f := newFixture(t)
	shop(f)
	f.catalog("ABCDE", obj{"ItemId": "sword", "CanBecomeCharacter": true})
	p := f.player("ABCDE")
	bob, ann := p.character("Bob"), p.character("Ann")
	id := p.grant("sword")[0]
	got := together(func(i int) answer {
		switch i % 4 {
		case 0:
			return p.server("Server/MoveItemToCharacterFromUser", obj{"CharacterId": bob, "ItemInstanceId": id})
		case 1:
			return p.server("Server/MoveItemToCharacterFromUser", obj{"CharacterId": ann, "ItemInstanceId": id})
		case 2:
			return p.call("GrantCharacterToUser", obj{"ItemId": "sword", "CharacterName": "Tom"})
		default:
			return p.server("Server/RevokeInventoryItem", obj{"ItemInstanceId": id})
		}
	})
	if got[""] != 1 || got["ItemNotOwned"]+got["ItemNotFound"] != atOnce-1 {
		t.Error(got)
	}
}

// TestCurrenciesAtOnce: administrators who add currencies and catalogs at once
// lose nothing of each other's.
func TestCurrenciesAtOnce(t *testing.T) {
	f := newFixture(t)
	got := together(func(i int) answer {
		if i%2 == 0 {
			return f.admin("ABCDE", "Admin/UpdateCatalogItems", obj{"CatalogVersion": "1", "Catalog": list{obj{"ItemId": string(rune('A' + i))}}})
		}
		return f.admin("ABCDE", "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": list{obj{"CurrencyCode": "C" + string(rune('A'+i/2)), "RechargeMax": math.MaxInt32}}})
	})
	expect(t, "changes", got, map[string]int{"": atOnce})
	d := must(f.service.Definitions(t.Context(), "ABCDE"))(t)
	if len(d.currencies) != atOnce/2 || len(d.catalogs["1"].items) != atOnce/2 {
		t.Errorf("%d currencies, %d items", len(d.currencies), len(d.catalogs["1"].items))
	}
}
