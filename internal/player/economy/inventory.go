package economy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

const (
	maxRevoked     = 25
	maxCustomKeys  = 25    // entries of an item's custom data
	maxCustomKey   = 100   // code points
	maxCustomValue = 1_000 // bytes
)

// grantItems gives items to a player or a character.
func (s *Service) grantItems(ctx context.Context, who subject, version, annotation string, ids []string, now int64) (out *GrantItemsResult, err error) {
	if err := checkGrant(len(ids), annotation); err != nil {
		return nil, err
	}
	err = s.write(ctx, who.title, func(tx store.Tx, d *Definitions) error {
		c, err := d.catalog(version)
		if err != nil {
			return err
		}
		h, err := who.find(tx)
		if err != nil {
			return err
		}
		g := newGranting(tx, d, c, now)
		for _, id := range ids {
			it, err := c.item(id)
			if err != nil {
				return err
			}
			if _, err := g.grant(h, order{item: it, annotation: annotation}); err != nil {
				return err
			}
		}
		out = g.results()
		return nil
	})
	return out, err
}

// grantItemsToUsers gives items to several players and characters, to all or to
// none.
func (s *Service) grantItemsToUsers(ctx context.Context, title string, r *GrantItemsToUsersRequest, now int64) (out *GrantItemsResult, err error) {
	if len(r.ItemGrants) == 0 || len(r.ItemGrants) > maxGrants {
		return nil, invalid("ItemGrants", fmt.Sprintf("Between 1 and %d items can be granted at once.", maxGrants))
	}
	for i := range r.ItemGrants {
		o := &r.ItemGrants[i]
		if o.PlatformId == "" || o.ItemId == "" {
			return nil, invalid("ItemGrants", "Each grant needs a PlatformId and an ItemId.")
		}
		if err := checkAnnotation(o.Annotation); err != nil {
			return nil, err
		}
		if err := checkCustom(o.Data, o.KeysToRemove); err != nil {
			return nil, err
		}
	}
	err = s.write(ctx, title, func(tx store.Tx, d *Definitions) error {
		c, err := d.catalog(r.CatalogVersion)
		if err != nil {
			return err
		}
		g := newGranting(tx, d, c, now)
		for i := range r.ItemGrants {
			if err := g.grantTo(title, &r.ItemGrants[i]); err != nil {
				return err
			}
		}
		out = g.results()
		return nil
	})
	return out, err
}

func (g *granting) grantTo(title string, o *ItemGrant) error {
	h, err := subject{title, o.PlatformId, o.CharacterId}.find(g.tx)
	if err != nil {
		return err
	}
	wanted, err := g.catalog.item(o.ItemId)
	if err != nil {
		return err
	}
	it, err := g.grant(h, order{item: wanted, annotation: o.Annotation})
	if err != nil || len(o.Data)+len(o.KeysToRemove) == 0 {
		return err
	}
	if err := it.customize(o.Data, o.KeysToRemove); err != nil {
		return err
	}
	return it.update(g.tx, title, h.player)
}

// purchase sells an item of the catalog.
func (s *Service) purchase(ctx context.Context, who subject, r *PurchaseItemRequest, now int64) (out *PurchaseItemResult, err error) {
	if r.StoreId != "" {
		return nil, call.Refuse("StoreNotFound", "Store not found").With("StoreId", "This server has no stores; buy from the catalog.")
	}
	err = s.write(ctx, who.title, func(tx store.Tx, d *Definitions) error {
		c, err := d.catalog(r.CatalogVersion)
		if err != nil {
			return err
		}
		it, err := c.item(r.ItemId)
		if err != nil {
			return err
		}
		money := d.currency(r.VirtualCurrency)
		if money == nil {
			return errNoCurrency(r.VirtualCurrency)
		}
		price, ok := it.VirtualCurrencyPrices[money.code]
		if !ok {
			return call.Refuse("WrongVirtualCurrency", "Wrong virtual currency")
		}
		if int64(price) != int64(r.Price) {
			return call.Refuse("WrongPrice", "Wrong price")
		}
		h, err := who.find(tx)
		if err != nil {
			return err
		}
		if price > 0 {
			if _, _, err := h.pay(tx, money, -int64(price), now, true); err != nil {
				return err
			}
		}
		g := newGranting(tx, d, c, now)
		if _, err := g.grant(h, order{item: it, currency: money.code, price: price}); err != nil {
			return err
		}
		out = &PurchaseItemResult{Items: g.answers()}
		return nil
	})
	return out, err
}

// consume takes uses off an item; an item without uses left is gone.
func (s *Service) consume(ctx context.Context, who subject, id string, count int32, now int64) (out *ItemUsesResult, err error) {
	if count <= 0 {
		return nil, invalid("ConsumeCount", "ConsumeCount must be positive.")
	}
	err = s.change(ctx, who, id, now, errNoItem, func(tx store.Tx, it *item) error {
		if it.Uses < count { // 0: it is not used up
			return call.Refuse("NoRemainingUses", "No remaining uses")
		}
		it.Uses -= count
		out = &ItemUsesResult{ItemInstanceId: it.ID, RemainingUses: it.Uses}
		return it.keep(tx, who)
	})
	return out, err
}

// modifyUses adds uses to an item, or takes some; an item that has none left is
// gone, however many were to be taken.
func (s *Service) modifyUses(ctx context.Context, who subject, id string, add int32, now int64) (out *ItemUsesResult, err error) {
	err = s.change(ctx, who, id, now, errNoItem, func(tx store.Tx, it *item) error {
		if it.Uses == 0 {
			return call.Refuse("InvalidItemProperties", "The item has no uses that could be modified")
		}
		uses := int64(it.Uses) + int64(add)
		if uses > math.MaxInt32 {
			return invalid("UsesToAdd", "The item would have more uses than it can have.")
		}
		it.Uses = int32(max(uses, 0))
		out = &ItemUsesResult{ItemInstanceId: it.ID, RemainingUses: it.Uses}
		return it.keep(tx, who)
	})
	return out, err
}

// keep stores an item whose uses have changed, or removes it.
func (it *item) keep(tx store.Tx, who subject) error {
	if it.Uses == 0 {
		_, err := tx.Exec(itemDeleteStmt, who.title, who.player, it.ID)
		return err
	}
	return it.update(tx, who.title, who.player)
}

// revoke takes an item away.
func (s *Service) revoke(ctx context.Context, who subject, id string, now int64) error {
	return s.change(ctx, who, id, now, errNoItem, func(tx store.Tx, it *item) error {
		_, err := tx.Exec(itemDeleteStmt, who.title, who.player, it.ID)
		return err
	})
}

// revokeAll takes several items away and says which of them could not be.
func (s *Service) revokeAll(ctx context.Context, title string, list []RevokeInventoryItem, now int64) (*RevokeInventoryItemsResult, error) {
	if len(list) == 0 || len(list) > maxRevoked {
		return nil, invalid("Items", fmt.Sprintf("Between 1 and %d items can be revoked at once.", maxRevoked))
	}
	for i := range list {
		if list[i].PlatformId == "" || list[i].ItemInstanceId == "" {
			return nil, invalid("Items", "Each item needs a PlatformId and an ItemInstanceId.")
		}
	}
	var out *RevokeInventoryItemsResult
	err := s.st.Write(ctx, func(tx store.Tx) error {
		out = &RevokeInventoryItemsResult{Errors: []RevokeItemError{}}
		for _, r := range list {
			who := subject{title, r.PlatformId, r.CharacterId}
			it, err := who.findItem(tx, r.ItemInstanceId, now, errNoItem)
			if err == nil {
				_, err = tx.Exec(itemDeleteStmt, title, who.player, it.ID)
			}
			var refused *ludgate.Error
			switch {
			case errors.As(err, &refused):
				out.Errors = append(out.Errors, RevokeItemError{Error: GenericErrorCodes(refused.Code), Item: r})
			case err != nil:
				return err
			}
		}
		return nil
	})
	return out, err
}

// updateCustomData writes and removes custom data of an item.
func (s *Service) updateCustomData(ctx context.Context, r *UpdateItemCustomDataRequest, title string, now int64) error {
	if err := checkCustom(r.Data, r.KeysToRemove); err != nil {
		return err
	}
	who := subject{title, r.PlatformId, r.CharacterId}
	return s.change(ctx, who, r.ItemInstanceId, now, errNoItem, func(tx store.Tx, it *item) error {
		if err := it.customize(r.Data, r.KeysToRemove); err != nil {
			return err
		}
		return it.update(tx, title, r.PlatformId)
	})
}

// checkCustom refuses custom data beyond the bounds. Keys are trimmed of blanks
// and do not begin with an exclamation mark.
func checkCustom(data map[string]*string, remove []string) error {
	if len(data) > maxCustomKeys || len(remove) > maxCustomKeys {
		return call.Refuse("TooManyKeys", "Too many keys").With("Data", fmt.Sprintf("An item has at most %d keys of custom data.", maxCustomKeys))
	}
	seen := make(map[string]bool, len(data))
	for key, value := range data {
		key = strings.TrimSpace(key)
		switch {
		case seen[key]:
			return invalid("Data", "Two keys differ in blanks around them only.")
		case key == "" || key[0] == '!' || !isText(key):
			return invalid("Data", "Keys are text, not empty, and do not begin with an exclamation mark.")
		case utf8.RuneCountInString(key) > maxCustomKey:
			return call.Refuse("KeyLengthExceeded", "Key length exceeded").With("Data", fmt.Sprintf("Keys have at most %d characters.", maxCustomKey))
		case value != nil && len(*value) > maxCustomValue:
			return call.Refuse("DataLengthExceeded", "Data length exceeded").With("Data", fmt.Sprintf("Values have at most %d bytes.", maxCustomValue))
		}
		seen[key] = true
	}
	return nil
}

// customize changes the custom data of an item: null removes.
func (it *item) customize(data map[string]*string, remove []string) error {
	for key, value := range data {
		key = strings.TrimSpace(key)
		if value == nil {
			delete(it.Custom, key)
			continue
		}
		if it.Custom == nil {
			it.Custom = map[string]string{}
		}
		it.Custom[key] = *value
	}
	for _, key := range remove {
		delete(it.Custom, strings.TrimSpace(key))
	}
	if len(it.Custom) > maxCustomKeys {
		return call.Refuse("TooManyKeys", "Too many keys").With("Data", fmt.Sprintf("An item has at most %d keys of custom data.", maxCustomKeys))
	}
	return nil
}

// change runs fn on an item that a player or character has, in a transaction.
func (s *Service) change(ctx context.Context, who subject, id string, now int64, absent func() error, fn func(store.Tx, *item) error) error {
	return s.st.Write(ctx, func(tx store.Tx) error {
		it, err := who.findItem(tx, id, now, absent)
		if err != nil {
			return err
		}
		return fn(tx, it)
	})
}
