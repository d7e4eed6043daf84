package profile

import (
	"fmt"
	"strings"
	"testing"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
)

func TestTags(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	for _, surface := range []string{"/Server/", "/Admin/"} {
		f.ok(f.server(surface+"AddPlayerTag", obj{"PlatformId": a.ID, "TagName": "whale"}))
		f.ok(f.server(surface+"AddPlayerTag", obj{"PlatformId": a.ID, "TagName": "title.ABCDE.whale"})) // the same one
		f.ok(f.server(surface+"AddPlayerTag", obj{"PlatformId": a.ID, "TagName": "Ω beta"}))
		same(t, "tags", f.ok(f.server(surface+"GetPlayerTags", obj{"PlatformId": a.ID})),
			`{"PlatformId":"`+a.ID+`","Tags":["title.ABCDE.whale","title.ABCDE.Ω beta"]}`)
		same(t, "profile", f.profile(a, "ShowTags")["Tags"], `[{"TagValue":"title.ABCDE.whale"},{"TagValue":"title.ABCDE.Ω beta"}]`)
		f.ok(f.server(surface+"RemovePlayerTag", obj{"PlatformId": a.ID, "TagName": "title.ABCDE.whale"}))
		f.ok(f.server(surface+"RemovePlayerTag", obj{"PlatformId": a.ID, "TagName": "Ω beta"}))
		f.ok(f.server(surface+"RemovePlayerTag", obj{"PlatformId": a.ID, "TagName": "gone"}))
		same(t, "no tags", f.profile(a, "ShowTags")["Tags"], `[]`)
	}
}

func TestTagNamespaces(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	f.ok(f.server("/Server/AddPlayerTag", obj{"PlatformId": a.ID, "TagName": "x"}))
	for ns, want := range map[string]int{"": 1, "title": 1, "title.": 1, "title.ABCDE": 1, "title.ABCDE.": 1, "tit": 0, "title.20CA2": 0, "player": 0} {
		got := f.ok(f.server("/Server/GetPlayerTags", obj{"PlatformId": a.ID, "Namespace": ns}))["Tags"].([]any)
		if len(got) != want {
			t.Errorf("namespace %q: %v, want %d", ns, got, want)
		}
	}
}

func TestTagBounds(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	add := func(tag any) answer { return f.server("/Server/AddPlayerTag", obj{"PlatformId": a.ID, "TagName": tag}) }
	for _, unit := range []string{"x", "é", "𝄞"} {
		f.ok(add(strings.Repeat(unit, maxTag)))
		f.refused(add(strings.Repeat(unit, maxTag+1)), "InvalidParams", 1000, "maximum length of 256")
	}
	f.refused(add(""), "InvalidParams", 1000, "The TagName field is required.")
	f.refused(add(nil), "InvalidParams", 1000, "The TagName field is required.")
	f.refused(add("title.ABCDE."), "InvalidParams", 1000, "The TagName field is required.")
	f.refused(add("a\x00b"), "InvalidParams", 1000, "control characters")
	f.refused(add(7), "InvalidParams", 1000, "wrong type")
	for i := 3; i < maxTags; i++ {
		f.ok(add(fmt.Sprint(i)))
	}
	f.ok(add("5")) // known
	f.refused(add("one too many"), "PlayerTagCountLimitExceeded", 1248, "at most 100 tags")
}

// TestStrangers: what every call of a server says about players that its title
// does not have, and callers that are none.
func TestStrangers(t *testing.T) {
	f := newNeutral(t)
	other := f.player("20CA2", account.Account{})
	calls := map[string]obj{
		"/Server/AddPlayerTag":            {"TagName": "x"},
		"/Server/RemovePlayerTag":         {"TagName": "x"},
		"/Server/GetPlayerTags":           {},
		"/Admin/AddPlayerTag":             {"TagName": "x"},
		"/Admin/RemovePlayerTag":          {"TagName": "x"},
		"/Admin/GetPlayerTags":            {},
		"/Server/UpdateAvatarUrl":         {"ImageUrl": "https://a.example/x.png"},
		"/Server/AddOrUpdateContactEmail": {"EmailAddress": "a@example.com"},
		"/Server/RemoveContactEmail":      {},
		"/Server/SetPlayerLocation":       {"CountryCode": "NZ"},
		"/Server/RemovePlayerLocations":   {},
		"/Server/SetPlayerMembership":     {"MembershipId": "m", "MembershipExpiration": "2027-01-01T00:00:00Z"},
		"/Server/RemovePlayerMembership":  {"MembershipId": "m"},
		"/Admin/SetMembershipOverride":    {"MembershipId": "m", "ExpirationTime": "2027-01-01T00:00:00Z"},
		"/Admin/RemoveMembershipOverride": {"MembershipId": "m"},
		"/Server/AddCampaignAttribution":  {"Platform": "net", "CampaignId": "c"},
		"/Server/RecordPurchase":          {"ReceiptId": "r", "Currency": "USD", "Amount": 1},
		"/Server/GetPlayerProfile":        {},
		"/Admin/GetPlayerProfile":         {},
		"/Server/GetUserBans":             {},
		"/Admin/GetUserBans":              {},
		"/Server/RevokeAllBansForUser":    {},
		"/Admin/RevokeAllBansForUser":     {},
	}
	for path, body := range calls {
		f.refused(f.server(path, body), "InvalidParams", 1000, "The PlatformId field is required.")
		body["PlatformId"] = other.ID
		name, number := "AccountNotFound", 1001
		switch {
		case strings.HasSuffix(path, "Profile"):
			name, number = "PlayerNotInGame", 1033
		case strings.Contains(path, "Bans"):
			name, number = "UserisNotValid", 1030
		}
		f.refused(f.server(path, body), name, number, "")
		f.refused(f.Call(path, calltest.Proof{"X-SecretKey": "no such key"}, body), "NotAuthorized", 1089, "")
		f.refused(f.Call(path, nil, body), "NotAuthorized", 1089, "")
	}
	for _, path := range []string{"/Client/GetPlayerProfile", "/Client/UpdateAvatarUrl", "/Client/AddOrUpdateContactEmail", "/Client/RemoveContactEmail",
		"/Client/RegisterForIOSPushNotification", "/Client/AndroidDevicePushNotificationRegistration", "/Client/UnregisterPushNotification"} {
		f.refused(f.Call(path, nil, obj{}), "NotAuthenticated", 1074, "Missing or invalid X-Authentication HTTP header")
	}
}
