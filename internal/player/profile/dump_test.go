package profile

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/store"
)

// tables are all that the part has.
var tables = []string{"player_tags", "player_contacts", "player_contact_mails", "player_locations", "player_memberships", "player_subscriptions",
	"player_campaigns", "player_push", "player_purchases", "player_values", "player_bans"}

// rows counts a player's rows in every table.
func (f *fixture) rows(a *calltest.Player) map[string]int64 {
	f.Helper()
	counts := map[string]int64{}
	f.read(func(tx store.Tx) error {
		for _, table := range tables {
			stmt := store.NewStmt("count", "SELECT count(*) FROM "+table+" WHERE title = $1 AND player = $2")
			if _, err := store.QueryOne(tx, stmt, func(r store.Row) error { counts[table] = r.Int(0); return nil }, a.Title, a.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return counts
}

// TestTablesAreAll: the list above has every table of the schema.
func TestTablesAreAll(t *testing.T) {
	script, err := files.ReadFile("sql/migrations/0001_profile.sqlite.sql")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(script), "CREATE TABLE"); n != len(tables) {
		t.Errorf("%d tables, the list has %d", n, len(tables))
	}
	if len(deleteStmts) != len(tables) {
		t.Errorf("%d tables, %d are deleted", len(tables), len(deleteStmts))
	}
}

// export gives a player's dump as text.
func (f *fixture) export(a *calltest.Player) string {
	f.Helper()
	text := ""
	f.read(func(tx store.Tx) error {
		d, err := f.service.Export(tx, a.Title, a.ID)
		if err != nil {
			return err
		}
		b, err := json.Marshal(d, json.Deterministic(true))
		text = string(b)
		return err
	})
	return text
}

func TestExportDeleteImport(t *testing.T) {
	f := newNeutral(t)
	a, bystander := f.player("ABCDE", account.Account{}), f.player("ABCDE", account.Account{})
	f.fill(a)
	f.fill(bystander)
	for table, n := range f.rows(a) {
		if n == 0 {
			t.Errorf("fill left %s empty", table)
		}
	}
	dump, before := f.export(a), f.rows(bystander)
	show := []string{"ShowTags", "ShowLocations", "ShowMemberships", "ShowCampaignAttributions", "ShowPushNotificationRegistrations",
		"ShowValuesToDate", "ShowTotalValueToDateInUsd", "ShowBannedUntil"}
	shown := must(json.Marshal(f.profile(a, show...), json.Deterministic(true)))(t)

	f.write(func(tx store.Tx) error { return f.service.Delete(tx, a.Title, a.ID) })
	for table, n := range f.rows(a) {
		if n != 0 {
			t.Errorf("%s has %d rows after the deletion", table, n)
		}
	}
	if got := f.rows(bystander); got["player_bans"] != before["player_bans"] || got["player_tags"] != before["player_tags"] {
		t.Error("another player lost something")
	}
	if f.export(a) != "null" {
		t.Errorf("export of nothing: %s", f.export(a))
	}

	var d *Dump
	if err := json.Unmarshal([]byte(dump), &d); err != nil {
		t.Fatal(err)
	}
	f.write(func(tx store.Tx) error { return f.service.Import(tx, a.Title, a.ID, d) })
	same(t, "profile", f.profile(a, show...), string(shown))
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Unverified"}]`)
	if got := f.export(a); strings.Replace(got, "Unverified", "Pending", 1) != dump {
		t.Errorf("exported again:\n got %s\nwant %s", got, dump)
	}
	if f.until(a) == 0 || f.banned("ABCDE", a.ID, "") == "" {
		t.Error("the ban was lost")
	}
}

// TestImportIntoAnotherTitle: endpoints are those of the new title.
func TestImportIntoAnotherTitle(t *testing.T) {
	f := newNeutral(t)
	a, b := f.player("ABCDE", account.Account{}), f.player("20CA2", account.Account{})
	f.fill(a)
	var d *Dump
	if err := json.Unmarshal([]byte(f.export(a)), &d); err != nil {
		t.Fatal(err)
	}
	f.write(func(tx store.Tx) error { return f.service.Import(tx, b.Title, b.ID, d) })
	p := f.profile(b, "ShowPushNotificationRegistrations", "ShowTags")
	same(t, "tags", p["Tags"], `[{"TagValue":"title.20CA2.vip"}]`)
	if text := must(json.Marshal(p))(t); strings.Contains(string(text), "ABCDE") {
		t.Errorf("the other title shows in %s", text)
	}
}

func TestImportRefuses(t *testing.T) {
	f := newNeutral(t)
	a, b := f.player("ABCDE", account.Account{}), f.player("ABCDE", account.Account{})
	f.ok(f.server("/Server/RecordPurchase", obj{"PlatformId": b.ID, "ReceiptId": "r", "Currency": "USD", "Amount": 1}))
	for text, bad := range map[string]string{
		"The tags field":        `{"tags":[""]}`,
		"Email address is not":  `{"contacts":[{"name":"n","address":"x","status":"Confirmed"}]}`,
		"The status is unknown": `{"contacts":[{"name":"n","address":"a@example.com","status":"Fine"}]}`,
		"ISO 3166-1":            `{"locations":[{"ContinentCode":"EU","CountryCode":"ZZ"}]}`,
		"The memberships field": `{"memberships":[{"id":""}]}`,
		"The subscriptions":     `{"memberships":[{"id":"m","subscriptions":[{"id":"","status":"NoError"}]}]}`,
		"campaigns":             `{"campaigns":[{"platform":"","campaign":"c"}]}`,
		"The platform is":       `{"push":[{"endpoint":"e","token":"t","platform":"Pigeon"}]}`,
		"The purchase r is":     `{"purchases":[{"receipt":"r","currency":"USD","amount":-1,"usd":0}]}`,
		"The value in EUR":      `{"values":[{"currency":"EUR","total":4294967296,"usd":1}]}`,
		"The value in USD":      `{"values":[{"currency":"EUR","total":1,"usd":4294967295},{"currency":"USD","total":1,"usd":1}]}`,
		"IPv4 or IPv6":          `{"bans":[{"id":"1","address":"x"}]}`,
		"another purchase":      `{"purchases":[{"receipt":"r","currency":"USD","amount":1,"usd":1}]}`,
	} {
		var d *Dump
		if err := json.Unmarshal([]byte(bad), &d); err != nil {
			t.Fatal(err)
		}
		err := f.Store.Write(t.Context(), func(tx store.Tx) error { return f.service.Import(tx, a.Title, a.ID, d) })
		if err == nil || !strings.Contains(errText(err), text) {
			t.Errorf("%s: %v, want %q", bad, errText(err), text)
		}
	}
	if f.export(a) != "null" {
		t.Errorf("left behind: %s", f.export(a))
	}
}

// errText is an error with its details.
func errText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if e := ludgate.AsError(err); e.Code == "InvalidParams" {
		for _, d := range e.Details {
			text += "; " + d.Message
		}
	}
	return text
}
