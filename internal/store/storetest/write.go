package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"ludgate/internal/store"
)

var writeTests = []suiteTest{
	{name: "all statements take effect together", run: func(s suite) {
		s.put(1, "a", "b", "c")
		s.wantItems(3)
	}},
	{name: "an error of the function undoes all and comes back as it is", run: func(s suite) {
		s.put(1, "a")
		err := s.st.Write(s.Context(), func(tx store.Tx) error {
			if _, err := tx.Exec(setNumber, "a", int64(2)); err != nil {
				return err
			}
			if _, err := tx.Exec(putItem, "b", int64(2)); err != nil {
				return err
			}
			return errMine
		})
		if err != errMine {
			s.Errorf("error %v, want the function's own", err)
		}
		s.wantItems(1)
		s.wantNumber("a", 1)
	}},
	{name: "an error touches nobody else", run: errorTouchesNobodyElse},
	{name: "a statement sees what earlier ones of its Write did", run: func(s suite) {
		s.write(func(tx store.Tx) error {
			if _, err := tx.Exec(putItem, "a", int64(7)); err != nil {
				return err
			}
			if n, found, err := number(tx, "a"); err != nil || !found || n != 7 {
				return fmt.Errorf("found %v, number %d, error %v", found, n, err)
			}
			return nil
		})
	}},
	{name: "Exec counts the changed rows", run: execCounts},
	{name: "a unique index refuses with ErrTaken", run: func(s suite) {
		s.put(1, "a")
		err := s.st.Write(s.Context(), func(tx store.Tx) error { _, err := tx.Exec(putItem, "a", int64(2)); return err })
		s.wantError(err, store.ErrTaken)
		note := func(id string) error {
			return s.st.Write(s.Context(), func(tx store.Tx) error {
				_, err := tx.Exec(putAll, id, nil, "same", nil, nil, nil)
				return err
			})
		}
		s.wantError(note("b"), nil)
		s.wantError(note("c"), store.ErrTaken)
		s.wantNumber("a", 1)
		s.wantItems(2)
	}},
	{name: "a failed statement ends the transaction", run: failedStatementEnds},
	{name: "what is wrong with a call is its statement's failure", run: wrongCalls},
	{name: "an error of scan ends the query only", run: func(s suite) {
		s.put(1, "a", "b", "c")
		s.write(func(tx store.Tx) error {
			rows := 0
			if err := tx.Query(listItems, func(store.Row) error { rows++; return errMine }); err != errMine || rows != 1 {
				return fmt.Errorf("%d rows, error %v; want 1 and the scan's own", rows, err)
			}
			_, err := tx.Exec(putItem, "d", int64(1))
			return err
		})
		s.wantItems(4)
	}},
	{name: "a panic undoes the Write and reaches its caller only", run: panicIsTheCallers},
	{name: "a function that ends its goroutine ends its caller only", run: exitIsTheCallers},
	{name: "a Tx that was kept is refused", run: func(s suite) {
		var kept store.Tx
		s.write(func(tx store.Tx) error { kept = tx; return nil })
		if _, err := kept.Exec(putItem, "a", int64(1)); err == nil {
			s.Error("a kept Tx of a Write writes")
		}
		s.read(func(tx store.Tx) error { kept = tx; return nil })
		if err := kept.Query(listItems, func(store.Row) error { return nil }); err == nil {
			s.Error("a kept Tx of a Read reads")
		}
		s.wantItems(0)
	}},
	{name: "a context that has ended writes nothing", run: func(s suite) {
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		err := s.st.Write(ctx, func(tx store.Tx) error { _, err := tx.Exec(putItem, "a", int64(1)); return err })
		s.wantError(err, context.Canceled)
		s.wantItems(0)
	}},
	{name: "contexts that end at any time leave whole writes", run: contextsEndAtAnyTime},
	{name: "RETURNING gives rows and writes", run: func(s suite) {
		s.put(1, "a", "b")
		got := map[string]int64{}
		s.write(func(tx store.Tx) error {
			clear(got)
			return tx.Query(bumpAll, func(r store.Row) error { got[r.Text(0)] = r.Int(1); return nil })
		})
		if len(got) != 2 || got["a"] != 2 || got["b"] != 2 {
			s.Errorf("returned %v", got)
		}
		s.wantNumber("b", 2)
	}},
}

var bumpAll = store.NewStmt("bump_all", `UPDATE item SET n = n + 1 RETURNING id, n`)

// errorTouchesNobodyElse runs many callers at once, of which every third fails
// after it has written, in three different ways.
func errorTouchesNobodyElse(s suite) {
	s.put(0, "taken")
	const callers = 60
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			err := s.st.Write(s.Context(), func(tx store.Tx) error {
				if _, err := tx.Exec(putItem, fmt.Sprintf("i%02d", i), int64(i)); err != nil {
					return err
				}
				switch i % 6 {
				case 0:
					return errMine
				case 3:
					_, err := tx.Exec(putItem, "taken", int64(1))
					return err
				}
				return nil
			})
			switch want := map[int]error{0: errMine, 3: store.ErrTaken}[i%6]; {
			case want == nil && err != nil:
				s.Errorf("caller %d: %v", i, err)
			case want != nil:
				s.wantError(err, want)
			}
		})
	}
	wg.Wait()
	s.wantItems(1 + callers - callers/3)
}

func execCounts(s suite) {
	s.put(1, "a", "b", "c")
	for _, c := range []struct {
		what string
		stmt *store.Stmt
		args []any
		want int64
	}{
		{"insert", putItem, []any{"d", int64(1)}, 1},
		{"insert that does nothing", putMaybe, []any{"d", int64(2)}, 0},
		{"insert after it", putMaybe, []any{"e", int64(2)}, 1},
		{"update of one", setNumber, []any{"a", int64(9)}, 1},
		{"update of none", setNumber, []any{"zz", int64(9)}, 0},
		{"update of all", store.NewStmt("all", `UPDATE item SET n = 3`), nil, 5},
		{"update to the same", store.NewStmt("all2", `UPDATE item SET n = 3`), nil, 5},
		{"create", store.NewStmt("create", `CREATE TABLE other (a TEXT)`), nil, 0},
		{"delete", dropItem, []any{"a"}, 1},
		{"insert of what is selected", store.NewStmt("copy", "-- a comment\nWITH x AS (SELECT id FROM item) INSERT INTO other (a) SELECT id FROM x"), nil, 4},
	} {
		s.write(func(tx store.Tx) error {
			n, err := tx.Exec(c.stmt, c.args...)
			if err == nil && n != c.want {
				s.Errorf("%s: %d rows, want %d", c.what, n, c.want)
			}
			return err
		})
	}
}

func failedStatementEnds(s suite) {
	s.put(1, "a")
	err := s.st.Write(s.Context(), func(tx store.Tx) error {
		if _, err := tx.Exec(putItem, "b", int64(1)); err != nil {
			return err
		}
		if _, err := tx.Exec(putItem, "a", int64(1)); !errors.Is(err, store.ErrTaken) {
			return fmt.Errorf("error %v, want ErrTaken", err)
		}
		if _, err := tx.Exec(putItem, "c", int64(1)); err == nil {
			return errors.New("a statement after a failed one succeeds")
		}
		if _, _, err := number(tx, "a"); err == nil {
			return errors.New("a query after a failed statement succeeds")
		}
		return nil // all the same
	})
	s.wantError(err, store.ErrTaken)
	s.wantItems(1)
}

func wrongCalls(s suite) {
	s.put(1, "a")
	none := func(store.Row) error { return nil }
	for name, call := range map[string]func(tx store.Tx) error{
		"bad SQL":           func(tx store.Tx) error { return tx.Query(broken, none) },
		"too few arguments": func(tx store.Tx) error { _, err := tx.Exec(putItem, "x"); return err },
		"too many":          func(tx store.Tx) error { _, err := tx.Exec(putItem, "x", int64(1), int64(2)); return err },
		"an int":            func(tx store.Tx) error { _, err := tx.Exec(putItem, "x", 1); return err },
		"an array":          func(tx store.Tx) error { _, err := tx.Exec(putItem, "x", []string{"y"}); return err },
		"a zero byte":       func(tx store.Tx) error { _, err := tx.Exec(putItem, "a\x00b", int64(1)); return err },
		"bad UTF-8":         func(tx store.Tx) error { _, err := tx.Exec(putItem, "a\xff", int64(1)); return err },
		"a column too many": func(tx store.Tx) error {
			return tx.Query(listItems, func(r store.Row) error { r.Int(2); return nil })
		},
		"a column below 0": func(tx store.Tx) error {
			return tx.Query(listItems, func(r store.Row) error { r.IsNull(-1); return nil })
		},
		"text as a number": func(tx store.Tx) error {
			return tx.Query(listItems, func(r store.Row) error { r.Int(0); return nil })
		},
		"a number as text": func(tx store.Tx) error {
			return tx.Query(listItems, func(r store.Row) error { r.Text(1); return nil })
		},
		"a statement in a scan": func(tx store.Tx) error {
			return tx.Query(listItems, func(store.Row) error {
				_, err := tx.Exec(putItem, "x", int64(1))
				return err
			})
		},
		"a query in a scan whose error is dropped": func(tx store.Tx) error {
			return tx.Query(listItems, func(store.Row) error { _ = tx.Query(listItems, none); return nil })
		},
		"a topic of a megabyte": func(tx store.Tx) error {
			tx.Notify(strings.Repeat("t", 1<<20))
			_, err := tx.Exec(putItem, "x", int64(1))
			return err
		},
		"no topic": func(tx store.Tx) error { tx.Notify(""); return errMine },
	} {
		err := s.st.Write(s.Context(), func(tx store.Tx) error {
			if _, err := tx.Exec(putItem, "x", int64(1)); err != nil {
				return err
			}
			if err := call(tx); err == nil {
				s.Errorf("%s: the statement succeeds", name)
			}
			return nil
		})
		if err == nil {
			s.Errorf("%s: the Write succeeds", name)
		}
	}
	s.wantItems(1)
}

func panicIsTheCallers(s suite) {
	var wg sync.WaitGroup
	const callers = 30
	for i := range callers {
		wg.Go(func() {
			defer func() {
				switch v := recover(); {
				case i%3 == 0 && v == nil:
					s.Errorf("caller %d: no panic", i)
				case i%3 == 0 && !strings.Contains(fmt.Sprint(v), "out of luck"):
					s.Errorf("caller %d: panic %v", i, v)
				case i%3 != 0 && v != nil:
					s.Errorf("caller %d panics with another's: %v", i, v)
				}
			}()
			err := s.st.Write(s.Context(), func(tx store.Tx) error {
				if _, err := tx.Exec(putItem, fmt.Sprintf("i%02d", i), int64(i)); err != nil {
					return err
				}
				if i%3 == 0 {
					// In the midst of a scan, where most is open.
					return tx.Query(listItems, func(store.Row) error { panic("out of luck") })
				}
				return nil
			})
			if err != nil {
				s.Errorf("caller %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	s.wantItems(callers - callers/3)
	func() {
		defer func() {
			if recover() == nil {
				s.Error("a Read swallows a panic")
			}
		}()
		_ = s.st.Read(s.Context(), func(tx store.Tx) error {
			return tx.Query(listItems, func(store.Row) error { panic("again") })
		})
	}()
	s.wantItems(callers - callers/3)
}

func exitIsTheCallers(s suite) {
	var wg sync.WaitGroup
	const callers = 30
	for i := range callers {
		wg.Go(func() {
			returned := false
			defer func() {
				if returned == (i%3 == 0) {
					s.Errorf("caller %d: Write returned %v", i, returned)
				}
			}()
			err := s.st.Write(s.Context(), func(tx store.Tx) error {
				if _, err := tx.Exec(putItem, fmt.Sprintf("i%02d", i), int64(i)); err != nil {
					return err
				}
				if i%3 == 0 {
					runtime.Goexit()
				}
				return nil
			})
			returned = true
			if err != nil {
				s.Errorf("caller %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	s.wantItems(callers - callers/3)
}

// contextsEndAtAnyTime ends contexts before, during and after their Writes. A
// Write that says it did not happen did not happen, and the other way round.
func contextsEndAtAnyTime(s suite) {
	const callers, rounds = 16, 12
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := map[string]bool{}
	for i := range callers {
		wg.Go(func() {
			for k := range rounds {
				ctx, cancel := context.WithCancel(s.Context())
				go func() {
					for range k * 50 {
						runtime.Gosched()
					}
					cancel()
				}()
				one, two := fmt.Sprintf("c%02d-%02d-1", i, k), fmt.Sprintf("c%02d-%02d-2", i, k)
				err := s.st.Write(ctx, func(tx store.Tx) error {
					if _, err := tx.Exec(putItem, one, int64(1)); err != nil {
						return err
					}
					_, err := tx.Exec(putItem, two, int64(1))
					return err
				})
				if err != nil {
					s.wantError(err, context.Canceled)
				}
				mu.Lock()
				done[one], done[two] = err == nil, err == nil
				mu.Unlock()
				cancel()
			}
		})
	}
	wg.Wait()
	s.read(func(tx store.Tx) error {
		there := map[string]bool{}
		if err := tx.Query(listItems, func(r store.Row) error { there[r.Text(0)] = true; return nil }); err != nil {
			return err
		}
		for id, want := range done {
			if there[id] != want {
				s.Errorf("item %s: there %v, written %v", id, there[id], want)
			}
		}
		return nil
	})
}
