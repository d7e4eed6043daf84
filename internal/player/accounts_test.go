package player

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// TestAccountInfo: an account as its owner, another player and the title's tools
// see it, found by each of its names.
func TestAccountInfo(t *testing.T) {
	const client, server, admin = "/Client/GetAccountInfo", "/Server/GetUserAccountInfo", "/Admin/GetUserAccountInfo"
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		in := f.result(f.register(ann.with(obj{"DisplayName": "Ann of 42"})))
		id, key := f.idOf(in), f.server("ABCDE")
		bob := ticketOf(f.custom("bob"))
		f.change(id, func(a *account.Account) {
			a.CustomID, a.ServerCustomID, a.StreamingID, a.StreamingName, a.AvatarURL = "c", "s", "42", "ann", "https://a.example/1.png"
			a.OpenIDs = []account.OpenID{{Connection: "studio", Issuer: "https://id.example", Subject: "1"}}
		})
		name := map[string]string{"neutral": "Ann42", "vendor": "ann42"}[n.Name]
		public := `"` + f.word("PlatformId") + `":"` + id + `","Created":"2026-03-04T05:06:07.89Z","Username":"` + name + `",` +
			`"TitleInfo":{"AvatarUrl":"https://a.example/1.png","DisplayName":"Ann of 42","Origination":"Organic","Created":"2026-03-04T05:06:07.89Z",` +
			`"LastLogin":"2026-03-04T05:06:07.89Z","FirstLogin":"2026-03-04T05:06:07.89Z","isBanned":false,` +
			`"TitlePlayerAccount":` + obj(in["EntityToken"].(map[string]any)["Entity"].(map[string]any)).text() + `},` +
			`"` + f.word("StreamingInfo") + `":{"` + f.word("StreamingId") + `":"42","` + f.word("StreamingUserName") + `":"ann"}`
		private := public + `,"PrivateInfo":{"Email":"ann@example.com"},"CustomIdInfo":{"CustomId":"c"},"ServerCustomIdInfo":{"CustomId":"s"},` +
			`"OpenIdInfo":[{"ConnectionId":"studio","Issuer":"https://id.example","Subject":"1"}]`
		for _, tc := range []struct {
			what, path string
			headers    headers
			body       obj
			want       string
		}{
			{"own", client, ticketOf(in), obj{}, `{"AccountInfo":{` + private + `}}`},
			{"own, by id", client, ticketOf(in), obj{"PlatformId": id}, `{"AccountInfo":{` + private + `}}`},
			{"by id", client, bob, obj{"PlatformId": id, "Username": "nobody"}, `{"AccountInfo":{` + public + `}}`},
			{"by user name", client, bob, obj{"Username": "ANN42", "Email": "nobody@example.com"}, `{"AccountInfo":{` + public + `}}`},
			{"by e-mail", client, bob, obj{"Email": "Ann@example.com", "TitleDisplayName": "nobody"}, `{"AccountInfo":{` + public + `}}`},
			{"by display name", client, bob, obj{"TitleDisplayName": "ann OF 42"}, `{"AccountInfo":{` + public + `}}`},
			{"by a server", server, key, obj{"PlatformId": id}, `{"UserInfo":{` + private + `}}`},
			{"by a tool", admin, key, obj{"PlatformId": id}, `{"UserInfo":{` + private + `}}`},
			{"by a tool, user name", admin, key, obj{"Username": "Ann42"}, `{"UserInfo":{` + private + `}}`},
			{"by a tool, e-mail", admin, key, obj{"Email": "ann@example.com"}, `{"UserInfo":{` + private + `}}`},
			{"by a tool, display name", admin, key, obj{"TitleDisplayName": "Ann of 42"}, `{"UserInfo":{` + private + `}}`},
		} {
			sameJSON(t, tc.what, f.result(f.call(tc.path, tc.headers, tc.body)).text(), tc.want)
		}
		elsewhere := f.server("FFF")
		f.allRefused(t, []attempt{
			{"no ticket", client, nil, obj{}, noTicket},
			{"unknown id", client, bob, obj{"PlatformId": "0123456789ABCDEF", "Username": "Ann42"}, notFound},
			{"impossible id", client, bob, obj{"PlatformId": "a\x00"}, notFound},
			{"unknown name", client, bob, obj{"Username": "nobody", "Email": "ann@example.com"}, notFound},
			{"impossible name", client, bob, obj{"Username": "a\x00b"}, notFound},
			{"impossible address", client, bob, obj{"Email": strings.Repeat("x", 10_000)}, notFound},
			{"impossible display name", client, bob, obj{"TitleDisplayName": "\x00\x00\x00"}, notFound},
			{"unknown display name", client, bob, obj{"TitleDisplayName": "nobody"}, notFound},
			{"no key", server, bob, obj{"PlatformId": id}, badSecretKey},
			{"nobody", server, key, obj{}, f.lacks("PlatformId")},
			{"another title's", server, elsewhere, obj{"PlatformId": id}, notFound},
			{"nobody", admin, key, obj{}, f.lacks("PlatformId")},
			{"another title's", admin, elsewhere, obj{"Email": "ann@example.com"}, notFound},
		})
		f.change(id, func(a *account.Account) { a.BannedUntil = account.Forever })
		info := f.result(f.call(admin, key, obj{"PlatformId": id}))["UserInfo"].(map[string]any)
		if info["TitleInfo"].(map[string]any)["isBanned"] != true {
			t.Errorf("a ban does not show: %v", info)
		}
	})
}

// TestDisplayNames: who may be called what.
func TestDisplayNames(t *testing.T) {
	const own, byAdmin = "/Client/UpdateUserTitleDisplayName", "/Admin/UpdateUserTitleDisplayName"
	taken := refusal{name: "NameNotAvailable", number: "1058", message: "Name not available"}
	profane := refusal{name: "ProfaneDisplayName", number: "1234", message: "Display name rejected by the profanity filter"}
	partner := refusal{name: "InvalidPartnerResponse", number: "1193", message: "Invalid response from partner"}
	filter := func(_ context.Context, t *title.Title, name string) error {
		switch {
		case t.ID != "ABCDE":
			return nil
		case name == "profane":
			return call.Refuse("ProfaneDisplayName", "Display name rejected by the profanity filter")
		case name == "no answer":
			return call.Refuse("InvalidPartnerResponse", "Invalid response from partner")
		}
		return nil
	}
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		s := setup{naming: n, options: func(o *Options) { o.DisplayNames = filter }}
		s.titles.listed, s.titles.spring = listed{"D0B": {DuplicateNames: true}}, &title.Settings{}
		f := newFixture(t, s)
		in := f.result(f.register(ann.with(obj{"DisplayName": "Ann"})))
		bob, server := f.custom("bob"), f.server("ABCDE")
		id, ticket := f.idOf(bob), ticketOf(bob)
		wrong := f.fault("DisplayName", "The field DisplayName must be a string with a minimum length of 3 and a maximum length of 25.")
		f.allRefused(t, []attempt{
			{"no ticket", own, nil, obj{"DisplayName": "Bob"}, noTicket},
			{"no name", own, ticket, obj{}, f.lacks("DisplayName")},
			{"too short", own, ticket, obj{"DisplayName": "Bo"}, wrong},
			{"too long", own, ticket, obj{"DisplayName": strings.Repeat("x", 26)}, wrong},
			{"control character", own, ticket, obj{"DisplayName": "a\tb"}, f.fault("DisplayName", "The field DisplayName must not contain control characters.")},
			{"taken", own, ticket, obj{"DisplayName": "ANN"}, taken},
			{"taken, but for what cannot be seen", own, ticket, obj{"DisplayName": "An\u200dn"}, taken},
			{"profane", own, ticket, obj{"DisplayName": "profane"}, profane},
			{"filter fails", own, ticket, obj{"DisplayName": "no answer"}, partner},
			{"no key", byAdmin, nil, obj{"PlatformId": id, "DisplayName": "Bob"}, badSecretKey},
			{"nobody", byAdmin, server, obj{"DisplayName": "Bob"}, f.lacks("PlatformId")},
			{"unknown", byAdmin, server, obj{"PlatformId": "x", "DisplayName": "Bob"}, notFound},
			{"taken", byAdmin, server, obj{"PlatformId": id, "DisplayName": "Ann"}, taken},
			{"profane", byAdmin, server, obj{"PlatformId": id, "DisplayName": "profane"}, profane},
			{"filter fails", byAdmin, server, obj{"PlatformId": id, "DisplayName": "no answer"}, partner},
			{"profane", "/Client/RegisterPlatformUser", nil, ann.with(obj{"DisplayName": "profane"}), profane}, // before the names that are taken
			{"filter fails", "/Client/RegisterPlatformUser", nil, ann.with(obj{"DisplayName": "no answer"}), partner},
		})
		const script = "<script>alert(1)</script>"
		for _, name := range []string{"Bob", "bob", "𝄞𝄞𝄞", script} {
			if got := f.result(f.call(own, ticket, obj{"DisplayName": name})); got["DisplayName"] != name || f.account(id).DisplayName != name {
				t.Errorf("%s: %v", name, got)
			}
		}
		f.result(f.call(byAdmin, server, obj{"PlatformId": id, "DisplayName": "Robert"}))
		f.result(f.call(own, ticketOf(in), obj{"DisplayName": "Bob"})) // free again
		for i := range 2 {
			f.result(f.register(ann.with(obj{"TitleId": "D0B", "DisplayName": "Ann", "Username": fmt.Sprint("user", i), "Email": fmt.Sprint(i, "@example.com")})))
		}
	})
}

// TestSharedNamesStay: players who share a display name keep it when the title
// stops allowing that, and everything else about them can still be changed.
func TestSharedNamesStay(t *testing.T) {
	f := newFixture(t, setup{})
	if err := f.titles.Add(t.Context(), "ABCDE", title.Settings{DuplicateNames: true}); err != nil {
		t.Fatal(err)
	}
	var tickets []headers
	for i := range 2 {
		tickets = append(tickets, ticketOf(f.result(f.register(ann.with(obj{"DisplayName": "Ann", "Username": fmt.Sprint("user", i), "Email": fmt.Sprint(i, "@example.com")})))))
	}
	if err := f.titles.UpdateSettings(t.Context(), "ABCDE", func(s *title.Settings) error { s.DuplicateNames = false; return nil }); err != nil {
		t.Fatal(err)
	}
	for i, h := range tickets {
		f.result(f.call("/Client/LinkCustomID", h, obj{"CustomId": fmt.Sprint(i)}))
	}
	for _, a := range f.accounts() {
		if a.DisplayName != "Ann" {
			t.Errorf("%+v", a)
		}
	}
}

func TestPlatformIDs(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		one, two := f.proofOf("1"), f.proofOf("2")
		many := make([]string, 26)
		for path, h := range map[string]headers{
			"/Client/GetPlatformIDsFromStreamingIDs": {"X-Authorization": one.session},
			"/Server/GetPlatformIDsFromStreamingIDs": f.server("ABCDE"),
		} {
			got := f.result(f.call(path, h, obj{"StreamingIds": []string{"2", "nobody", "1", "2", "a\x00", ""}}))
			pid, sid := f.word("PlatformId"), f.word("StreamingId")
			sameJSON(t, path, got.text(), fmt.Sprintf(`{"Data":[{%[1]q:%[3]q,%[2]q:"2"},{%[2]q:"nobody"},{%[1]q:%[4]q,%[2]q:"1"},{%[1]q:%[3]q,%[2]q:"2"},{%[2]q:"a\u0000"},{%[2]q:""}]}`,
				pid, sid, two.id, one.id))
			f.result(f.call(path, h, obj{"StreamingIds": many[:25]}))
			f.allRefused(t, []attempt{
				{"none", path, h, obj{}, f.lacks("StreamingIds")},
				{"empty", path, h, obj{"StreamingIds": []string{}}, f.lacks("StreamingIds")},
				{"too many", path, h, obj{"StreamingIds": many}, f.fault("StreamingIds", "The field StreamingIds must be an array with a maximum length of 25.")},
			})
		}
		elsewhere := f.result(f.call("/Server/GetPlatformIDsFromStreamingIDs", f.server("FFF"), obj{"StreamingIds": []string{"1"}}))
		sameJSON(t, "another title", elsewhere.text(), `{"Data":[{"`+f.word("StreamingId")+`":"1"}]}`)
	})
}

func TestAddUsernamePassword(t *testing.T) {
	const path = "/Client/AddUsernamePassword"
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		taken := f.result(f.register(ann))
		bob := f.custom("bob")
		ticket := ticketOf(bob)
		body := obj{"Username": "Bob42", "Email": "bob@example.com", "Password": "secret"}
		f.allRefused(t, []attempt{
			{"no ticket", path, nil, body, noTicket},
			{"no user name", path, ticket, body.with(obj{"Username": nil}), shape(n, badUsername, `{"Username":["The Username field is required."]}`)},
			{"no address", path, ticket, body.with(obj{"Email": ""}), shape(n, badEmail, `{"Email":["The Email field is required."]}`)},
			{"no password", path, ticket, body.with(obj{"Password": nil}), shape(n, badPassword, `{"Password":["The Password field is required."]}`)},
			{"all wrong", path, ticket, obj{"Username": "b!b!", "Email": "b", "Password": "b"},
				shape(n, badUsername, `{"Email":["Email address is not valid."],"Password":["Password must be between 6 and 100 characters."],"Username":["Username contains invalid characters."]}`)},
			{"address taken", path, ticket, body.with(obj{"Email": "ANN@example.com"}), emailTaken},
			{"name taken", path, ticket, body.with(obj{"Username": "ann42"}), usernameTaken},
			{"has one", path, ticketOf(taken), body, alreadyLinked},
		})
		got := f.result(f.call(path, ticket, body))
		want := map[string]string{"neutral": "Bob42", "vendor": "bob42"}[n.Name]
		if len(got) != 1 || got["Username"] != want {
			t.Errorf("result: %v", got)
		}
		for login, body := range map[string]obj{"/Client/LoginWithPlatform": {"Username": "Bob42"}, "/Client/LoginWithEmailAddress": {"Email": "bob@example.com"}} {
			in := f.result(f.call(login, nil, body.with(obj{"TitleId": "ABCDE", "Password": "secret"})))
			if f.idOf(in) != f.idOf(bob) {
				t.Errorf("%s: %v", login, in)
			}
		}
		f.refused("again", f.call(path, ticket, body.with(obj{"Username": "Bob43", "Email": "bob43@example.com"})), alreadyLinked)
		if claims := f.count("ledger"); claims != 5 {
			t.Errorf("%d names, want 5", claims)
		}
	})
}

// TestOneOfManyPasswords: 64 calls that give one account a password at the same
// time: one does, and the names of the others are free.
func TestOneOfManyPasswords(t *testing.T) {
	f := newFixture(t, setup{})
	ticket := ticketOf(f.custom("ann"))
	got := codes(t, together(func(i int) answer {
		return f.call("/Client/AddUsernamePassword", ticket, obj{"Username": fmt.Sprint("user", i), "Email": fmt.Sprint(i, "@example.com"), "Password": "secret"})
	}))
	if got[""] != 1 || got["AccountAlreadyLinked"] != atOnce-1 || f.count("ledger") != 3 {
		t.Errorf("%v, %d names", got, f.count("ledger"))
	}
}

// TestTitleProofs: what a title learns of tickets and tokens, and the token of its
// own.
func TestTitleProofs(t *testing.T) {
	const session, entity = "/Server/AuthenticateSessionTicket", "/Authentication/ValidateEntityToken"
	invalid := refusal{name: "InvalidSessionTicket", number: "1100", message: "Invalid session ticket"}
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		server, elsewhere := f.server("ABCDE"), f.server("FFF")
		p := f.proofOf("42")
		own := f.result(f.entityToken(obj{}, server))
		if key := own["Entity"].(map[string]any); key["Id"] != "ABCDE" || key["Type"] != "title" || own["TokenExpiration"] != "2026-03-05T05:06:07.89Z" {
			t.Errorf("a title's token: %v", own)
		}
		titleToken := headers{"X-EntityToken": own["EntityToken"].(string)}
		f.result(f.entityToken(obj{"Entity": obj{"Id": "ABCDE", "Type": "title"}}, titleToken))
		f.refused("a player's token for a title", f.entityToken(obj{"Entity": obj{"Id": p.account, "Type": "title_player_account"}}, server), notYours)
		f.refused("another title's token", f.entityToken(obj{"Entity": obj{"Id": "FFF", "Type": "title"}}, server), notYours)

		got := f.result(f.call(entity, titleToken, obj{"EntityToken": p.entity}))
		provider := map[string]string{"neutral": "StreamingPlatform", "vendor": "Twitch"}[n.Name]
		sameJSON(t, "a player's token", got.text(), `{"Entity":`+obj(got["Entity"].(map[string]any)).text()+`,"IdentityProvider":"`+provider+`","IdentityProviderIssuedId":"42",`+
			`"Lineage":{"MasterPlayerAccountId":"`+p.id+`","TitleId":"ABCDE","TitlePlayerAccountId":"`+p.account+`"}}`)
		if key := got["Entity"].(map[string]any); key["Id"] != p.account || key["Type"] != "title_player_account" || (key["TypeString"] != nil) != (n == wire.Vendor) {
			t.Errorf("entity: %v", key)
		}
		got = f.result(f.call(entity, titleToken, obj{"EntityToken": own["EntityToken"]}))
		sameJSON(t, "the title's own", obj(got["Lineage"].(map[string]any)).text(), `{"TitleId":"ABCDE"}`)
		for _, by := range []struct{ path, issued string }{
			{"/Client/LoginWithCustomID", "c"}, {"/Server/LoginWithServerCustomId", "s"},
		} {
			in := f.result(f.call(by.path, server, obj{"TitleId": "ABCDE", "CustomId": "c", "ServerCustomId": "s", "CreateAccount": true}))
			got = f.result(f.call(entity, titleToken, obj{"EntityToken": in["EntityToken"].(map[string]any)["EntityToken"]}))
			if got["IdentityProviderIssuedId"] != by.issued {
				t.Errorf("%s: %v", by.path, got)
			}
		}
		foreign := f.result(f.entityToken(obj{}, elsewhere))["EntityToken"]
		f.allRefused(t, []attempt{
			{"no proof", entity, nil, obj{"EntityToken": p.entity}, anonymous},
			{"a player's proof", entity, headers{"X-EntityToken": p.entity}, obj{"EntityToken": p.entity}, notYours},
			{"nothing", entity, titleToken, obj{}, f.lacks("EntityToken")},
			{"made-up token", entity, titleToken, obj{"EntityToken": "x"}, badEntity},
			{"a ticket", entity, titleToken, obj{"EntityToken": p.session}, badEntity},
			{"another title's", entity, titleToken, obj{"EntityToken": foreign}, badEntity},
			{"no key", session, nil, obj{"SessionTicket": p.session}, badSecretKey},
			{"nothing", session, server, obj{}, f.lacks("SessionTicket")},
			{"made-up ticket", session, server, obj{"SessionTicket": "x"}, invalid},
			{"a token", session, server, obj{"SessionTicket": p.entity}, invalid},
			{"another player's name on it", session, server, obj{"SessionTicket": "0" + p.session[1:]}, invalid},
			{"another title's", session, elsewhere, obj{"SessionTicket": p.session}, invalid},
		})
		for _, expired := range []bool{false, true} {
			got = f.result(f.call(session, server, obj{"SessionTicket": p.session}))
			info := got["UserInfo"].(map[string]any)
			if got["IsSessionTicketExpired"] != expired || info[f.word("PlatformId")] != p.id {
				t.Errorf("ticket, expired %v: %v", expired, got)
			}
			f.clock.advance(25 * time.Hour)
		}
		f.refused("an expired ticket with another player's name", f.call(session, server, obj{"SessionTicket": "0" + p.session[1:]}), invalid)
		fresh := headers{"X-EntityToken": f.result(f.entityToken(obj{}, server))["EntityToken"].(string)}
		f.refused("an expired token", f.call(entity, fresh, obj{"EntityToken": p.entity}), oldEntity)
	})
}

// TestOverwrittenSecretRevokes: the proofs of before end with the secret of
// before; a first secret ends nothing.
func TestOverwrittenSecretRevokes(t *testing.T) {
	var revoked atomic.Pointer[revocation.Set]
	calls := atomic.Int32{}
	f := newFixture(t, setup{options: func(o *Options) {
		o.Revoke = func(tx store.Tx, titleID, player string, now time.Time) error {
			calls.Add(1)
			return revoked.Load().Revoke(tx, titleID, player, now)
		}
	}})
	set, err := revocation.Open(t.Context(), revocation.Options{Store: f.store, Clock: f.clock.now, Log: f.service.gate.Log()})
	if err != nil {
		t.Fatal(err)
	}
	revoked.Store(set)
	in, server := f.custom("x"), f.server("ABCDE")
	id := f.idOf(in)
	f.result(f.call("/Client/SetPlayerSecret", ticketOf(in), obj{"PlayerSecret": "first"}))
	claims, err := f.service.gate.CheckTicket(in["SessionTicket"].(string))
	if err != nil || calls.Load() != 0 {
		t.Fatalf("%v, %d calls", err, calls.Load())
	}
	f.result(f.call("/Admin/SetPlayerSecret", server, obj{"PlatformId": id, "PlayerSecret": "second"}))
	if err := set.Refresh(t.Context()); err != nil || !set.Revoked(claims) {
		t.Errorf("the ticket of before is still good (%v)", err)
	}
}
