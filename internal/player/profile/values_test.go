package profile

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"ludgate/internal/player/account"
)

func TestValuesToDate(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	buy := func(receipt, currency string, amount, usd any) answer {
		o := obj{"PlatformId": a.ID, "ReceiptId": receipt, "Currency": currency, "Amount": amount}
		if usd != nil {
			o["AmountInUSD"] = usd
		}
		return f.server("/Server/RecordPurchase", o)
	}
	shown := func(usd int, values string) {
		t.Helper()
		p := f.profile(a, "ShowTotalValueToDateInUsd", "ShowValuesToDate")
		same(t, "total", p["TotalValueToDateInUSD"], fmt.Sprint(usd))
		same(t, "values", p["ValuesToDate"], values)
	}
	shown(0, `[]`)
	same(t, "result", f.ok(buy("r1", "EUR", 999, 1080)), `{"Recorded":true,"TotalValueToDateInUSD":1080,
		"ValuesToDate":[{"Currency":"EUR","TotalValue":999,"TotalValueAsDecimal":"9.99"}]}`)
	same(t, "again", f.ok(buy("r1", "EUR", 999, 1080)), `{"Recorded":false,"TotalValueToDateInUSD":1080,
		"ValuesToDate":[{"Currency":"EUR","TotalValue":999,"TotalValueAsDecimal":"9.99"}]}`)
	f.ok(buy("r2", "USD", 5, nil))
	f.ok(buy("r3", "EUR", 1, 0))
	f.ok(buy("r4", "JPY", 50000, 330))
	shown(1415, `[{"Currency":"EUR","TotalValue":1000,"TotalValueAsDecimal":"10.00"},
		{"Currency":"JPY","TotalValue":50000,"TotalValueAsDecimal":"500.00"},
		{"Currency":"USD","TotalValue":5,"TotalValueAsDecimal":"0.05"}]`)
	if p := f.profile(a, "ShowValuesToDate"); p["TotalValueToDateInUSD"] != nil {
		t.Error("the total was not asked for")
	}

	f.refused(buy("r1", "EUR", 998, 1080), "ReceiptAlreadyUsed", 1022, "another purchase")
	b := f.player("ABCDE", account.Account{})
	f.refused(f.server("/Server/RecordPurchase", obj{"PlatformId": b.ID, "ReceiptId": "r1", "Currency": "EUR", "Amount": 999, "AmountInUSD": 1080}),
		"ReceiptAlreadyUsed", 1022, "another purchase")
	for _, bad := range []string{"EURO", "eur", "XXX", "ABC", "E1R", ""} {
		f.refused(buy("x", bad, 1, 1), "InvalidParams", 1000, "Currency")
	}
	f.refused(buy("x", "EUR", 1, nil), "InvalidParams", 1000, "The AmountInUSD field is required.")
	f.refused(buy("x", "USD", 1, 2), "InvalidParams", 1000, "must equal Amount")
	f.refused(buy("x", "EUR", 0, 0), "InvalidParams", 1000, "The Amount field is required.")
	f.refused(buy("x", "EUR", -1, 1), "InvalidParams", 1000, "Amount")
	f.refused(buy("x", "EUR", 4294967296, 1), "InvalidParams", 1000, "Amount")
	f.refused(buy(strings.Repeat("x", maxID+1), "EUR", 1, 1), "InvalidParams", 1000, "ReceiptId")
	shown(1415, `[{"Currency":"EUR","TotalValue":1000,"TotalValueAsDecimal":"10.00"},
		{"Currency":"JPY","TotalValue":50000,"TotalValueAsDecimal":"500.00"},
		{"Currency":"USD","TotalValue":5,"TotalValueAsDecimal":"0.05"}]`)
}

// TestValuesDoNotOverflow: totals end where the wire's numbers end.
func TestValuesDoNotOverflow(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	buy := func(receipt, currency string, amount, usd uint32) answer {
		return f.server("/Server/RecordPurchase", obj{"PlatformId": a.ID, "ReceiptId": receipt, "Currency": currency, "Amount": amount, "AmountInUSD": usd})
	}
	f.ok(buy("1", "IDR", 4294967295, 1))
	f.refused(buy("2", "IDR", 1, 1), "OverLimit", 1214, "")
	f.ok(buy("2", "EUR", 1, 4294967294)) // the refused receipt is free
	f.refused(buy("3", "EUR", 1, 1), "OverLimit", 1214, "")
	same(t, "total", f.profile(a, "ShowTotalValueToDateInUsd")["TotalValueToDateInUSD"], `4294967295`)
}

// TestPurchasesAtOnce: reports that come together count once each.
func TestPurchasesAtOnce(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			got := f.server("/Server/RecordPurchase", obj{"PlatformId": a.ID, "ReceiptId": fmt.Sprint(i % 10), "Currency": "USD", "Amount": 100 + i%10})
			if got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	}
	group.Wait()
	same(t, "total", f.profile(a, "ShowTotalValueToDateInUsd")["TotalValueToDateInUSD"], `1045`)
}
