package sqlite_test

import (
	"testing"

	"ludgate/internal/store/sqlite"
	"ludgate/internal/store/storetest"
)

// BenchmarkInsert compares the group commit with one transaction per call, in
// the same run: the metric x-faster of "ratio" is the quotient of their rates.
func BenchmarkInsert(b *testing.B) {
	var group, single float64
	b.Run("one-per-call", func(b *testing.B) {
		single = storetest.BenchInsert(b, openIn(b, b.TempDir(), sqlite.Options{}.MaxBatch(1)))
	})
	b.Run("group", func(b *testing.B) {
		group = storetest.BenchInsert(b, openIn(b, b.TempDir(), sqlite.Options{}))
	})
	b.Run("ratio", func(b *testing.B) {
		if group == 0 || single == 0 {
			b.Skip("needs both rates")
		}
		b.ReportMetric(group/single, "x-faster")
		b.ReportMetric(0, "ns/op")
	})
}

func BenchmarkInsertAlone(b *testing.B) {
	storetest.BenchInsertAlone(b, openIn(b, b.TempDir(), sqlite.Options{}))
}

func BenchmarkUpdate(b *testing.B) {
	storetest.BenchUpdate(b, openIn(b, b.TempDir(), sqlite.Options{}))
}

func BenchmarkRead(b *testing.B) {
	storetest.BenchRead(b, openIn(b, b.TempDir(), sqlite.Options{}))
}
