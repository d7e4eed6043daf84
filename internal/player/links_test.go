package player

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"ludgate/internal/player/account"
	"ludgate/internal/wire"
)

// way is one way to link an account and to sign in by it.
type way struct {
	what         string
	link, unlink string // paths
	enter        string
	identity     func(f *fixture, who string) obj // of the link
	gone         obj                              // what the unlink names beside the player
	login        func(f *fixture, who string) obj
	byServer     bool
	claimed      refusal // when another player has the identity
	absent       refusal // unlinking what is not there
}

var ways = []way{
	{
		what: "streaming", link: "/Client/LinkStreamingPlatform", unlink: "/Client/UnlinkStreamingPlatform", enter: "/Client/LoginWithStreamingPlatform",
		identity: func(f *fixture, who string) obj { return obj{"AccessToken": f.token(who, "login")} },
		login:    func(f *fixture, who string) obj { return obj{"TitleId": "ABCDE", "AccessToken": f.token(who, "login")} },
		claimed:  claimedByOther, absent: notLinked,
	},
	{
		what: "streaming, by a server", link: "/Server/LinkStreamingAccount", unlink: "/Server/UnlinkStreamingAccount", enter: "/Client/LoginWithStreamingPlatform",
		identity: func(f *fixture, who string) obj { return obj{"AccessToken": f.token(who, "login")} },
		login:    func(f *fixture, who string) obj { return obj{"TitleId": "ABCDE", "AccessToken": f.token(who, "login")} },
		byServer: true, claimed: idClaimedByOther, absent: notLinked,
	},
	{
		what: "custom id", link: "/Client/LinkCustomID", unlink: "/Client/UnlinkCustomID", enter: "/Client/LoginWithCustomID",
		identity: func(_ *fixture, who string) obj { return obj{"CustomId": who} },
		login:    func(_ *fixture, who string) obj { return obj{"TitleId": "ABCDE", "CustomId": who} },
		claimed:  idClaimedByOther, absent: notLinked,
	},
	{
		what: "server custom id", link: "/Server/LinkServerCustomId", unlink: "/Server/UnlinkServerCustomId", enter: "/Server/LoginWithServerCustomId",
		identity: func(_ *fixture, who string) obj { return obj{"ServerCustomId": who} },
		login:    func(_ *fixture, who string) obj { return obj{"ServerCustomId": who} },
		gone:     obj{"ServerCustomId": "1"}, byServer: true, claimed: idClaimedByOther, absent: notLinked,
	},
	{
		what: "OpenID Connect", link: "/Client/LinkOpenIdConnect", unlink: "/Client/UnlinkOpenIdConnect", enter: "/Client/LoginWithOpenIdConnect",
		identity: func(_ *fixture, who string) obj { return obj{"ConnectionId": "studio", "IdToken": who} },
		login: func(_ *fixture, who string) obj {
			return obj{"TitleId": "ABCDE", "ConnectionId": "studio", "IdToken": who}
		},
		gone: obj{"ConnectionId": "studio"}, claimed: idClaimedByOther, absent: notLinked,
	},
}

// linker makes the links of one player.
type linker struct {
	*fixture
	way
	id     string
	proof  headers
	server headers
}

func (f *fixture) linker(w way, username string) *linker {
	f.t.Helper()
	in := f.result(f.register(obj{"TitleId": "ABCDE", "Username": username, "Password": "secret", "RequireBothUsernameAndEmail": false}))
	l := &linker{fixture: f, way: w, id: f.idOf(in), proof: ticketOf(in), server: f.server("ABCDE")}
	if w.byServer {
		l.proof = l.server
	}
	return l
}

func (l *linker) named(body obj) obj {
	if l.byServer {
		return body.with(obj{"PlatformId": l.id})
	}
	return body
}

func (l *linker) doLink(who string, force bool) answer {
	l.t.Helper()
	return l.call(l.link, l.proof, l.named(l.identity(l.fixture, who).with(obj{"ForceLink": force})))
}

func (l *linker) doUnlink() answer {
	l.t.Helper()
	return l.call(l.unlink, l.proof, l.named(obj{}.with(l.gone)))
}

// player is who signs in by an identity; "" for nobody.
func (l *linker) player(who string) string {
	l.t.Helper()
	a := l.call(l.enter, l.server, l.login(l.fixture, who))
	if strings.Contains(a.body, `"errorCode":1001`) {
		return ""
	}
	return l.idOf(l.result(a))
}

// TestLinks links, takes, gives up and links again, by every way.
func TestLinks(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		for _, w := range ways {
			t.Run(w.what, func(t *testing.T) {
				f := newFixture(t, withOpenID(setup{naming: n}))
				f.t = t
				a, b := f.linker(w, "anna"), f.linker(w, "bert")
				f.refused("unlink before", a.doUnlink(), w.absent)
				if r := f.result(a.doLink("1", false)); len(r) != 0 {
					t.Errorf("result of a link: %v", r)
				}
				if got := a.player("1"); got != a.id {
					t.Errorf("signed in as %q, want %s", got, a.id)
				}
				f.refused("another player's", b.doLink("1", false), w.claimed)
				if a.player("1") != a.id {
					t.Error("a refused link moved the identity")
				}
				f.result(b.doLink("1", true))
				if b.player("1") != b.id {
					t.Error("a forced link did not move the identity")
				}
				f.refused("unlink what was taken", a.doUnlink(), w.absent)
				f.result(a.doLink("2", true)) // nobody's: force changes nothing
				if a.player("2") != a.id {
					t.Error("linking again failed")
				}
				f.change(b.id, func(a *account.Account) { a.BannedUntil = account.Forever })
				a.result(a.call(w.unlink, a.proof, a.named(obj{}.with(w.gone).with(second(w)))))
				for _, force := range []bool{false, true} {
					f.refused(fmt.Sprint("a banned player's, forced ", force), a.doLink("1", force), linkedToBanned)
				}
				f.change(b.id, func(a *account.Account) { a.BannedUntil = 0 })
				f.result(b.doUnlink())
				if got := b.player("1"); got != "" {
					t.Errorf("after the unlink %s signs in", got)
				}
				if claims := f.count("ledger"); claims != 2 {
					t.Errorf("%d names are claimed, want the two user names", claims)
				}
			})
		}
	})
}

// second is what names the second identity where an unlink has to name it.
func second(w way) obj {
	if w.what == "server custom id" {
		return obj{"ServerCustomId": "2"}
	}
	return obj{}
}

func TestLinkRefusals(t *testing.T) {
	long := strings.Repeat("x", 101)
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		s := withOpenID(setup{naming: n})
		s.titles.listed = listed{"FFF": {}}
		f := newFixture(t, s)
		in := f.result(f.register(ann))
		ticket, server, id := ticketOf(in), f.server("ABCDE"), f.idOf(in)
		bare := ticketOf(f.result(f.register(ann.with(obj{"TitleId": "FFF"}))))
		bareServer := f.server("FFF")
		const (
			link, unlink     = "/Client/LinkStreamingPlatform", "/Client/UnlinkStreamingPlatform"
			sLink, sUnlink   = "/Server/LinkStreamingAccount", "/Server/UnlinkStreamingAccount"
			custom, uncustom = "/Client/LinkCustomID", "/Client/UnlinkCustomID"
			sCustom          = "/Server/LinkServerCustomId"
			sUncustom        = "/Server/UnlinkServerCustomId"
			open, unopen     = "/Client/LinkOpenIdConnect", "/Client/UnlinkOpenIdConnect"
			nobody           = "0123456789ABCDEF"
		)
		token := f.token("1", "ann")
		f.allRefused(t, []attempt{
			{"no ticket", link, nil, obj{"AccessToken": token}, noTicket},
			{"bad ticket", link, headers{"X-Authorization": "x"}, obj{"AccessToken": token}, badTicket},
			{"no token", link, ticket, obj{}, f.lacks("AccessToken")},
			{"made-up token", link, ticket, obj{"AccessToken": "x"}, badToken},
			{"not configured", link, bare, obj{"AccessToken": "x"}, notConfigured},
			{"not configured", unlink, bare, obj{}, notConfigured},
			{"not configured, with a token", unlink, bare, obj{"AccessToken": "x"}, notConfigured},
			{"not linked", unlink, ticket, obj{"AccessToken": token}, notLinked},
			{"made-up token", unlink, ticket, obj{"AccessToken": "x"}, badToken},

			{"no key", sLink, nil, obj{"PlatformId": id, "AccessToken": token}, badSecretKey},
			{"no player", sLink, server, obj{"AccessToken": token}, f.lacks("PlatformId")},
			{"no token", sLink, server, obj{"PlatformId": id}, f.lacks("AccessToken")},
			{"unknown player", sLink, server, obj{"PlatformId": nobody, "AccessToken": token}, notFound},
			{"a player of another title", sLink, f.server("AAA"), obj{"PlatformId": id, "AccessToken": token}, notFound},
			{"a player that cannot be", sLink, server, obj{"PlatformId": "a\x00b", "AccessToken": token}, notFound},
			{"made-up token", sLink, server, obj{"PlatformId": id, "AccessToken": "x"}, badToken},
			{"not configured", sLink, bareServer, obj{"PlatformId": id, "AccessToken": "x"}, notConfigured},
			{"not configured", sUnlink, bareServer, obj{"PlatformId": id}, notConfigured},
			{"no player", sUnlink, server, obj{}, f.lacks("PlatformId")},
			{"unknown player", sUnlink, server, obj{"PlatformId": nobody}, notFound},
			{"not linked", sUnlink, server, obj{"PlatformId": id}, notLinked},

			{"no id", custom, ticket, obj{"CustomId": ""}, f.lacks("CustomId")},
			{"long id", custom, ticket, obj{"CustomId": long}, f.fault("CustomId", "The field CustomId must be a string with a maximum length of 100.")},
			{"no ticket", custom, nil, obj{"CustomId": "x"}, noTicket},
			{"not linked", uncustom, ticket, obj{}, notLinked},
			{"not linked, named", uncustom, ticket, obj{"CustomId": "x"}, notLinked},

			{"no id", sCustom, server, obj{"PlatformId": id}, f.lacks("ServerCustomId")},
			{"long id", sCustom, server, obj{"PlatformId": id, "ServerCustomId": long}, f.fault("ServerCustomId", "The field ServerCustomId must be a string with a maximum length of 100.")},
			{"unknown player", sCustom, server, obj{"PlatformId": nobody, "ServerCustomId": "x"}, notFound},
			{"no id", sUncustom, server, obj{"PlatformId": id}, f.lacks("ServerCustomId")},
			{"unknown player", sUncustom, server, obj{"PlatformId": nobody, "ServerCustomId": "x"}, notFound},

			{"no token", open, ticket, obj{"ConnectionId": "studio"}, f.lacks("IdToken")},
			{"unknown connection", open, ticket, obj{"ConnectionId": "x", "IdToken": "x"}, noConnection},
			{"bad token", open, ticket, obj{"ConnectionId": "studio", "IdToken": "bad"}, badIDToken},
			{"not configured", open, bare, obj{"ConnectionId": "studio", "IdToken": "x"}, notConfigured},
			{"no connection", unopen, ticket, obj{}, f.lacks("ConnectionId")},
			{"not linked", unopen, ticket, obj{"ConnectionId": "studio"}, notLinked},
		})

		// What is there already.
		f.result(f.call(link, ticket, obj{"AccessToken": token}))
		f.result(f.call(custom, ticket, obj{"CustomId": "one"}))
		f.result(f.call(sCustom, server, obj{"PlatformId": id, "ServerCustomId": "one"}))
		f.result(f.call(open, ticket, obj{"ConnectionId": "studio", "IdToken": "ann"}))
		f.allRefused(t, []attempt{
			{"the same identity again", link, ticket, obj{"AccessToken": token, "ForceLink": true}, alreadyLinked},
			{"a second identity", link, ticket, obj{"AccessToken": f.token("2", "ann"), "ForceLink": true}, alreadyLinked},
			{"a second identity", sLink, server, obj{"PlatformId": id, "AccessToken": f.token("2", "ann")}, alreadyLinked},
			{"another identity's token", unlink, ticket, obj{"AccessToken": f.token("2", "ann")}, notLinked},
			{"another id", uncustom, ticket, obj{"CustomId": "two"}, idNotLinked},
			{"another id", sUncustom, server, obj{"PlatformId": id, "ServerCustomId": "two"}, idNotLinked},
			{"a second identity of the connection", open, ticket, obj{"ConnectionId": "studio", "IdToken": "bob"}, alreadyLinked},
			{"the same person by another connection", open, ticket, obj{"ConnectionId": "again", "IdToken": "ann"}, alreadyLinked},
			{"another connection", unopen, ticket, obj{"ConnectionId": "other"}, notLinked},
		})
		// A custom id is replaced, and linking the same one again is no fault.
		f.result(f.call(custom, ticket, obj{"CustomId": "one"}))
		f.result(f.call(custom, ticket, obj{"CustomId": "two"}))
		f.refused("the id of before", f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "one"}), notFound)
		f.result(f.call(open, ticket, obj{"ConnectionId": "other", "IdToken": "ann"}))

		info := f.result(f.call("/Client/GetAccountInfo", ticket, obj{}))["AccountInfo"].(map[string]any)
		got := obj{}
		for _, k := range []string{f.word("StreamingInfo"), "CustomIdInfo", "ServerCustomIdInfo", "OpenIdInfo"} {
			got[k] = info[k]
		}
		sameJSON(t, "linked accounts", got.text(), `{"`+f.word("StreamingInfo")+`":{"`+f.word("StreamingId")+`":"1","`+f.word("StreamingUserName")+`":"ann"},`+
			`"CustomIdInfo":{"CustomId":"two"},"ServerCustomIdInfo":{"CustomId":"one"},`+
			`"OpenIdInfo":[{"ConnectionId":"studio","Issuer":"https://id.example","Subject":"ann"},{"ConnectionId":"other","Issuer":"https://other.example","Subject":"ann"}]}`)
	})
}

// TestOneOfManyLinks: 64 players who want one identity at the same time: one has
// it. With force all succeed, and in the end one has it.
func TestOneOfManyLinks(t *testing.T) {
	for _, force := range []bool{false, true} {
		f := newFixture(t, setup{})
		tickets := make([]headers, atOnce)
		for i := range tickets {
			tickets[i] = ticketOf(f.custom(fmt.Sprint(i)))
		}
		token := f.token("1", "ann")
		got := codes(t, together(func(i int) answer {
			return f.call("/Client/LinkStreamingPlatform", tickets[i], obj{"AccessToken": token, "ForceLink": force})
		}))
		want := map[string]int{"": 1, "LinkedAccountAlreadyClaimed": atOnce - 1}
		if force {
			want = map[string]int{"": atOnce}
		}
		linked := 0
		for _, a := range f.accounts() {
			if a.StreamingID == "1" {
				linked++
			}
		}
		if !maps.Equal(got, want) || linked != 1 || f.count("ledger") != atOnce+1 {
			t.Errorf("force %v: %v, %d linked, %d names", force, got, linked, f.count("ledger"))
		}
	}
}

// TestLinkBesideSignIn: one identity is linked, unlinked and signed in with, new
// accounts included, all at the same time. Whoever has it in the end is one.
func TestLinkBesideSignIn(t *testing.T) {
	f := newFixture(t, setup{})
	ticket := ticketOf(f.custom("ann"))
	answers := together(func(i int) answer {
		switch i % 4 {
		case 0:
			return f.call("/Client/LinkCustomID", ticket, obj{"CustomId": "shared", "ForceLink": true})
		case 1:
			return f.call("/Client/UnlinkCustomID", ticket, obj{"CustomId": "shared"})
		default:
			return f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "shared", "CreateAccount": true})
		}
	})
	for name := range codes(t, answers) {
		if name != "" && name != "CustomIdNotLinked" && name != "AccountNotLinked" {
			t.Errorf("a call was refused with %s", name)
		}
	}
	has := map[string]int{}
	for _, a := range f.accounts() {
		if a.CustomID != "" {
			has[a.CustomID]++
		}
	}
	if has["shared"] > 1 || int64(len(has)) != f.count("ledger") {
		t.Errorf("ids and who has them: %v, %d names", has, f.count("ledger"))
	}
}

// TestLinksThatCross: two players take each other's identities, again and again
// at the same time. Every call succeeds, and each identity has one player.
func TestLinksThatCross(t *testing.T) {
	f := newFixture(t, setup{})
	ids := []string{"one", "two"}
	tickets := []headers{ticketOf(f.custom(ids[0])), ticketOf(f.custom(ids[1]))}
	got := codes(t, together(func(i int) answer {
		return f.call("/Client/LinkCustomID", tickets[i%2], obj{"CustomId": ids[(i/2)%2], "ForceLink": true})
	}))
	has := map[string]int64{}
	for _, a := range f.accounts() {
		if a.CustomID != "" {
			has[a.CustomID]++
		}
	}
	var claims int64
	for id, n := range has {
		if claims += n; n != 1 {
			t.Errorf("%s: %d players", id, n)
		}
	}
	if got[""] != atOnce || f.count("ledger") != claims {
		t.Errorf("%v; %v, %d claims", got, has, f.count("ledger"))
	}
}
