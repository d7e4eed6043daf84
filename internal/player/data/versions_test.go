package data

import (
	"fmt"
	"testing"
	"time"
)

func ms(text string) int64 {
	t, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

// TestVersionAt: a version ends at the boundary of its interval, to the
// millisecond.
func TestVersionAt(t *testing.T) {
	since := ms("2026-03-04 05:06:07") // a Wednesday
	for _, tc := range []struct {
		reset   StatisticResetIntervalOption
		at      string
		version int64
		next    string
	}{
		{Never, "2036-01-01 00:00:00", 0, ""},
		{Hour, "2026-03-04 05:59:59", 0, "2026-03-04 06:00:00"},
		{Hour, "2026-03-04 06:00:00", 1, "2026-03-04 07:00:00"},
		{Hour, "2026-03-05 06:00:00", 25, "2026-03-05 07:00:00"},
		{Day, "2026-03-04 23:59:59", 0, "2026-03-05 00:00:00"},
		{Day, "2026-03-05 00:00:00", 1, "2026-03-06 00:00:00"},
		{Day, "2027-03-04 00:00:00", 365, "2027-03-05 00:00:00"},
		{Week, "2026-03-08 23:59:59", 0, "2026-03-09 00:00:00"},
		{Week, "2026-03-09 00:00:00", 1, "2026-03-16 00:00:00"},
		{Month, "2026-03-31 23:59:59", 0, "2026-04-01 00:00:00"},
		{Month, "2026-04-01 00:00:00", 1, "2026-05-01 00:00:00"},
		{Month, "2027-01-31 00:00:00", 10, "2027-02-01 00:00:00"},
		{Month, "2026-03-01 00:00:00", 0, "2026-04-01 00:00:00"}, // a clock that is behind
	} {
		e := epoch{version: 7, activated: since, since: since, reset: tc.reset}
		version, activated := e.at(ms(tc.at))
		if version != 7+tc.version {
			t.Errorf("%s at %s: version %d, want %d", tc.reset, tc.at, version, 7+tc.version)
		}
		if before, _ := e.at(activated - 1); tc.version > 0 && before != version-1 {
			t.Errorf("%s: version %d says it began at %d, but before that it is %d", tc.reset, version, activated, before)
		}
		want := int64(0)
		if tc.next != "" {
			want = ms(tc.next)
		}
		if got := e.next(ms(tc.at)); got != want {
			t.Errorf("%s at %s: next is %d, want %s", tc.reset, tc.at, got, tc.next)
		}
	}
}

// TestLives: the history agrees with the version that was current at each time,
// over increments and changed intervals, and shows the newest of a long one.
func TestLives(t *testing.T) {
	start := ms("2026-03-04 05:06:07")
	d := definition{epoch: epoch{activated: start, since: start, reset: Hour}}
	epochs := []epoch{d.epoch}
	change := func(after time.Duration, reset StatisticResetIntervalOption, increment bool) {
		d.begin(d.since+after.Milliseconds(), increment)
		d.reset = reset
		epochs = append(epochs, d.epoch)
	}
	change(150*time.Minute, Hour, true) // 07:36:07: closes version 2, begins 3
	change(10*time.Minute, Day, false)  // 07:46:07: version 3 goes on until midnight
	change(50*time.Hour, Never, false)  // 03-06 09:46:07: version 5
	change(time.Second, Never, true)    // version 6
	now := d.since + time.Hour.Milliseconds()

	var got string
	for _, l := range lives(epochs, now, 1000) {
		show := func(ms int64) string {
			if ms == 0 {
				return "-"
			}
			return time.UnixMilli(ms).UTC().Format("02/15:04:05")
		}
		got += fmt.Sprintf("%d %s %s scheduled %v due %s\n", l.version, show(l.began), show(l.ended), l.scheduled, show(l.due))
	}
	const want = `0 04/05:06:07 04/06:00:00 scheduled false due 04/06:00:00
1 04/06:00:00 04/07:00:00 scheduled true due 04/07:00:00
2 04/07:00:00 04/07:36:07 scheduled true due 04/08:00:00
3 04/07:36:07 05/00:00:00 scheduled false due 05/00:00:00
4 05/00:00:00 06/00:00:00 scheduled true due 06/00:00:00
5 06/00:00:00 06/09:46:08 scheduled true due -
6 06/09:46:08 - scheduled false due -
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := []epoch{{activated: start, since: start, reset: Hour}}
	all := lives(long, start+(5000*time.Hour).Milliseconds(), 1000)
	if len(all) != 1000 || all[999].version != 5000 || all[0].version != 4001 {
		t.Errorf("%d versions, %d to %d", len(all), all[0].version, all[len(all)-1].version)
	}
}

// TestEpochsFollowEachOther: two nodes whose clocks differ begin versions in turn,
// and none of them begins before the one it follows.
func TestEpochsFollowEachOther(t *testing.T) {
	start := ms("2026-03-04 05:06:07")
	d := definition{epoch: epoch{activated: start, since: start, reset: Day}}
	d.begin(start+5000, true)
	d.begin(start+1000, true) // four seconds behind
	if want := (epoch{version: 2, activated: start + 5000, since: start + 5000, reset: Day}); d.epoch != want {
		t.Errorf("got %+v, want %+v", d.epoch, want)
	}
}
