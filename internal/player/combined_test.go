package player_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

// allFlags asks for everything.
func allFlags() obj {
	return obj{
		"GetCharacterInventories": true, "GetCharacterList": true, "GetPlayerProfile": true, "GetPlayerStatistics": true, "GetTitleData": true,
		"GetUserAccountInfo": true, "GetUserData": true, "GetUserInventory": true, "GetUserReadOnlyData": true, "GetUserVirtualCurrency": true,
	}
}

// rich gives a title and a player everything that combined info can show.
func rich(r *calltest.Rig, server calltest.Proof, ann *calltest.Player) {
	r.Helper()
	for _, c := range []struct {
		path  string
		proof calltest.Proof
		body  obj
	}{
		{"/Admin/AddVirtualCurrencyTypes", server, obj{"VirtualCurrencies": []obj{
			{"CurrencyCode": "GO", "DisplayName": "Gold", "InitialDeposit": 100}, {"CurrencyCode": "EN", "RechargeRate": 24, "RechargeMax": 10, "InitialDeposit": 4},
		}}},
		{"/Admin/SetCatalogItems", server, obj{"CatalogVersion": "1", "SetAsDefaultCatalog": true, "Catalog": []obj{
			{"ItemId": "sword", "DisplayName": "A <b>sword</b>", "ItemClass": "weapon", "VirtualCurrencyPrices": obj{"GO": 30}}, {"ItemId": "hat"},
		}}},
		{"/Client/PurchaseItem", ann.Session(), obj{"CatalogVersion": "1", "ItemId": "sword", "VirtualCurrency": "GO", "Price": 30}},
		{"/Server/GrantCharacterToUser", server, obj{"PlatformId": ann.ID, "CharacterName": "Bo", "CharacterType": "elf"}},
		{"/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"open": "1"}, "Permission": "Public"}},
		{"/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"hidden": "2"}}},
		{"/Server/UpdateUserReadOnlyData", server, obj{"PlatformId": ann.ID, "Data": obj{"rank": "3"}}},
		{"/Server/UpdatePlayerStatistics", server, obj{"PlatformId": ann.ID, "Statistics": []obj{{"StatisticName": "score", "Value": 7}, {"StatisticName": "wins", "Value": 2}}}},
		{"/Server/SetTitleData", server, obj{"Key": "motd", "Value": "hello"}},
		{"/Server/SetTitleData", server, obj{"Key": "rate", "Value": "2"}},
		{"/Server/AddPlayerTag", server, obj{"PlatformId": ann.ID, "TagName": "tester"}},
	} {
		r.Call(c.path, c.proof, c.body).Result()
	}
}

// shown writes a payload as it is compared: what varies from run to run is gone.
func shown(t *testing.T, v any, vary ...string) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, word := range vary {
		text = strings.ReplaceAll(text, word, "*")
	}
	return text
}

// TestCombinedInfo: every flag shows what is there, every list of names narrows
// its flag alone, and nothing comes that was not asked for.
func TestCombinedInfo(t *testing.T) {
	r := newRig(t, calltest.Options{Titles: map[string]title.Settings{"ABCDE": {AllowedConstraints: []string{"ShowDisplayName", "ShowTags", "ShowCreated"}}}})
	server := r.Secret("ABCDE")
	ann := r.Player("ABCDE", func(a *account.Account) {
		a.Username, a.Email, a.DisplayName, a.CustomID = "ann", "ann@example.com", "Ann", "phone-1"
		a.OpenIDs = []account.OpenID{{Connection: "home", Issuer: "https://id.example", Subject: "7"}}
	})
	rich(r, server, ann)
	ask := func(path string, proof calltest.Proof, body obj) obj {
		t.Helper()
		out, _ := r.Call(path, proof, body).Result()["InfoResultPayload"].(obj)
		return out
	}
	items := r.Call("/Client/GetUserInventory", ann.Session(), obj{}).Result()["Inventory"].([]any)
	instance := items[0].(obj)["ItemInstanceId"].(string)
	character := r.Call("/Client/GetAllUsersCharacters", ann.Session(), obj{}).Result()["Characters"].([]any)[0].(obj)["CharacterId"].(string)
	now := account.StampTime(r.Clock.Now())
	vary := []string{ann.ID, ann.Account.Account, instance, character, now, (&title.Title{ID: "ABCDE"}).Publisher()}

	parameters := allFlags()
	parameters["ProfileConstraints"] = obj{"ShowDisplayName": true, "ShowTags": true, "ShowCreated": true}
	mine := ask("/Client/GetPlayerCombinedInfo", ann.Session(), obj{"InfoRequestParameters": parameters})
	for member, want := range map[string]string{
		"AccountInfo": `{"Created":"*","CustomIdInfo":{"CustomId":"phone-1"},"OpenIdInfo":[{"ConnectionId":"home","Issuer":"https://id.example","Subject":"7"}],` +
			`"PlatformId":"*","PrivateInfo":{"Email":"ann@example.com"},"TitleInfo":{"Created":"*","DisplayName":"Ann","FirstLogin":"*","LastLogin":"*","Origination":"Organic",` +
			`"TitlePlayerAccount":{"Id":"*","Type":"title_player_account"},"isBanned":false},"Username":"ann"}`,
		"CharacterInventories":             `[{"CharacterId":"*","Inventory":[]}]`,
		"CharacterList":                    `[{"CharacterId":"*","CharacterName":"Bo","CharacterType":"elf"}]`,
		"PlayerProfile":                    `{"Created":"*","DisplayName":"Ann","PlayerId":"*","PublisherId":"*","Tags":[{"TagValue":"title.ABCDE.tester"}],"TitleId":"ABCDE"}`,
		"PlayerStatistics":                 `[{"StatisticName":"score","Value":7,"Version":0},{"StatisticName":"wins","Value":2,"Version":0}]`,
		"TitleData":                        `{"motd":"hello","rate":"2"}`,
		"UserData":                         `{"hidden":{"LastUpdated":"*","Permission":"Private","Value":"2"},"open":{"LastUpdated":"*","Permission":"Public","Value":"1"}}`,
		"UserDataVersion":                  `2`,
		"UserInventory":                    `[{"CatalogVersion":"1","DisplayName":"A <b>sword</b>","ItemClass":"weapon","ItemId":"sword","ItemInstanceId":"*","PurchaseDate":"*","UnitCurrency":"GO","UnitPrice":30}]`,
		"UserReadOnlyData":                 `{"rank":{"LastUpdated":"*","Permission":"Private","Value":"3"}}`,
		"UserReadOnlyDataVersion":          `1`,
		"UserVirtualCurrency":              `{"EN":4,"GO":70}`,
		"UserVirtualCurrencyRechargeTimes": `{"EN":{"RechargeMax":10,"RechargeTime":"2026-03-04T06:06:07.89Z","SecondsToRecharge":3600}}`,
	} {
		if got := shown(t, mine[member], vary...); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", member, got, want)
		}
		delete(mine, member)
	}
	if len(mine) > 0 {
		t.Errorf("besides: %v", mine)
	}

	// Without flags, only what always comes; the lists are without effect then.
	bare := ask("/Server/GetPlayerCombinedInfo", server, obj{"PlatformId": ann.ID, "InfoRequestParameters": obj{
		"TitleDataKeys": []string{"motd"}, "UserDataKeys": []string{"open"}, "PlayerStatisticNames": []string{"wins"}, "UserReadOnlyDataKeys": []string{"rank"},
	}})
	var members []string
	for m := range bare {
		members = append(members, m)
	}
	slices.Sort(members)
	if got := strings.Join(members, " "); got != "AccountInfo CharacterInventories UserDataVersion UserInventory UserReadOnlyDataVersion" ||
		shown(t, bare["UserInventory"]) != "[]" || shown(t, bare["CharacterInventories"]) != "[]" {
		t.Errorf("without flags: %s", shown(t, bare))
	}

	narrow := allFlags()
	for list, names := range map[string][]string{
		"TitleDataKeys": {"rate", "none"}, "UserDataKeys": {"open"}, "PlayerStatisticNames": {"wins"}, "UserReadOnlyDataKeys": {"none"},
	} {
		narrow[list] = names
	}
	narrowed := ask("/Client/GetPlayerCombinedInfo", ann.Session(), obj{"InfoRequestParameters": narrow})
	for member, want := range map[string]string{
		"PlayerStatistics": `[{"StatisticName":"wins","Value":2,"Version":0}]`, "TitleData": `{"rate":"2"}`,
		"UserData": `{"open":{"LastUpdated":"*","Permission":"Public","Value":"1"}}`, "UserReadOnlyData": `{}`,
	} {
		if got := shown(t, narrowed[member], vary...); got != want {
			t.Errorf("%s narrowed: got %s, want %s", member, got, want)
		}
	}

	// Another player sees what is public, another title nothing.
	ben := r.Player("ABCDE")
	theirs := ask("/Client/GetPlayerCombinedInfo", ben.Session(), obj{"PlatformId": ann.ID, "InfoRequestParameters": allFlags()})
	for member, want := range map[string]string{
		"UserData": `{"open":{"LastUpdated":"*","Permission":"Public","Value":"1"}}`, "UserReadOnlyData": `{}`, "UserInventory": `[]`, "UserVirtualCurrency": `null`,
	} {
		if got := shown(t, theirs[member], vary...); got != want {
			t.Errorf("%s for another: got %s, want %s", member, got, want)
		}
	}
	if text := shown(t, theirs); strings.Contains(text, "ann@example.com") || strings.Contains(text, "PrivateInfo") {
		t.Errorf("another player sees %s", text)
	}
	r.Call("/Client/GetPlayerCombinedInfo", r.Player("ABC").Session(), obj{"PlatformId": ann.ID, "InfoRequestParameters": obj{}}).Refused("AccountNotFound", 1001)
	r.Call("/Server/GetPlayerCombinedInfo", server, obj{"InfoRequestParameters": obj{}}).Refused("InvalidParams", 1000)
	r.Call("/Client/GetPlayerCombinedInfo", ann.Session(), obj{}).Refused("InvalidParams", 1000)
	r.Call("/Client/GetPlayerCombinedInfo", ann.Session(), obj{"InfoRequestParameters": obj{"ProfileConstraints": obj{"ShowLocations": true}}}).
		Refused("RequestViewConstraintParamsNotAllowed", 1303)
	r.Call("/Server/GetPlayerCombinedInfo", server, obj{"PlatformId": ann.ID, "InfoRequestParameters": obj{"ProfileConstraints": obj{"ShowLocations": true}}}).Result()

	r.Clock.Advance(90 * time.Minute)
	later := ask("/Client/GetPlayerCombinedInfo", ann.Session(), obj{"InfoRequestParameters": obj{"GetUserVirtualCurrency": true}})
	if got := shown(t, later["UserVirtualCurrencyRechargeTimes"]) + shown(t, later["UserVirtualCurrency"]); got != `{"EN":{"RechargeMax":10,"RechargeTime":"2026-03-04T07:06:07.89Z","SecondsToRecharge":1800}}{"EN":5,"GO":70}` {
		t.Errorf("an hour and a half later: %s", got)
	}
}

// TestCombinedInfoSpeaksTheNaming: words of records change with the naming, those
// of a player's own data do not.
func TestCombinedInfoSpeaksTheNaming(t *testing.T) {
	r := newRig(t, calltest.Options{Naming: wire.Vendor})
	ann := r.Player("ABCDE", func(a *account.Account) {
		a.StreamingID, a.StreamingName, a.Origination = "42", "ann", account.StreamingPlatform
	})
	r.Call("/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"PlatformId": "1", "StreamingId": "2"}}).Result()
	out := r.Call("/Client/GetPlayerCombinedInfo", ann.Session(), obj{"InfoRequestParameters": obj{"GetUserData": true, "GetPlayerProfile": true}})
	text := jsontext.Value(shown(t, out.Result()))
	for _, want := range []string{
		`"PlayFabId":"` + ann.ID + `"`, `"TwitchInfo":{"TwitchId":"42","TwitchUserName":"ann"}`, `"Origination":"Twitch"`, `"TypeString":"title_player_account"`,
		`"UserData":{"PlatformId":{`, `"StreamingId":{`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
