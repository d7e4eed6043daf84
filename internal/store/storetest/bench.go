package storetest

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

const (
	benchCallers  = 64      // who write or read at the same time
	benchAccounts = 100_000 // that are there before an update or a read
)

var (
	benchCreate = store.NewStmt("bench_create", `CREATE TABLE account (id BIGINT PRIMARY KEY, body TEXT NOT NULL, seen BIGINT NOT NULL)`)
	benchInsert = store.NewStmt("bench_insert", `INSERT INTO account (id, body, seen) VALUES ($1, $2, 0)`)
	benchUpdate = store.NewStmt("bench_update", `UPDATE account SET seen = $2 WHERE id = $1`)
	benchSelect = store.NewStmt("bench_select", `SELECT body, seen FROM account WHERE id = $1`)
	benchSpaces = []store.Space{store.SpaceEmail, store.SpaceUsername, store.SpaceDisplayName}
	benchBody   = strings.Repeat(`{"name":"a player of some title"}`, 12) // about 400 bytes
)

// BenchInsert measures Writes of an account of about 400 bytes and its three
// claims, from 64 callers on an empty store. It returns how many a second.
func BenchInsert(b *testing.B, st store.Store) float64 {
	benchReady(b, st)
	return together(b, func(ctx context.Context, i int64) error { return insertAccount(ctx, st, i) })
}

// BenchInsertAlone is BenchInsert with one caller.
func BenchInsertAlone(b *testing.B, st store.Store) {
	benchReady(b, st)
	for i := int64(1); b.Loop(); i++ {
		if err := insertAccount(b.Context(), st, i); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchUpdate measures Writes of one small change to one of 100,000 accounts,
// from 64 callers: a known player's sign-in.
func BenchUpdate(b *testing.B, st store.Store) {
	benchFill(b, st)
	together(b, func(ctx context.Context, i int64) error {
		return st.Write(ctx, func(tx store.Tx) error {
			_, err := tx.Exec(benchUpdate, i*7919%benchAccounts+1, i)
			return err
		})
	})
}

// BenchRead measures Reads of one of 100,000 accounts by its key, from 64 callers.
func BenchRead(b *testing.B, st store.Store) {
	benchFill(b, st)
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

// benchReady makes the schema.
func benchReady(b *testing.B, st store.Store) {
	b.Helper()
	if err := store.Migrate(b.Context(), st); err != nil {
		b.Fatal(err)
	}
	if err := st.Write(b.Context(), func(tx store.Tx) error { _, err := tx.Exec(benchCreate); return err }); err != nil {
		b.Fatal(err)
	}
}

// benchFill makes the schema and the accounts.
func benchFill(b *testing.B, st store.Store) {
	b.Helper()
	benchReady(b, st)
	for from := int64(1); from <= benchAccounts; from += 1000 {
		err := st.Write(b.Context(), func(tx store.Tx) error {
			for i := range int64(1000) {
				if _, err := tx.Exec(benchInsert, from+i, benchBody); err != nil {
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

// insertAccount writes account i and its claims, which are spread over the
// ledger as real names are.
func insertAccount(ctx context.Context, st store.Store, i int64) error {
	return st.Write(ctx, func(tx store.Tx) error {
		id := fmt.Sprintf("%016X", i)
		if _, err := tx.Exec(benchInsert, i, benchBody); err != nil {
			return err
		}
		for _, space := range benchSpaces {
			if err := store.Claim(tx, space, "title", fmt.Sprintf("%08x-%s", uint32(i)*2654435761, id), id); err != nil {
				return err
			}
		}
		return nil
	})
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
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "op/s")
	b.ReportMetric(all[len(all)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(all[len(all)*99/100].Seconds()*1e3, "p99-ms")
	return rate
}
