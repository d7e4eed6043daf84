package player

import (
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

func TestStreamingSignIn(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		body := obj{"TitleId": "ABCDE", "AccessToken": f.token("141981764", "ann"), "CreateAccount": true}
		a := f.signIn(body)
		first := f.result(a)
		id, _ := first[f.word("PlatformId")].(string)
		session, _ := first["SessionTicket"].(string)
		entity, _ := first["EntityToken"].(map[string]any)
		if !playerID.MatchString(id) || !strings.HasPrefix(session, id+"-") || entity == nil {
			t.Fatalf("result: %s", a.body)
		}
		key := entity["Entity"].(map[string]any)
		want := `{"SessionTicket":"` + session + `","` + f.word("PlatformId") + `":"` + id + `","NewlyCreated":true,` +
			`"SettingsForUser":{"NeedsAttribution":false,"GatherDeviceInfo":false,"GatherFocusInfo":false},` +
			`"LastLoginTime":"0001-01-01T00:00:00Z",` +
			`"EntityToken":{"EntityToken":"` + entity["EntityToken"].(string) + `","TokenExpiration":"2026-03-05T05:06:07.89Z",` +
			`"Entity":{"Id":"` + key["Id"].(string) + `","Type":"title_player_account"}},` +
			`"TreatmentAssignment":{"Variants":[],"Variables":[]}}`
		if n == wire.Vendor {
			want = strings.Replace(want, `"Type":"title_player_account"`, `"Type":"title_player_account","TypeString":"title_player_account"`, 1)
			want = `{"code":200,"status":"OK","data":` + want + `}`
		}
		if a.body != want {
			t.Errorf("first sign-in:\n got %s\nwant %s", a.body, want)
		}

		f.clock.advance(time.Hour + 10*time.Millisecond)
		second := f.result(f.signIn(body.with(obj{"CreateAccount": nil, "AccessToken": f.token("141981764", "ann")})))
		if second["NewlyCreated"] != false || second["LastLoginTime"] != "2026-03-04T05:06:07.89Z" || second[f.word("PlatformId")] != id {
			t.Errorf("second sign-in: %v", second)
		}
		if second["SessionTicket"] == session {
			t.Error("two sign-ins have one ticket")
		}
		f.clock.advance(time.Minute)
		third := f.result(f.signIn(body.with(obj{"AccessToken": f.token("141981764", "ann")})))
		if third["NewlyCreated"] != false || third["LastLoginTime"] != "2026-03-04T06:06:07.9Z" {
			t.Errorf("third sign-in: %v", third)
		}
		for what, ticket := range map[string]any{"first": first["SessionTicket"], "third": third["SessionTicket"]} {
			if c, err := f.service.gate.CheckTicket(ticket.(string)); err != nil || c.Player != id || c.Title != "ABCDE" {
				t.Errorf("%s ticket: %+v %v", what, c, err)
			}
		}
	})
}

func TestStreamingIdentityBelongsToOneTitle(t *testing.T) {
	f := newFixture(t, setup{})
	token := f.token("42", "ann")
	a := f.result(f.signIn(obj{"TitleId": "AAA", "AccessToken": token, "CreateAccount": true}))
	if x := f.signIn(obj{"TitleId": "BBB", "AccessToken": token}); decode(t, x.body)["errorCode"] != 1001.0 {
		t.Errorf("an account of another title shows: %s", x.body)
	}
	b := f.result(f.signIn(obj{"TitleId": "BBB", "AccessToken": token, "CreateAccount": true}))
	if a["PlatformId"] == b["PlatformId"] || b["NewlyCreated"] != true {
		t.Errorf("two titles, one account: %v", b)
	}
	// Title ids are matched without regard to case.
	if c := f.result(f.signIn(obj{"TitleId": "aaa", "AccessToken": token})); c["PlatformId"] != a["PlatformId"] {
		t.Errorf("title id in lower case: %v", c)
	}
}

// TestInfoResultPayload shows what comes always, and what by flag.
func TestInfoResultPayload(t *testing.T) {
	all := obj{"GetCharacterInventories": true, "GetCharacterList": true, "GetPlayerProfile": true, "GetPlayerStatistics": true, "GetTitleData": true,
		"GetUserAccountInfo": true, "GetUserData": true, "GetUserInventory": true, "GetUserReadOnlyData": true, "GetUserVirtualCurrency": true,
		"PlayerStatisticNames": []string{"str"}, "TitleDataKeys": []string{"motd"}, "UserDataKeys": nil, "UserReadOnlyDataKeys": []string{}, "ProfileConstraints": nil}
	const always = `"CharacterInventories":[],"UserDataVersion":0,"UserInventory":[],"UserReadOnlyDataVersion":0`
	const byFlag = `,"CharacterList":[],"PlayerStatistics":[],"TitleData":{},"UserData":{},"UserReadOnlyData":{},"UserVirtualCurrency":{},"UserVirtualCurrencyRechargeTimes":{}`
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		body := obj{"TitleId": "ABCDE", "AccessToken": f.token("42", "ann"), "CreateAccount": true}
		payload := func(params any) (string, obj) {
			t.Helper()
			in := f.result(f.signIn(body.with(obj{"InfoRequestParameters": params})))
			p, ok := in["InfoResultPayload"].(map[string]any)
			if !ok {
				return "absent", in
			}
			return obj(p).text(), in
		}
		account := func(in obj, login string) string {
			id := in[f.word("PlatformId")].(string)
			key := in["EntityToken"].(map[string]any)["Entity"].(map[string]any)
			origin := "StreamingPlatform"
			if n == wire.Vendor {
				origin = "Twitch"
			}
			return `"AccountInfo":{"` + f.word("PlatformId") + `":"` + id + `","Created":"2026-03-04T05:06:07.89Z","PrivateInfo":{},` +
				`"TitleInfo":{"Created":"2026-03-04T05:06:07.89Z","FirstLogin":"2026-03-04T05:06:07.89Z","LastLogin":"` + login + `","Origination":"` + origin + `","isBanned":false,` +
				`"TitlePlayerAccount":` + obj(key).text() + `},` +
				`"` + f.word("StreamingInfo") + `":{"` + f.word("StreamingId") + `":"42","` + f.word("StreamingUserName") + `":"ann"}},`
		}
		got, in := payload(all)
		sameJSON(t, "everything, new player", got, `{`+account(in, "2026-03-04T05:06:07.89Z")+always+byFlag+`}`)
		f.clock.advance(time.Second)
		got, in = payload(all)
		profile := `,"PlayerProfile":{"PublisherId":"` + (&title.Title{ID: "ABCDE"}).Publisher() + `","TitleId":"ABCDE","PlayerId":"` + in[f.word("PlatformId")].(string) + `"}`
		sameJSON(t, "everything, known player", got, `{`+account(in, "2026-03-04T05:06:08.89Z")+always+byFlag+profile+`}`)
		f.clock.advance(time.Second)
		got, in = payload(obj{})
		sameJSON(t, "nothing asked", got, `{`+account(in, "2026-03-04T05:06:09.89Z")+always+`}`)
		got, in = payload(obj{"GetPlayerProfile": true, "ProfileConstraints": obj{"ShowDisplayName": true, "ShowCreated": false}})
		sameJSON(t, "profile alone", got, `{`+account(in, "2026-03-04T05:06:09.89Z")+always+profile+`}`)
		if got, _ = payload(nil); got != "absent" {
			t.Errorf("no parameters: %s", got)
		}
	})
}

// TestOwnerSeesItsNames: what a player has is shown to it, in the spelling that
// the naming's clients expect.
func TestOwnerSeesItsNames(t *testing.T) {
	a := &account.Account{Title: "ABCDE", ID: "1", Account: "2", Username: "AnnA", Email: "Ann@example.com", DisplayName: "Ann"}
	if i := accountInfo(wire.Neutral, a, 0); i.Username != "AnnA" || i.PrivateInfo.Email != "Ann@example.com" || i.TitleInfo.DisplayName != "Ann" || i.StreamingInfo != nil {
		t.Errorf("neutral: %+v", i)
	}
	if i := accountInfo(wire.Vendor, a, 0); i.Username != "anna" {
		t.Errorf("vendor: %+v", i)
	}
}

func TestStreamingNameIsRefreshed(t *testing.T) {
	f := newFixture(t, setup{})
	body := obj{"TitleId": "ABCDE", "AccessToken": f.token("42", "ann"), "CreateAccount": true, "InfoRequestParameters": obj{}}
	f.result(f.signIn(body))
	in := f.result(f.signIn(body.with(obj{"AccessToken": f.token("42", "annabel")})))
	info := in["InfoResultPayload"].(map[string]any)["AccountInfo"].(map[string]any)["StreamingInfo"].(map[string]any)
	if info["StreamingUserName"] != "annabel" || info["StreamingId"] != "42" || in["NewlyCreated"] != false {
		t.Errorf("after a change of name: %v", in)
	}
}
