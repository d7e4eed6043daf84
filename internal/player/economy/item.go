package economy

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

const maxInventory = 5_000 // items of a player and its characters, that new ones can be added to

var (
	itemGetStmt      = statements.Get("item_get")
	itemsHolderStmt  = statements.Get("items_of_holder")
	itemStackStmt    = statements.Get("item_stack")
	itemInsertStmt   = statements.Get("item_insert")
	itemUpdateStmt   = statements.Get("item_update")
	itemDeleteStmt   = statements.Get("item_delete")
	itemsCountStmt   = statements.Get("items_count")
	itemsExpiredStmt = statements.Get("items_expired")
)

// item is an item of an inventory as it is stored. Strings that it does not have
// are empty. It is also the form in which it is exported.
type item struct {
	ID         string            `json:"id"`
	Holder     string            `json:"holder,omitzero"` // a character, or "" for the player
	Item       string            `json:"item"`
	Catalog    string            `json:"catalog,omitzero"`
	Class      string            `json:"class,omitzero"`
	Name       string            `json:"name,omitzero"`
	Annotation string            `json:"annotation,omitzero"`
	Parent     string            `json:"parent,omitzero"`
	Contents   []string          `json:"contents,omitzero"`
	Custom     map[string]string `json:"custom,omitzero"`
	Uses       int32             `json:"uses,omitzero"`    // 0: it is not used up
	Expires    int64             `json:"expires,omitzero"` // 0: never
	Group      string            `json:"group,omitzero"`
	Bought     int64             `json:"bought"`
	Currency   string            `json:"currency,omitzero"`
	Price      uint32            `json:"price,omitzero"`
}

// scan reads a row of the columns that every statement selects.
func (it *item) scan(r store.Row) error {
	*it = item{
		ID: r.Text(0), Holder: r.Text(1), Item: r.Text(2), Catalog: r.Text(3), Class: r.Text(4), Name: r.Text(5),
		Annotation: r.Text(6), Parent: r.Text(7), Uses: int32(r.Int(10)), Expires: r.Int(11), Group: r.Text(12),
		Bought: r.Int(13), Currency: r.Text(14), Price: uint32(r.Int(15)),
	}
	if s := r.Text(8); s != "" {
		if err := json.Unmarshal([]byte(s), &it.Contents); err != nil {
			return fmt.Errorf("contents of item %s: %w", it.ID, err)
		}
	}
	if s := r.Text(9); s != "" {
		if err := json.Unmarshal([]byte(s), &it.Custom); err != nil {
			return fmt.Errorf("custom data of item %s: %w", it.ID, err)
		}
	}
	return nil
}

// query reads items by one of the statements.
func query(tx store.Tx, stmt *store.Stmt, args ...any) ([]*item, error) {
	var all []*item
	err := tx.Query(stmt, func(r store.Row) error {
		it := &item{}
		all = append(all, it)
		return it.scan(r)
	}, args...)
	return all, err
}

// show reads items by one of the statements as the wire shows them, and who holds
// each.
func show(tx store.Tx, stmt *store.Stmt, fn func(holder string, i ItemInstance), args ...any) error {
	var it item // one for all: inventories are long and read at every sign-in
	return tx.Query(stmt, func(r store.Row) error {
		err := it.scan(r)
		fn(it.Holder, it.instance())
		return err
	}, args...)
}

// instance is an item as the wire shows it.
func (it *item) instance() ItemInstance {
	out := ItemInstance{
		ItemId: it.Item, ItemInstanceId: it.ID, ItemClass: it.Class, PurchaseDate: account.Stamp(it.Bought), Annotation: it.Annotation,
		CatalogVersion: it.Catalog, BundleParent: it.Parent, BundleContents: it.Contents, DisplayName: it.Name,
		UnitCurrency: it.Currency, CustomData: it.Custom,
	}
	if it.Expires != 0 {
		out.Expiration = account.Stamp(it.Expires)
	}
	if it.Uses != 0 {
		uses := it.Uses
		out.RemainingUses = &uses
	}
	if it.Currency != "" {
		price := it.Price
		out.UnitPrice = &price
	}
	return out
}

// idMaker makes ids that grow with time: 40 bits are the time in units of 4 ms,
// 24 are random, and those of one call follow each other, so that its items stay
// in order. Doubles are noticed when they are stored.
type idMaker struct{ last uint64 }

func (m *idMaker) next(ms int64) string {
	if m.last == 0 {
		random, _ := strconv.ParseUint(ludgate.NewPlayerID()[10:], 16, 64)
		m.last = uint64(ms)>>2<<24 | random
	} else {
		m.last++
	}
	return fmt.Sprintf("%016X", m.last)
}

// insert stores a new item under a new id.
func (it *item) insert(tx store.Tx, title, player string, ids *idMaker) error {
	for range 20 {
		it.ID = ids.next(it.Bought)
		done, err := it.put(tx, title, player)
		if err != nil || done {
			return err
		}
		ids.last = 0
	}
	return fmt.Errorf("economy: no free id for an item of player %s", player)
}

// put stores an item under the id it has; done is false when another has it.
func (it *item) put(tx store.Tx, title, player string) (done bool, err error) {
	contents, err := text(it.Contents, len(it.Contents))
	if err != nil {
		return false, err
	}
	custom, err := text(it.Custom, len(it.Custom))
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(itemInsertStmt, title, player, it.ID, it.Holder, it.Item, it.Catalog, orNull(it.Class), orNull(it.Name),
		orNull(it.Annotation), orNull(it.Parent), contents, custom, numberOrNull(int64(it.Uses)), numberOrNull(it.Expires),
		orNull(it.Group), it.Bought, orNull(it.Currency), int64(it.Price))
	return n == 1, err
}

// update stores what of an item can change.
func (it *item) update(tx store.Tx, title, player string) error {
	custom, err := text(it.Custom, len(it.Custom))
	if err != nil {
		return err
	}
	_, err = tx.Exec(itemUpdateStmt, title, player, it.ID, it.Holder, custom, numberOrNull(int64(it.Uses)), numberOrNull(it.Expires))
	return err
}

// findItem reads an item that a holder has now; absent is what to say when it
// does not.
func (h holder) findItem(tx store.Tx, id string, now int64, absent func() error) (*item, error) {
	if !isText(id) {
		return nil, absent()
	}
	got, err := query(tx, itemGetStmt, h.title, h.player, id)
	if err != nil {
		return nil, err
	}
	if len(got) == 0 || got[0].Holder != h.character || got[0].Expires != 0 && got[0].Expires <= now {
		return nil, absent()
	}
	return got[0], nil
}

// text is a value as JSON, nil when it has no entries.
func text(v any, n int) (any, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := json.Marshal(v, json.Deterministic(true))
	return string(b), err
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func numberOrNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
