package player_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ludgate/internal/mail"
	"ludgate/internal/password"
	"ludgate/internal/player"
	"ludgate/internal/player/account"
	"ludgate/internal/player/bulk"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/operator"
	"ludgate/internal/player/profile"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

// richer gives a player a row in every table of every part.
func richer(r *calltest.Rig, server calltest.Proof, ann *calltest.Player) {
	r.Helper()
	rich(r, server, ann)
	experiment := r.Call("/Experimentation/CreateExperiment", server, obj{"Name": "colours", "Variants": []obj{
		{"Name": "control", "IsControl": true, "TrafficPercentage": 50, "Variables": []obj{{"Name": "colour", "Value": "red"}}},
		{"Name": "other", "TrafficPercentage": 50, "Variables": []obj{{"Name": "colour", "Value": "blue"}}},
	}}).Result()["ExperimentId"]
	for _, c := range []struct {
		path  string
		proof calltest.Proof
		body  obj
	}{
		{"/Experimentation/StartExperiment", server, obj{"ExperimentId": experiment}},
		{"/Experimentation/GetTreatmentAssignment", ann.Entity(), obj{}},
		{"/Object/SetObjects", ann.Entity(), obj{"Entity": obj{"Id": ann.Account.Account, "Type": "title_player_account"}, "Objects": []obj{{"ObjectName": "save", "DataObject": obj{"a": 1}}}}},
		{"/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "one", "Body": obj{"b": 1}}},
		{"/Client/ReportDeviceInfo", ann.Session(), obj{"Info": obj{"Model": "one"}}},
		{"/Server/UpdateUserInternalData", server, obj{"PlatformId": ann.ID, "Data": obj{"k": "v"}}},
		{"/Server/AddOrUpdateContactEmail", server, obj{"PlatformId": ann.ID, "EmailAddress": "ann@example.com"}},
		{"/Server/SetPlayerLocation", server, obj{"PlatformId": ann.ID, "ContinentCode": "EU", "CountryCode": "FI", "City": "Espoo"}},
		{"/Server/SetPlayerMembership", server, obj{"PlatformId": ann.ID, "MembershipId": "gold", "Subscriptions": []obj{
			{"SubscriptionId": "s", "SubscriptionItemId": "i", "SubscriptionProvider": "shop", "Expiration": "2026-06-01T00:00:00Z"},
		}}},
		{"/Server/AddCampaignAttribution", server, obj{"PlatformId": ann.ID, "Platform": "ads", "CampaignId": "c"}},
		{"/Client/RegisterForIOSPushNotification", ann.Session(), obj{"DeviceToken": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}},
		{"/Server/RecordPurchase", server, obj{"PlatformId": ann.ID, "ReceiptId": "r", "Currency": "USD", "Amount": 199}},
		{"/Server/BanUsers", server, obj{"Bans": []obj{{"PlatformId": ann.ID, "DurationInHours": 5, "Reason": "rude"}}}},
		{"/Admin/SendAccountRecoveryEmail", server, obj{"Email": ann.Email}},
	} {
		r.Call(c.path, c.proof, c.body).Result()
	}
}

// nowhere takes mails and forgets them.
type nowhere struct{}

func (nowhere) Configured() bool                         { return true }
func (nowhere) Send(context.Context, mail.Message) error { return nil }

// rows counts the rows with a value in a column, in every table that has it.
func rows(t *testing.T, st store.Store, column, value string) map[string]int64 {
	t.Helper()
	tables := store.NewStmt("tables", "SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = $1")
	out := map[string]int64{}
	err := st.Read(t.Context(), func(tx store.Tx) error {
		if err := tx.Query(tables, func(r store.Row) error { out[r.Text(0)] = 0; return nil }, column); err != nil {
			return err
		}
		for table := range out {
			count := store.NewStmt("rows", fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = $1", table, column))
			if err := tx.Query(count, func(r store.Row) error { out[table] = r.Int(0); return nil }, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newWhole is a player service on the embedded store, whose tables can be told.
func newWhole(t *testing.T) (*calltest.Rig, *player.Service) {
	t.Helper()
	r := calltest.New(t, calltest.Options{Store: storetest.OpenEmbedded(t, player.Areas()...)})
	hasher := password.New(password.Options{Params: password.Params{Memory: 64, Time: 1, Threads: 1}, InProcess: true})
	t.Cleanup(hasher.Close)
	s, err := player.Open(t.Context(), player.Options{Gate: r.Gate, Tickets: r.Tickets, Passwords: hasher, Profile: profile.Options{Mailer: nowhere{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r.Serve(append(s.Routes(), operator.New(r.Gate, s.Bulk()).Routes()...)...)
	return r, s
}

// unkept are tables whose rows of a player do not go into an export.
var unkept = map[string]bool{
	"player_contact_mails": true, // mails of the last hour, against too many
	"player_revocations":   true, // proofs, which go out with the player
	"player_recoveries":    true, // tokens that were mailed, likewise
}

// TestWholePlayer: an export has every row of a player, deletion leaves none in
// any table, and an import brings them back.
func TestWholePlayer(t *testing.T) {
	r, s := newWhole(t)
	server := r.Secret("ABCDE")
	ann := r.Player("ABCDE", func(a *account.Account) { a.DisplayName, a.CustomID, a.Email = "Ann", "device", "ann@example.com" })
	richer(r, server, ann)
	before := rows(t, r.Store, "player", ann.ID)
	for table, n := range before {
		if n == 0 && !unkept[table] {
			t.Errorf("the player has no row in %s; give it one in richer", table)
		}
	}
	page := must(s.Bulk().Export(t.Context(), "ABCDE", ""))(t)
	if err := s.Bulk().Remove(t.Context(), "ABCDE", ann.ID); err != nil {
		t.Fatal(err)
	}
	for table, n := range rows(t, r.Store, "player", ann.ID) {
		if n != 0 {
			t.Errorf("deletion left %d rows in %s", n, table)
		}
	}
	if left := rows(t, r.Store, "owner", ann.ID)["ledger"]; left != 0 {
		t.Errorf("deletion left %d names", left)
	}
	report := must(s.Bulk().Import(t.Context(), "ABCDE", page.Lines, bulk.ImportOptions{First: 1}))(t)
	if report.Imported != 1 {
		t.Fatalf("import: %+v\n%s", report, page.Lines)
	}
	after := rows(t, r.Store, "player", ann.ID)
	for table := range unkept {
		delete(before, table)
		delete(after, table)
	}
	// Balances that followed from what a currency begins with are rows now.
	after["economy_balances"] = before["economy_balances"]
	if !maps.Equal(before, after) {
		t.Errorf("rows before %v, after %v", before, after)
	}
	want := strings.Replace(string(page.Lines), `"Pending"`, `"Unverified"`, 1) // the token of the address stayed behind
	if again := must(s.Bulk().Export(t.Context(), "ABCDE", ""))(t); string(again.Lines) != want {
		t.Errorf("export:\nbefore %s\nafter  %s", want, again.Lines)
	}
}

// TestWholeTitle: a title that is deleted leaves no row in any table, and another
// one keeps all of its own.
func TestWholeTitle(t *testing.T) {
	r, _ := newWhole(t)
	keep := map[string]int64{}
	for _, id := range []string{"ABCDE", "ABC"} {
		r.Call(operator.Path("titles/add"), nil, obj{"id": id}).Result()
		richer(r, r.Secret(id), r.Player(id, func(a *account.Account) { a.CustomID, a.Email = "device", "ann@example.com" }))
		r.Player(id)
		keep = rows(t, r.Store, "title", "ABC")
	}
	var out operator.Deleted
	if err := json.Unmarshal([]byte(r.Call(operator.Path("titles/delete"), nil, obj{"id": "abcde"}).Body), &out); err != nil || !out.Done || out.Players != 2 {
		t.Errorf("deletion: %+v, %v", out, err)
	}
	left := rows(t, r.Store, "title", "ABCDE")
	for _, table := range slices.Sorted(maps.Keys(left)) {
		if left[table] != 0 {
			t.Errorf("%d rows are left in %s", left[table], table)
		}
	}
	for _, column := range []string{"scope", "id"} {
		for table, n := range rows(t, r.Store, column, "ABCDE") {
			if n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	}
	if now := rows(t, r.Store, "title", "ABC"); !maps.Equal(now, keep) {
		t.Errorf("the other title had %v and has %v", keep, now)
	}
}

// must stops the test where a call fails: must(f())(t).
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
