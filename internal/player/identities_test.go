package player

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/password"
	"ludgate/internal/player/account"
	"ludgate/internal/player/title"
	"ludgate/internal/throttle"
	"ludgate/internal/wire"
)

// TestEverySignIn walks through each way to sign in: as somebody unknown, as
// somebody new where the call can make players, and again.
func TestEverySignIn(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, withOpenID(setup{naming: n}))
		server := f.server("ABCDE")
		registered := f.result(f.register(ann))
		for _, tc := range []struct {
			what, path  string
			headers     headers
			body        obj
			known       string // id of the player that there is already; "" for none
			origination map[string]string
		}{
			{"streaming, by a server", "/Server/LoginWithStreamingPlatform", server, obj{"AccessToken": f.token("9", "ann"), "PlatformId": "0"}, "", map[string]string{"neutral": "StreamingPlatform", "vendor": "Twitch"}},
			{"user name", "/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": "aNN42", "Password": "secret"}, f.idOf(registered), nil},
			{"e-mail", "/Client/LoginWithEmailAddress", nil, obj{"TitleId": "ABCDE", "Email": "Ann@Example.com", "Password": "secret"}, f.idOf(registered), nil},
			{"custom id", "/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "installation-1"}, "", map[string]string{"neutral": "CustomId", "vendor": "CustomId"}},
			{"server custom id", "/Server/LoginWithServerCustomId", server, obj{"ServerCustomId": "installation-1"}, "", map[string]string{"neutral": "ServerCustomId", "vendor": "ServerCustomId"}},
			{"OpenID Connect", "/Client/LoginWithOpenIdConnect", nil, obj{"TitleId": "ABCDE", "ConnectionId": "studio", "IdToken": "ann"}, "", map[string]string{"neutral": "OpenIdConnect", "vendor": "OpenIdConnect"}},
		} {
			id := tc.known
			if id == "" {
				f.refused(tc.what+", unknown", f.call(tc.path, tc.headers, tc.body), notFound)
				in := f.result(f.call(tc.path, tc.headers, tc.body.with(obj{"CreateAccount": true})))
				id = f.idOf(in)
				if in["NewlyCreated"] != true || in["LastLoginTime"] != "0001-01-01T00:00:00Z" {
					t.Errorf("%s, new: %v", tc.what, in)
				}
				info := f.result(f.call("/Client/GetAccountInfo", ticketOf(in), obj{}))["AccountInfo"].(map[string]any)
				if got := info["TitleInfo"].(map[string]any)["Origination"]; got != tc.origination[n.Name] {
					t.Errorf("%s: origination %v", tc.what, got)
				}
			}
			before := f.account(id).LastLogin
			f.clock.advance(time.Hour)
			if strings.Contains(tc.path, "Server/LoginWithStreaming") {
				tc.body = tc.body.with(obj{"PlatformId": id})
			}
			in := f.result(f.call(tc.path, tc.headers, tc.body.with(obj{"CreateAccount": true, "InfoRequestParameters": obj{}})))
			if f.idOf(in) != id || in["NewlyCreated"] != false || in["LastLoginTime"] != account.Stamp(before) {
				t.Errorf("%s, again: %v, want player %s after %s", tc.what, in, id, account.Stamp(before))
			}
			if _, ok := in["InfoResultPayload"].(map[string]any); !ok {
				t.Errorf("%s: no information: %v", tc.what, in)
			}
			f.result(f.call("/Client/GetAccountInfo", ticketOf(in), obj{}))
		}
		if players := f.count("players"); players != 5 {
			t.Errorf("%d players, want 5", players)
		}
	})
}

func TestPasswordRefusals(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		f.result(f.register(ann))
		const byName, byMail = "/Client/LoginWithPlatform", "/Client/LoginWithEmailAddress"
		name := obj{"TitleId": "ABCDE", "Username": "Ann42", "Password": "secret"}
		mail := obj{"TitleId": "ABCDE", "Email": "ann@example.com", "Password": "secret"}
		beyond := obj{"InfoRequestParameters": obj{"ProfileConstraints": obj{"ShowTags": true}}}
		f.allRefused(t, []attempt{
			{"no title", byName, nil, name.with(obj{"TitleId": nil}), titleMissing},
			{"no user name", byName, nil, name.with(obj{"Username": nil}), f.lacks("Username")},
			{"no password", byName, nil, name.with(obj{"Password": ""}), f.lacks("Password")},
			{"no e-mail", byMail, nil, mail.with(obj{"Email": nil}), f.lacks("Email")},
			{"constraints", byName, nil, name.with(beyond), constraints},
			{"constraints", byMail, nil, mail.with(beyond), constraints},
			{"unknown", byName, nil, name.with(obj{"Username": "nobody"}), notFound},
			{"another title", byName, nil, name.with(obj{"TitleId": "FFF"}), notFound},
			{"a name that nobody can have", byName, nil, name.with(obj{"Username": "x\x00y"}), notFound},
			{"a very long name", byName, nil, name.with(obj{"Username": strings.Repeat("x", 100_000)}), notFound},
			{"an address as a name", byName, nil, name.with(obj{"Username": "ann@example.com"}), notFound},
			{"unknown", byMail, nil, mail.with(obj{"Email": "nobody@example.com"}), notFound},
			{"no address", byMail, nil, mail.with(obj{"Email": "x\x00y"}), notFound},
			{"a name as an address", byMail, nil, mail.with(obj{"Email": "Ann42"}), notFound},
			{"wrong password", byName, nil, name.with(obj{"Password": "Secret"}), wrongUserPass},
			{"wrong password", byMail, nil, mail.with(obj{"Password": "Secret"}), wrongEmailPass},
			{"a very long password", byMail, nil, mail.with(obj{"Password": strings.Repeat("x", 100_000)}), wrongEmailPass},
			{"signed", byName, headers{"X-Platform-Signature": "abc"}, name, noSecret},
		})
		in := f.result(f.call(byName, nil, name))
		if in["LastLoginTime"] != "2026-03-04T05:06:07.89Z" {
			t.Errorf("a refused sign-in was noted: %v", in)
		}
	})
}

// verifyCounter counts the passwords that are checked.
type verifyCounter struct {
	Passwords
	verified atomic.Int32
	stale    atomic.Bool // hashes need to be made anew
	busy     atomic.Bool // and cannot be
}

func (v *verifyCounter) Hash(ctx context.Context, password string) (string, error) {
	if v.busy.Load() {
		return "", ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "busy")
	}
	return v.Passwords.Hash(ctx, password)
}

func (v *verifyCounter) Verify(ctx context.Context, phc, password string) (bool, error) {
	v.verified.Add(1)
	return v.Passwords.Verify(ctx, phc, password)
}

func (v *verifyCounter) NeedsRehash(string) bool { return v.stale.Load() }

// TestUnknownNamesCostTheSame: one password is checked, whatever the name and the
// password are.
func TestUnknownNamesCostTheSame(t *testing.T) {
	h := password.New(password.Options{Params: password.Params{Memory: 64, Time: 1, Threads: 1}, InProcess: true})
	t.Cleanup(h.Close)
	count := &verifyCounter{Passwords: h}
	f := newFixture(t, setup{hasher: count})
	f.result(f.register(ann))
	f.change(f.idOf(f.custom("x")), func(a *account.Account) { a.Username = "nopass" }) // as an import may bring one
	for what, want := range map[string]refusal{"Ann42": wrongUserPass, "nobody": notFound, "x!": notFound, "nopass": wrongUserPass} {
		for _, try := range []string{"Secret", strings.Repeat("x", 101)} {
			before := count.verified.Load()
			f.refused(what, f.call("/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": what, "Password": try}), want)
			if n := count.verified.Load() - before; n != 1 {
				t.Errorf("%s: %d passwords were checked", what, n)
			}
		}
	}
}

// TestRehash: a sign-in makes the stored hash anew when its costs are not those
// of today, and only then.
func TestRehash(t *testing.T) {
	h := password.New(password.Options{Params: password.Params{Memory: 64, Time: 1, Threads: 1}, InProcess: true})
	t.Cleanup(h.Close)
	count := &verifyCounter{Passwords: h}
	f := newFixture(t, setup{hasher: count})
	id := f.idOf(f.result(f.register(ann)))
	signIn := func() string {
		f.result(f.call("/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": "Ann42", "Password": "secret"}))
		return f.account(id).Password
	}
	first := f.account(id).Password
	if signIn() != first {
		t.Error("the hash changed without need")
	}
	count.stale.Store(true)
	count.busy.Store(true)
	if signIn() != first {
		t.Error("the hash changed while no other could be made")
	}
	count.busy.Store(false)
	second := signIn()
	if second == first || !strings.HasPrefix(second, "$argon2id$") {
		t.Errorf("after a change of costs: %s, before %s", second, first)
	}
	count.stale.Store(false)
	if signIn() != second {
		t.Error("the new hash does not let the player in")
	}
}

// TestGuessing: who tries passwords is slowed down, known names and unknown ones
// alike, and a right password works after a while.
func TestGuessing(t *testing.T) {
	f := newFixture(t, setup{options: func(o *Options) { o.Guesses = throttle.NewGuesses(100) }})
	f.result(f.register(ann))
	for _, name := range []string{"Ann42", "nobody"} {
		body := obj{"TitleId": "ABCDE", "Username": name, "Password": "wrong!"}
		var a answer
		for range 100 {
			if a = f.call("/Client/LoginWithPlatform", nil, body); strings.Contains(a.body, `"errorCode":1356`) {
				break
			}
		}
		got := decode(t, a.body)
		if got["error"] != "FailedLoginAttemptRateLimitExceeded" || a.status != 400 || got["retryAfterSeconds"] == nil || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	f.clock.advance(time.Hour)
	f.result(f.call("/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": "Ann42", "Password": "secret"}))
}

func TestIdentityRefusals(t *testing.T) {
	long := strings.Repeat("x", 101)
	const tooLong = "The field %s must be a string with a maximum length of 100."
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		s := withOpenID(setup{naming: n})
		s.titles.listed = listed{
			"0FF":  {CreationDisabled: true, OpenIDConnections: s.titles.spring.OpenIDConnections, StreamingClientID: "ludgate-dev"},
			"F011": {PlayerLimit: 1, OpenIDConnections: s.titles.spring.OpenIDConnections, StreamingClientID: "ludgate-dev"}, "FFF": {},
		}
		f := newFixture(t, s)
		server, full, off, bare := f.server("ABCDE"), f.server("F011"), f.server("0FF"), f.server("FFF")
		f.result(f.register(ann.with(obj{"TitleId": "F011"})))
		other := f.custom("other")
		const custom, serverCustom, openID, streaming = "/Client/LoginWithCustomID", "/Server/LoginWithServerCustomId", "/Client/LoginWithOpenIdConnect", "/Server/LoginWithStreamingPlatform"
		c := obj{"TitleId": "ABCDE", "CustomId": "x", "CreateAccount": true}
		sc := obj{"ServerCustomId": "x", "CreateAccount": true}
		o := obj{"TitleId": "ABCDE", "ConnectionId": "studio", "IdToken": "x", "CreateAccount": true}
		st := obj{"PlatformId": "x", "AccessToken": f.token("7", "ann"), "CreateAccount": true}
		beyond := obj{"InfoRequestParameters": obj{"ProfileConstraints": obj{"ShowTags": true}}}
		signature := headers{"X-Platform-Signature": "abc"}
		f.allRefused(t, []attempt{
			{"no title", custom, nil, c.with(obj{"TitleId": nil}), titleMissing},
			{"no id", custom, nil, c.with(obj{"CustomId": nil}), f.lacks("CustomId")},
			{"long id", custom, nil, c.with(obj{"CustomId": long}), f.fault("CustomId", strings.Replace(tooLong, "%s", "CustomId", 1))},
			{"control character", custom, nil, c.with(obj{"CustomId": "a\nb"}), f.fault("CustomId", "The field CustomId must not contain control characters.")},
			{"long secret", custom, nil, c.with(obj{"PlayerSecret": strings.Repeat("x", 257)}), f.fault("PlayerSecret", "The field PlayerSecret must be a string with a maximum length of 256.")},
			{"constraints", custom, nil, c.with(beyond), constraints},
			{"encrypted", custom, nil, c.with(obj{"EncryptedRequest": "AAAA"}), noKeyPair},
			{"unknown", custom, nil, c.with(obj{"CreateAccount": false}), notFound},
			{"creation disabled", custom, nil, c.with(obj{"TitleId": "0FF"}), creationDisabled},
			{"title is full", custom, nil, c.with(obj{"TitleId": "F011"}), limitReached},
			{"signed, new", custom, signature, c, noSecret},
			{"signed, known", custom, signature, c.with(obj{"CustomId": "other"}), noSecret},

			{"no key", serverCustom, nil, sc, badSecretKey},
			{"wrong key", serverCustom, headers{"X-SecretKey": "abc"}, sc, badSecretKey},
			{"a ticket", serverCustom, ticketOf(other), sc, badSecretKey},
			{"no id", serverCustom, server, sc.with(obj{"ServerCustomId": ""}), f.lacks("ServerCustomId")},
			{"long id", serverCustom, server, sc.with(obj{"ServerCustomId": long}), f.fault("ServerCustomId", strings.Replace(tooLong, "%s", "ServerCustomId", 1))},
			{"unknown", serverCustom, server, sc.with(obj{"CreateAccount": false}), notFound},
			{"a custom id is no server's", serverCustom, server, sc.with(obj{"ServerCustomId": "other", "CreateAccount": false}), notFound},
			{"title is full", serverCustom, full, sc, limitReached},

			{"no connection", openID, nil, o.with(obj{"ConnectionId": nil}), f.lacks("ConnectionId")},
			{"no token", openID, nil, o.with(obj{"IdToken": nil}), f.lacks("IdToken")},
			{"constraints", openID, nil, o.with(beyond), constraints},
			{"encrypted", openID, nil, o.with(obj{"EncryptedRequest": "AAAA"}), noKeyPair},
			{"unknown connection", openID, nil, o.with(obj{"ConnectionId": "nothing"}), noConnection},
			{"title without connections", openID, nil, o.with(obj{"TitleId": "FFF"}), notConfigured},
			{"bad token", openID, nil, o.with(obj{"IdToken": "bad"}), badIDToken},
			{"old token", openID, nil, o.with(obj{"IdToken": "old"}), oldIDToken},
			{"unknown", openID, nil, o.with(obj{"CreateAccount": false}), notFound},
			{"title is full", openID, nil, o.with(obj{"TitleId": "F011"}), limitReached},

			{"no player", streaming, server, st.with(obj{"PlatformId": nil}), f.lacks("PlatformId")},
			{"no token", streaming, server, st.with(obj{"AccessToken": nil}), f.lacks("AccessToken")},
			{"title without a client id", streaming, bare, st, notConfigured},
			{"made-up token", streaming, server, st.with(obj{"AccessToken": "abc"}), badToken},
			{"unknown", streaming, server, st.with(obj{"CreateAccount": false}), notFound},
			{"the token of somebody new for a player there is", streaming, server, st.with(obj{"PlatformId": f.idOf(other)}), notFound},
			{"title is full", streaming, full, st, limitReached},
		})
		if players, claims := f.count("players"), f.count("ledger"); players != 2 || claims != 3 {
			t.Errorf("%d players and %d claims after all refusals, want 2 and 3", players, claims)
		}
		// Only sign-ins that nobody vouches for are switched off.
		f.result(f.call(openID, nil, o.with(obj{"TitleId": "0FF"})))
		f.result(f.call(serverCustom, off, sc))
		f.result(f.register(ann.with(obj{"TitleId": "0FF"})))
		in := f.result(f.call(streaming, off, st))
		f.refused("another player's token", f.call(streaming, off, st.with(obj{"PlatformId": "0123456789ABCDEF"})), notFound)
		// Servers may see everything of a profile.
		f.result(f.call(streaming, off, st.with(obj{"PlatformId": f.idOf(in)}).with(beyond)))
	})
}

// TestBanned: a banned player does not get in by any way, hears until when, and
// nothing notes the attempt.
func TestBanned(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		server := f.server("ABCDE")
		id := f.idOf(f.result(f.register(ann)))
		token := f.token("42", "ann")
		f.change(id, func(a *account.Account) {
			a.CustomID, a.ServerCustomID, a.StreamingID, a.BannedUntil = "c", "s", "42", account.Forever
		})
		ways := []attempt{
			{"", "/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": "Ann42", "Password": "secret"}, bannedForever},
			{"", "/Client/LoginWithEmailAddress", nil, obj{"TitleId": "ABCDE", "Email": "ann@example.com", "Password": "secret"}, bannedForever},
			{"", "/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "c"}, bannedForever},
			{"with a secret", "/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "c", "PlayerSecret": "x"}, bannedForever},
			{"", "/Client/LoginWithStreamingPlatform", nil, obj{"TitleId": "ABCDE", "AccessToken": token}, bannedForever},
			{"", "/Server/LoginWithStreamingPlatform", server, obj{"PlatformId": id, "AccessToken": token}, bannedForever},
			{"", "/Server/LoginWithServerCustomId", server, obj{"ServerCustomId": "s"}, bannedForever},
		}
		f.clock.advance(time.Minute)
		f.allRefused(t, ways)
		if a := f.account(id); a.LastLogin != a.Created || a.PreviousLogin != 0 || a.Secret != "" || a.StreamingName != "" {
			t.Errorf("a refused sign-in left something: %+v", a)
		}
		f.refused("wrong password of a banned player", f.call("/Client/LoginWithPlatform", nil, ways[0].body.with(obj{"Password": "wrong!"})), wrongUserPass)
		until := bannedForever
		until.details = `{"No reason given":["2026-03-04T05:08:07.89Z"]}`
		f.change(id, func(a *account.Account) { a.BannedUntil = f.clock.now().Add(time.Minute).UnixMilli() })
		f.refused("for a minute", f.call(ways[2].path, nil, ways[2].body), until)
		f.clock.advance(time.Minute)
		for _, w := range ways {
			f.result(f.call(w.path, w.headers, w.body.with(obj{"PlayerSecret": nil})))
		}
	})
}

// TestBanOfAnAddress: who is kept out before anybody is known makes no account
// either.
func TestBanOfAnAddress(t *testing.T) {
	f := newFixture(t, setup{})
	f.custom("known")
	cheat := f.idOf(f.custom("cheat"))
	f.result(f.call("/Server/BanUsers", f.server("ABCDE"), obj{"Bans": []obj{{"PlatformId": cheat, "IPAddress": "127.0.0.1", "Reason": "cheating"}}}))
	// That of a server says nothing about the player.
	f.result(f.call("/Server/LoginWithServerCustomId", f.server("ABCDE"), obj{"ServerCustomId": "by a server", "CreateAccount": true}))
	want := bannedForever
	want.details = `{"cheating":["Indefinite"]}`
	f.refused("known", f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "known"}), want)
	f.refused("new", f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "new", "CreateAccount": true}), want)
	f.refused("registration", f.register(ann), want)
	if n := f.count("players"); n != 3 {
		t.Errorf("%d players", n)
	}
	f.result(f.call("/Server/RevokeAllBansForUser", f.server("ABCDE"), obj{"PlatformId": cheat}))
	f.custom("known")
	f.result(f.register(ann))
}

// TestAllowedConstraints: a title may let clients see more of profiles.
func TestAllowedConstraints(t *testing.T) {
	f := newFixture(t, setup{titles: titles{listed: listed{"ABCDE": title.Settings{AllowedConstraints: []string{"ShowCreated", "ShowTags"}}}}})
	f.custom("x")
	body := func(flag string) obj {
		return obj{"TitleId": "ABCDE", "CustomId": "x", "InfoRequestParameters": obj{"ProfileConstraints": obj{flag: true}}}
	}
	f.result(f.call("/Client/LoginWithCustomID", nil, body("ShowTags")))
	want := constraints
	want.message = `Invalid view constraints. Allowed for this title: {\"ShowCreated\":true,\"ShowTags\":true}`
	f.refused("beyond", f.call("/Client/LoginWithCustomID", nil, body("ShowDisplayName")), want)
}

// TestOneAccountForEveryIdentity: 64 first sign-ins of one identity at the same
// time all succeed, as one player, made once, by whichever way; and of as many
// that bring a player secret one sets it.
func TestOneAccountForEveryIdentity(t *testing.T) {
	for _, tc := range []struct {
		path string
		body obj
	}{
		{"/Client/LoginWithCustomID", obj{"CustomId": "x"}},
		{"/Client/LoginWithOpenIdConnect", obj{"ConnectionId": "studio", "IdToken": "ann"}},
		{"/Server/LoginWithServerCustomId", obj{"ServerCustomId": "x"}},
		{"/Client/LoginWithStreamingPlatform", obj{}},
		{"/Server/LoginWithStreamingPlatform", obj{"PlatformId": "0"}},
	} {
		f := newFixture(t, withOpenID(setup{}))
		server, token := f.server("ABCDE"), f.token("1", "ann")
		body := tc.body.with(obj{"TitleId": "ABCDE", "AccessToken": token, "CreateAccount": true})
		ids, created, refused := map[string]int{}, 0, 0
		for _, a := range together(func(int) answer { return f.call(tc.path, server, body) }) {
			if strings.Contains(a.body, `"errorCode":1001`) && strings.Contains(tc.path, "Server/LoginWithStreaming") {
				refused++ // by then there was a player, and PlatformId did not name it
				continue
			}
			in := f.result(a)
			ids[f.idOf(in)]++
			if in["NewlyCreated"] == true {
				created++
			}
		}
		if len(ids) != 1 || created != 1 || f.count("players") != 1 || f.count("ledger") != 1 {
			t.Errorf("%s: %v, %d times made, %d refused, %d players, %d claims", tc.path, ids, created, refused, f.count("players"), f.count("ledger"))
		}
		for id := range ids {
			body = body.with(obj{"PlatformId": id, "PlayerSecret": "s3cr3t"})
		}
		got := codes(t, together(func(int) answer { return f.call(tc.path, server, body) }))
		if got[""] != 1 || got["PlayerSecretAlreadyConfigured"] != atOnce-1 {
			t.Errorf("%s: %v", tc.path, got)
		}
	}
}

// TestIdentityBounds walks along the edges of ids and secrets, which are counted
// in bytes.
func TestIdentityBounds(t *testing.T) {
	f := newFixture(t, setup{})
	server := f.server("ABCDE")
	of := func(s string, n int) string { return strings.Repeat(s, n) }
	for _, tc := range []struct {
		value string
		ok    bool
	}{
		{"", false}, {"x", true}, {of("x", 99), true}, {of("x", 100), true}, {of("x", 101), false},
		{of("é", 50), true}, {of("é", 51), false}, {of("𝄞", 25), true}, {of("𝄞", 26), false}, {of("e\u0301", 33), true}, {of("e\u0301", 34), false},
		{" ", true}, {"<script>", true}, {`"\/`, true}, {"a\x00b", false}, {"a\u0085b", false}, {"\u200b", true},
	} {
		for _, member := range []string{"CustomId", "ServerCustomId"} {
			path := map[string]string{"CustomId": "/Client/LoginWithCustomID", "ServerCustomId": "/Server/LoginWithServerCustomId"}[member]
			a := f.call(path, server, obj{"TitleId": "ABCDE", member: tc.value, "CreateAccount": true})
			if (a.status == 200) != tc.ok || !tc.ok && !strings.Contains(a.body, `"`+member+`":["`) {
				t.Errorf("%s %q: %d %s", member, tc.value, a.status, a.body)
			}
		}
	}
	// Ids are compared as they are: neither case nor Unicode's forms are folded.
	ids := map[string]bool{}
	for _, id := range []string{"é", "e\u0301", "É", "e"} {
		ids[f.idOf(f.custom(id))] = true
	}
	if len(ids) != 4 {
		t.Errorf("%d players for four ids", len(ids))
	}
	for i, tc := range []struct {
		secret string
		ok     bool
	}{{"x", true}, {of("x", 255), true}, {of("x", 256), true}, {of("x", 257), false}, {of("𝄞", 64), true}, {of("𝄞", 65), false}, {"\x00", true}} {
		in := f.custom(fmt.Sprint("secret", i))
		a := f.call("/Client/SetPlayerSecret", ticketOf(in), obj{"PlayerSecret": tc.secret})
		if (a.status == 200) != tc.ok {
			t.Errorf("secret of %d bytes: %d %s", len(tc.secret), a.status, a.body)
		}
		body := obj{"TitleId": "ABCDE", "CustomId": fmt.Sprint("secret", i)}
		if tc.ok {
			f.result(f.call("/Client/LoginWithCustomID", f.signed(body.text(), tc.secret), body))
		}
	}
}
