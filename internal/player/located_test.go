package player

import (
	"net/netip"
	"strings"
	"testing"

	"ludgate/internal/geo"
	"ludgate/internal/player/title"
	"ludgate/internal/streaming/platform"
)

// onLoopback knows one place: this machine.
type onLoopback struct{}

func (onLoopback) Locate(a netip.Addr) (geo.Place, bool) {
	return geo.Place{Continent: "EU", Country: "FI"}, a.IsLoopback()
}

// TestSignInsAreLocated: with a location database, a profile tells where its
// player registered or signed in from.
func TestSignInsAreLocated(t *testing.T) {
	f := newFixture(t, setup{
		titles:  titles{spring: &title.Settings{StreamingClientID: platform.ClientID, AllowedConstraints: []string{"ShowLocations"}}},
		options: func(o *Options) { o.Profile.Locator = onLoopback{} },
	})
	body := obj{"TitleId": "ABCDE", "AccessToken": f.token("77", "ann"), "CreateAccount": true,
		"InfoRequestParameters": obj{"GetPlayerProfile": true, "ProfileConstraints": obj{"ShowLocations": true}}}
	f.result(f.signIn(body)) // a new player has no profile yet
	const want = `"Locations":[{"ContinentCode":"EU","CountryCode":"FI"}]`
	if got := f.signIn(body); got.status != 200 || !strings.Contains(got.body, want) {
		t.Errorf("no %s in %d %s", want, got.status, got.body)
	}
	f.result(f.register(ann))
	if n := f.count("player_locations"); n != 2 {
		t.Errorf("%d places of two players", n)
	}
}

// TestBannedSignIns: a player who is banned, and whoever comes from a banned address, hears why and until when, and leaves no trace.
func TestBannedSignIns(t *testing.T) {
	f := newFixture(t, setup{})
	body := obj{"TitleId": "ABCDE", "AccessToken": f.token("77", "ann"), "CreateAccount": true}
	id := f.result(f.signIn(body))["PlatformId"].(string)
	ban := func(address string) {
		f.result(f.call("/Server/RevokeAllBansForUser", f.server("ABCDE"), obj{"PlatformId": id}))
		f.result(f.call("/Server/BanUsers", f.server("ABCDE"),
			obj{"Bans": []obj{{"PlatformId": id, "DurationInHours": 1, "Reason": "cheating", "IPAddress": address}}}))
	}
	ban("")
	const want = `"error":"AccountBanned","errorCode":1002,"errorMessage":"The account making this request is currently banned","errorDetails":{"cheating":["2026-03-04T06:06:07.89Z"]}`
	refused := func(what string, a answer) {
		t.Helper()
		if a.status != 400 || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	refused("the banned player", f.signIn(body))
	other := body.with(obj{"AccessToken": f.token("78", "bob")})
	f.result(f.signIn(other))
	ban("127.0.0.1")
	refused("another player from the address", f.signIn(other))
	refused("a new player from the address", f.signIn(body.with(obj{"AccessToken": f.token("79", "cat")})))
	refused("a registration from the address", f.register(ann))
	if n := f.count("players"); n != 2 {
		t.Errorf("%d players, want 2", n)
	}
	f.clock.advance(3_600_000_000_000)
	f.result(f.signIn(body.with(obj{"AccessToken": f.token("77", "ann")})))
	f.result(f.register(ann))
}
