package economy

import (
	"math"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/wire"
)

func TestCurrencyTypes(t *testing.T) {
	f := newFixture(t)
	f.admin("ABCDE", "Admin/ListVirtualCurrencyTypes", obj{}).is(`{"VirtualCurrencies":[]}`)
	f.admin("ABCDE", "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": list{
		obj{"CurrencyCode": "LV", "DisplayName": "Lives", "InitialDeposit": 5, "RechargeRate": 288, "RechargeMax": 5},
		obj{"CurrencyCode": "G1"},
	}}).is(`{}`)
	f.currency("ABCDE", "G1", obj{"DisplayName": "Gold"}) // changes it
	f.admin("ABCDE", "Admin/ListVirtualCurrencyTypes", obj{}).is(`{"VirtualCurrencies":[
		{"CurrencyCode":"G1","DisplayName":"Gold","InitialDeposit":0,"RechargeMax":0,"RechargeRate":0},
		{"CurrencyCode":"LV","DisplayName":"Lives","InitialDeposit":5,"RechargeMax":5,"RechargeRate":288}]}`)
	f.admin("FFFFF", "Admin/ListVirtualCurrencyTypes", obj{}).is(`{"VirtualCurrencies":[]}`)

	for _, tc := range []struct {
		value  obj
		code   string
		number int
	}{
		{obj{"CurrencyCode": "gc"}, "InvalidVirtualCurrencyCode", 1236},
		{obj{"CurrencyCode": "G"}, "InvalidVirtualCurrencyCode", 1236},
		{obj{"CurrencyCode": "GCC"}, "InvalidVirtualCurrencyCode", 1236},
		{obj{"CurrencyCode": "ÄÖ"}, "InvalidVirtualCurrencyCode", 1236},
		{obj{"CurrencyCode": "RM"}, "InvalidVirtualCurrencyCode", 1236},
		{obj{}, "InvalidVirtualCurrencyCode", 1236},
		{obj{"CurrencyCode": "GC", "InitialDeposit": -1}, "InvalidParams", 1000},
		{obj{"CurrencyCode": "GC", "RechargeRate": -1}, "InvalidParams", 1000},
		{obj{"CurrencyCode": "GC", "RechargeMax": -1}, "InvalidParams", 1000},
		{obj{"CurrencyCode": "GC", "InitialDeposit": math.MaxInt32 + 1}, "InvalidParams", 1000},
		{obj{"CurrencyCode": "GC", "DisplayName": strings.Repeat("ü", 101)}, "InvalidParams", 1000},
	} {
		f.admin("ABCDE", "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": list{tc.value}}).fails(tc.code, tc.number)
	}
	f.admin("ABCDE", "Admin/AddVirtualCurrencyTypes", obj{}).fails("InvalidParams", 1000)

	var many list
	for i := range maxCurrencies - 1 {
		many = append(many, obj{"CurrencyCode": string([]byte{'A' + byte(i/26), 'A' + byte(i%26)})})
	}
	f.admin("ABCDE", "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": many}).fails("VirtualCurrencyCountLimitExceeded", 1229)
	f.admin("ABCDE", "Admin/AddVirtualCurrencyTypes", obj{"VirtualCurrencies": many[1:]}).ok()

	f.admin("ABCDE", "Admin/RemoveVirtualCurrencyTypes", obj{"VirtualCurrencies": list{obj{"CurrencyCode": "ZZ"}}}).fails("InvalidVirtualCurrency", 1051)
	f.catalog("ABCDE", obj{"ItemId": "life", "VirtualCurrencyPrices": obj{"G1": 7}}, obj{"ItemId": "box", "Bundle": obj{"BundledVirtualCurrencies": obj{"LV": 1}}})
	for _, code := range []string{"G1", "LV"} {
		f.admin("ABCDE", "Admin/RemoveVirtualCurrencyTypes", obj{"VirtualCurrencies": list{obj{"CurrencyCode": code}}}).fails("VirtualCurrencyCannotBeDeleted", 1237)
	}
}

// TestDeposit: a new player has the deposit of the time at which it was made, and
// later changes are for later players.
func TestDeposit(t *testing.T) {
	f := newFixture(t)
	before := f.player("ABCDE")
	f.advance(time.Second)
	f.currency("ABCDE", "GC", obj{"InitialDeposit": 100})
	f.advance(time.Second)
	ann, ben := f.player("ABCDE"), f.player("ABCDE")
	ann.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 1}).ok()
	f.advance(time.Second)
	f.currency("ABCDE", "GC", obj{"InitialDeposit": 7})
	f.advance(time.Second)
	late := f.player("ABCDE")
	for p, want := range map[*player]int{before: 0, ann: 101, ben: 100, late: 7} {
		if got := p.balance("GC"); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	// A currency that is removed and comes again is another one.
	f.admin("ABCDE", "Admin/RemoveVirtualCurrencyTypes", obj{"VirtualCurrencies": list{obj{"CurrencyCode": "GC"}}}).ok()
	ann.call("GetUserInventory", obj{}).is(`{"Inventory":[],"VirtualCurrency":{},"VirtualCurrencyRechargeTimes":{}}`)
	f.advance(time.Second)
	f.currency("ABCDE", "GC", obj{"InitialDeposit": 3})
	if got := ann.balance("GC"); got != 0 {
		t.Errorf("ann has %d of a currency that was removed", got)
	}
	ann.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 4}).ok()
	if got := ann.balance("GC"); got != 4 {
		t.Errorf("%d, want 4", got)
	}
}

func TestPayments(t *testing.T) {
	for _, n := range []*wire.Naming{wire.Neutral, wire.Vendor} {
		f := newFixtureOn(t, n)
		f.currency("ABCDE", "GC", nil)
		p := f.player("ABCDE")
		envelope := map[*wire.Naming]string{wire.Neutral: `{"PlatformId":"%s",%s}`, wire.Vendor: `{"code":200,"status":"OK","data":{"PlayFabId":"%s",%s}}`}[n]
		for _, side := range []string{"Server/", "Admin/"} {
			p.server(side+"AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 50}).is(envelope, p.ID, `"VirtualCurrency":"GC","BalanceChange":50,"Balance":50`)
			p.server(side+"SubtractUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 50}).is(envelope, p.ID, `"VirtualCurrency":"GC","BalanceChange":-50,"Balance":0`)
		}
	}
	f := newFixture(t)
	f.currency("ABCDE", "GC", nil)
	p := f.player("ABCDE")
	pay := func(call string, amount int64) obj {
		t.Helper()
		return p.server("Server/"+call+"UserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": amount}).ok()
	}
	// A balance may go below nothing, and stays within 32 bits.
	if got := pay("Subtract", 10); got["Balance"] != -10.0 {
		t.Error(got)
	}
	if got := pay("Subtract", math.MaxInt32); got["Balance"] != float64(math.MinInt32) || got["BalanceChange"] != -2147483638.0 {
		t.Errorf("what is too much is dropped: %v", got)
	}
	pay("Add", math.MaxInt32)
	pay("Add", math.MaxInt32)
	if got := pay("Add", math.MaxInt32); got["Balance"] != float64(math.MaxInt32) || got["BalanceChange"] != 1.0 {
		t.Errorf("what is too much is dropped: %v", got)
	}
	if got := pay("Add", 1); got["BalanceChange"] != 0.0 || got["Balance"] != float64(math.MaxInt32) {
		t.Errorf("what is too much is dropped: %v", got)
	}
	p.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": -1}).fails("InvalidParams", 1000)
	p.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": math.MaxInt32 + 1}).fails("InvalidParams", 1000)
	p.server("Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "XX", "Amount": 1}).fails("InvalidVirtualCurrency", 1051)
	p.server("Server/AddUserVirtualCurrency", obj{"Amount": 1}).fails("InvalidParams", 1000)
	f.admin("ABCDE", "Server/AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 1}).fails("InvalidParams", 1000)
	f.admin("ABCDE", "Server/AddUserVirtualCurrency", obj{"PlatformId": "nobody", "VirtualCurrency": "GC", "Amount": 1}).fails("AccountNotFound", 1001)
	f.admin("ABCDE", "Server/AddUserVirtualCurrency", obj{"PlatformId": "a\x00b", "VirtualCurrency": "GC", "Amount": 1}).fails("AccountNotFound", 1001)
	other := f.player("FFFFF")
	f.admin("ABCDE", "Server/AddUserVirtualCurrency", obj{"PlatformId": other.ID, "VirtualCurrency": "GC", "Amount": 1}).fails("AccountNotFound", 1001)
	f.post("/Server/AddUserVirtualCurrency", obj{}, calltest.Proof{"X-SecretKey": "wrong"}).fails("NotAuthorized", 1089)
}

// TestClientPayments: clients pay themselves only where the title lets them.
func TestClientPayments(t *testing.T) {
	f := newFixture(t)
	for _, id := range []string{"ABCDE", "FFFFF"} {
		f.currency(id, "GC", nil)
	}
	p, q := f.player("ABCDE"), f.player("FFFFF")
	for _, call := range []string{"AddUserVirtualCurrency", "SubtractUserVirtualCurrency"} {
		p.call(call, obj{"VirtualCurrency": "GC", "Amount": 1}).fails("APINotEnabledForGameClientAccess", 1082)
		f.post("/Client/"+call, obj{}, nil).fails("NotAuthenticated", 1074)
	}
	q.call("AddUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 9}).is(`{"PlatformId":"%s","VirtualCurrency":"GC","BalanceChange":9,"Balance":9}`, q.ID)
	q.call("SubtractUserVirtualCurrency", obj{"VirtualCurrency": "GC", "Amount": 4}).is(`{"PlatformId":"%s","VirtualCurrency":"GC","BalanceChange":-4,"Balance":5}`, q.ID)
	if p.balance("GC") != 0 {
		t.Error("one title's payment shows in another")
	}
}

// TestRecharge: time refills a currency without anybody doing anything, and the
// reply tells when.
func TestRecharge(t *testing.T) {
	f := newFixture(t)
	f.currency("ABCDE", "LV", obj{"InitialDeposit": 5, "RechargeRate": 288, "RechargeMax": 5}) // one in 5 minutes
	f.currency("ABCDE", "GC", obj{"InitialDeposit": 1})
	p := f.player("ABCDE")
	times := func() obj {
		t.Helper()
		all := p.call("GetUserInventory", obj{}).ok()["VirtualCurrencyRechargeTimes"].(map[string]any)
		if len(all) != 1 {
			t.Fatalf("only LV refills: %v", all)
		}
		return obj(all["LV"].(map[string]any))
	}
	f.advance(time.Hour)
	if got := times(); got["SecondsToRecharge"] != 0.0 || got["RechargeMax"] != 5.0 || got["RechargeTime"] != "2026-03-04T06:06:07Z" {
		t.Errorf("a full balance: %v", got)
	}
	p.server("Server/SubtractUserVirtualCurrency", obj{"VirtualCurrency": "LV", "Amount": 3}).ok()
	if got := times(); got["SecondsToRecharge"] != 300.0 || got["RechargeTime"] != "2026-03-04T06:11:07Z" {
		t.Errorf("after spending: %v", got)
	}
	f.advance(299*time.Second + 500*time.Millisecond)
	if got := times(); got["SecondsToRecharge"] != 1.0 || p.balance("LV") != 2 {
		t.Errorf("half a second before: %v", got)
	}
	f.advance(500 * time.Millisecond)
	if got := times(); got["SecondsToRecharge"] != 300.0 || p.balance("LV") != 3 {
		t.Errorf("at the time: %v", got)
	}
	f.advance(4 * time.Minute)
	p.server("Server/SubtractUserVirtualCurrency", obj{"VirtualCurrency": "LV", "Amount": 1}).ok() // the four minutes stay earned
	if got := times(); got["SecondsToRecharge"] != 60.0 || p.balance("LV") != 2 {
		t.Errorf("spending keeps what was earned: %v", got)
	}
	f.advance(time.Hour)
	if p.balance("LV") != 5 || p.balance("GC") != 1 {
		t.Error("a balance refills to its maximum, and one without a rate never")
	}
	// A new rate counts from now on.
	p.server("Server/SubtractUserVirtualCurrency", obj{"VirtualCurrency": "LV", "Amount": 5}).ok()
	f.advance(10 * time.Minute)
	f.currency("ABCDE", "LV", obj{"RechargeRate": 24, "RechargeMax": 5})
	f.advance(time.Hour)
	if got := p.balance("LV"); got != 3 {
		t.Errorf("two by the old rate and one by the new are %d", got)
	}
}
