package economy

import (
	"math"
	"math/bits"
)

// day is the unit of time in which rates are given, in milliseconds.
const day = 24 * 60 * 60 * 1000

// period is what a currency was like from a time on, until the next period.
type period struct {
	since   int64 // milliseconds since 1970, as all times here
	deposit int32 // what a player who is created in it begins with
	rate    int32 // units a day; 0: no refill
	max     int32 // where refilling stops
}

// balance is an amount of a currency at a time.
type balance struct {
	amount int32
	// progress is the part of the next unit that time has already earned, in
	// 1/day of a unit: below day, and 0 while the clock stands still.
	progress int64
	at       int64
}

// advance gives the balance at a later time; an earlier one changes nothing, so
// that a clock that is set back cannot earn twice. The periods are in order of
// time, and the first one counts for all time before it, too.
func (b balance) advance(periods []period, to int64) balance {
	for i, p := range periods {
		end := to
		if i+1 < len(periods) {
			end = min(end, periods[i+1].since)
		}
		b = b.recharge(p, end)
	}
	return b
}

// recharge advances within one period.
func (b balance) recharge(p period, to int64) balance {
	if to <= b.at {
		return b
	}
	elapsed := uint64(to - b.at)
	b.at = to
	if p.rate <= 0 || b.amount >= p.max {
		b.progress = 0
		return b
	}
	need := uint64(int64(p.max)-int64(b.amount)) * day // at most 2^32 days in ms: fits
	hi, earned := bits.Mul64(elapsed, uint64(p.rate))
	earned, carry := bits.Add64(earned, uint64(b.progress), 0)
	if hi > 0 || carry > 0 || earned >= need {
		b.amount, b.progress = p.max, 0
		return b
	}
	b.amount += int32(earned / day)
	b.progress = int64(earned % day)
	return b
}

// add pays an amount in, or out when it is negative, and gives what really
// changed: what would leave 32 bits is dropped. The balance is one at the present
// time, in period p.
func (b balance) add(p period, amount int64) (after balance, change int64) {
	sum := min(max(int64(b.amount)+amount, math.MinInt32), math.MaxInt32)
	change = sum - int64(b.amount)
	b.amount = int32(sum)
	if p.rate <= 0 || b.amount >= p.max {
		b.progress = 0
	}
	return b, change
}

// next is the time of the next unit: ok is false where time brings none.
func (b balance) next(p period) (at int64, ok bool) {
	if p.rate <= 0 || b.amount >= p.max {
		return 0, false
	}
	rate := int64(p.rate)
	return b.at + (day-b.progress+rate-1)/rate, true
}
