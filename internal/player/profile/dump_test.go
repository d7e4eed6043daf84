package profile

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/part"
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
	for what, c := range map[string]struct{ bad, text string }{
		"tags":               {`{"tags":[""]}`, "The tags field is required"},
		"tags twice":         {`{"tags":["a","a"]}`, "twice"},
		"address":            {`{"contacts":[{"name":"n","address":"x","status":"Confirmed"}]}`, "Email address is not valid"},
		"state":              {`{"contacts":[{"name":"n","address":"a@example.com","status":"Fine"}]}`, "none that the field"},
		"country":            {`{"locations":[{"ContinentCode":"EU","CountryCode":"ZZ","seen":1}]}`, "ISO 3166-1"},
		"place twice":        {`{"locations":[{"ContinentCode":"EU","CountryCode":"FI","seen":1},{"ContinentCode":"EU","CountryCode":"FI","seen":2}]}`, "twice"},
		"membership":         {`{"memberships":[{"id":"","expiration":1}]}`, "The memberships field is required"},
		"time":               {`{"memberships":[{"id":"m","expiration":253402300800000}]}`, "not between 1970 and 9999"},
		"override":           {`{"memberships":[{"id":"m","expiration":1,"override":-1}]}`, "not between 1970 and 9999"},
		"subscription":       {`{"memberships":[{"id":"m","expiration":1,"subscriptions":[{"id":"","initial":1,"expiration":1,"status":"NoError"}]}]}`, "The subscriptions field is required"},
		"subscription twice": {`{"memberships":[{"id":"m","expiration":1,"subscriptions":[{"id":"s","initial":1,"expiration":1,"status":"NoError"},{"id":"s","initial":1,"expiration":1,"status":"NoError"}]}]}`, "twice"},
		"status":             {`{"memberships":[{"id":"m","expiration":1,"subscriptions":[{"id":"s","initial":1,"expiration":1,"status":"?"}]}]}`, "none that the field"},
		"campaign":           {`{"campaigns":[{"platform":"","campaign":"c","attributed":1}]}`, "The campaigns field is required"},
		"push service":       {`{"push":[{"endpoint":"e","token":"t","platform":"Pigeon","added":1}]}`, "none that the field"},
		"amount":             {`{"purchases":[{"receipt":"q","currency":"USD","amount":-1,"usd":0,"at":1}]}`, "none that the field"},
		"total":              {`{"values":[{"currency":"EUR","total":4294967296,"usd":1}]}`, "none that the field"},
		"totals":             {`{"values":[{"currency":"EUR","total":1,"usd":4294967295},{"currency":"USD","total":1,"usd":1}]}`, "none that the field"},
		"currency twice":     {`{"values":[{"currency":"EUR","total":1,"usd":1},{"currency":"EUR","total":1,"usd":1}]}`, "twice"},
		"ban of an address":  {`{"bans":[{"id":"1","address":"x","created":1,"expires":1}]}`, "IPv4 or IPv6"},
		"ban":                {`{"bans":[null]}`, "The bans field is required"},
		"receipt":            {`{"purchases":[{"receipt":"r","currency":"USD","amount":1,"usd":1,"at":1}]}`, "another purchase"},
	} {
		var d *Dump
		if err := json.Unmarshal([]byte(c.bad), &d); err != nil {
			t.Fatal(err)
		}
		err := f.Store.Write(t.Context(), func(tx store.Tx) error { return f.service.Import(tx, a.Title, a.ID, d) })
		if err == nil || !strings.Contains(errText(err), c.text) {
			t.Errorf("%s: %v, want %q", what, errText(err), c.text)
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

// FuzzImport: what an import takes, an export gives back, and profiles show.
func FuzzImport(f *testing.F) {
	rig := newNeutral(f)
	a := rig.player("ABCDE", account.Account{})
	rig.fill(a)
	f.Add(rig.export(a))
	rig.write(func(tx store.Tx) error { return rig.service.Delete(tx, a.Title, a.ID) })
	tt, _ := rig.Titles.Get("ABCDE")
	all := &PlayerProfileViewConstraints{ShowTags: true, ShowContactEmailAddresses: true, ShowLocations: true, ShowMemberships: true,
		ShowCampaignAttributions: true, ShowPushNotificationRegistrations: true, ShowValuesToDate: true, ShowTotalValueToDateInUsd: true}
	keeper := part.Of("profile", rig.service)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := keeper.Parse([]byte(text))
		if err != nil {
			return
		}
		undo := errors.New("undo")
		err = rig.Store.Write(t.Context(), func(tx store.Tx) error {
			if err := d.Import(tx, a.Title, a.ID); err != nil {
				if ludgate.AsError(err).Kind == ludgate.Internal {
					t.Errorf("%s: %v", text, err)
				}
				return undo
			}
			if _, err := rig.service.Profile(tx, tt, a.Account, all); err != nil {
				return err
			}
			first, err := keeper.Export(tx, a.Title, a.ID)
			if err != nil || first == nil {
				return err
			}
			if err := rig.service.Delete(tx, a.Title, a.ID); err != nil {
				return err
			}
			again, err := keeper.Parse(first)
			if err != nil {
				return err
			}
			if err := again.Import(tx, a.Title, a.ID); err != nil {
				return err
			}
			second, err := keeper.Export(tx, a.Title, a.ID)
			if err == nil && string(first) != string(second) {
				t.Errorf("%s became\n%s", first, second)
			}
			return cmp.Or(err, undo)
		})
		if err != nil && err != undo {
			t.Errorf("%s: %v", text, err)
		}
	})
}
