package data_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
	"ludgate/internal/player/part"
	"ludgate/internal/player/profile"
	"ludgate/internal/store"
)

// count is the number of rows of a table.
func (f *fixture) count(table string) (n int64) {
	f.Helper()
	stmt := store.NewStmt("count", "SELECT count(*) FROM "+table)
	f.read(func(tx store.Tx) error {
		_, err := store.QueryOne(tx, stmt, func(r store.Row) error { n = r.Int(0); return nil })
		return err
	})
	return n
}

func (f *fixture) read(fn func(store.Tx) error) {
	f.Helper()
	if err := f.Store.Read(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

// tables are all tables of the package that have rows of players.
var tables = []string{"player_data_heads", "player_data", "player_statistics", "player_objects", "player_events", "player_devices"}

// full gives a player something in every table.
func (f *fixture) full(p *calltest.Player) {
	f.define("daily", "Sum", "Day")
	f.Call("/Client/UpdateUserData", p.Session(), obj{"Data": obj{"client": "\x00ü"}, "Permission": "Public"}).Result()
	f.Call("/Server/UpdateUserReadOnlyData", f.server, obj{"PlatformId": p.ID, "Data": obj{"ro": "1"}}).Result()
	f.Call("/Server/UpdateUserInternalData", f.server, obj{"PlatformId": p.ID, "Data": obj{"int": "2"}}).Result()
	f.Call("/Server/UpdateUserInternalData", f.server, obj{"PlatformId": p.ID, "KeysToRemove": []any{"int"}}).Result()
	f.post(p.ID, stat("xp", -2147483648), stat("daily", 3)).Result()
	f.Clock.Advance(24 * time.Hour)
	f.post(p.ID, stat("daily", 4)).Result()
	f.set(p, nil, object("save", obj{"n": 1})).Result()
	f.Call("/Client/WritePlayerEvent", p.Session(), obj{"EventName": "one", "Body": obj{"b": 1}}).Result()
	f.Call("/Server/WritePlayerEvent", f.server, obj{"EventName": "two", "PlatformId": p.ID}).Result()
	f.Call("/Client/ReportDeviceInfo", p.Session(), obj{"Info": obj{"Model": "one"}}).Result()
}

// TestMove: a player that is exported and imported elsewhere answers as before;
// what is deleted leaves no row.
func TestMove(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob := f.Player("ABCDE"), f.Player("ABC")
	f.full(ann)
	p := part.Of("data", f.service)
	var dump, again jsontext.Value
	f.read(func(tx store.Tx) (err error) { dump, err = p.Export(tx, "ABCDE", ann.ID); return err })
	parsed, err := p.Parse(dump)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Store.Write(t.Context(), func(tx store.Tx) error { return parsed.Import(tx, "ABC", bob.ID) })
	if err != nil {
		t.Fatal(err)
	}
	f.read(func(tx store.Tx) (err error) { again, err = p.Export(tx, "ABC", bob.ID); return err })
	if string(dump) != string(again) || len(dump) < 500 {
		t.Errorf("exported\n%s\nand after the import\n%s", dump, again)
	}
	for path, body := range map[string]obj{
		"/Server/GetUserData": {}, "/Server/GetUserReadOnlyData": {}, "/Server/GetUserInternalData": {}, "/Server/GetPlayerEvents": {}, "/Server/GetPlayerDeviceInfo": {},
		"/Server/GetPlayerStatistics": {"StatisticNameVersions": []any{obj{"StatisticName": "daily", "Version": 0}, obj{"StatisticName": "daily", "Version": 1}, obj{"StatisticName": "xp"}}},
	} {
		body["PlatformId"] = ann.ID
		before := f.Call(path, f.server, body).Body
		body["PlatformId"] = bob.ID
		if after := f.Call(path, f.other, body).Body; strings.ReplaceAll(after, bob.ID, ann.ID) != before {
			t.Errorf("%s:\n%s\n%s", path, before, after)
		}
	}
	// A statistic is as far as what was imported, and goes on from there.
	want(t, "versions", f.Call("/Server/GetPlayerStatistics", f.other, obj{"PlatformId": bob.ID}).Result()["Statistics"],
		`[{"StatisticName":"daily","Value":4,"Version":1},{"StatisticName":"xp","Value":-2147483648,"Version":0}]`)

	cid := f.Player("ABC")
	err = f.Store.Write(t.Context(), func(tx store.Tx) error {
		return f.service.Import(tx, "ABC", cid.ID, &data.Dump{Statistics: []data.DumpedStatistic{{Name: "daily", Version: 7, Value: 1}, {Name: "daily", Version: 3, Value: 2}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "a later version", f.Call("/Server/GetPlayerStatistics", f.other, obj{"PlatformId": cid.ID}).Result()["Statistics"], `[{"StatisticName":"daily","Value":1,"Version":7}]`)
	want(t, "versions before", f.Call("/Server/GetPlayerStatistics", f.other, obj{"PlatformId": bob.ID}).Result()["Statistics"],
		`[{"StatisticName":"xp","Value":-2147483648,"Version":0}]`)
	if got := f.board("/Server/GetLeaderboard", f.other, obj{"StatisticName": "daily"}); got != "0 "+cid.ID+" 1" {
		t.Errorf("the board of the later version: %s", got)
	}

	for id, title := range map[string]string{ann.ID: "ABCDE", bob.ID: "ABC", cid.ID: "ABC"} {
		err = f.Store.Write(t.Context(), func(tx store.Tx) error { return p.Delete(tx, title, id) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range tables {
		if n := f.count(table); n != 0 {
			t.Errorf("%d rows in %s after everybody was deleted", n, table)
		}
	}
	f.read(func(tx store.Tx) error {
		if empty, err := p.Export(tx, "ABC", bob.ID); err != nil || empty != nil {
			t.Errorf("exported nobody: %s, %v", empty, err)
		}
		return nil
	})
	f.Call("/Server/WriteTitleEvent", f.server, obj{"EventName": "x"}).Result()
	for _, title := range []string{"ABCDE", "ABC"} {
		err = f.Store.Write(t.Context(), func(tx store.Tx) error { return p.DeleteTitle(tx, title) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range append(tables, "player_statistic_definitions", "player_statistic_epochs") {
		if n := f.count(table); n != 0 {
			t.Errorf("%d rows in %s after the titles were deleted", n, table)
		}
	}
}

// TestImportChecks: a dump is held to the limits of the calls, and a refused one
// leaves nothing.
func TestImportChecks(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	for name, dump := range map[string]string{
		"key":            `{"client":{"version":1,"keys":[{"key":"!a","value":"x","updated":1}]}}`,
		"blank key":      `{"client":{"version":1,"keys":[{"key":" a","value":"x","updated":1}]}}`,
		"key twice":      `{"client":{"version":1,"keys":[{"key":"a","value":"x","updated":1},{"key":"a","value":"x","updated":1}]}}`,
		"long key":       `{"readOnly":{"version":1,"keys":[{"key":"` + letters(129, "x") + `","value":"x","updated":1}]}}`,
		"long value":     `{"internal":{"version":1,"keys":[{"key":"a","value":"` + letters(300_001, "x") + `","updated":1}]}}`,
		"version":        `{"client":{"version":-1,"keys":[]}}`,
		"statistic":      `{"statistics":[{"name":"","value":1,"updated":1}]}`,
		"value":          `{"statistics":[{"name":"a","value":2147483648,"updated":1}]}`,
		"statistic of":   `{"statistics":[{"name":"a","version":-1,"value":1,"updated":1}]}`,
		"value's time":   `{"statistics":[{"name":"a","value":1,"updated":-1}]}`,
		"value twice":    `{"statistics":[{"name":"a","value":1,"updated":1},{"name":"a","value":2,"updated":2}]}`,
		"six objects":    `{"objects":[{"name":"a","object":1},{"name":"b","object":1},{"name":"c","object":1},{"name":"d","object":1},{"name":"e","object":1},{"name":"f","object":1}]}`,
		"large object":   `{"objects":[{"name":"a","object":"` + letters(999, "x") + `"}]}`,
		"profile":        `{"profileVersion":-1}`,
		"event":          `{"events":[{"id":"0123456789abcdef0123456789abcdef","name":"a b","body":{}}]}`,
		"event's id":     `{"events":[{"id":"1","name":"a","body":{}}]}`,
		"event's body":   `{"events":[{"id":"0123456789abcdef0123456789abcdef","name":"a","body":[]}]}`,
		"many events":    `{"events":[` + strings.TrimSuffix(strings.Repeat(`{"id":"0123456789abcdef0123456789abcdef","name":"a","body":{}},`, 1001), ",") + `]}`,
		"device":         `{"device":{"info":1,"reported":1}}`,
		"large device":   `{"device":{"info":{"a":"` + letters(10_000, "x") + `"},"reported":1}}`,
		"good, then bad": `{"client":{"version":1,"keys":[{"key":"a","value":"x","updated":1}]},"device":{"info":1,"reported":1}}`,
	} {
		var d data.Dump
		if err := json.Unmarshal([]byte(dump), &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err := f.Store.Write(t.Context(), func(tx store.Tx) error { return f.service.Import(tx, "ABCDE", ann.ID, &d) })
		if e := ludgate.AsError(err); e == nil || e.Kind == ludgate.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, table := range tables {
		if n := f.count(table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
}

// TestLoad: what a sign-in shows, by flags, names and keys.
func TestLoad(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob := f.Player("ABCDE"), f.Player("ABCDE")
	f.full(ann)
	f.Call("/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"own": "x"}}).Result()
	all := data.Want{Statistics: true, UserData: true, ReadOnlyData: true}
	load := func(p *calltest.Player, w data.Want) (info *data.Info) {
		f.read(func(tx store.Tx) (err error) { info, err = f.service.Load(tx, "ABCDE", p.ID, w); return err })
		return info
	}
	const stats = `[{"StatisticName":"daily","Value":4,"Version":1},{"StatisticName":"xp","Value":-2147483648,"Version":0}]`
	names := func(m map[string]data.UserDataRecord) string {
		if m == nil {
			return "nil"
		}
		keys := []string{}
		for _, k := range []string{"client", "own", "ro", "int"} {
			if _, ok := m[k]; ok {
				keys = append(keys, k)
			}
		}
		return strings.Join(keys, " ")
	}
	for name, tc := range map[string]struct {
		player            *calltest.Player
		want              data.Want
		stats, user, read string
	}{
		"nothing":         {ann, data.Want{StatisticNames: []string{"xp"}, UserDataKeys: []string{"own"}}, "null", "nil", "nil"},
		"everything":      {ann, all, stats, "client own", "ro"},
		"chosen":          {ann, data.Want{Statistics: true, StatisticNames: []string{"none"}, UserData: true, UserDataKeys: []string{" own", "none"}, ReadOnlyData: true, ReadOnlyDataKeys: []string{}}, "[]", "own", ""},
		"for others":      {ann, data.Want{UserData: true, ReadOnlyData: true, Public: true}, "null", "client", ""},
		"who has nothing": {bob, all, "[]", "", ""},
	} {
		i := load(tc.player, tc.want)
		if i.Statistics == nil && tc.stats != "null" || i.Statistics != nil && text(t, i.Statistics) != tc.stats {
			t.Errorf("%s: statistics %s", name, text(t, i.Statistics))
		}
		if names(i.UserData) != tc.user || names(i.ReadOnlyData) != tc.read {
			t.Errorf("%s: %q and %q, want %q and %q", name, names(i.UserData), names(i.ReadOnlyData), tc.user, tc.read)
		}
		if tc.player == ann && (i.UserDataVersion != 2 || i.ReadOnlyDataVersion != 1) || tc.player == bob && i.UserDataVersion+i.ReadOnlyDataVersion != 0 {
			t.Errorf("%s: versions %d and %d", name, i.UserDataVersion, i.ReadOnlyDataVersion)
		}
	}
	if got := load(ann, all).UserData["client"]; got != (data.UserDataRecord{Value: "\x00ü", LastUpdated: "2026-03-04T05:06:07.89Z", Permission: data.Public}) {
		t.Errorf("client data: %+v", got)
	}
	f.read(func(tx store.Tx) error {
		_, err := f.service.Load(tx, "ABCDE", ann.ID, data.Want{UserData: true, UserDataKeys: make([]string, 1001)})
		if !ludgate.IsCode(err, "InvalidParams") {
			t.Errorf("1,001 keys: %v", err)
		}
		models, err := f.service.Statistics(tx, "ABCDE", ann.ID)
		if err != nil || len(models) != 2 || models[1] != (profile.StatisticModel{Name: "xp", Value: -2147483648}) {
			t.Errorf("for a profile: %v, %v", models, err)
		}
		return nil
	})
}
