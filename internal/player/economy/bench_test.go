package economy

import (
	"testing"

	"ludgate/internal/store"
)

// BenchmarkLoad is what combined info costs for a player with 50 items, three
// currencies and a character: read and turned into records.
func BenchmarkLoad(b *testing.B) {
	f := newFixture(b)
	shop(f)
	f.currency("ABCDE", "LV", obj{"InitialDeposit": 1, "RechargeRate": 288, "RechargeMax": 5})
	p := f.player("ABCDE")
	p.character("Bob")
	for range 10 {
		p.grant("sword", "potion", "sword", "potion", "sword")
	}
	d := must(f.service.Definitions(b.Context(), "ABCDE"))(b)
	now := f.now()
	b.ReportAllocs()
	for b.Loop() {
		err := f.Store.Read(b.Context(), func(tx store.Tx) error {
			items, err := f.service.LoadInventory(tx, "ABCDE", p.ID, now)
			if err != nil || len(items) != 50 {
				b.Fatal(len(items), err)
			}
			if _, _, err := f.service.LoadCurrency(tx, d, p.ID, now, now); err != nil {
				b.Fatal(err)
			}
			characters, err := f.service.LoadCharacters(tx, "ABCDE", p.ID)
			if err == nil {
				_, err = f.service.LoadCharacterInventories(tx, "ABCDE", p.ID, characters, now)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
