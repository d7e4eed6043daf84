package data_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
)

// mark is a value of the model: who reached it, and when.
type mark struct {
	player string
	value  int
	at     int64
}

// modelStat is a statistic of the model: its boards by version.
type modelStat struct {
	method  string
	version int
	boards  map[int]map[string]mark
}

func (m *modelStat) write(player string, value int, force bool, now int64) {
	board := m.boards[m.version]
	if board == nil {
		board = map[string]mark{}
		m.boards[m.version] = board
	}
	old, had := board[player]
	if had && !force {
		switch m.method {
		case "Min":
			value = min(value, old.value)
		case "Max":
			value = max(value, old.value)
		case "Sum":
			value += old.value
		}
	}
	if !had || value != old.value {
		board[player] = mark{player, value, now}
	}
}

// board lists a version as the leaderboard does.
func (m *modelStat) board(version int) string {
	all := slices.SortedFunc(maps.Values(m.boards[version]), func(a, b mark) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.at, b.at), strings.Compare(a.player, b.player))
	})
	lines := make([]string, len(all))
	for i, e := range all {
		lines[i] = fmt.Sprint(i, " ", e.player, " ", e.value)
	}
	return strings.Join(lines, ", ")
}

// TestStatisticsFollowTheModel makes random calls and compares every answer with
// a model that is nothing but maps.
func TestStatisticsFollowTheModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	f := newFixture(t, data.Options{})
	var players []*calltest.Player
	for range 4 {
		players = append(players, f.Player("ABCDE"))
	}
	model := map[string]*modelStat{}
	for _, method := range []string{"Last", "Min", "Max", "Sum"} {
		name := "s" + method
		f.define(name, method, "Day")
		model[name] = &modelStat{method: method, boards: map[int]map[string]mark{}}
	}
	names := slices.Sorted(maps.Keys(model))
	pick := func() (string, *modelStat) { n := names[rnd.IntN(len(names))]; return n, model[n] }
	for range 400 {
		p := players[rnd.IntN(len(players))]
		name, m := pick()
		switch op := rnd.IntN(12); {
		case op < 6:
			value, force := rnd.IntN(7)-3, rnd.IntN(5) == 0
			f.Call("/Server/UpdatePlayerStatistics", f.server, obj{"PlatformId": p.ID, "ForceUpdate": force,
				"Statistics": []any{obj{"StatisticName": name, "Value": value, "Version": m.version}}}).Result()
			m.write(p.ID, value, force, f.Clock.Now().UnixMilli())
		case op < 7:
			f.Call("/Admin/IncrementPlayerStatisticVersion", f.server, obj{"StatisticName": name}).Result()
			m.version++
		case op < 8: // to another hour, perhaps another day
			before := f.Clock.Now().UTC().YearDay()
			f.Clock.Advance(time.Duration(rnd.IntN(20)) * time.Hour)
			if f.Clock.Now().UTC().YearDay() != before {
				for _, m := range model {
					m.version++
				}
			}
		case op < 10:
			version := rnd.IntN(m.version + 1)
			got := f.board("/Server/GetLeaderboard", f.server, obj{"StatisticName": name, "MaxResultsCount": 100, "UseSpecificVersion": true, "Version": version})
			if want := m.board(version); got != want {
				t.Fatalf("%s, version %d of %d:\n got %s\nwant %s", name, version, m.version, got, want)
			}
		default:
			want := []any{}
			for _, n := range names {
				if e, ok := model[n].boards[model[n].version][p.ID]; ok {
					want = append(want, obj{"StatisticName": n, "Value": e.value, "Version": model[n].version})
				}
			}
			if got, want := f.values(p, obj{}), text(t, want); got != want {
				t.Fatalf("values:\n got %s\nwant %s", got, want)
			}
		}
		f.Clock.Advance(time.Duration(rnd.IntN(2)) * time.Millisecond)
	}
}
