package player

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/wire"
)

var playerID = regexp.MustCompile(`^[0-9A-F]{16}$`)

func TestRegister(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		a := f.register(ann.with(obj{"DisplayName": "Ann of 42", "CustomTags": obj{"build": "17"}}))
		got := f.result(a)
		if ct := a.header.Get("Content-Type"); ct != "application/json; charset=utf-8" || a.header.Get("X-RequestId") == "" {
			t.Errorf("headers: %v", a.header)
		}
		id, _ := got[f.word("PlatformId")].(string)
		session, _ := got["SessionTicket"].(string)
		entity, _ := got["EntityToken"].(map[string]any)
		if !playerID.MatchString(id) || !strings.HasPrefix(session, id+"-") || entity == nil {
			t.Fatalf("result: %s", a.body)
		}
		key, _ := entity["Entity"].(map[string]any)
		if account, _ := key["Id"].(string); !playerID.MatchString(account) || account == id {
			t.Errorf("entity: %v", key)
		}
		want := `{"SessionTicket":"` + session + `","` + f.word("PlatformId") + `":"` + id + `","Username":"Ann42",` +
			`"SettingsForUser":{"NeedsAttribution":false,"GatherDeviceInfo":false,"GatherFocusInfo":false},` +
			`"EntityToken":{"EntityToken":"` + entity["EntityToken"].(string) + `","TokenExpiration":"2026-03-05T05:06:07.89Z",` +
			`"Entity":{"Id":"` + key["Id"].(string) + `","Type":"title_player_account"}}}`
		if n == wire.Vendor {
			want = strings.Replace(want, "Ann42", "ann42", 1)
			want = strings.Replace(want, `"Type":"title_player_account"`, `"Type":"title_player_account","TypeString":"title_player_account"`, 1)
			want = `{"code":200,"status":"OK","data":` + want + `}`
		}
		if a.body != want {
			t.Errorf("body:\n got %s\nwant %s", a.body, want)
		}
		claims, err := f.service.gate.CheckTicket(session)
		if err != nil || claims.Title != "ABCDE" || claims.Player != id || claims.Account != key["Id"] {
			t.Errorf("session ticket: %+v %v", claims, err)
		}
	})
}

func TestRegisterStoresAHashAndNoPassword(t *testing.T) {
	f := newFixture(t, setup{})
	f.result(f.register(ann))
	row := store.NewStmt("row", `SELECT username, email, password, origination FROM players`)
	err := f.store.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(row, func(r store.Row) error {
			if r.Text(0) != "Ann42" || r.Text(1) != "ann@example.com" || !strings.HasPrefix(r.Text(2), "$argon2id$v=19$") || r.Text(3) != "Organic" {
				t.Errorf("row: %q %q %q %q", r.Text(0), r.Text(1), r.Text(2), r.Text(3))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBoundaries walks along the edges of every length (P-8).
func TestBoundaries(t *testing.T) {
	f := newFixture(t, setup{})
	long := func(n int) string { return strings.Repeat("x", n) }
	wide := func(n int) string { return strings.Repeat("𝄞", n) } // four bytes, two UTF-16 units
	uniq := 0
	for _, tc := range []struct {
		member, value string
		ok            bool
	}{
		{"Username", long(2), false}, {"Username", long(3), true}, {"Username", long(20), true}, {"Username", long(21), false},
		{"Username", "Az09", true}, {"Username", "a_b", false}, {"Username", "a b", false}, {"Username", "ann-1", false},
		{"Username", "änn", false}, {"Username", "ＡＢＣ", false}, {"Username", "ann\n", false},
		{"Password", long(5), false}, {"Password", long(6), true}, {"Password", long(100), true}, {"Password", long(101), false},
		{"Password", wide(5), false}, {"Password", wide(6), true}, {"Password", wide(100), true}, {"Password", wide(101), false},
		{"Password", "\x00\x00\x00\x00\x00\x00", true}, {"Password", "      ", true},
		{"DisplayName", "", false}, {"DisplayName", long(2), false}, {"DisplayName", long(3), true}, {"DisplayName", long(25), true}, {"DisplayName", long(26), false},
		{"DisplayName", wide(2), false}, {"DisplayName", wide(3), true}, {"DisplayName", wide(25), true}, {"DisplayName", wide(26), false},
		{"DisplayName", "a\x00b", false}, {"DisplayName", "a\nb", false}, {"DisplayName", "a\u0085b", false},
		{"Email", strings.Repeat("a", 64) + "@example.com", true}, {"Email", strings.Repeat("a", 65) + "@example.com", false},
	} {
		uniq++
		body := obj{"TitleId": fmt.Sprintf("%03X", uniq), "Username": "ann", "Email": "ann@example.com", "Password": "secret"}
		a := f.register(body.with(obj{tc.member: tc.value}))
		if (a.status == 200) != tc.ok {
			t.Errorf("%s %q: %d %s, want accepted %v", tc.member, tc.value, a.status, a.body, tc.ok)
		}
		if !tc.ok && !strings.Contains(a.body, `"`+tc.member+`":["`) {
			t.Errorf("%s %q: details do not name the member: %s", tc.member, tc.value, a.body)
		}
	}
}

func TestRequireBothUsernameAndEmail(t *testing.T) {
	f := newFixture(t, setup{})
	required := func(member string) string { return `"` + member + `":["The ` + member + ` field is required."]` }
	for i, tc := range []struct {
		what   string
		change obj
		faults []string // nil: accepted
	}{
		{"default, both", obj{}, nil},
		{"default, no e-mail", obj{"Email": nil}, []string{"Email"}},
		{"default, no user name", obj{"Username": nil}, []string{"Username"}},
		{"default, neither", obj{"Username": nil, "Email": nil}, []string{"Email", "Username"}},
		{"true, no e-mail", obj{"RequireBothUsernameAndEmail": true, "Email": nil}, []string{"Email"}},
		{"false, both", obj{"RequireBothUsernameAndEmail": false}, nil},
		{"false, no e-mail", obj{"RequireBothUsernameAndEmail": false, "Email": nil}, nil},
		{"false, no user name", obj{"RequireBothUsernameAndEmail": false, "Username": nil}, nil},
		{"false, empty user name", obj{"RequireBothUsernameAndEmail": false, "Username": ""}, nil},
		{"false, neither", obj{"RequireBothUsernameAndEmail": false, "Username": nil, "Email": nil}, []string{"Email", "Username"}},
		{"false, the one that is there is wrong", obj{"RequireBothUsernameAndEmail": false, "Username": nil, "Email": "x"}, []string{"Email is wrong"}},
	} {
		a := f.register(ann.with(tc.change).with(obj{"TitleId": fmt.Sprintf("%03X", i)}))
		if tc.faults == nil {
			got := f.result(a)
			if _, has := tc.change["Username"]; has != (got["Username"] == nil) {
				t.Errorf("%s: user name in %s", tc.what, a.body)
			}
			continue
		}
		var details []string
		for _, m := range tc.faults {
			if m == "Email is wrong" {
				details = append(details, `"Email":["Email address is not valid."]`)
				continue
			}
			details = append(details, required(m))
		}
		if want := `"errorDetails":{` + strings.Join(details, ",") + `}`; a.status != 400 || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s, want %s", tc.what, a.status, a.body, want)
		}
	}
	// The request's null is its absence.
	null := `{"TitleId":"FFF","Username":"Ann42","Password":"secret","Email":null,"DisplayName":null,"RequireBothUsernameAndEmail":null,"CustomTags":null,"InfoRequestParameters":null}`
	if a := f.post("/Client/RegisterPlatformUser", null, nil); !strings.Contains(a.body, required("Email")) {
		t.Errorf("null: %s", a.body)
	}
}

// TestNamesAreUnique shows when two names are the same (P-4.R1).
func TestNamesAreUnique(t *testing.T) {
	f := newFixture(t, setup{})
	f.result(f.register(ann.with(obj{"DisplayName": "Ann Ångström"})))
	fresh := obj{"TitleId": "ABCDE", "Username": "other", "Email": "other@example.com", "Password": "secret"}
	before := f.count("players")
	for _, tc := range []struct {
		what, code string
		change     obj
	}{
		{"same address", "EmailAddressNotAvailable", obj{"Email": "ann@example.com"}},
		{"address in another case", "EmailAddressNotAvailable", obj{"Email": "ANN@Example.COM"}},
		{"same user name", "UsernameNotAvailable", obj{"Username": "Ann42"}},
		{"user name in another case", "UsernameNotAvailable", obj{"Username": "aNN42"}},
		{"same display name", "NameNotAvailable", obj{"DisplayName": "Ann Ångström"}},
		{"display name in another case", "NameNotAvailable", obj{"DisplayName": "ANN ÅNGSTRÖM"}},
		{"display name in another Unicode form", "NameNotAvailable", obj{"DisplayName": "Ann A\u030angstro\u0308m"}},
		{"display name with a compatible letter", "NameNotAvailable", obj{"DisplayName": "Ａnn Ångström"}},
		{"display name with an invisible joiner", "NameNotAvailable", obj{"DisplayName": "An\u200dn Ångström"}},
		{"all three: the address comes first", "EmailAddressNotAvailable", obj{"Username": "ann42", "Email": "ann@example.com", "DisplayName": "ann ångström"}},
		{"user name and display name", "UsernameNotAvailable", obj{"Username": "ann42", "DisplayName": "ann ångström"}},
	} {
		a := f.register(fresh.with(tc.change))
		if a.status != 400 || decode(t, a.body)["error"] != tc.code {
			t.Errorf("%s: %d %s, want %s", tc.what, a.status, a.body, tc.code)
		}
	}
	if n := f.count("players"); n != before {
		t.Errorf("%d players, want %d", n, before)
	}
	// Nothing that was refused holds a name, and another title has all of them.
	f.result(f.register(fresh))
	f.result(f.register(ann.with(obj{"TitleId": "ABCDF", "DisplayName": "Ann Ångström"})))
}

func TestDuplicateDisplayNamesBySetting(t *testing.T) {
	titles := titles{listed: listed{"ABCDE": {DuplicateNames: true}}}
	f := newFixture(t, setup{titles: titles})
	for i := range 3 {
		f.result(f.register(obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("ann%d", i), "Email": fmt.Sprintf("ann%d@example.com", i),
			"Password": "secret", "DisplayName": "Ann"}))
	}
}

func TestPlayerLimit(t *testing.T) {
	st := newFixture(t, setup{}).store
	titles := func(limit int64) titles {
		return titles{listed: listed{"ABCDE": {PlayerLimit: limit, StreamingClientID: "ludgate-dev"}}}
	}
	player := func(i int) obj {
		return obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("ann%d", i), "Email": fmt.Sprintf("ann%d@example.com", i), "Password": "secret"}
	}
	full := func(f *fixture, what string, a answer) {
		t.Helper()
		if a.status != 400 || decode(t, a.body)["error"] != "EvaluationModePlayerCountExceeded" {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	// Without a limit nobody counts; the limit that comes later counts them all.
	f := newFixture(t, setup{store: st, titles: titles(0)})
	f.result(f.register(player(1)))
	known := obj{"TitleId": "ABCDE", "AccessToken": f.token("1", "bob"), "CreateAccount": true}
	f.result(f.signIn(known))

	f = newFixture(t, setup{store: st, titles: titles(3)})
	known["AccessToken"] = f.token("1", "bob")
	f.result(f.register(player(2)))
	full(f, "registration", f.register(player(3)))
	full(f, "sign-in that creates", f.signIn(obj{"TitleId": "ABCDE", "AccessToken": f.token("2", "eve"), "CreateAccount": true}))
	if in := f.result(f.signIn(known)); in["NewlyCreated"] != false {
		t.Errorf("an existing player cannot sign in: %v", in)
	}
	if a := f.register(player(1)); decode(t, a.body)["error"] != "EmailAddressNotAvailable" {
		t.Errorf("a taken name comes before the limit: %s", a.body)
	}
	f = newFixture(t, setup{store: st, titles: titles(4)})
	f.result(f.register(player(3)))
	full(f, "after the limit was raised by one", f.register(player(4)))
}
