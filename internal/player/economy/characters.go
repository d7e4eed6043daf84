package economy

import (
	"context"
	"fmt"
	"unicode/utf8"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

const (
	maxCharacters    = 100 // of a player
	maxCharacterName = 40  // code points
)

var (
	charactersStmt           = statements.Get("characters")
	charactersCountStmt      = statements.Get("characters_count")
	characterInsertStmt      = statements.Get("character_insert")
	characterDeleteStmt      = statements.Get("character_delete")
	itemOfKindStmt           = statements.Get("item_of_kind")
	itemsGiveBackStmt        = statements.Get("items_give_back")
	itemsDeleteHolderStmt    = statements.Get("items_delete_holder")
	balancesDeleteHolderStmt = statements.Get("balances_delete_holder")
)

// checkCharacter refuses a name or type that a character cannot have.
func checkCharacter(name, typ string) error {
	f := &call.Faults{}
	if n := utf8.RuneCountInString(name); n < 1 || n > maxCharacterName || !isText(name) {
		f.Add("CharacterName", fmt.Sprintf("CharacterName must be between 1 and %d characters.", maxCharacterName))
	}
	if long(typ) {
		f.Add("CharacterType", fmt.Sprintf("CharacterType must have at most %d characters.", maxName))
	}
	return f.Err()
}

// create makes a player a character and gives its id.
func (h holder) create(tx store.Tx, name, typ string, now int64) (string, error) {
	n := int64(0)
	if _, err := store.QueryOne(tx, charactersCountStmt, func(r store.Row) error { n = r.Int(0); return nil }, h.title, h.player); err != nil {
		return "", err
	}
	if n >= maxCharacters {
		return "", call.Refuse("OverLimit", "A player has at most %d characters", maxCharacters)
	}
	for range 20 {
		id := (&idMaker{}).next(now)
		n, err := tx.Exec(characterInsertStmt, h.title, h.player, id, name, typ, now)
		if err != nil || n == 1 {
			return id, err
		}
	}
	return "", fmt.Errorf("economy: no free id for a character of player %s", h.player)
}

// grantCharacter makes a player a character, because a server says so.
func (s *Service) grantCharacter(ctx context.Context, who subject, name, typ string, now int64) (out *GrantCharacterResult, err error) {
	if err := checkCharacter(name, typ); err != nil {
		return nil, err
	}
	err = s.st.Write(ctx, func(tx store.Tx) error {
		h, err := who.find(tx)
		if err != nil {
			return err
		}
		id, err := h.create(tx, name, typ, now)
		out = &GrantCharacterResult{CharacterId: id}
		return err
	})
	return out, err
}

// becomeCharacter turns an item that a player has into a character whose type is
// the item. One use of it is gone, or all of it when it has no uses.
func (s *Service) becomeCharacter(ctx context.Context, who subject, r *GrantCharacterRequest, now int64) (out *GrantCharacterResult, err error) {
	if err := checkCharacter(r.CharacterName, ""); err != nil {
		return nil, err
	}
	err = s.write(ctx, who.title, func(tx store.Tx, d *Definitions) error {
		c, err := d.catalog(r.CatalogVersion)
		if err != nil {
			return err
		}
		wanted, err := c.item(r.ItemId)
		if err != nil {
			return err
		}
		if !wanted.CanBecomeCharacter {
			return call.Refuse("InvalidItemProperties", "The item cannot become a character")
		}
		h, err := who.find(tx)
		if err != nil {
			return err
		}
		token, err := h.first(tx, wanted.ItemId, c.version, now)
		if err != nil {
			return err
		}
		token.Uses = max(token.Uses-1, 0)
		if err := token.keep(tx, who); err != nil {
			return err
		}
		id, err := h.create(tx, r.CharacterName, wanted.ItemId, now)
		out = &GrantCharacterResult{CharacterId: id, CharacterType: wanted.ItemId, Result: true}
		return err
	})
	return out, err
}

// first finds the oldest item of a kind that a holder has.
func (h holder) first(tx store.Tx, id, version string, now int64) (*item, error) {
	got, err := query(tx, itemOfKindStmt, h.title, h.player, h.character, id, version, now)
	if err != nil {
		return nil, err
	}
	if len(got) == 0 {
		return nil, errNotOwned()
	}
	return got[0], nil
}

// deleteCharacter removes a character and what it has; with save its items go to
// the player.
func (s *Service) deleteCharacter(ctx context.Context, who subject, save bool) error {
	return s.st.Write(ctx, func(tx store.Tx) error {
		if _, err := who.find(tx); err != nil {
			return err
		}
		items := itemsDeleteHolderStmt
		if save {
			items = itemsGiveBackStmt
		}
		for _, stmt := range []*store.Stmt{items, balancesDeleteHolderStmt, characterDeleteStmt} {
			if _, err := tx.Exec(stmt, who.title, who.player, who.character); err != nil {
				return err
			}
		}
		return nil
	})
}

// listCharacters lists a player's characters.
func (s *Service) listCharacters(ctx context.Context, title, player string) (out []CharacterResult, err error) {
	if !isText(player) {
		return nil, account.NotFound()
	}
	err = s.st.Read(ctx, func(tx store.Tx) error {
		if err := account.Require(tx, title, player); err != nil {
			return err
		}
		out, err = s.LoadCharacters(tx, title, player)
		return err
	})
	return out, err
}

// move takes an item from one inventory of a player to another one of the same
// player.
func (s *Service) move(ctx context.Context, title, player, from, to, id string, now int64) error {
	return s.st.Write(ctx, func(tx store.Tx) error {
		if _, err := (subject{title, player, to}).find(tx); err != nil {
			return err
		}
		it, err := (subject{title, player, from}).findItem(tx, id, now, errNotOwned)
		if err != nil {
			return err
		}
		it.Holder = to
		return it.update(tx, title, player)
	})
}
