package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ludgate/internal/store"
)

var isolationTests = []suiteTest{
	{name: "counters that are read and then written lose no update", run: countersLoseNothing},
	{name: "two on call cannot both leave", run: noWriteSkew},
	{name: "money moves and none is lost", run: moneyMoves},
	{name: "phantoms do not slip in", run: noPhantoms},
}

const isolationCallers = 8

// countersLoseNothing is the classic read-modify-write.
func countersLoseNothing(s suite) {
	s.put(0, "counter")
	const rounds = 15
	var wg sync.WaitGroup
	for range isolationCallers {
		wg.Go(func() {
			for range rounds {
				err := s.st.Write(s.Context(), func(tx store.Tx) error {
					n, _, err := number(tx, "counter")
					if err != nil {
						return err
					}
					_, err = tx.Exec(setNumber, "counter", n+1)
					return err
				})
				if err != nil {
					s.Errorf("increment: %v", err)
				}
			}
		})
	}
	wg.Wait()
	s.wantNumber("counter", isolationCallers*rounds)
}

// noWriteSkew: each caller looks at both records and changes the one, so that
// snapshots alone would let both go.
func noWriteSkew(s suite) {
	for round := range 15 {
		one, two := fmt.Sprintf("one%d", round), fmt.Sprintf("two%d", round)
		s.put(1, one, two)
		var wg sync.WaitGroup
		for _, mine := range []string{one, two} {
			wg.Go(func() {
				err := s.st.Write(s.Context(), func(tx store.Tx) error {
					left := int64(0)
					for _, id := range []string{one, two} {
						n, _, err := number(tx, id)
						if err != nil {
							return err
						}
						left += n
					}
					if left < 2 {
						return errMine
					}
					_, err := tx.Exec(setNumber, mine, int64(0))
					return err
				})
				if err != nil && !errors.Is(err, errMine) {
					s.Errorf("leave: %v", err)
				}
			})
		}
		wg.Wait()
		s.read(func(tx store.Tx) error {
			a, _, err := number(tx, one)
			if err != nil {
				return err
			}
			b, _, err := number(tx, two)
			if err == nil && a+b != 1 {
				s.Errorf("round %d: %d on call, want exactly 1", round, a+b)
			}
			return err
		})
	}
}

// moneyMoves transfers between accounts in both directions, which deadlocks where
// rows are locked one by one, while readers check the sum.
func moneyMoves(s suite) {
	const accounts, rounds, total = 4, 15, 400
	for i := range accounts {
		s.put(total/accounts, fmt.Sprint("account", i))
	}
	var writers, readers sync.WaitGroup
	var over atomic.Bool
	readers.Go(func() {
		for !over.Load() {
			err := s.st.Read(s.Context(), func(tx store.Tx) error {
				sum := int64(0)
				err := tx.Query(listItems, func(r store.Row) error { sum += r.Int(1); return nil })
				if err == nil && sum != total {
					s.Errorf("a Read sees a sum of %d, want %d", sum, total)
				}
				return err
			})
			if err != nil {
				s.Errorf("read: %v", err)
			}
		}
	})
	for k := range isolationCallers {
		writers.Go(func() {
			for i := range rounds {
				from, to := fmt.Sprint("account", (k+i)%accounts), fmt.Sprint("account", (k*3+i+1)%accounts)
				err := s.st.Write(s.Context(), func(tx store.Tx) error {
					if _, err := tx.Exec(addNumber, from, int64(-1)); err != nil {
						return err
					}
					_, err := tx.Exec(addNumber, to, int64(1))
					return err
				})
				if err != nil {
					s.Errorf("transfer: %v", err)
				}
			}
		})
	}
	writers.Wait()
	over.Store(true)
	readers.Wait()
}

// noPhantoms: callers add an item only while there are fewer than a limit.
func noPhantoms(s suite) {
	const limit = 5
	var wg sync.WaitGroup
	for k := range isolationCallers {
		wg.Go(func() {
			for i := range 3 {
				err := s.st.Write(s.Context(), func(tx store.Tx) error {
					have := int64(0)
					if err := tx.Query(countAll, func(r store.Row) error { have = r.Int(0); return nil }); err != nil || have >= limit {
						return err
					}
					_, err := tx.Exec(putItem, fmt.Sprintf("p%d-%d", k, i), int64(1))
					return err
				})
				if err != nil {
					s.Errorf("add: %v", err)
				}
			}
		})
	}
	wg.Wait()
	s.wantItems(limit)
}
