package account

import (
	"testing"
	"time"
)

// FuzzStampTime: a stamp is what the layout of the wire would give.
func FuzzStampTime(f *testing.F) {
	for _, ms := range []int64{0, 1, 10, 100, 999, 1000, 1772600767890, 1772600767000, -1, Forever, Forever + 1, -62135596800000, -62167219200001, 1 << 60} {
		f.Add(ms)
	}
	f.Fuzz(func(t *testing.T, ms int64) {
		at := time.UnixMilli(ms)
		if got, want := StampTime(at), at.UTC().Format("2006-01-02T15:04:05.999Z07:00"); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
		at = at.Add(999_999).In(time.FixedZone("", 3600))
		if got, want := StampTime(at), at.UTC().Format("2006-01-02T15:04:05.999Z07:00"); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	})
}

func BenchmarkStamp(b *testing.B) {
	for b.Loop() {
		Stamp(1772600767890)
	}
}
