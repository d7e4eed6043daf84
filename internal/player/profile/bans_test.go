package profile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

// ban bans a player and gives the ban's id.
func (f *fixture) ban(a *calltest.Player, more obj) string {
	f.Helper()
	one := obj{"PlatformId": a.ID}
	for k, v := range more {
		one[k] = v
	}
	res := f.ok(f.Call("/Server/BanUsers", f.secrets[a.Title], obj{"Bans": []obj{one}}))
	return res["BanData"].([]any)[0].(obj)["BanId"].(string)
}

// banned is what sign-in learns of a player who comes from an address: the
// details of the refusal, or "".
func (f *fixture) banned(titleID, player, addr string) string {
	f.Helper()
	var ip netip.Addr
	if addr != "" {
		ip = netip.MustParseAddr(addr)
	}
	text := ""
	f.read(func(tx store.Tx) error {
		a, err := account.Get(tx, titleID, player)
		if err != nil {
			return err
		}
		text = ""
		err = f.service.KeepOut(tx, titleID, a, ip, f.Clock.Now().UnixMilli())
		if err == nil {
			return nil
		}
		var e *ludgate.Error
		if !errors.As(err, &e) || e.Code != "AccountBanned" || e.Message != "The account making this request is currently banned" || len(e.Details) != 1 {
			return err
		}
		text = e.Details[0].Target + ": " + e.Details[0].Message
		return nil
	})
	return text
}

// until is what the account row says.
func (f *fixture) until(a *calltest.Player) (until int64) {
	f.Helper()
	f.read(func(tx store.Tx) error {
		got, err := account.Get(tx, a.Title, a.ID)
		if err == nil {
			until = got.BannedUntil
		}
		return err
	})
	return until
}

func TestBans(t *testing.T) {
	for _, surface := range []string{"/Server/", "/Admin/"} {
		t.Run(surface, func(t *testing.T) {
			f := newNeutral(t)
			a, b := f.player("ABCDE", account.Account{}), f.player("ABCDE", account.Account{})
			res := f.ok(f.server(surface+"BanUsers", obj{"Bans": []obj{
				{"PlatformId": a.ID, "DurationInHours": 2, "Reason": "cheating", "IPAddress": "192.0.2.7"}, {"PlatformId": b.ID},
			}}))
			data := res["BanData"].([]any)
			first, second := data[0].(obj)["BanId"].(string), data[1].(obj)["BanId"].(string)
			info := func(p *calltest.Player, id, rest string) string {
				return `{"PlatformId":"` + p.ID + `","BanId":"` + id + `","Created":"2026-03-04T05:06:07.89Z",` + rest + `}`
			}
			cheat := info(a, first, `"IPAddress":"192.0.2.7","Expires":"2026-03-04T07:06:07.89Z","Reason":"cheating","Active":true`)
			endless := info(b, second, `"Expires":"9999-12-31T23:59:59.999Z","Active":true`)
			same(t, "made", data, `[`+cheat+`,`+endless+`]`)
			same(t, "listed", f.ok(f.server(surface+"GetUserBans", obj{"PlatformId": a.ID})), `{"BanData":[`+cheat+`]}`)
			if !slices.Equal(f.revoked.players, []string{"ABCDE/" + a.ID, "ABCDE/" + b.ID}) || f.revoked.refreshed != 1 {
				t.Errorf("revoked %v", f.revoked.players)
			}
			if f.until(a) != f.Clock.Now().Add(2*time.Hour).UnixMilli() || f.until(b) != account.Forever {
				t.Errorf("accounts say %d and %d", f.until(a), f.until(b))
			}
			for want, got := range map[string]string{
				"cheating: 2026-03-04T07:06:07.89Z": f.banned("ABCDE", a.ID, ""),
				"No reason given: Indefinite":       f.banned("ABCDE", b.ID, ""),
			} {
				if got != want {
					t.Errorf("refusal %q, want %q", got, want)
				}
			}
			same(t, "profile", f.profile(b, "ShowBannedUntil")["BannedUntil"], `"9999-12-31T23:59:59.999Z"`)

			f.Clock.Advance(2 * time.Hour) // the first one ends by itself
			if got := f.banned("ABCDE", a.ID, "192.0.2.7"); got != "" {
				t.Errorf("still banned: %s", got)
			}
			if got := f.profile(a, "ShowBannedUntil")["BannedUntil"]; got != nil {
				t.Errorf("BannedUntil %v", got)
			}
			over := strings.Replace(cheat, `"Active":true`, `"Active":false`, 1)
			same(t, "over", f.ok(f.server(surface+"GetUserBans", obj{"PlatformId": a.ID})), `{"BanData":[`+over+`]}`)

			ended := strings.Replace(endless, `"Active":true`, `"Active":false`, 1)
			same(t, "revoked", f.ok(f.server(surface+"RevokeBans", obj{"BanIds": []string{first, second, "unknown"}})), `{"BanData":[`+ended+`]}`)
			if f.until(b) != 0 || f.banned("ABCDE", b.ID, "") != "" {
				t.Error("still banned after the ban was revoked")
			}
			same(t, "nothing to revoke", f.ok(f.server(surface+"RevokeAllBansForUser", obj{"PlatformId": b.ID})), `{"BanData":[]}`)
		})
	}
}

func TestBansOfOnePlayer(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	day := f.ban(a, obj{"DurationInHours": 24, "Reason": "day"})
	f.ban(a, obj{"DurationInHours": 1, "Reason": "hour"})
	if got := f.banned("ABCDE", a.ID, ""); !strings.HasPrefix(got, "day: ") {
		t.Errorf("the longest tells, got %q", got)
	}
	f.ok(f.server("/Admin/RevokeBans", obj{"BanIds": []string{day}}))
	if got := f.banned("ABCDE", a.ID, ""); got != "hour: 2026-03-04T06:06:07.89Z" || f.until(a) != f.Clock.Now().Add(time.Hour).UnixMilli() {
		t.Errorf("left: %q, account %d", got, f.until(a))
	}
	got := f.ok(f.server("/Admin/RevokeAllBansForUser", obj{"PlatformId": a.ID}))["BanData"].([]any)
	if len(got) != 1 || f.until(a) != 0 || f.banned("ABCDE", a.ID, "") != "" {
		t.Errorf("revoked %v, account %d", got, f.until(a))
	}
}

func TestAddressBans(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	other := f.player("ABCDE", account.Account{})
	id := f.ban(a, obj{"IPAddress": "2001:DB8:0::7", "Reason": "farm"})
	f.ban(a, obj{"IPAddress": "::ffff:192.0.2.7", "Reason": "farm"})
	for _, c := range []struct{ title, player, addr, want string }{
		{"ABCDE", other.ID, "2001:db8::7", "farm: Indefinite"},
		{"ABCDE", "", "192.0.2.7", "farm: Indefinite"},
		{"ABCDE", "", "::ffff:192.0.2.7", "farm: Indefinite"},
		{"ABCDE", other.ID, "2001:db8::8", ""},
		{"ABCDE", other.ID, "", ""},
		{"20CA2", "", "192.0.2.7", ""},
	} {
		if got := f.banned(c.title, c.player, c.addr); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if f.until(other) != 0 {
		t.Error("an address ban marked another account")
	}
	f.ok(f.server("/Server/UpdateBans", obj{"Bans": []obj{{"BanId": id, "IPAddress": ""}}}))
	if f.banned("ABCDE", other.ID, "2001:db8::7") != "" || f.banned("ABCDE", a.ID, "") == "" {
		t.Error("the address was to go and the ban to stay")
	}
}

func TestUpdateBans(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	id := f.ban(a, obj{"DurationInHours": 1, "Reason": "r", "IPAddress": "192.0.2.7"})
	update := func(change obj) obj {
		t.Helper()
		change["BanId"] = id
		return obj(f.ok(f.server("/Admin/UpdateBans", obj{"Bans": []obj{change}}))["BanData"].([]any)[0].(obj))
	}
	want := func(got obj, expires, ip, reason string, active bool) {
		t.Helper()
		same(t, "ban", got, fmt.Sprintf(`{"PlatformId":%q,"BanId":%q,"Created":"2026-03-04T05:06:07.89Z","Expires":%q,"IPAddress":%q,"Reason":%q,"Active":%t}`,
			a.ID, id, expires, ip, reason, active))
	}
	want(update(obj{}), "2026-03-04T06:06:07.89Z", "192.0.2.7", "r", true)
	want(update(obj{"Expires": "2026-03-05T00:00:00Z", "Reason": "s", "IPAddress": "192.0.2.8"}), "2026-03-05T00:00:00Z", "192.0.2.8", "s", true)
	want(update(obj{"Permanent": true}), "9999-12-31T23:59:59.999Z", "192.0.2.8", "s", true)
	f.revoked.players = nil
	want(update(obj{"Active": false}), "9999-12-31T23:59:59.999Z", "192.0.2.8", "s", false)
	if f.until(a) != 0 || f.revoked.players != nil {
		t.Error("a ban that is not active")
	}
	want(update(obj{"Active": true}), "9999-12-31T23:59:59.999Z", "192.0.2.8", "s", true)
	if f.until(a) != account.Forever || len(f.revoked.players) != 1 {
		t.Error("a ban that is active again")
	}
	for text, bad := range map[string]obj{
		"has no ban nothing":      {"BanId": "nothing"},
		"The BanId field is":      {},
		"permanent or expires":    {"BanId": id, "Permanent": true, "Expires": "2027-01-01T00:00:00Z"},
		"must be a date and time": {"BanId": id, "Expires": "x"},
		"IPv4 or IPv6":            {"BanId": id, "IPAddress": "x"},
		"maximum length of 140":   {"BanId": id, "Reason": strings.Repeat("x", maxReason+1)},
	} {
		f.refused(f.server("/Server/UpdateBans", obj{"Bans": []obj{bad}}), "InvalidParams", 1000, text)
	}
}

func TestBanBounds(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	for text, bad := range map[string]any{
		"The Bans field is required.":       []obj{},
		"The PlatformId field is required.": []obj{{}},
		"IPv4 or IPv6":                      []obj{{"PlatformId": a.ID, "IPAddress": "192.0.2.0/24"}},
		"maximum length of 140":             []obj{{"PlatformId": a.ID, "Reason": strings.Repeat("é", maxReason+1)}},
		"wrong type":                        []obj{{"PlatformId": a.ID, "DurationInHours": -1}},
		"at most 100 elements":              slices.Repeat([]obj{{"PlatformId": a.ID}}, maxBansPerCall+1),
	} {
		f.refused(f.server("/Server/BanUsers", obj{"Bans": bad}), "InvalidParams", 1000, text)
	}
	f.refused(f.server("/Server/RevokeBans", obj{"BanIds": []string{}}), "InvalidParams", 1000, "The BanIds field is required.")
	f.refused(f.server("/Server/RevokeBans", obj{"BanIds": slices.Repeat([]string{"x"}, maxBansPerCall+1)}), "InvalidParams", 1000, "at most 100 elements")
	if f.until(a) != 0 {
		t.Error("a refused call banned")
	}
	// The longest there is ends before the last time of the wire.
	f.ban(a, obj{"DurationInHours": uint32(4294967295), "Reason": strings.Repeat("é", maxReason)})
	if f.until(a) != account.Forever {
		t.Errorf("until %d", f.until(a))
	}

	// One player who does not exist, and nobody is banned.
	b := f.player("ABCDE", account.Account{})
	f.refused(f.server("/Server/BanUsers", obj{"Bans": []obj{{"PlatformId": b.ID}, {"PlatformId": "0"}}}), "UserisNotValid", 1030, "no player 0")
	if f.until(b) != 0 {
		t.Error("half a call took effect")
	}
}

// TestBansOfTitlesAreApart: the key of one title neither sees nor ends the bans
// of another.
func TestBansOfTitlesAreApart(t *testing.T) {
	f := newNeutral(t)
	a := f.player("20CA2", account.Account{})
	id := f.ban(a, nil)
	same(t, "not ours", f.ok(f.server("/Server/RevokeBans", obj{"BanIds": []string{id}})), `{"BanData":[]}`)
	f.refused(f.server("/Server/UpdateBans", obj{"Bans": []obj{{"BanId": id, "Active": false}}}), "InvalidParams", 1000, "has no ban")
	if f.until(a) != account.Forever {
		t.Error("another title ended the ban")
	}
}

// TestBanSurvivesStricterNames: two players who share a display name can be
// banned also after the title has made names unique.
func TestBanSurvivesStricterNames(t *testing.T) {
	f := newNeutral(t)
	twins := make([]*account.Account, 2)
	for i := range twins {
		twins[i] = &account.Account{Title: "ABCDE", DisplayName: "Twin", Origination: account.Organic}
		f.write(func(tx store.Tx) error {
			return account.Create(tx, twins[i], account.Options{DuplicateNames: true}, f.Clock.Now().UnixMilli())
		})
		f.ban(&calltest.Player{Account: twins[i]}, nil)
	}
	if f.until(&calltest.Player{Account: twins[0]}) == 0 || f.until(&calltest.Player{Account: twins[1]}) == 0 {
		t.Error("not banned")
	}
}

// TestRevokerThatFails: a ban whose sessions cannot be ended does not happen; one
// that this node cannot read back at once does.
func TestRevokerThatFails(t *testing.T) {
	broken := &brokenRevoker{revoke: errors.New("broken")}
	f := newFixture(t, wire.Neutral, func(o *Options) { o.Revoker = broken })
	a := f.player("ABCDE", account.Account{})
	ban := obj{"Bans": []obj{{"PlatformId": a.ID}}}
	if got := f.server("/Server/BanUsers", ban); got.Status != 500 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if f.until(a) != 0 || f.banned("ABCDE", a.ID, "") != "" {
		t.Error("banned all the same")
	}
	broken.revoke = nil
	f.ok(f.server("/Server/BanUsers", ban))
	if f.until(a) != account.Forever {
		t.Error("not banned")
	}
}

type brokenRevoker struct{ revoke error }

func (b *brokenRevoker) Revoke(store.Tx, string, string, time.Time) error { return b.revoke }
func (b *brokenRevoker) Refresh(context.Context) error                    { return errors.New("broken") }

// TestBansEndSessions: with the real revocations a ticket is worth nothing as
// soon as the ban was answered, and one that is made after the ban is good.
func TestBansEndSessions(t *testing.T) {
	st := storetest.Open(t, account.Area, title.Area, Area, revocation.Area)
	clock := &calltest.Clock{}
	set := mustSet(t, st, clock)
	r := calltest.New(t, calltest.Options{Store: st, Revoked: set.Revoked})
	clock.Advance(time.Duration(r.Clock.Now().UnixNano()))
	s := open(t, r.Gate, Options{Revoker: set})
	r.Serve(s.Routes()...)
	a, key := r.Player("ABCDE"), r.Secret("ABCDE")
	ticket := a.Session()
	r.Call("/Client/GetPlayerProfile", ticket, obj{}).Result()
	r.Clock.Advance(time.Second)
	clock.Advance(time.Second)
	r.Call("/Server/BanUsers", key, obj{"Bans": []obj{{"PlatformId": a.ID}}}).Result()
	r.Call("/Client/GetPlayerProfile", ticket, obj{}).Refused("NotAuthenticated", 1074)
	r.Call("/Server/RevokeAllBansForUser", key, obj{"PlatformId": a.ID}).Result()
	r.Call("/Client/GetPlayerProfile", ticket, obj{}).Refused("NotAuthenticated", 1074)
	r.Clock.Advance(time.Second)
	clock.Advance(time.Second)
	r.Call("/Client/GetPlayerProfile", a.Session(), obj{}).Result()
}

func mustSet(t *testing.T, st store.Store, clock *calltest.Clock) *revocation.Set {
	t.Helper()
	set, err := revocation.Open(t.Context(), revocation.Options{Store: st, Clock: clock.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return set
}
