package data_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
	"ludgate/internal/store"
)

// crowd fills a board of the title ABCDE with n values.
func (f *fixture) crowd(n int) {
	f.define("xp", "Last", "Never")
	insert := store.NewStmt("insert", `INSERT INTO player_statistics (title, player, past, name, version, negative, updated) VALUES ('ABCDE', $1, 0, 'xp', 0, $2, 0)`)
	for i := 0; i < n; {
		err := f.Store.Write(f.Context(), func(tx store.Tx) error {
			for end := min(n, i+10_000); i < end; i++ {
				if _, err := tx.Exec(insert, fmt.Sprintf("%016X", i), -int64(i*7919%n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			f.Fatal(err)
		}
	}
}

// BenchmarkLeaderboard reads pages of 100 and surroundings of 10, on a board of
// LUDGATE_BENCH_BOARD values (100,000 without it). A board that nobody looked into
// deeply before is walked once; the figure is of what comes after.
func BenchmarkLeaderboard(b *testing.B) {
	n := 100_000
	if v, err := strconv.Atoi(os.Getenv("LUDGATE_BENCH_BOARD")); err == nil {
		n = v
	}
	f := newFixture(b, data.Options{})
	f.crowd(n)
	middle := f.Player("ABCDE")
	f.post(middle.ID, stat("xp", n/2)).Result()
	page := func(start int) func() *calltest.Answer {
		return func() *calltest.Answer {
			return f.Call("/Server/GetLeaderboard", f.server, obj{"StatisticName": "xp", "StartPosition": start, "MaxResultsCount": 100})
		}
	}
	for _, bc := range []struct {
		name string
		call func() *calltest.Answer
	}{
		{"Top", page(0)}, {"Middle", page(n / 2)}, {"End", page(n - 100)},
		{"Around", func() *calltest.Answer {
			return f.Call("/Server/GetLeaderboardAroundUser", f.server, obj{"StatisticName": "xp", "PlatformId": middle.ID, "MaxResultsCount": 10})
		}},
		{"Post", func() *calltest.Answer { return f.post(middle.ID, stat("xp", time.Now().Nanosecond()%n)) }},
	} {
		first := time.Now()
		bc.call().Result()
		b.Logf("%s: the first took %v", bc.name, time.Since(first))
		b.Run(bc.name, func(b *testing.B) {
			for b.Loop() {
				bc.call()
			}
		})
	}
}

// BenchmarkLoad is what a sign-in with every flag reads of this package, for a
// player with 20 statistics and 20 keys of either kind, and for one with nothing.
func BenchmarkLoad(b *testing.B) {
	f := newFixture(b, data.Options{})
	ann, bob := f.Player("ABCDE"), f.Player("ABCDE")
	var updates []any
	for i := range 20 {
		updates = append(updates, stat(fmt.Sprint("stat", i), i))
	}
	f.post(ann.ID, updates...).Result()
	for _, kind := range []string{"UserData", "UserReadOnlyData"} {
		f.Call("/Server/Update"+kind, f.server, obj{"PlatformId": ann.ID, "Data": keys(20)}).Result()
	}
	for name, p := range map[string]*calltest.Player{"Full": ann, "Empty": bob} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.read(func(tx store.Tx) error {
					_, err := f.service.Load(tx, "ABCDE", p.ID, data.Want{Statistics: true, UserData: true, ReadOnlyData: true})
					return err
				})
			}
		})
	}
}

// BenchmarkImport imports players with three keys and two statistics each, 500 in
// a transaction.
func BenchmarkImport(b *testing.B) {
	f := newFixture(b, data.Options{})
	dump := &data.Dump{
		Client:     &data.DumpedData{Version: 4, Keys: []data.DumpedKey{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}, {Key: "c", Value: "3"}}},
		Statistics: []data.DumpedStatistic{{Name: "xp", Value: 5}, {Name: "wins", Value: 7}},
	}
	for next := 0; next < b.N; {
		err := f.Store.Write(b.Context(), func(tx store.Tx) error {
			for end := min(b.N, next+500); next < end; next++ {
				if err := f.service.Import(tx, "ABCDE", fmt.Sprintf("%016X", next), dump); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
