package storetest

import (
	"context"
	"fmt"

	"ludgate/internal/store"
)

var watchTests = []suiteTest{
	{name: "a signal comes after the commit", run: func(s suite) {
		s.put(0, "a")
		c := s.st.Watch(s.Context(), "items")
		for n := int64(1); n <= 20; n++ {
			drain(c)
			s.write(func(tx store.Tx) error {
				tx.Notify("items")
				_, err := tx.Exec(setNumber, "a", n)
				return err
			})
			for { // a signal may be older than the write
				await(s, c, "the signal")
				got := int64(0)
				s.read(func(tx store.Tx) (err error) { got, _, err = number(tx, "a"); return err })
				if got == n {
					break
				}
				s.Fatalf("a signal came and the number is %d, want %d", got, n)
			}
		}
	}},
	{name: "all watchers of a topic hear it", run: func(s suite) {
		var all []<-chan struct{}
		for range 5 {
			all = append(all, s.st.Watch(s.Context(), "items"))
		}
		s.write(func(tx store.Tx) error { tx.Notify("items"); return nil })
		for i, c := range all {
			await(s, c, fmt.Sprint("the signal of watcher ", i))
		}
	}},
	{name: "a Write may signal several topics, any number of times", run: func(s suite) {
		a, b := s.st.Watch(s.Context(), "a"), s.st.Watch(s.Context(), "it's \"b\"")
		s.write(func(tx store.Tx) error {
			for range 3 {
				tx.Notify("a")
				tx.Notify("it's \"b\"")
			}
			return nil
		})
		await(s, a, "the signal of a")
		await(s, b, "the signal of b")
	}},
	{name: "a Write that failed is silent", run: func(s suite) {
		c, last := s.st.Watch(s.Context(), "failed"), s.st.Watch(s.Context(), "last")
		_ = s.st.Write(s.Context(), func(tx store.Tx) error { tx.Notify("failed"); return errMine })
		_ = s.st.Write(s.Context(), func(tx store.Tx) error {
			tx.Notify("failed")
			_ = tx.Query(broken, func(store.Row) error { return nil })
			return nil
		})
		s.write(func(tx store.Tx) error { tx.Notify("last"); return nil })
		await(s, last, "the signal of the last Write") // signals come in order
		select {
		case <-c:
			s.Error("a Write that failed has signalled")
		default:
		}
	}},
	{name: "one slow watcher holds nobody up", run: func(s suite) {
		slow, quick := s.st.Watch(s.Context(), "items"), s.st.Watch(s.Context(), "items")
		for range 50 {
			s.write(func(tx store.Tx) error { tx.Notify("items"); return nil })
			await(s, quick, "the signal")
		}
		await(s, slow, "the one signal that was kept")
	}},
	{name: "the channel closes when the context ends", run: func(s suite) {
		ctx, cancel := context.WithCancel(s.Context())
		c := s.st.Watch(ctx, "items")
		cancel()
		for open := true; open; {
			select {
			case _, open = <-c:
			case <-s.within().Done():
				s.Fatal("the channel is still open")
			}
		}
		s.write(func(tx store.Tx) error { tx.Notify("items"); return nil })
	}},
}

// drain takes the signal that waits, if one does.
func drain(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}
