package data_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
)

// stat is one StatisticUpdate.
func stat(name string, value any) obj { return obj{"StatisticName": name, "Value": value} }

// post writes statistics of a player by a server.
func (f *fixture) post(player string, updates ...any) *calltest.Answer {
	f.Helper()
	return f.Call("/Server/UpdatePlayerStatistics", f.server, obj{"PlatformId": player, "Statistics": updates})
}

// values reads a player's statistics by its client, as JSON.
func (f *fixture) values(p *calltest.Player, body obj) string {
	f.Helper()
	return text(f, f.Call("/Client/GetPlayerStatistics", p.Session(), body).Result()["Statistics"])
}

// define makes a statistic.
func (f *fixture) define(name, method, interval string) obj {
	f.Helper()
	return f.Call("/Admin/CreatePlayerStatisticDefinition", f.server,
		obj{"StatisticName": name, "AggregationMethod": method, "VersionChangeInterval": interval}).Result()
}

// TestStatistics: what clients and servers write, both read; a statistic springs
// into being with its first value.
func TestStatistics(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob := f.Player("ABCDE"), f.Player("ABCDE")
	if got := f.values(ann, obj{}); got != "[]" {
		t.Errorf("at first: %s", got)
	}
	f.Call("/Client/UpdatePlayerStatistics", ann.Session(), obj{"Statistics": []any{stat("xp", 0), stat("deaths", -3), stat("höhe 😀", 2147483647)}}).Result()
	want(t, "update", f.post(ann.ID, stat("xp", 5)).Result(), `{}`)
	const deaths = `{"StatisticName":"deaths","Value":-3,"Version":0}`
	const height = `{"StatisticName":"höhe 😀","Value":2147483647,"Version":0}`
	const xp = `{"StatisticName":"xp","Value":5,"Version":0}`
	for _, tc := range []struct {
		body obj
		want string
	}{
		{obj{}, `[` + deaths + `,` + height + `,` + xp + `]`},
		{obj{"StatisticNames": nil}, `[` + deaths + `,` + height + `,` + xp + `]`},
		{obj{"StatisticNames": []any{"xp", "none", "höhe 😀", "\x00"}}, `[` + height + `,` + xp + `]`},
		{obj{"StatisticNames": []any{}}, `[]`},
		{obj{"StatisticNameVersions": []any{obj{"StatisticName": "xp", "Version": 0}, obj{"StatisticName": "deaths", "Version": 1}}}, `[` + xp + `]`},
		{obj{"StatisticNames": []any{"xp"}, "StatisticNameVersions": []any{obj{"StatisticName": "deaths"}}}, `[` + xp + `]`},
	} {
		if got := f.values(ann, tc.body); got != tc.want {
			t.Errorf("%v:\n got %s\nwant %s", tc.body, got, tc.want)
		}
	}
	want(t, "server", f.Call("/Server/GetPlayerStatistics", f.server, obj{"PlatformId": ann.ID, "StatisticNames": []any{"xp"}}).Result(),
		`{"PlatformId":"`+ann.ID+`","Statistics":[`+xp+`]}`)
	if got := f.values(bob, obj{}); got != "[]" {
		t.Errorf("another player has %s", got)
	}
	f.Call("/Server/GetPlayerStatistics", f.other, obj{"PlatformId": ann.ID}).Refused("AccountNotFound", 1001)
	f.Call("/Server/UpdatePlayerStatistics", f.other, obj{"PlatformId": ann.ID, "Statistics": []any{stat("xp", 1)}}).Refused("AccountNotFound", 1001)
	f.Call("/Admin/ResetUserStatistics", f.other, obj{"PlatformId": ann.ID}).Refused("AccountNotFound", 1001)
	f.Call("/Admin/ResetUserStatistics", f.server, obj{"PlatformId": ann.ID}).Result()
	if got := f.values(ann, obj{}); got != "[]" {
		t.Errorf("after the reset: %s", got)
	}
}

// TestAggregation: what a second value does, by method, with and without force.
func TestAggregation(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	for _, tc := range []struct {
		method        string
		first, second int
		kept          int
	}{
		{"Last", 5, 3, 3}, {"Last", 3, 5, 5}, {"Min", 5, 3, 3}, {"Min", 3, 5, 3}, {"Max", 5, 3, 5}, {"Max", 3, 5, 5},
		{"Sum", 5, 3, 8}, {"Sum", 5, -8, -3}, {"Sum", 2147483646, 1, 2147483647}, {"Sum", -2147483647, -1, -2147483648},
	} {
		name := fmt.Sprintf("%s%d%d", tc.method, tc.first, tc.second)
		f.define(name, tc.method, "Never")
		f.post(ann.ID, stat(name, tc.first)).Result()
		f.post(ann.ID, stat(name, tc.second)).Result()
		if got, want := f.values(ann, obj{"StatisticNames": []any{name}}), fmt.Sprintf(`[{"StatisticName":%q,"Value":%d,"Version":0}]`, name, tc.kept); got != want {
			t.Errorf("%s: %d, then %d: got %s, want %s", tc.method, tc.first, tc.second, got, want)
		}
		f.Call("/Server/UpdatePlayerStatistics", f.server, obj{"PlatformId": ann.ID, "ForceUpdate": true, "Statistics": []any{stat(name, 1)}}).Result()
		if got, want := f.values(ann, obj{"StatisticNames": []any{name}}), fmt.Sprintf(`[{"StatisticName":%q,"Value":1,"Version":0}]`, name); got != want {
			t.Errorf("%s with force: got %s", name, got)
		}
	}
	// Force is for servers.
	f.Call("/Client/UpdatePlayerStatistics", ann.Session(), obj{"ForceUpdate": true, "Statistics": []any{stat("Max53", -1)}}).Result()
	if got := f.values(ann, obj{"StatisticNames": []any{"Max53"}}); got != `[{"StatisticName":"Max53","Value":1,"Version":0}]` {
		t.Errorf("a client forced %s", got)
	}
	f.post(ann.ID, stat("Sum53", 2147483647)).Refused("StatisticValueAggregationOverflow", 1308)
	f.post(ann.ID, stat("Last53", 9), stat("Sum53", 2147483647)).Refused("StatisticValueAggregationOverflow", 1308)
	if got := f.values(ann, obj{"StatisticNames": []any{"Last53", "Sum53"}}); got != `[{"StatisticName":"Last53","Value":1,"Version":0},{"StatisticName":"Sum53","Value":1,"Version":0}]` {
		t.Errorf("a refused call wrote %s", got)
	}
}

func TestStatisticRefusals(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, stranger := f.Player("ABCDE"), f.Player("ABC")
	f.post(ann.ID, stat("xp", 1)).Result()
	f.define("daily", "Sum", "Day")
	f.Clock.Advance(24 * time.Hour)
	version := func(name string, v any) obj { return obj{"StatisticName": name, "Value": 1, "Version": v} }
	for name, tc := range map[string]struct {
		updates any
		code    string
		number  int
	}{
		"absent":         {nil, "InvalidParams", 1000},
		"empty":          {[]any{}, "InvalidParams", 1000},
		"no name":        {[]any{stat("", 1)}, "InvalidParams", 1000},
		"text":           {[]any{stat("xp", "1")}, "InvalidParams", 1000},
		"too large":      {[]any{stat("xp", 2147483648)}, "InvalidParams", 1000},
		"too small":      {[]any{stat("xp", -2147483649)}, "InvalidParams", 1000},
		"negative":       {[]any{version("xp", -1)}, "InvalidParams", 1000},
		"long name":      {[]any{stat(letters(129, "ü"), 1)}, "InvalidStatisticName", 1222},
		"control":        {[]any{stat("a\x00", 1)}, "InvalidStatisticName", 1222},
		"blank":          {[]any{stat(" a", 1)}, "InvalidStatisticName", 1222},
		"twice":          {[]any{stat("a", 1), stat("b", 1), stat("a", 2)}, "DuplicateStatisticName", 1253},
		"another case":   {[]any{stat("XP", 1)}, "StatisticNameConflict", 1196},
		"not there":      {[]any{version("none", 1)}, "StatisticNotFound", 1195},
		"closed":         {[]any{version("daily", 0)}, "StatisticVersionClosedForWrites", 1197},
		"not begun":      {[]any{version("daily", 2)}, "StatisticVersionInvalid", 1198},
		"one is refused": {[]any{stat("xp", 9), version("daily", 2)}, "StatisticVersionInvalid", 1198},
	} {
		t.Run(name, func(t *testing.T) {
			for path, proof := range map[string]calltest.Proof{"/Server/UpdatePlayerStatistics": f.server, "/Client/UpdatePlayerStatistics": ann.Session()} {
				a := f.Call(path, proof, obj{"PlatformId": ann.ID, "Statistics": tc.updates})
				a.TB = t
				a.Refused(tc.code, tc.number)
			}
		})
	}
	message, _ := f.post(ann.ID, version("daily", 0)).Refused("StatisticVersionClosedForWrites", 1197)
	if message != "The statistic version is not current and is no longer accepting updates" {
		t.Errorf("message %q", message)
	}
	f.post(ann.ID, version("daily", 1), version("new", 0)).Result()
	f.Call("/Client/UpdatePlayerStatistics", stranger.Session(), obj{"Statistics": []any{stat("xp", 1)}}).Refused("APINotEnabledForGameClientAccess", 1082)
	f.Call("/Server/UpdatePlayerStatistics", f.server, obj{"Statistics": []any{stat("xp", 1)}}).Refused("InvalidParams", 1000)
	if got := f.values(ann, obj{"StatisticNames": []any{"xp"}}); got != `[{"StatisticName":"xp","Value":1,"Version":0}]` {
		t.Errorf("after refusals: %s", got)
	}
}

// TestStatisticCount: a title has 300 statistics, however they come.
func TestStatisticCount(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	var updates []any
	for i := range 301 {
		updates = append(updates, stat(fmt.Sprint("s", i), i))
	}
	f.post(ann.ID, updates...).Refused("StatisticCountLimitExceeded", 1203)
	f.post(ann.ID, updates[:299]...).Result()
	f.define("the 300th", "", "")
	f.post(ann.ID, updates[300]).Refused("StatisticCountLimitExceeded", 1203)
	f.Call("/Admin/CreatePlayerStatisticDefinition", f.server, obj{"StatisticName": "x"}).Refused("StatisticCountLimitExceeded", 1203)
	f.post(ann.ID, updates[:299]...).Result()
	if all := f.Call("/Admin/GetPlayerStatisticDefinitions", f.server, obj{}).Result()["Statistics"].([]any); len(all) != 300 {
		t.Errorf("%d definitions", len(all))
	}
	want(t, "another title", f.Call("/Admin/GetPlayerStatisticDefinitions", f.other, obj{}).Result(), `{"Statistics":[]}`)
}

// TestDefinitions: a definition is made, changed, listed; its versions follow the
// time and the increments.
func TestDefinitions(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	admin := func(name string, body obj) *calltest.Answer { return f.Call("/Admin/"+name, f.server, body) }
	want(t, "defaults", f.define("plain", "", ""), `{"Statistic":{"AggregationMethod":"Last","CurrentVersion":0,"StatisticName":"plain","VersionChangeInterval":"Never"}}`)
	want(t, "create", f.define("weekly", "Sum", "Week"), `{"Statistic":{"AggregationMethod":"Sum","CurrentVersion":0,"StatisticName":"weekly","VersionChangeInterval":"Week"}}`)
	f.post(ann.ID, stat("weekly", 10)).Result()
	f.Clock.Advance(5 * 24 * time.Hour) // Monday 2026-03-09
	if got := f.values(ann, obj{}); got != "[]" {
		t.Errorf("a value of last week is current: %s", got)
	}
	f.post(ann.ID, stat("weekly", 1)).Result()
	f.post(ann.ID, stat("weekly", 1)).Result()
	if got := f.values(ann, obj{}); got != `[{"StatisticName":"weekly","Value":2,"Version":1}]` {
		t.Errorf("this week: %s", got)
	}
	if got := f.values(ann, obj{"StatisticNameVersions": []any{obj{"StatisticName": "weekly", "Version": 0}}}); got != `[{"StatisticName":"weekly","Value":10,"Version":0}]` {
		t.Errorf("last week: %s", got)
	}
	want(t, "increment", admin("IncrementPlayerStatisticVersion", obj{"StatisticName": "weekly"}).Result(),
		`{"StatisticVersion":{"ActivationTime":"2026-03-09T05:06:07.89Z","ScheduledDeactivationTime":"2026-03-16T00:00:00Z","StatisticName":"weekly","Status":"Active","Version":2}}`)
	f.Clock.Advance(time.Hour)
	want(t, "change", admin("UpdatePlayerStatisticDefinition", obj{"StatisticName": "weekly", "VersionChangeInterval": "Hour"}).Result(),
		`{"Statistic":{"AggregationMethod":"Sum","CurrentVersion":2,"StatisticName":"weekly","VersionChangeInterval":"Hour"}}`)
	want(t, "change method", admin("UpdatePlayerStatisticDefinition", obj{"StatisticName": "weekly", "AggregationMethod": "Max"}).Result(),
		`{"Statistic":{"AggregationMethod":"Max","CurrentVersion":2,"StatisticName":"weekly","VersionChangeInterval":"Hour"}}`)
	f.Clock.Advance(time.Hour)
	history := `{"StatisticVersions":[` +
		`{"ActivationTime":"2026-03-04T05:06:07.89Z","DeactivationTime":"2026-03-09T00:00:00Z","ScheduledDeactivationTime":"2026-03-09T00:00:00Z","StatisticName":"weekly","Status":"Snapshot","Version":0},` +
		`{"ActivationTime":"2026-03-09T00:00:00Z","DeactivationTime":"2026-03-09T05:06:07.89Z","ScheduledActivationTime":"2026-03-09T00:00:00Z","ScheduledDeactivationTime":"2026-03-16T00:00:00Z","StatisticName":"weekly","Status":"Snapshot","Version":1},` +
		`{"ActivationTime":"2026-03-09T05:06:07.89Z","DeactivationTime":"2026-03-09T07:00:00Z","ScheduledDeactivationTime":"2026-03-09T07:00:00Z","StatisticName":"weekly","Status":"Snapshot","Version":2},` +
		`{"ActivationTime":"2026-03-09T07:00:00Z","ScheduledActivationTime":"2026-03-09T07:00:00Z","ScheduledDeactivationTime":"2026-03-09T08:00:00Z","StatisticName":"weekly","Status":"Active","Version":3}]}`
	want(t, "history", admin("GetPlayerStatisticVersions", obj{"StatisticName": "weekly"}).Result(), history)
	want(t, "history", f.Call("/Client/GetPlayerStatisticVersions", ann.Session(), obj{"StatisticName": "weekly"}).Result(), history)
	want(t, "history", f.Call("/Server/GetPlayerStatisticVersions", f.server, obj{"StatisticName": "weekly"}).Result(), history)
	want(t, "list", admin("GetPlayerStatisticDefinitions", obj{}).Result(), `{"Statistics":[`+
		`{"AggregationMethod":"Last","CurrentVersion":0,"StatisticName":"plain","VersionChangeInterval":"Never"},`+
		`{"AggregationMethod":"Max","CurrentVersion":3,"StatisticName":"weekly","VersionChangeInterval":"Hour"}]}`)

	admin("CreatePlayerStatisticDefinition", obj{"StatisticName": "plain"}).Refused("StatisticNameConflict", 1196)
	admin("CreatePlayerStatisticDefinition", obj{"StatisticName": "PLAIN"}).Refused("StatisticNameConflict", 1196)
	admin("CreatePlayerStatisticDefinition", obj{}).Refused("InvalidParams", 1000)
	admin("CreatePlayerStatisticDefinition", obj{"StatisticName": "x", "AggregationMethod": "last"}).Refused("InvalidParams", 1000)
	admin("UpdatePlayerStatisticDefinition", obj{"StatisticName": "plain", "VersionChangeInterval": "Year"}).Refused("InvalidParams", 1000)
	admin("CreatePlayerStatisticDefinition", obj{"StatisticName": letters(129, "x")}).Refused("InvalidStatisticName", 1222)
	admin("CreatePlayerStatisticDefinition", obj{"StatisticName": letters(128, "ü")}).Result()
	for _, name := range []string{"UpdatePlayerStatisticDefinition", "IncrementPlayerStatisticVersion", "GetPlayerStatisticVersions"} {
		admin(name, obj{"StatisticName": "none"}).Refused("StatisticNotFound", 1195)
		admin(name, obj{"StatisticName": "\x00"}).Refused("InvalidStatisticName", 1222)
		admin(name, obj{}).Refused("InvalidParams", 1000)
		f.Call("/Admin/"+name, f.other, obj{"StatisticName": "plain"}).Refused("StatisticNotFound", 1195)
		f.Call("/Admin/"+name, ann.Session(), obj{"StatisticName": "plain"}).Refused("NotAuthorized", 1089)
	}
}

// TestConcurrentStatistics: a sum loses no addend, of a statistic that is there or
// springs into being, and versions begun at once are all begun.
func TestConcurrentStatistics(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	f.define("sum", "Sum", "Never")
	f.define("steps", "Last", "Never")
	const n = 48
	together(n, func(i int) {
		for _, a := range []*calltest.Answer{
			f.post(ann.ID, stat("sum", i), stat("spring", 1)),
			f.Call("/Admin/IncrementPlayerStatisticVersion", f.server, obj{"StatisticName": "steps"}),
		} {
			if a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
	})
	if got, want := f.values(ann, obj{}), fmt.Sprintf(`[{"StatisticName":"spring","Value":1,"Version":0},{"StatisticName":"sum","Value":%d,"Version":0}]`, n*(n-1)/2); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	all := f.Call("/Admin/GetPlayerStatisticVersions", f.server, obj{"StatisticName": "steps"}).Result()["StatisticVersions"].([]any)
	if len(all) != n+1 {
		t.Errorf("%d versions, want %d", len(all), n+1)
	}
}

// TestClocksThatDiffer: a node whose clock is behind writes to the version that
// the player has already, not to one that is over.
func TestClocksThatDiffer(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	f.define("daily", "Sum", "Day")
	f.post(ann.ID, stat("daily", 1)).Result()
	f.Clock.Advance(24 * time.Hour)
	f.post(ann.ID, stat("daily", 2)).Result()
	f.Clock.Advance(-24 * time.Hour)
	f.post(ann.ID, stat("daily", 3)).Result()
	if got := f.values(ann, obj{}); got != `[{"StatisticName":"daily","Value":5,"Version":1}]` {
		t.Errorf("got %s", got)
	}
}
