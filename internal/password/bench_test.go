package password

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkCeiling is the hash alone on every processor: what no registration
// rate can be above.
func BenchmarkCeiling(b *testing.B) {
	r := request{Params: Floor, keySize: keySize, salt: make([]byte, saltSize), password: []byte("correct horse")}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.compute()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hashes/s")
}

// BenchmarkHash is the hasher with 64 callers, by way of the helper.
func BenchmarkHash(b *testing.B) { benchmarkHash(b, false) }

// BenchmarkHashInProcess is the same without the helper.
func BenchmarkHashInProcess(b *testing.B) { benchmarkHash(b, true) }

func benchmarkHash(b *testing.B, inProcess bool) {
	h := New(Options{InProcess: inProcess, MaxWait: time.Hour})
	defer h.Close()
	if _, err := h.Hash(b.Context(), "starts the helper"); err != nil {
		b.Fatal(err)
	}
	var failed atomic.Pointer[error]
	b.SetParallelism(max(64/runtime.GOMAXPROCS(0), 1))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := h.Hash(b.Context(), "correct horse"); err != nil {
				failed.Store(&err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hashes/s")
	if err := failed.Load(); err != nil {
		b.Fatal(*err)
	}
}
