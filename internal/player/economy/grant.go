package economy

import (
	"fmt"
	"math"
	"unicode/utf8"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

const (
	maxGrants     = 100   // items of one call
	maxMade       = 1_000 // items that one call makes, bundles unpacked
	maxAnnotation = 1_000 // code points
)

var (
	groupEndStmt    = statements.Get("group_end")
	groupExtendStmt = statements.Get("group_extend")
)

// order is one item of the catalog that a holder gets.
type order struct {
	item       *CatalogItem
	annotation string
	currency   string // what it is bought with, "" when it is given
	price      uint32
}

// granted is an item that a holder got, as it is after the call.
type granted struct {
	holder holder
	item   *item
	uses   int32 // by how much its uses were raised
}

// granting collects what one call grants within a transaction.
type granting struct {
	tx      store.Tx
	defs    *Definitions
	catalog *catalog
	now     int64
	made    []granted
	ids     idMaker
	stacks  map[stackKey]*item // stacks that this call has touched, and new ones
	counts  map[string]int64   // items of each player of the call
}

type stackKey struct{ player, holder, item string }

func newGranting(tx store.Tx, d *Definitions, c *catalog, now int64) *granting {
	return &granting{tx: tx, defs: d, catalog: c, now: now, stacks: map[stackKey]*item{}, counts: map[string]int64{}}
}

// grant gives a holder an item and, after it, all that comes with it.
func (g *granting) grant(h holder, o order) (*item, error) {
	return g.unpack(h, o, "")
}

func (g *granting) unpack(h holder, o order, parent string) (*item, error) {
	if len(g.made) >= maxMade {
		return nil, call.Refuse("OverLimit", "A call grants at most %d items", maxMade)
	}
	top, err := g.give(h, o, parent)
	if err != nil || o.item.Bundle == nil {
		return top, err
	}
	// In the order of the codes, so that two calls at once wait for each other
	// in one order only.
	for _, c := range g.defs.currencies {
		n := o.item.Bundle.BundledVirtualCurrencies[c.code]
		if n == 0 {
			continue
		}
		if _, _, err := h.pay(g.tx, c, int64(n), g.now, false); err != nil {
			return nil, err
		}
	}
	for _, id := range o.item.Bundle.BundledItems {
		part, err := g.catalog.item(id)
		if err != nil {
			return nil, err
		}
		if _, err := g.unpack(h, order{item: part, annotation: o.annotation}, o.item.ItemId); err != nil {
			return nil, err
		}
	}
	return top, nil
}

// give gives a holder one item, on the stack that is there or as a new one.
func (g *granting) give(h holder, o order, parent string) (*item, error) {
	uses := o.item.uses()
	key := stackKey{h.player, h.character, o.item.ItemId}
	if o.item.IsStackable {
		it, err := g.stack(h, key)
		if err != nil {
			return nil, err
		}
		if it != nil {
			if it.Uses > math.MaxInt32-uses {
				return nil, call.Refuse("OverLimit", "The item has as many uses as it can have")
			}
			it.Uses += uses
			if err := g.prolong(h, it, o.item.period()); err != nil {
				return nil, err
			}
			g.made = append(g.made, granted{h, it, uses})
			return it, it.update(g.tx, h.title, h.player)
		}
	}
	if err := g.room(h); err != nil {
		return nil, err
	}
	it := &item{
		Holder: h.character, Item: o.item.ItemId, Catalog: g.catalog.version, Class: o.item.ItemClass, Name: o.item.DisplayName,
		Annotation: o.annotation, Parent: parent, Uses: uses, Group: o.item.group(), Bought: g.now, Currency: o.currency, Price: o.price,
	}
	if o.item.Bundle != nil {
		it.Contents = o.item.Bundle.BundledItems
	}
	if err := g.prolong(h, it, o.item.period()); err != nil {
		return nil, err
	}
	if err := it.insert(g.tx, h.title, h.player, &g.ids); err != nil {
		return nil, err
	}
	if o.item.IsStackable {
		g.stacks[key] = it
	}
	g.made = append(g.made, granted{h, it, uses})
	return it, nil
}

// stack finds the stack of an item that a holder has; nil when there is none.
func (g *granting) stack(h holder, key stackKey) (*item, error) {
	if it := g.stacks[key]; it != nil {
		return it, nil
	}
	got, err := query(g.tx, itemStackStmt, h.title, h.player, h.character, key.item, g.catalog.version, g.now)
	if err != nil || len(got) == 0 {
		return nil, err
	}
	g.stacks[key] = got[0]
	return got[0], nil
}

// prolong adds a period to the life of an item that is granted: to that of its
// group, all of whose items then end together, or else to the stack's own.
func (g *granting) prolong(h holder, it *item, period int64) error {
	if period == 0 {
		return nil
	}
	if it.Group == "" {
		it.Expires = max(it.Expires, g.now) + period
		return nil
	}
	end := g.now
	_, err := store.QueryOne(g.tx, groupEndStmt, func(r store.Row) error {
		end = max(end, r.Int(0))
		return nil
	}, h.title, h.player, h.character, it.Group, g.now)
	if err != nil {
		return err
	}
	it.Expires = end + period
	_, err = g.tx.Exec(groupExtendStmt, h.title, h.player, h.character, it.Group, g.now, it.Expires)
	for _, m := range g.made {
		if m.holder == h && m.item.Group == it.Group {
			m.item.Expires = it.Expires
		}
	}
	return err
}

// room makes sure that a player can have one item more. The first time in a call
// it throws away what has expired.
func (g *granting) room(h holder) error {
	n, known := g.counts[h.player]
	if !known {
		if _, err := g.tx.Exec(itemsExpiredStmt, h.title, h.player, g.now); err != nil {
			return err
		}
		_, err := store.QueryOne(g.tx, itemsCountStmt, func(r store.Row) error { n = r.Int(0); return nil }, h.title, h.player)
		if err != nil {
			return err
		}
	}
	if n >= maxInventory {
		return call.Refuse("OverLimit", "An inventory holds at most %d items", maxInventory)
	}
	g.counts[h.player] = n + 1
	return nil
}

// answers are the items of the call as the wire shows them after a grant.
func (g *granting) answers() []ItemInstance {
	out := make([]ItemInstance, len(g.made))
	for i, m := range g.made {
		out[i] = m.item.instance()
		if m.uses != 0 {
			uses := m.uses
			out[i].UsesIncrementedBy = &uses
		}
	}
	return out
}

// results are the same with whom they were given to.
func (g *granting) results() *GrantItemsResult {
	out := &GrantItemsResult{ItemGrantResults: []GrantedItemInstance{}}
	for i, it := range g.answers() {
		h := g.made[i].holder
		out.ItemGrantResults = append(out.ItemGrantResults, GrantedItemInstance{PlatformId: h.player, CharacterId: h.character, Result: true, ItemInstance: it})
	}
	return out
}

// checkGrant refuses a grant beyond the bounds.
func checkGrant(count int, annotation string) error {
	if count == 0 || count > maxGrants {
		return invalid("ItemIds", fmt.Sprintf("Between 1 and %d items can be granted at once.", maxGrants))
	}
	return checkAnnotation(annotation)
}

func checkAnnotation(s string) error {
	if utf8.RuneCountInString(s) > maxAnnotation || !isText(s) {
		return invalid("Annotation", fmt.Sprintf("Annotation is text of at most %d characters.", maxAnnotation))
	}
	return nil
}
