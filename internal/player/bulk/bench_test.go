package bulk

import (
	"fmt"
	"sync"
	"testing"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/title"
	"ludgate/internal/store/storetest"
)

// BenchmarkImport imports plain accounts into an empty embedded store, with the
// batches and the concurrency of `ludgate player import`:
//
//	go test ./internal/player/bulk -run - -bench Import -benchtime 1000000x
func BenchmarkImport(b *testing.B) {
	f := newFixture(b, calltest.Options{Store: storetest.OpenEmbedded(b, account.Area, title.Area)})
	const batch = 500
	work := make(chan []byte, 4)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for lines := range work {
				if r, err := f.Import(b.Context(), "A1B", lines, ImportOptions{First: 1}); err != nil || len(r.Faults) > 0 {
					b.Error(err, r)
				}
			}
		})
	}
	b.ResetTimer()
	for n := 0; n < b.N; n += batch {
		var lines []byte
		for i := n; i < min(n+batch, b.N); i++ {
			// Spread by a hash, as real addresses are.
			lines = fmt.Appendf(lines, `{"email":"%x@example.com","display_name":"Player%d"}`+"\n", uint64(i+1)*0x9E3779B97F4A7C15, i)
		}
		work <- lines
	}
	close(work)
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "players/s")
}
