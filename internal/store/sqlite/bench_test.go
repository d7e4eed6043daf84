package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludgate/internal/store"
)

// How many callers write or read at the same time in the benchmarks.
const benchCallers = 64

var (
	benchCreate = store.NewStmt("bench_create", `CREATE TABLE account (id BIGINT PRIMARY KEY, body TEXT NOT NULL, seen BIGINT NOT NULL)`)
	benchInsert = store.NewStmt("bench_insert", `INSERT INTO account (id, body, seen) VALUES ($1, $2, 0)`)
	benchUpdate = store.NewStmt("bench_update", `UPDATE account SET seen = $2 WHERE id = $1`)
	benchSelect = store.NewStmt("bench_select", `SELECT body, seen FROM account WHERE id = $1`)
)

// benchBody is what an account weighs: about 400 bytes.
var benchBody = strings.Repeat(`{"name":"a player of some title"}`, 12)

func openBench(b *testing.B, opts Options) *Store {
	b.Helper()
	st, err := Open(b.Context(), b.TempDir(), opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	if err := store.Migrate(b.Context(), st); err != nil {
		b.Fatal(err)
	}
	if err := st.Write(b.Context(), func(tx store.Tx) error { _, err := tx.Exec(benchCreate); return err }); err != nil {
		b.Fatal(err)
	}
	return st
}

// together runs do b.N times, shared out among the callers, reports the rate and
// the latency, and returns the rate.
func together(b *testing.B, do func(ctx context.Context, i int64) error) float64 {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	took := make([][]time.Duration, benchCallers)
	b.ResetTimer()
	for k := range benchCallers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				at := time.Now()
				if err := do(b.Context(), i); err != nil {
					b.Error(err)
					return
				}
				took[k] = append(took[k], time.Since(at))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	all := slices.Concat(took...)
	slices.Sort(all)
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "op/s")
	b.ReportMetric(all[len(all)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(all[len(all)*99/100].Seconds()*1e3, "p99-ms")
	return rate
}

// insert writes an account and its three claims.
func insert(st *Store) func(context.Context, int64) error {
	return func(ctx context.Context, i int64) error {
		return st.Write(ctx, func(tx store.Tx) error {
			id := fmt.Sprintf("%016X", i)
			if _, err := tx.Exec(benchInsert, i, benchBody); err != nil {
				return err
			}
			for _, space := range []store.Space{store.SpaceEmail, store.SpaceUsername, store.SpaceDisplayName} {
				key := fmt.Sprintf("%08x-%s", uint32(i)*2654435761, id) // spread like real names
				if err := store.Claim(tx, space, "title", key, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// BenchmarkInsert compares the group commit with one transaction per call, in
// the same run: the metric x-faster of "ratio" is the quotient of their rates.
func BenchmarkInsert(b *testing.B) {
	var group, single float64
	b.Run("one-per-call", func(b *testing.B) {
		single = together(b, insert(openBench(b, Options{maxBatch: 1})))
	})
	b.Run("group", func(b *testing.B) {
		group = together(b, insert(openBench(b, Options{})))
	})
	b.Run("ratio", func(b *testing.B) {
		if group == 0 || single == 0 {
			b.Skip("needs both rates")
		}
		b.ReportMetric(group/single, "x-faster")
		b.ReportMetric(0, "ns/op")
	})
}

// fill writes n accounts in large transactions.
func fill(b *testing.B, st *Store, n int64) {
	b.Helper()
	for from := int64(1); from <= n; from += 1000 {
		err := st.Write(b.Context(), func(tx store.Tx) error {
			for i := from; i < min(from+1000, n+1); i++ {
				if _, err := tx.Exec(benchInsert, i, benchBody); err != nil {
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

const benchAccounts = 100_000

// BenchmarkUpdate is a known player's sign-in: one small durable change.
func BenchmarkUpdate(b *testing.B) {
	st := openBench(b, Options{})
	fill(b, st, benchAccounts)
	together(b, func(ctx context.Context, i int64) error {
		return st.Write(ctx, func(tx store.Tx) error {
			_, err := tx.Exec(benchUpdate, i*7919%benchAccounts+1, i)
			return err
		})
	})
}

// BenchmarkRead is a point read.
func BenchmarkRead(b *testing.B) {
	st := openBench(b, Options{})
	fill(b, st, benchAccounts)
	together(b, func(ctx context.Context, i int64) error {
		return st.Read(ctx, func(tx store.Tx) error {
			found, err := store.QueryOne(tx, benchSelect, func(r store.Row) error { r.Text(0); return nil }, i*7919%benchAccounts+1)
			if err == nil && !found {
				return fmt.Errorf("account %d is missing", i)
			}
			return err
		})
	})
}

// BenchmarkAlone is the latency of a caller with nobody beside it.
func BenchmarkAlone(b *testing.B) {
	st := openBench(b, Options{})
	do := insert(st)
	for i := int64(1); b.Loop(); i++ {
		if err := do(b.Context(), i); err != nil {
			b.Fatal(err)
		}
	}
}
