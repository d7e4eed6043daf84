package economy

import (
	"context"
	"fmt"
	"regexp"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

const (
	maxCurrencies = 50  // of a title
	maxPeriods    = 500 // changes of a currency that are remembered
)

var (
	currencyPutStmt    = statements.Get("currency_put")
	currencyForgetStmt = statements.Get("currency_forget")
	currencyRemoveStmt = statements.Get("currency_remove")
	balanceGetStmt     = statements.Get("balance_get")
	balancePutStmt     = statements.Get("balance_put")
)

var codePattern = regexp.MustCompile(`^[A-Z0-9]{2}$`)

// check refuses a currency that cannot be.
func (v *VirtualCurrencyData) check() error {
	switch {
	case !codePattern.MatchString(v.CurrencyCode) || v.CurrencyCode == realMoney:
		return call.Refuse("InvalidVirtualCurrencyCode", "Invalid virtual currency code").
			With("CurrencyCode", "CurrencyCode must be two capital letters or digits, and not RM, which is real money.")
	case long(v.DisplayName):
		return invalid("DisplayName", fmt.Sprintf("DisplayName has at most %d characters.", maxName))
	case v.InitialDeposit < 0, v.RechargeRate < 0, v.RechargeMax < 0:
		return invalid("VirtualCurrencies", "InitialDeposit, RechargeRate and RechargeMax cannot be negative.")
	}
	return nil
}

// addCurrencies adds currencies to a title and changes those that it has. A
// change counts from now on: what time has brought until now stays, and players
// who are there keep the deposit they had.
func (s *Service) addCurrencies(ctx context.Context, title string, list []VirtualCurrencyData, now int64) error {
	if len(list) > maxCurrencies {
		return invalid("VirtualCurrencies", fmt.Sprintf("A title has at most %d currencies.", maxCurrencies))
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return err
		}
	}
	return s.changed(s.st.Write(ctx, func(tx store.Tx) error {
		d, err := readDefinitions(tx, title)
		if err != nil {
			return err
		}
		known := len(d.currencies)
		for i := range list {
			v := &list[i]
			old := d.currency(v.CurrencyCode)
			born, since := now, now
			if old == nil {
				if known++; known > maxCurrencies {
					return call.Refuse("VirtualCurrencyCountLimitExceeded", "A title has at most %d virtual currencies", maxCurrencies)
				}
				d.currencies = append(d.currencies, &currency{code: v.CurrencyCode, born: now, periods: []period{{since: now}}})
			} else {
				last := old.periods[len(old.periods)-1]
				born, since = old.born, max(now, last.since) // a clock that was set back
				same := period{since: last.since, deposit: v.InitialDeposit, rate: v.RechargeRate, max: v.RechargeMax}
				if same == last {
					since = last.since // a new name at most
				}
				if since > last.since && len(old.periods) >= maxPeriods {
					// The second oldest counts for the oldest's time, too.
					if _, err := tx.Exec(currencyForgetStmt, title, v.CurrencyCode, old.periods[0].since); err != nil {
						return err
					}
				}
			}
			if _, err := tx.Exec(currencyPutStmt, title, v.CurrencyCode, since, born, v.DisplayName,
				int64(v.InitialDeposit), int64(v.RechargeRate), int64(v.RechargeMax)); err != nil {
				return err
			}
		}
		tx.Notify(topic)
		return nil
	}))
}

// removeCurrencies takes currencies from a title, with what everybody has of
// them, unless an item's price or bundle names them.
func (s *Service) removeCurrencies(ctx context.Context, title string, list []VirtualCurrencyData) error {
	if len(list) > maxCurrencies {
		return invalid("VirtualCurrencies", fmt.Sprintf("A title has at most %d currencies.", maxCurrencies))
	}
	return s.changed(s.st.Write(ctx, func(tx store.Tx) error {
		d, err := readDefinitions(tx, title)
		if err != nil {
			return err
		}
		for _, v := range list {
			if d.currency(v.CurrencyCode) == nil {
				return errNoCurrency(v.CurrencyCode)
			}
			if item := d.usedBy(v.CurrencyCode); item != "" {
				return call.Refuse("VirtualCurrencyCannotBeDeleted", "The virtual currency is used by an item of a catalog").
					With("VirtualCurrencies", fmt.Sprintf("Item %q has a price or a bundle with %s.", item, v.CurrencyCode))
			}
			if _, err := tx.Exec(currencyRemoveStmt, title, v.CurrencyCode); err != nil {
				return err
			}
		}
		tx.Notify(topic)
		return nil
	}))
}

// usedBy names an item whose price or bundle has a currency, or gives "".
func (d *Definitions) usedBy(code string) string {
	for _, c := range d.catalogs {
		for i := range c.items {
			it := &c.items[i]
			if _, ok := it.VirtualCurrencyPrices[code]; ok {
				return it.ItemId
			}
			if it.Bundle != nil {
				if _, ok := it.Bundle.BundledVirtualCurrencies[code]; ok {
					return it.ItemId
				}
			}
		}
	}
	return ""
}

// listCurrencies lists the currencies of a title as they are now.
func (s *Service) listCurrencies(ctx context.Context, title string) (*CurrenciesResult, error) {
	d, err := s.cache.get(ctx, title)
	if err != nil {
		return nil, err
	}
	out := &CurrenciesResult{VirtualCurrencies: []VirtualCurrencyData{}}
	for _, c := range d.currencies {
		p := c.periods[len(c.periods)-1]
		out.VirtualCurrencies = append(out.VirtualCurrencies, VirtualCurrencyData{
			CurrencyCode: c.code, DisplayName: c.name, InitialDeposit: p.deposit, RechargeRate: p.rate, RechargeMax: p.max})
	}
	return out, nil
}

// holder is who has items and balances: a player, or one of its characters.
type holder struct {
	title, player string
	character     string // "" for the player itself
	created       int64  // of the player or the character
}

// opening is what a holder has of a currency before anything was ever paid:
// a player's deposit, nothing for a character, and what time brought since.
func (h holder) opening(c *currency) balance {
	b := balance{at: max(h.created, c.born)}
	if h.character == "" {
		b.amount = c.deposit(h.created)
	}
	return b
}

// balance reads what a holder has of a currency at a time.
func (h holder) balance(tx store.Tx, c *currency, now int64) (balance, error) {
	b := h.opening(c)
	_, err := store.QueryOne(tx, balanceGetStmt, func(r store.Row) error {
		if r.Int(0) == c.born {
			b = balance{amount: int32(r.Int(1)), progress: r.Int(2), at: r.Int(3)}
		}
		return nil
	}, h.title, h.player, h.character, c.code)
	return b.advance(c.periods, now), err
}

// pay changes what a holder has of a currency and gives the balance after it and
// what really changed. With solvent it refuses what would leave less than
// nothing.
func (h holder) pay(tx store.Tx, c *currency, amount, now int64, solvent bool) (after balance, change int64, err error) {
	b, err := h.balance(tx, c, now)
	if err != nil {
		return b, 0, err
	}
	if solvent && amount < 0 && int64(b.amount)+amount < 0 {
		return b, 0, call.Refuse("InsufficientFunds", "Insufficient funds")
	}
	b, change = b.add(c.now(now), amount)
	_, err = tx.Exec(balancePutStmt, h.title, h.player, h.character, c.code, c.born, int64(b.amount), b.progress, b.at)
	return b, change, err
}

// payment pays a holder's balance in (sign 1) or out (sign -1).
func (s *Service) payment(ctx context.Context, who subject, r PaymentRequest, sign, now int64) (after int32, change int32, err error) {
	if r.Amount < 0 {
		return 0, 0, invalid("Amount", "Amount cannot be negative.")
	}
	err = s.write(ctx, who.title, func(tx store.Tx, d *Definitions) error {
		h, err := who.find(tx)
		if err != nil {
			return err
		}
		c := d.currency(r.VirtualCurrency)
		if c == nil {
			return errNoCurrency(r.VirtualCurrency)
		}
		b, moved, err := h.pay(tx, c, sign*int64(r.Amount), now, false)
		after, change = b.amount, int32(moved)
		return err
	})
	return after, change, err
}
