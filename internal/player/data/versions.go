package data

import "time"

// epoch is a stretch of a statistic's life: version was current from activated
// on, and since begins the time in which every boundary of reset starts another
// version. Times are milliseconds since 1970.
type epoch struct {
	version          int64
	activated, since int64
	reset            StatisticResetIntervalOption
}

// at gives the version that is current at a time, and when it began.
func (e epoch) at(now int64) (version, activated int64) {
	n := e.reset.index(now) - e.reset.index(e.since)
	if n <= 0 { // before the first boundary, or before the epoch: clocks of nodes differ a little
		return e.version, e.activated
	}
	return e.version + n, e.reset.start(e.reset.index(now))
}

// next gives the first boundary after a time; 0 is none.
func (e epoch) next(now int64) int64 {
	if e.reset == Never {
		return 0
	}
	return e.reset.start(e.reset.index(max(now, e.since)) + 1)
}

const (
	hourMS = int64(time.Hour / time.Millisecond)
	dayMS  = 24 * hourMS
)

// index counts the boundaries up to and including a time. It is 0 for Never.
func (o StatisticResetIntervalOption) index(ms int64) int64 {
	switch o {
	case Hour:
		return ms / hourMS
	case Day:
		return ms / dayMS
	case Week:
		return (ms/dayMS + 3) / 7 // 1970 began on a Thursday
	case Month:
		t := time.UnixMilli(ms).UTC()
		return int64(t.Year())*12 + int64(t.Month()) - 1
	}
	return 0
}

// start is the time of the boundary with an index.
func (o StatisticResetIntervalOption) start(index int64) int64 {
	switch o {
	case Hour:
		return index * hourMS
	case Day:
		return index * dayMS
	case Week:
		return (index*7 - 3) * dayMS
	case Month:
		return time.Date(int(index/12), time.Month(index%12+1), 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	}
	return 0
}

// life is one version: when it began and ended (0: it has not).
type life struct {
	version      int64
	began, ended int64
	scheduled    bool  // a reset interval began it
	due          int64 // when a reset interval ends it; 0: never
}

// lives gives the newest most versions of a statistic up to now, oldest first.
// epochs are in the order of time.
func lives(epochs []epoch, now int64, most int) []life {
	var all []life
	for i, e := range epochs {
		until := now
		if i+1 < len(epochs) {
			until = epochs[i+1].since
		}
		first := e.reset.index(e.since)
		n := max(0, e.reset.index(until)-first)
		for k := max(0, n-int64(most)); k <= n; k++ {
			l := life{version: e.version + k, began: e.activated}
			if k > 0 {
				l.began, l.scheduled = e.reset.start(first+k), true
			}
			if e.reset != Never {
				l.due = e.reset.start(first + k + 1)
			}
			if len(all) > 0 && all[len(all)-1].version == l.version {
				l.scheduled = all[len(all)-1].scheduled // only the interval changed
				all = all[:len(all)-1]
			}
			all = append(all, l)
		}
	}
	all = all[max(0, len(all)-most):]
	for i := range all[:max(0, len(all)-1)] {
		all[i].ended = all[i+1].began
	}
	return all
}
