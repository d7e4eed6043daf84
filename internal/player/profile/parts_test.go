package profile

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"ludgate/internal/geo"
	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

func TestAvatar(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	shown := func() any { return f.profile(a, "ShowAvatarUrl")["AvatarUrl"] }
	set := func(url any) answer { return f.client(a, "/Client/UpdateAvatarUrl", obj{"ImageUrl": url}) }
	f.ok(set("https://img.example/a.png?s=1#x"))
	same(t, "avatar", shown(), `"https://img.example/a.png?s=1#x"`)
	f.ok(f.server("/Server/UpdateAvatarUrl", obj{"PlatformId": a.ID, "ImageUrl": "http://img.example/ä.png"}))
	same(t, "avatar", shown(), `"http://img.example/ä.png"`)
	for _, bad := range []string{"javascript:alert(1)", "img.example/a.png", "//img.example/a", "https://", "https://u:p@img.example/", "ftp://x.example/a", "data:image/png;base64,AA", "https://x.example/%zz"} {
		f.refused(set(bad), "InvalidParams", 1000, "must be an http or https URL")
	}
	at := func(n int) string { return "https://x.example/" + strings.Repeat("a", n-len("https://x.example/")) }
	f.ok(set(at(maxURL)))
	f.refused(set(at(maxURL+1)), "InvalidParams", 1000, "maximum length of 2048")
	f.refused(set(nil), "InvalidParams", 1000, "The ImageUrl field is required.")
	f.ok(set(""))
	if got := shown(); got != nil {
		t.Errorf("avatar %v after it was taken away", got)
	}
}

func TestLocations(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	set := func(o obj) answer {
		f.Clock.Advance(time.Second)
		o["PlatformId"] = a.ID
		return f.server("/Server/SetPlayerLocation", o)
	}
	shown := func() []any { return f.profile(a, "ShowLocations")["Locations"].([]any) }
	f.ok(set(obj{"ContinentCode": "OC", "CountryCode": "NZ", "City": "Ōamaru", "Latitude": -45.1, "Longitude": 170.97}))
	f.ok(set(obj{"CountryCode": "TV"}))
	same(t, "locations", shown(), `[{"ContinentCode":"Unknown","CountryCode":"TV"},
		{"ContinentCode":"OC","CountryCode":"NZ","City":"Ōamaru","Latitude":-45.1,"Longitude":170.97}]`)
	f.ok(set(obj{"ContinentCode": "OC", "CountryCode": "NZ", "City": "Ōamaru", "Latitude": 0, "Longitude": 0})) // seen again, elsewhere in town
	same(t, "locations", shown(), `[{"ContinentCode":"OC","CountryCode":"NZ","City":"Ōamaru","Latitude":0,"Longitude":0},
		{"ContinentCode":"Unknown","CountryCode":"TV"}]`)
	for i := range maxLocations {
		f.ok(set(obj{"City": fmt.Sprint("c", i)}))
	}
	if got := shown(); len(got) != maxLocations || got[0].(obj)["City"] != "c9" || got[9].(obj)["City"] != "c0" {
		t.Errorf("latest ten: %v", got)
	}
	f.ok(f.server("/Server/RemovePlayerLocations", obj{"PlatformId": a.ID}))
	same(t, "none", shown(), `[]`)
	for text, bad := range map[string]obj{
		"must be AF, AN":           {"ContinentCode": "XX", "CountryCode": "NZ"},
		"ISO 3166-1":               {"CountryCode": "XK"},
		"two letters":              {"CountryCode": "nz"},
		"come together":            {"CountryCode": "NZ", "Latitude": 1},
		"between -90 and 90":       {"Latitude": 90.01, "Longitude": 0},
		"between -180 and 180":     {"Latitude": 0, "Longitude": -180.01},
		"needs at least":           {},
		"a maximum length of 100":  {"City": strings.Repeat("x", maxCity+1)},
		"wrong type":               {"CountryCode": "NZ", "Latitude": "1", "Longitude": 2},
		"must not contain control": {"City": "a\tb"},
	} {
		f.refused(set(bad), "InvalidParams", 1000, text)
	}
	f.ok(set(obj{"Latitude": -90, "Longitude": 180}))
}

func TestCountries(t *testing.T) {
	all := strings.Fields(countries)
	if len(all) != 249 {
		t.Errorf("%d countries, ISO 3166-1 has 249", len(all))
	}
	for i, c := range all {
		if len(c) != 2 || i > 0 && c <= all[i-1] || !CountryCode(c).Known() {
			t.Errorf("%q is out of place", c)
		}
	}
	for _, no := range []CountryCode{"", "X", "AD ", "D A", "UK", "EU", "unknown", "USA"} {
		if no.Known() {
			t.Errorf("%q is known", no)
		}
	}
}

// locator knows a few addresses.
type locator map[string]geo.Place

func (l locator) Locate(addr netip.Addr) (geo.Place, bool) {
	p, ok := l[addr.String()]
	return p, ok
}

func TestSignInsAreLocated(t *testing.T) {
	f := newFixture(t, wire.Neutral, func(o *Options) {
		o.Locator = locator{
			"192.0.2.7": {Continent: "EU", Country: "IE", Located: true, Latitude: 53.5, Longitude: -8},
			"192.0.2.1": {}, "192.0.2.2": {Country: "IE", Located: true, Latitude: 91}, "192.0.2.3": {Country: "IE", City: strings.Repeat("x", 101)},
			"192.0.2.4": {Continent: "XX", Country: "XK", City: "Pristina"},
		}
	})
	a := f.player("ABCDE", account.Account{})
	for _, addr := range []string{"192.0.2.8", "192.0.2.1", "192.0.2.2", "192.0.2.3"} {
		if got := f.service.Locate(netip.MustParseAddr(addr)); got != nil {
			t.Errorf("%s has a place: %+v", addr, got)
		}
	}
	if f.service.Locate(netip.Addr{}) != nil {
		t.Error("a place for no address")
	}
	same(t, "a territory without a code", f.service.Locate(netip.MustParseAddr("192.0.2.4")), `{"ContinentCode":"Unknown","CountryCode":"Unknown","City":"Pristina"}`)
	place := f.service.Locate(netip.MustParseAddr("192.0.2.7"))
	seen := func() (at int64) {
		f.write(func(tx store.Tx) error { return f.service.Seen(tx, "ABCDE", a.ID, place, f.Clock.Now()) })
		f.read(func(tx store.Tx) error {
			rows, err := loadLocations(tx, "ABCDE", a.ID)
			if len(rows) != 1 {
				t.Errorf("%d places", len(rows))
				return err
			}
			at = rows[0].Seen
			return err
		})
		return at
	}
	first := seen()
	f.Clock.Advance(seenAgain - 1*time.Second)
	if seen() != first {
		t.Error("noted anew within a day")
	}
	f.Clock.Advance(time.Second)
	if seen() == first {
		t.Error("not noted anew after a day")
	}
	same(t, "locations", f.profile(a, "ShowLocations")["Locations"], `[{"ContinentCode":"EU","CountryCode":"IE","Latitude":53.5,"Longitude":-8}]`)
	f.write(func(tx store.Tx) error { return f.service.Seen(tx, "ABCDE", a.ID, nil, f.Clock.Now()) })
	if newNeutral(t).service.Locate(netip.MustParseAddr("192.0.2.7")) != nil {
		t.Error("a place without a locator")
	}
}

func TestMemberships(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	set := func(o obj) answer {
		o["PlatformId"] = a.ID
		return f.server("/Server/SetPlayerMembership", o)
	}
	shown := func(want string) {
		t.Helper()
		same(t, "memberships", f.profile(a, "ShowMemberships")["Memberships"], want)
	}
	shown(`[]`)
	f.ok(set(obj{"MembershipId": "gold", "Subscriptions": []obj{
		{"SubscriptionId": "s1", "SubscriptionItemId": "monthly", "SubscriptionProvider": "Store", "InitialSubscriptionTime": "2025-01-01T00:00:00Z", "Expiration": "2026-03-04T06:06:07.890Z", "Status": "FreeTrial"},
		{"SubscriptionId": "s2", "Expiration": "2026-03-04T05:06:07+01:00"},
	}}))
	s1 := `{"SubscriptionId":"s1","SubscriptionItemId":"monthly","SubscriptionProvider":"Store","InitialSubscriptionTime":"2025-01-01T00:00:00Z","Expiration":"2026-03-04T06:06:07.89Z","IsActive":%t,"Status":"FreeTrial"}`
	s2 := `{"SubscriptionId":"s2","InitialSubscriptionTime":"2026-03-04T05:06:07.89Z","Expiration":"2026-03-04T04:06:07Z","IsActive":false,"Status":"NoError"}`
	gold := func(active bool, override string, sub bool) string {
		return fmt.Sprintf(`[{"MembershipId":"gold","IsActive":%t,"MembershipExpiration":"2026-03-04T06:06:07.89Z",%s,"Subscriptions":[`+s1+`,%s]}]`, active, override, sub, s2)
	}
	shown(gold(true, `"OverrideIsSet":false`, true))
	f.Clock.Advance(time.Hour) // to the millisecond at which it ends
	shown(gold(false, `"OverrideIsSet":false`, false))
	override := func(at string) answer {
		return f.server("/Admin/SetMembershipOverride", obj{"PlatformId": a.ID, "MembershipId": "gold", "ExpirationTime": at})
	}
	f.ok(override("2026-03-04T06:06:07.891Z"))
	shown(gold(true, `"OverrideIsSet":true,"OverrideExpiration":"2026-03-04T06:06:07.891Z"`, false))
	f.Clock.Advance(time.Millisecond)
	shown(gold(false, `"OverrideIsSet":true,"OverrideExpiration":"2026-03-04T06:06:07.891Z"`, false))

	// Set anew: other subscriptions, the override stays; then it goes.
	f.ok(set(obj{"MembershipId": "gold", "MembershipExpiration": "2026-06-01T00:00:00Z"}))
	shown(`[{"MembershipId":"gold","IsActive":false,"MembershipExpiration":"2026-06-01T00:00:00Z","OverrideIsSet":true,"OverrideExpiration":"2026-03-04T06:06:07.891Z","Subscriptions":[]}]`)
	f.ok(f.server("/Admin/RemoveMembershipOverride", obj{"PlatformId": a.ID, "MembershipId": "gold"}))
	shown(`[{"MembershipId":"gold","IsActive":true,"MembershipExpiration":"2026-06-01T00:00:00Z","OverrideIsSet":false,"Subscriptions":[]}]`)
	f.ok(f.server("/Server/RemovePlayerMembership", obj{"PlatformId": a.ID, "MembershipId": "gold"}))
	shown(`[]`)
	for _, path := range []string{"/Server/RemovePlayerMembership", "/Admin/RemoveMembershipOverride"} {
		f.refused(f.server(path, obj{"PlatformId": a.ID, "MembershipId": "gold"}), "InvalidParams", 1000, "no such membership")
	}
	f.refused(override("2027-01-01T00:00:00Z"), "InvalidParams", 1000, "no such membership")
	f.refused(override("soon"), "InvalidParams", 1000, "must be a date and time")
}

func TestMembershipBounds(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	const later = "2027-01-01T00:00:00Z"
	subs := func(n int) []obj {
		var all []obj
		for i := range n {
			all = append(all, obj{"SubscriptionId": fmt.Sprint(i), "Expiration": later})
		}
		return all
	}
	set := func(o obj) answer {
		o["PlatformId"] = a.ID
		return f.server("/Server/SetPlayerMembership", o)
	}
	f.ok(set(obj{"MembershipId": strings.Repeat("m", maxID), "Subscriptions": subs(maxSubscriptions)}))
	for text, bad := range map[string]obj{
		"The MembershipExpiration field is required.": {"MembershipId": "m"},
		"The MembershipId field is required.":         {"MembershipExpiration": later},
		"at most 20 subscriptions":                    {"MembershipId": "m", "Subscriptions": subs(maxSubscriptions + 1)},
		"comes once":                                  {"MembershipId": "m", "Subscriptions": append(subs(1), subs(1)...)},
		"The SubscriptionId field is required.":       {"MembershipId": "m", "Subscriptions": []obj{{"Expiration": later}}},
		"The Expiration field is required.":           {"MembershipId": "m", "Subscriptions": []obj{{"SubscriptionId": "s"}}},
		"must be a SubscriptionProviderStatus":        {"MembershipId": "m", "Subscriptions": []obj{{"SubscriptionId": "s", "Expiration": later, "Status": "Fine"}}},
		"a time after 1970":                           {"MembershipId": "m", "MembershipExpiration": "0001-01-01T00:00:00Z"},
		"a maximum length of 100":                     {"MembershipId": strings.Repeat("m", maxID+1), "MembershipExpiration": later},
	} {
		f.refused(set(bad), "InvalidParams", 1000, text)
	}
	for _, status := range []SubscriptionProviderStatus{StatusNoError, StatusCancelled, StatusUnknownError, StatusBillingError,
		StatusProductUnavailable, StatusCustomerDidNotAcceptPriceChange, StatusFreeTrial, StatusPaymentPending} {
		f.ok(set(obj{"MembershipId": string(status), "Subscriptions": []obj{{"SubscriptionId": "s", "Expiration": later, "Status": status}}}))
	}
	for i := range maxMemberships - 9 {
		f.ok(set(obj{"MembershipId": fmt.Sprint(i), "MembershipExpiration": later}))
	}
	f.refused(set(obj{"MembershipId": "more", "MembershipExpiration": later}), "OverLimit", 1214, "at most 20 memberships")
	f.ok(set(obj{"MembershipId": "0", "MembershipExpiration": later}))
}

func TestCampaigns(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	add := func(o obj) answer {
		o["PlatformId"] = a.ID
		return f.server("/Server/AddCampaignAttribution", o)
	}
	f.ok(add(obj{"Platform": "AdNet", "CampaignId": "spring"}))
	f.ok(add(obj{"Platform": "AdNet", "CampaignId": "winter", "AttributedAt": "2026-01-02T03:04:05.67Z"}))
	f.ok(add(obj{"Platform": "AdNet", "CampaignId": "winter", "AttributedAt": "2026-01-02T05:04:05.670+02:00"})) // the same
	same(t, "attributions", f.profile(a, "ShowCampaignAttributions")["AdCampaignAttributions"],
		`[{"Platform":"AdNet","CampaignId":"winter","AttributedAt":"2026-01-02T03:04:05.67Z"},
		  {"Platform":"AdNet","CampaignId":"spring","AttributedAt":"2026-03-04T05:06:07.89Z"}]`)
	f.refused(add(obj{"CampaignId": "c"}), "InvalidParams", 1000, "The Platform field is required.")
	f.refused(add(obj{"Platform": "p"}), "InvalidParams", 1000, "The CampaignId field is required.")
	f.refused(add(obj{"Platform": "p", "CampaignId": "c", "AttributedAt": "yesterday"}), "InvalidParams", 1000, "AttributedAt")
	f.refused(add(obj{"Platform": strings.Repeat("p", maxID+1), "CampaignId": "c"}), "InvalidParams", 1000, "maximum length of 100")
	for i := range maxCampaigns - 2 {
		f.ok(add(obj{"Platform": "p", "CampaignId": fmt.Sprint(i)}))
	}
	f.refused(add(obj{"Platform": "p", "CampaignId": "more"}), "OverLimit", 1214, "at most 100 campaign attributions")
}

func TestPushRegistrations(t *testing.T) {
	f := newNeutral(t)
	a, b := f.player("ABCDE", account.Account{}), f.player("20CA2", account.Account{})
	const apple, google = "/Client/RegisterForIOSPushNotification", "/Client/AndroidDevicePushNotificationRegistration"
	f.ok(f.client(a, apple, obj{"DeviceToken": "tok", "ConfirmationMessage": "not asked for"}))
	f.Clock.Advance(time.Second)
	f.ok(f.client(a, google, obj{"DeviceToken": "tok"}))
	f.ok(f.client(a, google, obj{"DeviceToken": "tok"}))
	f.ok(f.client(b, apple, obj{"DeviceToken": "tok"}))
	of := func(p *calltest.Player) []any {
		return f.profile(p, "ShowPushNotificationRegistrations")["PushNotificationRegistrations"].([]any)
	}
	got := of(a)
	if len(got) != 2 {
		t.Fatalf("registrations %v", got)
	}
	first, second := got[0].(obj), got[1].(obj)
	same(t, "platforms", []any{first["Platform"], second["Platform"]}, `["ApplePushNotificationService","GoogleCloudMessaging"]`)
	arn := first["NotificationEndpointARN"].(string)
	if !strings.HasPrefix(arn, "arn:ludgate:push::ABCDE:endpoint/APNS/") || strings.Contains(arn, "tok") || arn == second["NotificationEndpointARN"] ||
		arn == of(b)[0].(obj)["NotificationEndpointARN"] {
		t.Errorf("endpoints %v %v", got, of(b))
	}
	f.refused(f.client(a, apple, obj{"DeviceToken": "x", "SendPushNotificationConfirmation": true}), "FeatureNotConfiguredForTitle", 1177, "not sent from here")
	f.refused(f.client(a, google, obj{}), "InvalidParams", 1000, "The DeviceToken field is required.")
	f.refused(f.client(a, google, obj{"DeviceToken": strings.Repeat("x", maxDevice+1)}), "InvalidParams", 1000, "maximum length of 4096")
	f.ok(f.client(a, "/Client/UnregisterPushNotification", obj{"NotificationEndpointARN": arn}))
	f.ok(f.client(b, "/Client/UnregisterPushNotification", obj{"NotificationEndpointARN": second["NotificationEndpointARN"]})) // not b's
	if got := of(a); len(got) != 1 || got[0].(obj)["Platform"] != "GoogleCloudMessaging" {
		t.Errorf("left: %v", got)
	}
	for i := range maxDevices {
		f.Clock.Advance(time.Millisecond)
		f.ok(f.client(a, apple, obj{"DeviceToken": fmt.Sprint(i)}))
	}
	if got := of(a); len(got) != maxDevices || got[0].(obj)["Platform"] != "ApplePushNotificationService" {
		t.Errorf("%d devices, first %v", len(got), got[0])
	}
}
