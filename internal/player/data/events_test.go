package data_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
)

// events reads a log by a server as "name timestamp source" for each event,
// newest first.
func (f *fixture) events(path string, body obj) (lines []string, next any) {
	f.Helper()
	r := f.Call(path, f.server, body).Result()
	for _, e := range r["Events"].([]any) {
		e := e.(obj)
		lines = append(lines, fmt.Sprint(e["EventName"], " ", e["Timestamp"], " ", e["Source"], " ", text(f, e["Body"])))
	}
	return lines, r["ContinuationToken"]
}

// TestEvents: what clients and servers write of a player and of the title, servers
// read, newest first.
func TestEvents(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob := f.Player("ABCDE"), f.Player("ABCDE")
	for _, e := range []struct {
		path  string
		proof calltest.Proof
		body  obj
	}{
		{"/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "ForumPostEvent", "Body": obj{"Subject": "My <b>", "n": 1, "PlatformId": []any{nil}}}},
		{"/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "a.b-c_9", "Timestamp": "0001-01-01T00:00:00Z", "Body": nil}},
		{"/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "past", "Timestamp": "2020-01-02T03:04:05.1234567+01:00"}},
		{"/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "zoneless", "Timestamp": "2020-01-02T03:04:05.5", "PlatformId": bob.ID}},
		{"/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "epoch", "Timestamp": "1970-01-01T00:00:00Z"}},
		{"/Server/WritePlayerEvent", f.server, obj{"EventName": "server_event", "PlatformId": ann.ID, "Body": obj{}}},
		{"/Client/WriteTitleEvent", ann.Session(), obj{"EventName": "title1"}},
		{"/Server/WriteTitleEvent", f.server, obj{"EventName": "server.title2"}},
	} {
		id, _ := f.Call(e.path, e.proof, e.body).Result()["EventId"].(string)
		if len(id) != 32 {
			t.Errorf("%v: EventId %q", e.body, id)
		}
	}
	const now = "2026-03-04T05:06:07.89Z"
	lines, next := f.events("/Server/GetPlayerEvents", obj{"PlatformId": ann.ID})
	if got, want := strings.Join(lines, "\n"), strings.Join([]string{
		`server_event ` + now + ` Server {}`, `epoch 1970-01-01T00:00:00Z Client {}`, `zoneless 2020-01-02T03:04:05.5Z Client {}`, `past 2020-01-02T02:04:05.123Z Client {}`, `a.b-c_9 ` + now + ` Client {}`,
		`ForumPostEvent ` + now + ` Client {"PlatformId":[null],"Subject":"My <b>","n":1}`}, "\n"); got != want || next != nil {
		t.Errorf("got\n%s (%v), want\n%s", got, next, want)
	}
	if lines, _ := f.events("/Server/GetTitleEvents", obj{}); strings.Join(lines, "; ") != "server.title2 "+now+" Server {}; title1 "+now+" Client {}" {
		t.Errorf("the title's: %v", lines)
	}
	if lines, _ := f.events("/Server/GetPlayerEvents", obj{"PlatformId": bob.ID}); len(lines) != 0 {
		t.Errorf("another player's: %v", lines)
	}
	first, next := f.events("/Server/GetPlayerEvents", obj{"PlatformId": ann.ID, "MaxResultsCount": 3})
	rest, _ := f.events("/Server/GetPlayerEvents", obj{"PlatformId": ann.ID, "MaxResultsCount": 3, "ContinuationToken": next})
	if strings.Join(append(first, rest...), "\n") != strings.Join(lines, "\n") {
		t.Errorf("in two parts: %v, then %v", first, rest)
	}
	f.Call("/Server/GetPlayerEvents", f.other, obj{"PlatformId": ann.ID}).Refused("AccountNotFound", 1001)
	want(t, "another title", f.Call("/Server/GetTitleEvents", f.other, obj{}).Result(), `{"Events":[]}`)
}

func TestEventRefusals(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	for name, tc := range map[string]struct {
		body   obj
		code   string
		number int
		server bool // hears the same
	}{
		"no name":        {obj{}, "InvalidParams", 1000, true},
		"blank":          {obj{"EventName": "a b"}, "InvalidEventName", 1217, true},
		"script":         {obj{"EventName": "ü"}, "InvalidEventName", 1217, true},
		"long name":      {obj{"EventName": letters(129, "x")}, "InvalidEventName", 1217, true},
		"control":        {obj{"EventName": "a\x00"}, "InvalidEventName", 1217, true},
		"reserved":       {obj{"EventName": "Player_Logged_In"}, "ReservedEventName", 1072, true},
		"reserved start": {obj{"EventName": "playfab.x"}, "ReservedEventName", 1072, true},
		"of servers":     {obj{"EventName": "Server_x"}, "NoWritePermissionsForEvent", 1207, false},
		"body":           {obj{"EventName": "x", "Body": []any{}}, "InvalidParams", 1000, true},
		"member":         {obj{"EventName": "x", "Body": obj{"a": 1, "Timestamp": "x"}}, "InvalidEventField", 1216, true},
		"10,001 bytes":   {obj{"EventName": "x", "Body": obj{"a": letters(9_993, "x")}}, "InvalidEventField", 1216, true},
		"in bytes":       {obj{"EventName": "x", "Body": obj{"a": letters(4_997, "ü")}}, "InvalidEventField", 1216, true},
		"no time":        {obj{"EventName": "x", "Timestamp": "yesterday"}, "InvalidParams", 1000, true},
		"year 10000":     {obj{"EventName": "x", "Timestamp": "9999-12-31T23:59:59-01:00"}, "InvalidParams", 1000, true},
		"year 0":         {obj{"EventName": "x", "Timestamp": "0001-01-01T00:00:00+01:00"}, "InvalidParams", 1000, true},
		"day 32":         {obj{"EventName": "x", "Timestamp": "2020-01-32T00:00:00Z"}, "InvalidParams", 1000, true},
	} {
		t.Run(name, func(t *testing.T) {
			tc.body["PlatformId"] = ann.ID
			for path, proof := range map[string]calltest.Proof{
				"/Client/WritePlayerEvent": ann.Session(), "/Client/WriteTitleEvent": ann.Session(),
				"/Server/WritePlayerEvent": f.server, "/Server/WriteTitleEvent": f.server,
			} {
				a := f.Call(path, proof, tc.body)
				a.TB = t
				if strings.HasPrefix(path, "/Server") && !tc.server {
					a.Result()
				} else {
					a.Refused(tc.code, tc.number)
				}
			}
		})
	}
	f.Call("/Client/WritePlayerEvent", ann.Session(), obj{"EventName": letters(128, "x"), "Body": obj{"a": letters(9_992, "x")}}).Result()
	f.Call("/Server/WritePlayerEvent", f.server, obj{"EventName": "x"}).Refused("InvalidParams", 1000)
	f.Call("/Server/WritePlayerEvent", f.other, obj{"EventName": "x", "PlatformId": ann.ID}).Refused("AccountNotFound", 1001)
	f.Call("/Server/GetPlayerEvents", f.server, obj{}).Refused("InvalidParams", 1000)
	for _, body := range []obj{{"MaxResultsCount": -1}, {"MaxResultsCount": 1001}, {"ContinuationToken": "x"}} {
		f.Call("/Server/GetTitleEvents", f.server, body).Refused("InvalidParams", 1000)
	}
	f.Call("/Server/GetTitleEvents", f.server, obj{"MaxResultsCount": 1000}).Result()
}

// TestEventLogIsBounded: the newest 1,000 of 30 days stay, also in the table.
func TestEventLogIsBounded(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	together(8, func(w int) {
		for i := range 128 {
			if a := f.Call("/Client/WritePlayerEvent", ann.Session(), obj{"EventName": fmt.Sprint("e", w, "_", i)}); a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
	})
	read := func() int {
		lines, _ := f.events("/Server/GetPlayerEvents", obj{"PlatformId": ann.ID, "MaxResultsCount": 1000})
		return len(lines)
	}
	if n := read(); n != 1000 || f.count("player_events") != 1000 {
		t.Errorf("%d events, %d rows; want 1000", n, f.count("player_events"))
	}
	f.Clock.Advance(30 * 24 * time.Hour)
	if n := read(); n != 1000 {
		t.Errorf("%d events after 30 days", n)
	}
	f.Call("/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "edge"}).Result()
	if n := read(); n != 1000 {
		t.Errorf("%d events after one more", n)
	}
	f.Clock.Advance(time.Millisecond)
	if n := read(); n != 1 {
		t.Errorf("%d events, all but one are older than 30 days", n)
	}
	f.Call("/Client/WritePlayerEvent", ann.Session(), obj{"EventName": "new"}).Result()
	if n, rows := read(), f.count("player_events"); n != 2 || rows != 998 {
		t.Errorf("%d events, %d rows; want 2 and 998", n, rows)
	}
}

// TestDevices: a server reads what a player's device said last.
func TestDevices(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	get := func() obj {
		return f.Call("/Server/GetPlayerDeviceInfo", f.server, obj{"PlatformId": ann.ID}).Result()
	}
	want(t, "nothing yet", get(), `{"PlatformId":"`+ann.ID+`"}`)
	want(t, "report", f.Call("/Client/ReportDeviceInfo", ann.Session(), obj{"Info": obj{"Model": "one", "PlatformId": 1}, "CustomTags": obj{"a": "b"}}).Result(), `{}`)
	want(t, "read", get(), `{"Info":{"Model":"one","PlatformId":1},"PlatformId":"`+ann.ID+`","Reported":"2026-03-04T05:06:07.89Z"}`)
	f.Clock.Advance(time.Second)
	f.Call("/Client/ReportDeviceInfo", ann.Session(), obj{"Info": obj{"Model": letters(9_988, "x")}}).Result()
	f.Call("/Client/ReportDeviceInfo", ann.Session(), obj{"Info": obj{"Model": letters(9_989, "x")}}).Refused("BodyTooLarge", 1068)
	f.Call("/Client/ReportDeviceInfo", ann.Session(), obj{"Info": "x"}).Refused("InvalidParams", 1000)
	if got := get(); got["Reported"] != "2026-03-04T05:06:08.89Z" || len(got["Info"].(obj)["Model"].(string)) != 9_988 {
		t.Errorf("after the second report: %v", got["Reported"])
	}
	f.Call("/Client/ReportDeviceInfo", ann.Session(), obj{}).Result()
	want(t, "an empty report", get()["Info"], `{}`)
	f.Call("/Server/GetPlayerDeviceInfo", f.other, obj{"PlatformId": ann.ID}).Refused("AccountNotFound", 1001)
	f.Call("/Server/GetPlayerDeviceInfo", f.server, obj{}).Refused("InvalidParams", 1000)
}

func TestGetTime(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	want(t, "client", f.Call("/Client/GetTime", ann.Session(), obj{}).Result(), `{"Time":"2026-03-04T05:06:07.89Z"}`)
	f.Clock.Advance(110 * time.Millisecond)
	want(t, "server", f.Call("/Server/GetTime", f.server, obj{}).Result(), `{"Time":"2026-03-04T05:06:08Z"}`)
	f.Call("/Client/GetTime", nil, obj{}).Refused("NotAuthenticated", 1074)
}
