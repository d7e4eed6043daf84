package data_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
	"ludgate/internal/store"
)

// board reads a leaderboard as "position name value" for each entry.
func (f *fixture) board(path string, proof calltest.Proof, body obj) string {
	f.Helper()
	var lines []string
	for _, e := range f.Call(path, proof, body).Result()["Leaderboard"].([]any) {
		e := e.(obj)
		name := e["DisplayName"]
		if name == nil {
			name = e["PlatformId"]
		}
		lines = append(lines, fmt.Sprint(e["Position"], " ", name, " ", e["StatValue"]))
	}
	return strings.Join(lines, ", ")
}

// TestLeaderboard: highest first, among equals who was there first, positions
// from 0; clients and servers read the same.
func TestLeaderboard(t *testing.T) {
	f := newFixture(t, data.Options{})
	players := map[string]*calltest.Player{}
	for _, name := range []string{"Ann", "Bob", "Cid", "Dan"} {
		players[name] = f.Player("ABCDE", named(name))
	}
	nameless := f.Player("ABCDE")
	for _, s := range []struct {
		name  string
		value int
	}{{"Bob", 7}, {"Dan", -5}, {"Cid", 7}, {"Ann", 3}, {"Ann", 7}, {"Bob", 7}} {
		f.post(players[s.name].ID, stat("xp", s.value)).Result()
		f.Clock.Advance(time.Millisecond)
	}
	f.post(nameless.ID, stat("xp", 0), stat("other", 100)).Result()
	const all = "0 Bob 7, 1 Cid 7, 2 Ann 7, 3 %s 0, 4 Dan -5"
	for path, proof := range map[string]calltest.Proof{"/Client/GetLeaderboard": nameless.Session(), "/Server/GetLeaderboard": f.server} {
		for _, tc := range []struct {
			body obj
			want string
		}{
			{obj{}, fmt.Sprintf(all, nameless.ID)},
			{obj{"MaxResultsCount": 0}, fmt.Sprintf(all, nameless.ID)},
			{obj{"MaxResultsCount": 100, "UseSpecificVersion": true, "Version": 0}, fmt.Sprintf(all, nameless.ID)},
			{obj{"Version": 9}, fmt.Sprintf(all, nameless.ID)},
			{obj{"MaxResultsCount": 1}, "0 Bob 7"},
			{obj{"StartPosition": 2, "MaxResultsCount": 1}, "2 Ann 7"},
			{obj{"StartPosition": 4}, "4 Dan -5"},
			{obj{"StartPosition": 5}, ""},
			{obj{"StartPosition": 2147483647}, ""},
			{obj{"StatisticName": "other"}, "0 " + nameless.ID + " 100"},
			{obj{"StatisticName": "none"}, ""},
		} {
			if tc.body["StatisticName"] == nil {
				tc.body["StatisticName"] = "xp"
			}
			if got := f.board(path, proof, tc.body); got != tc.want {
				t.Errorf("%s %v:\n got %s\nwant %s", path, tc.body, got, tc.want)
			}
		}
		for body, number := range map[string]int{
			`{}`: 1000, `{"StatisticName":""}`: 1000, `{"StatisticName":"xp","MaxResultsCount":-1}`: 1000, `{"StatisticName":"xp","MaxResultsCount":101}`: 1000,
			`{"StatisticName":"xp","StartPosition":-1}`: 1000, `{"StatisticName":"xp","StartPosition":2147483648}`: 1000,
			`{"StatisticName":"xp","UseSpecificVersion":true}`: 1000,
		} {
			f.Call(path, proof, body).Refused("InvalidParams", number)
		}
		f.Call(path, proof, `{"StatisticName":"\u0000"}`).Refused("InvalidStatisticName", 1222)
		for _, v := range []int{-1, 1} {
			f.Call(path, proof, obj{"StatisticName": "xp", "UseSpecificVersion": true, "Version": v}).Refused("LeaderboardVersionNotAvailable", 1277)
		}
		f.Call(path, proof, obj{"StatisticName": "none", "UseSpecificVersion": true, "Version": 1}).Refused("LeaderboardVersionNotAvailable", 1277)
	}
	want(t, "another title", f.Call("/Server/GetLeaderboard", f.other, obj{"StatisticName": "xp"}).Result(), `{"Leaderboard":[],"Version":0}`)
	f.Call("/Client/GetLeaderboard", nil, obj{"StatisticName": "xp"}).Refused("NotAuthenticated", 1074)
}

// TestLeaderboardProfiles: each entry carries the profile that the constraints
// show, and a client cannot ask for more than its title allows.
func TestLeaderboardProfiles(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE", named("Ann"))
	f.post(ann.ID, stat("xp", 1)).Result()
	f.Call("/Server/AddPlayerTag", f.server, obj{"PlatformId": ann.ID, "TagName": "vip"}).Result()
	get := func(path string, proof calltest.Proof, show any) obj {
		r := f.Call(path, proof, obj{"StatisticName": "xp", "PlatformId": ann.ID, "ProfileConstraints": show}).Result()
		return r["Leaderboard"].([]any)[0].(obj)["Profile"].(obj)
	}
	for _, path := range []string{"/Client/GetLeaderboard", "/Client/GetLeaderboardAroundPlayer", "/Server/GetLeaderboard", "/Server/GetLeaderboardAroundUser"} {
		proof := f.server
		if strings.HasPrefix(path, "/Client") {
			proof = ann.Session()
			f.Call(path, proof, obj{"StatisticName": "xp", "ProfileConstraints": obj{"ShowLastLogin": true}}).Refused("RequestViewConstraintParamsNotAllowed", 1303)
		} else if p := get(path, proof, obj{"ShowLastLogin": true}); p["LastLogin"] != "2026-03-04T05:06:07.89Z" {
			t.Errorf("%s: %v", path, p)
		}
		keysOf := []string{"PlayerId", "PublisherId", "TitleId"}
		for _, tc := range []struct {
			show any
			more []string
		}{
			{nil, []string{"DisplayName"}},
			{obj{}, nil},
			{obj{"ShowDisplayName": true}, []string{"DisplayName"}},
			{obj{"ShowDisplayName": true, "ShowCreated": true, "ShowTags": true}, []string{"DisplayName", "Created", "Tags"}},
		} {
			p := get(path, proof, tc.show)
			for _, k := range append(keysOf, tc.more...) {
				if p[k] == nil {
					t.Errorf("%s %v: no %s in %v", path, tc.show, k, p)
				}
			}
			if len(p) != len(keysOf)+len(tc.more) {
				t.Errorf("%s %v: %v", path, tc.show, p)
			}
		}
	}
}

// TestLeaderboardVersions: each version has its board, and the present one says
// when it ends.
func TestLeaderboardVersions(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob := f.Player("ABCDE", named("Ann")), f.Player("ABCDE", named("Bob"))
	f.define("daily", "Max", "Day")
	f.post(ann.ID, stat("daily", 5)).Result()
	f.post(bob.ID, stat("daily", 4)).Result()
	f.Clock.Advance(24 * time.Hour)
	f.post(bob.ID, stat("daily", 1)).Result()
	now := f.Call("/Client/GetLeaderboard", ann.Session(), obj{"StatisticName": "daily"}).Result()
	if now["Version"] != 1.0 || now["NextReset"] != "2026-03-06T00:00:00Z" {
		t.Errorf("present version: %v", now)
	}
	before := obj{"StatisticName": "daily", "UseSpecificVersion": true, "Version": 0}
	old := f.Call("/Client/GetLeaderboard", ann.Session(), before).Result()
	if old["Version"] != 0.0 || old["NextReset"] != nil {
		t.Errorf("version before: %v", old)
	}
	if got := f.board("/Client/GetLeaderboard", ann.Session(), obj{"StatisticName": "daily"}); got != "0 Bob 1" {
		t.Errorf("present board: %s", got)
	}
	if got := f.board("/Client/GetLeaderboard", ann.Session(), before); got != "0 Ann 5, 1 Bob 4" {
		t.Errorf("board before: %s", got)
	}
	if got := f.board("/Client/GetLeaderboardAroundPlayer", ann.Session(), before); got != "0 Ann 5, 1 Bob 4" {
		t.Errorf("around, before: %s", got)
	}
	if got := f.board("/Client/GetLeaderboardAroundPlayer", ann.Session(), obj{"StatisticName": "daily"}); got != "" {
		t.Errorf("around a player who is not there: %s", got)
	}
}

// TestLeaderboardAround: the player in the middle, as far as the ends allow.
func TestLeaderboardAround(t *testing.T) {
	f := newFixture(t, data.Options{})
	ids := map[string]*calltest.Player{}
	for i, name := range []string{"p00", "p01", "p02", "p03", "p04", "p05", "p06"} {
		ids[name] = f.Player("ABCDE", named(name))
		f.post(ids[name].ID, stat("xp", 10-i)).Result()
	}
	for _, tc := range []struct {
		player string
		n      int
		want   string
	}{
		{"p03", 1, "3 p03 7"},
		{"p03", 2, "3 p03 7, 4 p04 6"},
		{"p03", 3, "2 p02 8, 3 p03 7, 4 p04 6"},
		{"p00", 3, "0 p00 10, 1 p01 9, 2 p02 8"},
		{"p01", 5, "0 p00 10, 1 p01 9, 2 p02 8, 3 p03 7, 4 p04 6"},
		{"p06", 3, "4 p04 6, 5 p05 5, 6 p06 4"},
		{"p05", 5, "2 p02 8, 3 p03 7, 4 p04 6, 5 p05 5, 6 p06 4"},
		{"p05", 0, "0 p00 10, 1 p01 9, 2 p02 8, 3 p03 7, 4 p04 6, 5 p05 5, 6 p06 4"},
	} {
		body := obj{"StatisticName": "xp", "PlatformId": ids[tc.player].ID, "MaxResultsCount": tc.n}
		if got := f.board("/Client/GetLeaderboardAroundPlayer", ids["p00"].Session(), body); got != tc.want {
			t.Errorf("%s, %d:\n got %s\nwant %s", tc.player, tc.n, got, tc.want)
		}
		if got := f.board("/Server/GetLeaderboardAroundUser", f.server, body); got != tc.want {
			t.Errorf("server: %s, %d:\n got %s\nwant %s", tc.player, tc.n, got, tc.want)
		}
	}
	f.Call("/Server/GetLeaderboardAroundUser", f.server, obj{"StatisticName": "xp"}).Refused("InvalidParams", 1000)
	f.Call("/Server/GetLeaderboardAroundUser", f.other, obj{"StatisticName": "xp", "PlatformId": ids["p00"].ID}).Refused("AccountNotFound", 1001)
	f.Call("/Client/GetLeaderboardAroundPlayer", ids["p00"].Session(), obj{"StatisticName": "xp", "MaxResultsCount": 101}).Refused("InvalidParams", 1000)
	f.Call("/Client/GetLeaderboardAroundPlayer", ids["p00"].Session(), obj{"StatisticName": "xp", "UseSpecificVersion": true, "Version": 1}).Refused("LeaderboardVersionNotAvailable", 1277)
}

// TestDeepLeaderboard: every position of a board with marks is right, and what
// moved shows within ten seconds.
func TestDeepLeaderboard(t *testing.T) {
	const n = 4_321
	f := newFixture(t, data.Options{})
	f.define("xp", "Last", "Never")
	insert := store.NewStmt("insert", `INSERT INTO player_statistics (title, player, past, name, version, negative, updated) VALUES ('ABCDE', $1, 0, 'xp', 0, $2, 0)`)
	id := func(i int) string { return fmt.Sprintf("%016X", i) }
	err := f.Store.Write(t.Context(), func(tx store.Tx) error {
		for i := range n {
			if _, err := tx.Exec(insert, id(i), int64(i/10)); err != nil { // ten with the same value, in the order of ids
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(shift int, starts ...int) {
		t.Helper()
		for _, start := range starts {
			list := f.Call("/Server/GetLeaderboard", f.server, obj{"StatisticName": "xp", "StartPosition": start, "MaxResultsCount": 100}).Result()["Leaderboard"].([]any)
			if want := max(0, min(100, n+shift-start)); len(list) != want {
				t.Errorf("from %d: %d entries, want %d", start, len(list), want)
			}
			for i, e := range list {
				if e := e.(obj); e["Position"] != float64(start+i) || e["PlatformId"] != id(start+i-shift) {
					t.Fatalf("from %d: entry %d is %v", start, i, e)
				}
			}
		}
	}
	check(0, 0, 999, 1000, 1001, 1999, 2000, 2001, 2999, 3000, 3001, 4000, 4001, 4300, 4320, 4321, 5000, 6001, 2147483647)

	ann := f.Player("ABCDE", named("Ann"))
	for _, value := range []int{-5, -50, -105, -150, -250, -350, -431, -500} {
		f.post(ann.ID, stat("xp", value)).Result()
		f.Clock.Advance(10 * time.Second)
		place := min(n, -value*10+10) // behind those of the same value, who were there first
		list := f.Call("/Server/GetLeaderboardAroundUser", f.server, obj{"StatisticName": "xp", "PlatformId": ann.ID, "MaxResultsCount": 5}).Result()["Leaderboard"].([]any)
		found := false
		for _, e := range list {
			if e := e.(obj); e["PlatformId"] == ann.ID {
				found = true
				if e["Position"] != float64(place) {
					t.Errorf("with %d: at %v, want %d", value, e["Position"], place)
				}
			}
		}
		if !found || len(list) != 5 {
			t.Errorf("with %d: %v", value, list)
		}
	}
	f.post(ann.ID, stat("xp", 1)).Result() // everybody moves down by one
	check(1, 1, 999, 2000)
	f.Clock.Advance(10 * time.Second)
	check(1, 2001, 3000, 4000, 4321, 4322)
}

// TestLeaderboardWhileItChanges: readers deep in a board that others change get
// pages without gaps.
func TestLeaderboardWhileItChanges(t *testing.T) {
	f := newFixture(t, data.Options{})
	var players []*calltest.Player
	for range 8 {
		players = append(players, f.Player("ABCDE"))
	}
	together(16, func(i int) {
		if i%2 == 0 {
			if a := f.post(players[i/2].ID, stat("xp", i)); a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
			return
		}
		for _, start := range []int{0, 3000} {
			a := f.Call("/Server/GetLeaderboard", f.server, obj{"StatisticName": "xp", "StartPosition": start})
			if a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
	})
	if got := strings.Count(f.board("/Server/GetLeaderboard", f.server, obj{"StatisticName": "xp"}), ",") + 1; got != 8 {
		t.Errorf("%d entries, want 8", got)
	}
}
