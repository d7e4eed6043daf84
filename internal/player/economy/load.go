package economy

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

var (
	itemsCharactersStmt = statements.Get("items_of_characters")
	balancesHolderStmt  = statements.Get("balances_of_holder")
)

// usualInventory is for how many items room is made at once: growing step by step
// costs most of what a long inventory allocates.
const usualInventory = 64

// LoadInventory gives what a player, not its characters, has at a time; it is
// never nil.
func (s *Service) LoadInventory(tx store.Tx, titleID, player string, now int64) ([]ItemInstance, error) {
	return loadInventory(tx, holder{title: titleID, player: player}, now)
}

func loadInventory(tx store.Tx, h holder, now int64) ([]ItemInstance, error) {
	out := []ItemInstance{}
	err := show(tx, itemsHolderStmt, func(_ string, i ItemInstance) {
		if len(out) == 0 {
			out = make([]ItemInstance, 0, usualInventory)
		}
		out = append(out, i)
	}, h.title, h.player, h.character, now)
	return out, err
}

// LoadCurrency gives a player's balances at a time, and when each currency that
// refills does so next. created is when the account was made. The maps are never
// nil.
func (s *Service) LoadCurrency(tx store.Tx, d *Definitions, player string, created, now int64) (map[string]int32, map[string]VirtualCurrencyRechargeTime, error) {
	return loadCurrency(tx, d, holder{title: d.title, player: player, created: created}, now)
}

func loadCurrency(tx store.Tx, d *Definitions, h holder, now int64) (map[string]int32, map[string]VirtualCurrencyRechargeTime, error) {
	amounts, times := make(map[string]int32, len(d.currencies)), map[string]VirtualCurrencyRechargeTime{}
	if len(d.currencies) == 0 {
		return amounts, times, nil
	}
	stored, err := h.balances(tx, d)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range d.currencies {
		b := stored[c.code].advance(c.periods, now)
		amounts[c.code] = b.amount
		p := c.now(now)
		if p.rate <= 0 || p.max <= 0 {
			continue
		}
		t := VirtualCurrencyRechargeTime{RechargeMax: p.max, RechargeTime: account.Stamp(now)}
		if next, ok := b.next(p); ok {
			t.RechargeTime, t.SecondsToRecharge = account.Stamp(next), int32(max(next-now+999, 0)/1000)
		}
		times[c.code] = t
	}
	return amounts, times, nil
}

// balances gives what a holder has of each currency, as it was when it was last
// written.
func (h holder) balances(tx store.Tx, d *Definitions) (map[string]balance, error) {
	out := make(map[string]balance, len(d.currencies))
	for _, c := range d.currencies {
		out[c.code] = h.opening(c)
	}
	return out, tx.Query(balancesHolderStmt, func(r store.Row) error {
		if c := d.currency(r.Text(0)); c != nil && c.born == r.Int(1) {
			out[c.code] = balance{amount: int32(r.Int(2)), progress: r.Int(3), at: r.Int(4)}
		}
		return nil
	}, h.title, h.player, h.character)
}

// LoadCharacters gives a player's characters, the oldest first; it is never nil.
func (s *Service) LoadCharacters(tx store.Tx, titleID, player string) ([]CharacterResult, error) {
	out := []CharacterResult{}
	err := tx.Query(charactersStmt, func(r store.Row) error {
		out = append(out, CharacterResult{CharacterId: r.Text(0), CharacterName: r.Text(1), CharacterType: r.Text(2)})
		return nil
	}, titleID, player)
	return out, err
}

// LoadCharacterInventories gives what each of a player's characters, as
// LoadCharacters gives them, has at a time; it is never nil.
func (s *Service) LoadCharacterInventories(tx store.Tx, titleID, player string, characters []CharacterResult, now int64) ([]CharacterInventory, error) {
	if len(characters) == 0 {
		return []CharacterInventory{}, nil
	}
	held := map[string][]ItemInstance{}
	err := show(tx, itemsCharactersStmt, func(holder string, i ItemInstance) { held[holder] = append(held[holder], i) }, titleID, player, now)
	if err != nil {
		return nil, err
	}
	out := make([]CharacterInventory, len(characters))
	for i, c := range characters {
		out[i] = CharacterInventory{CharacterId: c.CharacterId, Inventory: held[c.CharacterId]}
		if out[i].Inventory == nil {
			out[i].Inventory = []ItemInstance{}
		}
	}
	return out, nil
}

// inventory gives all that a player or a character has, only the items of a
// catalog when version is given.
func (s *Service) inventory(ctx context.Context, who subject, version string, now int64) (*InventoryResult, error) {
	d, err := s.cache.get(ctx, who.title)
	if err != nil {
		return nil, err
	}
	out := &InventoryResult{CharacterId: who.character}
	return out, s.st.Read(ctx, func(tx store.Tx) error {
		h, err := who.find(tx)
		if err != nil {
			return err
		}
		items, err := loadInventory(tx, h, now)
		if err != nil {
			return err
		}
		out.Inventory = items
		if version != "" {
			out.Inventory = []ItemInstance{}
			for _, it := range items {
				if it.CatalogVersion == version {
					out.Inventory = append(out.Inventory, it)
				}
			}
		}
		out.VirtualCurrency, out.VirtualCurrencyRechargeTimes, err = loadCurrency(tx, d, h, now)
		return err
	})
}
