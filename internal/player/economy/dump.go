package economy

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

var (
	itemsPlayerStmt      = statements.Get("items_of_player")
	balancesPlayerStmt   = statements.Get("balances_of_player")
	itemsDeleteStmt      = statements.Get("items_delete")
	balancesDeleteStmt   = statements.Get("balances_delete")
	charactersDeleteStmt = statements.Get("characters_delete")
)

// Dump is all that a player has here, for export and import.
type Dump struct {
	Balances   []heldBalance   `json:"balances,omitzero"`
	Items      []*item         `json:"items,omitzero"`
	Characters []heldCharacter `json:"characters,omitzero"`
}

// heldBalance is what a player or a character had of a currency at a time.
type heldBalance struct {
	Holder   string `json:"holder,omitzero"`
	Code     string `json:"code"`
	Amount   int32  `json:"amount"`
	Progress int64  `json:"progress,omitzero"`
	At       int64  `json:"at"`
}

type heldCharacter struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Created int64  `json:"created"`
}

// Delete removes all that a player has.
func (s *Service) Delete(tx store.Tx, titleID, player string) error {
	for _, stmt := range []*store.Stmt{itemsDeleteStmt, balancesDeleteStmt, charactersDeleteStmt} {
		if _, err := tx.Exec(stmt, titleID, player); err != nil {
			return err
		}
	}
	return nil
}

// Export gives all that a player has. Balances that were never written are there
// as what they began with, so that they mean the same under another title whose
// currencies are younger.
func (s *Service) Export(tx store.Tx, titleID, player string) (*Dump, error) {
	d, err := s.currenciesIn(tx, titleID)
	if err != nil {
		return nil, err
	}
	a, err := account.Get(tx, titleID, player)
	if err != nil {
		return nil, err
	}
	out := &Dump{}
	seen := map[string]bool{}
	err = tx.Query(balancesPlayerStmt, func(r store.Row) error {
		if c := d.currency(r.Text(1)); c != nil && c.born == r.Int(2) {
			out.Balances = append(out.Balances, heldBalance{r.Text(0), c.code, int32(r.Int(3)), r.Int(4), r.Int(5)})
			seen[r.Text(0)+"/"+c.code] = true
		}
		return nil
	}, titleID, player)
	if err != nil {
		return nil, err
	}
	err = tx.Query(charactersStmt, func(r store.Row) error {
		out.Characters = append(out.Characters, heldCharacter{r.Text(0), r.Text(1), r.Text(2), r.Int(3)})
		return nil
	}, titleID, player)
	if err != nil {
		return nil, err
	}
	var holders []holder
	if a != nil {
		holders = append(holders, holder{created: a.Created})
	}
	for _, c := range out.Characters {
		holders = append(holders, holder{character: c.ID, created: c.Created})
	}
	for _, h := range holders {
		for _, c := range d.currencies {
			if !seen[h.character+"/"+c.code] {
				b := h.opening(c)
				out.Balances = append(out.Balances, heldBalance{h.character, c.code, b.amount, b.progress, b.at})
			}
		}
	}
	slices.SortFunc(out.Balances, func(a, b heldBalance) int {
		return cmp.Or(cmp.Compare(a.Holder, b.Holder), cmp.Compare(a.Code, b.Code))
	})
	out.Items, err = query(tx, itemsPlayerStmt, titleID, player)
	return out, err
}

// currenciesIn gives a title's definitions inside a transaction: those in memory,
// or else its currencies as the transaction sees them. The latter are not kept,
// since the transaction may be undone.
func (s *Service) currenciesIn(tx store.Tx, title string) (*Definitions, error) {
	if d := s.cache.peek(title); d != nil {
		return d, nil
	}
	d := &Definitions{title: title}
	return d, d.readCurrencies(tx)
}

var idPattern = regexp.MustCompile(`^[0-9A-F]{16}$`)

// Import stores a dump for a player who has nothing yet. The title must have the
// dump's currencies. Who imports many players asks for the title's Definitions
// before, so that they are in memory.
func (s *Service) Import(tx store.Tx, titleID, player string, dump *Dump) error {
	d, err := s.currenciesIn(tx, titleID)
	if err != nil {
		return err
	}
	if err := dump.check(d); err != nil {
		return err
	}
	for _, c := range dump.Characters {
		n, err := tx.Exec(characterInsertStmt, titleID, player, c.ID, c.Name, c.Type, c.Created)
		if err == nil && n == 0 {
			err = fmt.Errorf("character %s exists already", c.ID)
		}
		if err != nil {
			return err
		}
	}
	for _, b := range dump.Balances {
		_, err := tx.Exec(balancePutStmt, titleID, player, b.Holder, b.Code, d.currency(b.Code).born, int64(b.Amount), b.Progress, b.At)
		if err != nil {
			return err
		}
	}
	for _, it := range dump.Items {
		done, err := it.put(tx, titleID, player)
		if err == nil && !done {
			err = fmt.Errorf("item %s exists already", it.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check says what of a dump cannot be.
func (p *Dump) check(d *Definitions) error {
	if len(p.Items) > 2*maxInventory || len(p.Characters) > maxCharacters || len(p.Balances) > (maxCharacters+1)*maxCurrencies {
		return fmt.Errorf("a player has at most %d items, %d characters and their balances", 2*maxInventory, maxCharacters)
	}
	holders := map[string]bool{"": true}
	for _, c := range p.Characters {
		if !idPattern.MatchString(c.ID) || holders[c.ID] || !validTime(c.Created) {
			return fmt.Errorf("character %q has a bad id or time, or is there twice", clip(c.ID))
		}
		if err := checkCharacter(c.Name, c.Type); err != nil {
			return fmt.Errorf("character %s: %w", c.ID, err)
		}
		holders[c.ID] = true
	}
	twice := map[string]bool{}
	for _, b := range p.Balances {
		switch key := b.Holder + "/" + b.Code; {
		case d.currency(b.Code) == nil:
			return fmt.Errorf("the title has no currency %q; add it first", clip(b.Code))
		case !holders[b.Holder], twice[key], b.Progress < 0, b.Progress >= day, !validTime(b.At):
			return fmt.Errorf("balance of %s: bad holder, progress or time, or there twice", b.Code)
		default:
			twice[key] = true
		}
	}
	for _, it := range p.Items {
		if it == nil || !idPattern.MatchString(it.ID) {
			return fmt.Errorf("an item has a bad id")
		}
		if err := it.check(holders); err != nil {
			return fmt.Errorf("item %s: %w", it.ID, err)
		}
	}
	return nil
}

// check says what of an item from outside cannot be.
func (it *item) check(holders map[string]bool) error {
	switch {
	case !holders[it.Holder]:
		return fmt.Errorf("there is no character %q", clip(it.Holder))
	case it.Item == "" || it.Uses < 0 || it.Price > math.MaxInt32 || !validTime(it.Bought) || it.Expires != 0 && !validTime(it.Expires):
		return fmt.Errorf("no item id, or a bad time, price or number of uses")
	case len(it.Contents) > maxBundled || len(it.Custom) > maxCustomKeys || it.Currency != "" && !codePattern.MatchString(it.Currency):
		return fmt.Errorf("too many contents or custom data, or a bad currency")
	}
	for _, s := range append([]string{it.Item, it.Catalog, it.Class, it.Name, it.Parent, it.Group}, it.Contents...) {
		if long(s) {
			return fmt.Errorf("a name has more than %d characters", maxName)
		}
	}
	if err := checkAnnotation(it.Annotation); err != nil {
		return err
	}
	data := map[string]*string{}
	for k, v := range it.Custom {
		data[k] = &v
	}
	return checkCustom(data, nil)
}

// validTime reports whether a time is between 1970 and the year 9999.
func validTime(ms int64) bool { return ms >= 0 && ms <= account.Forever }
