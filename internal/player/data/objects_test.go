package data_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// entity names a player in its title.
func entity(p *calltest.Player) obj {
	return obj{"Id": p.Account.Account, "Type": "title_player_account"}
}

// set writes objects of a player by its own token.
func (f *fixture) set(p *calltest.Player, more obj, objects ...any) *calltest.Answer {
	f.Helper()
	body := obj{"Entity": entity(p), "Objects": objects}
	for k, v := range more {
		body[k] = v
	}
	return f.Call("/Object/SetObjects", p.Entity(), body)
}

func object(name string, body any) obj { return obj{"ObjectName": name, "DataObject": body} }

// TestObjects follows the objects of an entity through their life.
func TestObjects(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	key := `"Entity":{"Id":"` + ann.Account.Account + `","Type":"title_player_account"}`
	get := func(escape bool) obj {
		return f.Call("/Object/GetObjects", ann.Entity(), obj{"Entity": entity(ann), "EscapeObject": escape}).Result()
	}
	want(t, "nothing yet", get(false), `{`+key+`,"Objects":{},"ProfileVersion":0}`)
	want(t, "create", f.set(ann, nil, object("save", obj{"testCounter": 41, "PlatformId": "mine"}), obj{"ObjectName": "raw", "EscapedDataObject": ` [1, "ü"] `}).Result(),
		`{"ProfileVersion":1,"SetResults":[{"ObjectName":"save","SetResult":"Created"},{"ObjectName":"raw","SetResult":"Created"}]}`)
	want(t, "read", get(false), `{`+key+`,"Objects":{"raw":{"DataObject":[1,"ü"],"ObjectName":"raw"},"save":{"DataObject":{"PlatformId":"mine","testCounter":41},"ObjectName":"save"}},"ProfileVersion":1}`)
	want(t, "update", f.set(ann, obj{"ExpectedProfileVersion": 1}, object("save", obj{"testCounter": 42}), obj{"ObjectName": "raw", "DeleteObject": true}, obj{"ObjectName": "none", "DeleteObject": true}).Result(),
		`{"ProfileVersion":2,"SetResults":[{"ObjectName":"save","SetResult":"Updated"},{"ObjectName":"raw","SetResult":"Deleted"},{"ObjectName":"none","OperationReason":"There is no such object.","SetResult":"None"}]}`)
	want(t, "no change", f.set(ann, nil, object("save", obj{"testCounter": 42})).Result(),
		`{"ProfileVersion":2,"SetResults":[{"ObjectName":"save","OperationReason":"The object is the same.","SetResult":"None"}]}`)
	want(t, "read as text", get(true), `{`+key+`,"Objects":{"save":{"EscapedDataObject":"{\"testCounter\":42}","ObjectName":"save"}},"ProfileVersion":2}`)
	for _, stale := range []int{0, 1, 3, -1} {
		f.set(ann, obj{"ExpectedProfileVersion": stale}, object("save", obj{})).Refused("EntityProfileVersionMismatch", 1352)
	}
	f.set(ann, obj{"ExpectedProfileVersion": nil}, object("save", 1)).Result()
	want(t, "a null DataObject with a deletion", f.set(ann, nil, obj{"ObjectName": "save", "DataObject": nil, "DeleteObject": true}).Result(),
		`{"ProfileVersion":4,"SetResults":[{"ObjectName":"save","SetResult":"Deleted"}]}`)
}

func TestObjectRefusals(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob, stranger := f.Player("ABCDE"), f.Player("ABCDE"), f.Player("ABC")
	many := func(n int) (all []any) {
		for i := range n {
			all = append(all, object(fmt.Sprint("o", i), i))
		}
		return all
	}
	for name, tc := range map[string]struct {
		objects []any
		code    string
		number  int
	}{
		"none":        {nil, "InvalidParams", 1000},
		"no name":     {[]any{object("", 1)}, "InvalidParams", 1000},
		"blank":       {[]any{object(" a", 1)}, "InvalidParams", 1000},
		"control":     {[]any{object("a\x00", 1)}, "InvalidParams", 1000},
		"nothing":     {[]any{obj{"ObjectName": "a"}}, "InvalidParams", 1000},
		"null":        {[]any{object("a", nil)}, "InvalidParams", 1000},
		"both":        {[]any{obj{"ObjectName": "a", "DataObject": 1, "EscapedDataObject": "1"}}, "InvalidParams", 1000},
		"sent, gone":  {[]any{obj{"ObjectName": "a", "DataObject": 1, "DeleteObject": true}}, "InvalidParams", 1000},
		"twice":       {[]any{object("a", 1), object("a", 2)}, "InvalidParams", 1000},
		"no JSON":     {[]any{obj{"ObjectName": "a", "EscapedDataObject": "{"}}, "InvalidJSONContent", 1200},
		"empty text":  {[]any{obj{"ObjectName": "a", "EscapedDataObject": ""}}, "InvalidJSONContent", 1200},
		"two values":  {[]any{obj{"ObjectName": "a", "EscapedDataObject": "1 2"}}, "InvalidJSONContent", 1200},
		"duplicate":   {[]any{obj{"ObjectName": "a", "EscapedDataObject": `{"a":1,"a":2}`}}, "InvalidJSONContent", 1200},
		"deep":        {[]any{obj{"ObjectName": "a", "EscapedDataObject": strings.Repeat("[", 65) + strings.Repeat("]", 65)}}, "InvalidJSONContent", 1200},
		"six":         {many(6), "OverLimit", 1214},
		"long name":   {[]any{object(letters(65, "ü"), 1)}, "KeyLengthExceeded", 1145},
		"1,001 bytes": {[]any{object("a", letters(999, "x"))}, "DataLengthExceeded", 1146},
		"in bytes":    {[]any{object("a", letters(500, "ü"))}, "DataLengthExceeded", 1146},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.set(ann, nil, tc.objects...)
			a.TB = t
			a.Refused(tc.code, tc.number)
		})
	}
	// Just within the limits.
	f.set(ann, nil, object("a", letters(997, "x")), object("b", letters(998, "x")), object(letters(64, "ü"), letters(499, "ü")),
		obj{"ObjectName": "d", "EscapedDataObject": strings.Repeat("[ ", 64) + strings.Repeat("]", 64)}, object("e", 5)).Result()
	f.set(ann, nil, object("f", 6)).Refused("OverLimit", 1214)
	f.set(ann, nil, object("f", 6), obj{"ObjectName": "e", "DeleteObject": true}).Result()

	// Whose token it is.
	body := obj{"Entity": entity(ann), "Objects": many(1)}
	for _, path := range []string{"/Object/GetObjects", "/Object/SetObjects"} {
		for name, proof := range map[string]calltest.Proof{"another player": bob.Entity(), "another title": stranger.Entity()} {
			if _, details := f.Call(path, proof, body).Refused("NotAuthorized", 1089); details != nil {
				t.Errorf("%s: %v", name, details)
			}
		}
		f.Call(path, ann.Session(), body).Refused("NotAuthenticated", 1074)
		f.Call(path, ann.Entity(), obj{"Objects": many(1)}).Refused("InvalidParams", 1000)
		f.Call(path, ann.Entity(), obj{"Entity": obj{"Id": ann.Account.Account, "Type": "title"}, "Objects": many(1)}).Refused("NotAuthorized", 1089)
		f.Call(path, ann.Entity(), obj{"Entity": obj{"Id": "ABCDE", "Type": "title"}, "Objects": many(1)}).Refused("NotAuthorized", 1089)
		f.Call(path, ann.Entity(), obj{"Entity": obj{"Id": ann.ID, "Type": "master_player_account"}, "Objects": many(1)}).Refused("NotAuthorized", 1089)
	}
	// The type may be left out, or sent in the older member.
	untyped := f.Call("/Object/GetObjects", ann.Entity(), obj{"Entity": obj{"Id": ann.Account.Account}}).Result()
	want(t, "the entity's type", untyped["Entity"], text(t, entity(ann)))
	f.Call("/Object/GetObjects", ann.Entity(), obj{"Entity": obj{"Id": ann.Account.Account, "TypeString": "title_player_account"}}).Result()
}

// TestObjectsOfTitles: a title's token reaches the title's objects and those of
// its players, who have one profile under both of their entities.
func TestObjectsOfTitles(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, stranger := f.Player("ABCDE"), f.Player("ABC")
	text, _ := f.Tickets.Entity(ticket.Bearer{Title: "ABCDE"}, ticket.TitleEntity)
	token := calltest.Proof{"X-EntityToken": text}
	own, master := obj{"Id": "ABCDE", "Type": "title"}, obj{"Id": ann.ID, "Type": "master_player_account"}
	f.Call("/Object/SetObjects", token, obj{"Entity": own, "Objects": []any{object("motd", "hello")}}).Result()
	f.Call("/Object/SetObjects", token, obj{"Entity": master, "Objects": []any{object("gift", 1)}}).Result()
	want(t, "the title's", f.Call("/Object/GetObjects", token, obj{"Entity": own}).Result(),
		`{"Entity":{"Id":"ABCDE","Type":"title"},"Objects":{"motd":{"DataObject":"hello","ObjectName":"motd"}},"ProfileVersion":1}`)
	want(t, "the player's", f.Call("/Object/GetObjects", ann.Entity(), obj{"Entity": entity(ann)}).Result()["Objects"], `{"gift":{"DataObject":1,"ObjectName":"gift"}}`)
	f.Call("/Object/GetObjects", token, obj{"Entity": obj{"Id": "ABC", "Type": "title"}}).Refused("NotAuthorized", 1089)
	f.Call("/Object/GetObjects", token, obj{"Entity": obj{"Id": stranger.ID, "Type": "master_player_account"}}).Refused("AccountNotFound", 1001)
	f.Call("/Object/GetObjects", token, obj{"Entity": obj{"Id": "\x00", "Type": "master_player_account"}}).Refused("AccountNotFound", 1001)
}

// TestConcurrentObjects: of writers that expect one version exactly one succeeds.
func TestConcurrentObjects(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	var won atomic.Int64
	together(24, func(i int) {
		switch a := f.set(ann, obj{"ExpectedProfileVersion": 0}, object("save", i)); a.Status {
		case http.StatusOK:
			won.Add(1)
		case http.StatusBadRequest:
			a.Refused("EntityProfileVersionMismatch", 1352)
		default:
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
	if won.Load() != 1 {
		t.Errorf("%d writers succeeded", won.Load())
	}
}

// TestVendorNaming: records are renamed, a caller's own names are not, and
// refusals have the status that fits.
func TestVendorNaming(t *testing.T) {
	f := newFixtureOf(t, data.Options{}, wire.Vendor)
	ann := f.Player("ABCDE", named("Ann"))
	f.Call("/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"PlatformId": "x"}}).Result()
	want(t, "user data", f.Call("/Server/GetUserData", f.server, obj{"PlayFabId": ann.ID}).Result(),
		`{"Data":{"PlatformId":{"LastUpdated":"2026-03-04T05:06:07.89Z","Permission":"Private","Value":"x"}},"DataVersion":1,"PlayFabId":"`+ann.ID+`"}`)
	f.Call("/Client/UpdatePlayerStatistics", ann.Session(), obj{"Statistics": []any{stat("str", 0)}}).Result()
	list := f.Call("/Client/GetLeaderboard", ann.Session(), obj{"StatisticName": "str"}).Result()["Leaderboard"].([]any)
	if len(list) != 1 || list[0].(obj)["PlayFabId"] != ann.ID || list[0].(obj)["PlatformId"] != nil {
		t.Errorf("leaderboard: %v", list)
	}
	f.set(ann, nil, object("o", obj{"PlatformId": 1})).Result()
	if got := f.Call("/Object/GetObjects", ann.Entity(), obj{"Entity": entity(ann)}).Body; !strings.Contains(got, `"DataObject":{"PlatformId":1}`) || !strings.Contains(got, `"TypeString":"title_player_account"`) {
		t.Errorf("objects: %s", got)
	}
	if a := f.set(ann, obj{"ExpectedProfileVersion": 7}, object("o", 1)); a.Status != http.StatusConflict {
		t.Errorf("conflict: %d %s", a.Status, a.Body)
	}
}
