package profile

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/text/currency"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	purchaseAddStmt       = statements.Get("purchase_add")
	purchaseByReceiptStmt = statements.Get("purchase_by_receipt")
	purchasesStmt         = statements.Get("purchases")
	valueAddStmt          = statements.Get("value_add")
	valuesStmt            = statements.Get("values")
)

// RecordPurchaseRequest adds what a player paid to the values to date. The
// receipt makes it count once.
type RecordPurchaseRequest struct {
	PlatformId  string  `json:"PlatformId" required:"true"`
	ReceiptId   string  `json:"ReceiptId" required:"true"` // the title's own name of the purchase
	Currency    string  `json:"Currency" required:"true"`  // ISO 4217
	Amount      uint32  `json:"Amount" required:"true"`    // hundredths of the currency's unit
	AmountInUSD *uint32 `json:"AmountInUSD"`               // US cents; absent when the currency is USD
}

// RecordPurchaseResult is the answer to it. Recorded is false where the receipt
// had been counted before.
type RecordPurchaseResult struct {
	Recorded              bool               `json:"Recorded"`
	TotalValueToDateInUSD uint32             `json:"TotalValueToDateInUSD"`
	ValuesToDate          []ValueToDateModel `json:"ValuesToDate"`
}

// check gives the purchase of the request.
func (r *RecordPurchaseRequest) check(now int64) (purchaseRow, error) {
	f := &call.Faults{}
	checkText(f, "ReceiptId", r.ReceiptId, maxID)
	p := purchaseRow{Receipt: r.ReceiptId, Currency: r.Currency, Amount: int64(r.Amount), USD: int64(r.Amount), At: now}
	if !isCurrency(r.Currency) {
		f.Add("Currency", "The field Currency must be a code of ISO 4217 in upper case.")
	}
	switch {
	case r.Currency == "USD" && r.AmountInUSD != nil && *r.AmountInUSD != r.Amount:
		f.Add("AmountInUSD", "The field AmountInUSD must equal Amount when the currency is USD.")
	case r.Currency != "USD" && r.AmountInUSD == nil:
		f.Required("AmountInUSD")
	case r.Currency != "USD":
		p.USD = int64(*r.AmountInUSD)
	}
	return p, f.Err()
}

func isCurrency(code string) bool {
	unit, err := currency.ParseISO(code)
	return err == nil && unit.String() == code && code != "XXX"
}

func (s *Service) recordPurchase(ctx context.Context, c *call.Call, r *RecordPurchaseRequest) (any, error) {
	p, err := r.check(c.Millis())
	if err != nil {
		return nil, err
	}
	var out *RecordPurchaseResult
	err = s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		added, err := p.add(tx, c.Title.ID, r.PlatformId)
		if err != nil {
			return err
		}
		if added {
			_, err = tx.Exec(valueAddStmt, c.Title.ID, r.PlatformId, p.Currency, p.Amount, p.USD)
		} else {
			err = p.sameAs(tx, c.Title.ID, r.PlatformId)
		}
		if err != nil {
			return err
		}
		rows, err := loadValues(tx, c.Title.ID, r.PlatformId)
		if err != nil {
			return err
		}
		usd, ok := sumValues(rows)
		if !ok {
			return call.Refuse("OverLimit", "A value to date is at most %d hundredths.", uint32(math.MaxUint32))
		}
		out = &RecordPurchaseResult{Recorded: added, TotalValueToDateInUSD: usd, ValuesToDate: shownValues(rows)}
		return nil
	})
	return out, err
}

// purchaseRow is a stored purchase.
type purchaseRow struct {
	Receipt  string `json:"receipt"`
	Currency string `json:"currency"`
	Amount   int64  `json:"amount"`
	USD      int64  `json:"usd"`
	At       int64  `json:"at"`
}

// add stores the purchase; false when the title knows its receipt.
func (p purchaseRow) add(tx store.Tx, title, player string) (bool, error) {
	n, err := tx.Exec(purchaseAddStmt, title, player, p.Receipt, p.Currency, p.Amount, p.USD, p.At)
	return n == 1, err
}

// sameAs refuses a receipt that stands for another purchase.
func (p purchaseRow) sameAs(tx store.Tx, title, player string) error {
	same := false
	_, err := store.QueryOne(tx, purchaseByReceiptStmt, func(r store.Row) error {
		same = r.Text(0) == player && r.Text(1) == p.Currency && r.Int(2) == p.Amount && r.Int(3) == p.USD
		return nil
	}, title, p.Receipt)
	if err == nil && !same {
		err = call.Refuse("ReceiptAlreadyUsed", "The receipt stands for another purchase.")
	}
	return err
}

func loadPurchases(tx store.Tx, title, player string) ([]purchaseRow, error) {
	rows := []purchaseRow{}
	err := tx.Query(purchasesStmt, func(r store.Row) error {
		rows = append(rows, purchaseRow{r.Text(0), r.Text(1), r.Int(2), r.Int(3), r.Int(4)})
		return nil
	}, title, player)
	return rows, err
}

// valueRow is what a player spent in one currency.
type valueRow struct {
	Currency string `json:"currency"`
	Total    int64  `json:"total"`
	USD      int64  `json:"usd"`
}

func loadValues(tx store.Tx, title, player string) ([]valueRow, error) {
	rows := []valueRow{}
	err := tx.Query(valuesStmt, func(r store.Row) error {
		rows = append(rows, valueRow{r.Text(0), r.Int(1), r.Int(2)})
		return nil
	}, title, player)
	return rows, err
}

// sumValues gives the total in US cents; false when it or a single total is more
// than the wire's numbers hold.
func sumValues(rows []valueRow) (uint32, bool) {
	usd, ok := int64(0), true
	for _, r := range rows {
		usd += r.USD
		ok = ok && r.Total <= math.MaxUint32
	}
	return uint32(min(usd, math.MaxUint32)), ok && usd <= math.MaxUint32
}

func shownValues(rows []valueRow) []ValueToDateModel {
	out := make([]ValueToDateModel, len(rows))
	for i, r := range rows {
		out[i] = ValueToDateModel{Currency: r.Currency, TotalValue: uint32(r.Total),
			TotalValueAsDecimal: fmt.Sprintf("%d.%02d", r.Total/100, r.Total%100)}
	}
	return out
}
