package profile

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// fill gives a player something of everything.
func (f *fixture) fill(a *calltest.Player) {
	f.Helper()
	key := f.secrets[a.Title]
	for _, c := range []struct {
		path string
		body obj
	}{
		{"/Server/AddPlayerTag", obj{"TagName": "vip"}},
		{"/Server/UpdateAvatarUrl", obj{"ImageUrl": "https://x.example/a.png"}},
		{"/Server/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"}},
		{"/Server/SetPlayerLocation", obj{"ContinentCode": "EU", "CountryCode": "FI", "City": "Turku", "Latitude": 60.45, "Longitude": 22.25}},
		{"/Server/SetPlayerMembership", obj{"MembershipId": "gold", "Subscriptions": []obj{{"SubscriptionId": "s", "Expiration": "2027-01-01T00:00:00Z"}}}},
		{"/Admin/SetMembershipOverride", obj{"MembershipId": "gold", "ExpirationTime": "2028-01-01T00:00:00Z"}},
		{"/Server/AddCampaignAttribution", obj{"Platform": "AdNet", "CampaignId": "spring"}},
		{"/Server/RecordPurchase", obj{"ReceiptId": a.ID, "Currency": "EUR", "Amount": 150, "AmountInUSD": 160}},
	} {
		c.body["PlatformId"] = a.ID
		f.ok(f.Call(c.path, key, c.body))
	}
	f.ok(f.client(a, "/Client/AndroidDevicePushNotificationRegistration", obj{"DeviceToken": "device of " + a.ID}))
	f.ban(a, obj{"DurationInHours": 1, "Reason": "test"})
}

// withSources adds what other parts contribute.
func withSources(o *Options) {
	o.Variants = func(tx store.Tx, title, player string) ([]string, error) { return []string{"red", "fast"}, nil }
	o.Statistics = func(tx store.Tx, title, player string) ([]StatisticModel, error) {
		return []StatisticModel{{Name: "wins", Value: -3, Version: 2}}, nil
	}
}

// TestEveryPart: each flag shows its part and nothing else.
func TestEveryPart(t *testing.T) {
	f := newFixture(t, wire.Neutral, withSources)
	a := f.player("ABCDE", account.Account{DisplayName: "Ann", Username: "Ann42", Email: "ann@example.org", StreamingID: "77", StreamingName: "annstream",
		CustomID: "c1", ServerCustomID: "sc1", OpenIDs: []account.OpenID{{Connection: "corp", Issuer: "https://id.example", Subject: "u1"}}})
	f.fill(a)
	parts := map[string]string{
		"ShowAvatarUrl":                     `{"AvatarUrl":"https://x.example/a.png"}`,
		"ShowBannedUntil":                   `{"BannedUntil":"2026-03-04T06:06:07.89Z"}`,
		"ShowCampaignAttributions":          `{"AdCampaignAttributions":[{"Platform":"AdNet","CampaignId":"spring","AttributedAt":"2026-03-04T05:06:07.89Z"}]}`,
		"ShowContactEmailAddresses":         `{"ContactEmailAddresses":[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Pending"}]}`,
		"ShowCreated":                       `{"Created":"2026-03-04T05:06:07.89Z"}`,
		"ShowDisplayName":                   `{"DisplayName":"Ann"}`,
		"ShowExperimentVariants":            `{"ExperimentVariants":["red","fast"]}`,
		"ShowLastLogin":                     `{"LastLogin":"2026-03-04T05:06:07.89Z"}`,
		"ShowLocations":                     `{"Locations":[{"ContinentCode":"EU","CountryCode":"FI","City":"Turku","Latitude":60.45,"Longitude":22.25}]}`,
		"ShowMemberships":                   `{"Memberships":[{"MembershipId":"gold","IsActive":true,"MembershipExpiration":"2027-01-01T00:00:00Z","OverrideIsSet":true,"OverrideExpiration":"2028-01-01T00:00:00Z","Subscriptions":[{"SubscriptionId":"s","InitialSubscriptionTime":"2026-03-04T05:06:07.89Z","Expiration":"2027-01-01T00:00:00Z","IsActive":true,"Status":"NoError"}]}]}`,
		"ShowOrigination":                   `{"Origination":"Platform"}`,
		"ShowPushNotificationRegistrations": `{"PushNotificationRegistrations":[{"Platform":"GoogleCloudMessaging","NotificationEndpointARN":"` + endpoint("ABCDE", GooglePush, "device of "+a.ID) + `"}]}`,
		"ShowStatistics":                    `{"Statistics":[{"Name":"wins","Value":-3,"Version":2}]}`,
		"ShowTags":                          `{"Tags":[{"TagValue":"title.ABCDE.vip"}]}`,
		"ShowTotalValueToDateInUsd":         `{"TotalValueToDateInUSD":160}`,
		"ShowValuesToDate":                  `{"ValuesToDate":[{"Currency":"EUR","TotalValue":150,"TotalValueAsDecimal":"1.50"}]}`,
		"ShowLinkedAccounts": `{"LinkedAccounts":[{"Platform":"Platform","PlatformUserId":"` + a.ID + `","Username":"Ann42","Email":"ann@example.org"},
			{"Platform":"StreamingPlatform","PlatformUserId":"77","Username":"annstream"},{"Platform":"Custom","PlatformUserId":"c1"},
			{"Platform":"CustomServer","PlatformUserId":"sc1"},{"Platform":"OpenIdConnect","PlatformUserId":"u1"}]}`,
	}
	flags := slices.Sorted(maps.Keys((&PlayerProfileViewConstraints{}).flags()))
	if len(flags) != 17 || len(parts) != 17 {
		t.Fatalf("%d flags, %d parts; there are 17", len(flags), len(parts))
	}
	for _, flag := range flags {
		got := f.profile(a, flag)
		for _, always := range []string{"PublisherId", "TitleId", "PlayerId"} {
			if got[always] == nil {
				t.Errorf("%s: no %s", flag, always)
			}
			delete(got, always)
		}
		same(t, flag, got, parts[flag])
	}
	all := f.profile(a, flags...)
	if len(all) != 3+17 {
		t.Errorf("all parts: %v", all)
	}
	same(t, "ids", []any{all["TitleId"], all["PlayerId"]}, `["ABCDE","`+a.ID+`"]`)
}

// TestDefaults: without constraints the display name shows, with empty ones
// nothing does; a part that is shown and empty is an empty list.
func TestDefaults(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{DisplayName: "Ann"})
	for _, body := range []obj{{}, {"ProfileConstraints": nil}, {"PlatformId": a.ID}} {
		p := f.ok(f.client(a, "/Client/GetPlayerProfile", body))["PlayerProfile"].(obj)
		if p["DisplayName"] != "Ann" || len(p) != 4 {
			t.Errorf("%v: %v", body, p)
		}
	}
	if p := f.profile(a); len(p) != 3 {
		t.Errorf("no flags: %v", p)
	}
	b := f.player("ABCDE", account.Account{CustomID: "x", Origination: account.CustomID})
	delete := []string{"PublisherId", "TitleId", "PlayerId", "Created", "LastLogin"}
	p := f.profile(b, slices.Collect(maps.Keys((&PlayerProfileViewConstraints{}).flags()))...)
	maps.DeleteFunc(p, func(k string, _ any) bool { return slices.Contains(delete, k) })
	same(t, "empty parts", p, `{"Origination":"Custom","AdCampaignAttributions":[],"PushNotificationRegistrations":[],"ContactEmailAddresses":[],
		"TotalValueToDateInUSD":0,"ValuesToDate":[],"Tags":[],"Locations":[],"Memberships":[],"LinkedAccounts":[{"Platform":"Custom","PlatformUserId":"x"}]}`)
}

// TestWhatClientsMaySee (P-7.RequestViewConstraintParamsNotAllowed).
func TestWhatClientsMaySee(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{DisplayName: "Ann"})
	open := f.player("20CA2", account.Account{DisplayName: "Bob"})
	for flag := range (&PlayerProfileViewConstraints{}).flags() {
		body := obj{"ProfileConstraints": obj{flag: true, "ShowDisplayName": true}}
		got := f.client(a, "/Client/GetPlayerProfile", body)
		if flag == "ShowDisplayName" {
			f.ok(got)
			continue
		}
		f.refused(got, "RequestViewConstraintParamsNotAllowed", 1303, `"errorMessage":"Invalid view constraints. Allowed for this title: {\"ShowDisplayName\":true}"`)
		f.ok(f.client(open, "/Client/GetPlayerProfile", body))
		for _, surface := range []string{"/Server/", "/Admin/"} {
			body["PlatformId"] = a.ID
			f.ok(f.server(surface+"GetPlayerProfile", body))
		}
	}
	f.ok(f.client(a, "/Client/GetPlayerProfile", obj{"ProfileConstraints": obj{"ShowTags": false}}))
	f.refused(f.client(a, "/Client/GetPlayerProfile", obj{"PlatformId": open.ID}), "PlayerNotInGame", 1033, "")
	other := f.player("ABCDE", account.Account{DisplayName: "Cat"})
	same(t, "another player", f.ok(f.client(a, "/Client/GetPlayerProfile", obj{"PlatformId": other.ID}))["PlayerProfile"].(obj)["DisplayName"], `"Cat"`)
}

func TestOriginations(t *testing.T) {
	for from, to := range map[account.UserOrigination]LoginIdentityProvider{
		account.Organic: "Platform", account.StreamingPlatform: "StreamingPlatform", account.CustomID: "Custom",
		account.ServerCustomID: "CustomServer", account.OpenIDConnect: "OpenIdConnect", account.Unknown: "Unknown", account.LoadTest: "Unknown",
	} {
		if got := provider(from); got != to {
			t.Errorf("%s gives %s, want %s", from, got, to)
		}
	}
}

// TestVendorWords: ids and enumerations in another naming, and the members that
// keep their names there.
func TestVendorWords(t *testing.T) {
	f := newFixture(t, wire.Vendor, withSources)
	a := f.player("20CA2", account.Account{Username: "Ann42", StreamingID: "77"})
	key := f.secrets["20CA2"]
	f.ok(f.Call("/Server/AddCampaignAttribution", key, obj{"PlayFabId": a.ID, "Platform": "AdNet", "CampaignId": "c"}))
	f.refused(f.Call("/Server/AddPlayerTag", key, obj{"PlatformId": a.ID, "TagName": "x"}), "InvalidParams", 1000, `"PlayFabId":["The `)
	got := f.client(a, "/Client/GetPlayerProfile", obj{"ProfileConstraints": obj{"ShowLinkedAccounts": true, "ShowOrigination": true, "ShowCampaignAttributions": true}})
	for _, want := range []string{`"LinkedAccounts":[{"Platform":"PlayFab","PlatformUserId":"` + a.ID + `"`, `{"Platform":"Twitch","PlatformUserId":"77"}`,
		`"Origination":"PlayFab"`, `"AdCampaignAttributions":[{"Platform":"AdNet"`} {
		if got.Status != 200 || !strings.Contains(got.Body, want) {
			t.Errorf("%d, no %s in %s", got.Status, want, got.Body)
		}
	}
	ban := f.Call("/Server/BanUsers", key, obj{"Bans": []obj{{"PlayFabId": a.ID}}})
	if ban.Status != 200 || !strings.Contains(ban.Body, `"PlayFabId":"`+a.ID) {
		t.Errorf("ban: %d %s", ban.Status, ban.Body)
	}
}

// TestReadsNothingThatIsNotShown counts the statements of a profile.
func TestReadsNothingThatIsNotShown(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{DisplayName: "Ann"})
	tt, _ := f.Titles.Get("ABCDE")
	count := func(c *PlayerProfileViewConstraints) (n int) {
		f.read(func(tx store.Tx) error {
			counting := &countingTx{Tx: tx}
			_, err := f.service.Profile(counting, tt, a.Account, c)
			n = counting.n
			return err
		})
		return n
	}
	for n, c := range map[int]*PlayerProfileViewConstraints{
		0: {ShowDisplayName: true, ShowAvatarUrl: true, ShowCreated: true, ShowLastLogin: true, ShowOrigination: true, ShowBannedUntil: true, ShowLinkedAccounts: true},
		1: {ShowValuesToDate: true, ShowTotalValueToDateInUsd: true},
		2: {ShowTags: true, ShowMemberships: true},
	} {
		if got := count(c); got != n {
			t.Errorf("%+v: %d statements, want %d", c, got, n)
		}
	}
	if got := count(nil); got != 0 {
		t.Errorf("the default: %d statements", got)
	}
}

type countingTx struct {
	store.Tx
	n int
}

func (c *countingTx) Query(stmt *store.Stmt, scan func(store.Row) error, args ...any) error {
	c.n++
	return c.Tx.Query(stmt, scan, args...)
}
