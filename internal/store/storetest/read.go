package storetest

import (
	"context"
	"fmt"
	"sync"

	"ludgate/internal/store"
)

var readTests = []suiteTest{
	{name: "sees every write that returned", run: readsSeeWrites},
	{name: "is one snapshot", run: readIsOneSnapshot},
	{name: "gives the rows in order", run: func(s suite) {
		s.put(1, "b", "a", "Z", "é", "ab", "_")
		var ids []string
		s.read(func(tx store.Tx) error {
			ids = nil
			return tx.Query(listItems, func(r store.Row) error { ids = append(ids, r.Text(0)); return nil })
		})
		if got, want := fmt.Sprint(ids), "[Z _ a ab b é]"; got != want {
			s.Errorf("order %s, want %s, by bytes", got, want)
		}
	}},
	{name: "Exec is an error", run: func(s suite) {
		s.put(1, "a")
		err := s.st.Read(s.Context(), func(tx store.Tx) error { _, err := tx.Exec(setNumber, "a", int64(2)); return err })
		if err == nil {
			s.Error("Exec in a Read succeeds")
		}
		err = s.st.Read(s.Context(), func(tx store.Tx) error { _, _ = tx.Exec(setNumber, "a", int64(2)); return nil })
		if err == nil {
			s.Error("a Read whose Exec failed succeeds")
		}
		s.wantNumber("a", 1)
	}},
	{name: "Query cannot write either", run: func(s suite) {
		s.put(1, "a")
		err := s.st.Read(s.Context(), func(tx store.Tx) error {
			return tx.Query(bumpAll, func(store.Row) error { return nil })
		})
		if err == nil {
			s.Error("an UPDATE in a Read succeeds")
		}
		s.wantNumber("a", 1)
	}},
	{name: "an error of the function comes back as it is", run: func(s suite) {
		if err := s.st.Read(s.Context(), func(store.Tx) error { return errMine }); err != errMine {
			s.Errorf("error %v", err)
		}
	}},
	{name: "a context that has ended reads nothing", run: func(s suite) {
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		err := s.st.Read(ctx, func(store.Tx) error { s.Error("the function runs"); return nil })
		s.wantError(err, context.Canceled)
	}},
	{name: "a context that ends stops a query between rows", run: func(s suite) {
		s.put(1, "a", "b", "c")
		ctx, cancel := context.WithCancel(s.Context())
		defer cancel()
		rows := 0
		err := s.st.Read(ctx, func(tx store.Tx) error {
			return tx.Query(crossItems, func(store.Row) error { rows++; cancel(); return nil })
		})
		s.wantError(err, context.Canceled)
		s.wantItems(3) // and the connection is as good as new
	}},
}

var crossItems = store.NewStmt("cross_items", `SELECT a.id FROM item a, item b, item c, item d, item e, item f, item g, item h, item i`)

// readsSeeWrites: every caller reads back each of its own writes at once.
func readsSeeWrites(s suite) {
	var wg sync.WaitGroup
	for i := range 8 {
		id := fmt.Sprintf("item%d", i)
		s.put(0, id)
		wg.Go(func() {
			for n := int64(1); n <= 20; n++ {
				err := s.st.Write(s.Context(), func(tx store.Tx) error { _, err := tx.Exec(setNumber, id, n); return err })
				if err != nil {
					s.Errorf("write: %v", err)
					return
				}
				err = s.st.Read(s.Context(), func(tx store.Tx) error {
					got, _, err := number(tx, id)
					if err == nil && got != n {
						s.Errorf("%s is %d after %d was written", id, got, n)
					}
					return err
				})
				if err != nil {
					s.Errorf("read: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// readIsOneSnapshot writes between two queries of one Read.
func readIsOneSnapshot(s suite) {
	s.put(1, "a", "b")
	s.read(func(tx store.Tx) error {
		before, _, err := number(tx, "a")
		if err != nil {
			return err
		}
		wrote := make(chan error, 1)
		go func() {
			wrote <- s.st.Write(s.Context(), func(tx store.Tx) error {
				for _, id := range []string{"a", "b"} {
					if _, err := tx.Exec(setNumber, id, int64(2)); err != nil {
						return err
					}
				}
				return nil
			})
		}()
		if err := await(s, wrote, "the end of a Write during a Read"); err != nil {
			return err
		}
		after, _, err := number(tx, "b")
		if err == nil && (before != 1 || after != 1) {
			s.Errorf("one Read saw %d and then %d, want 1 both times", before, after)
		}
		return err
	})
	s.wantNumber("b", 2)
}
