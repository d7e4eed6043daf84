package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ludgate/internal/store"
)

var closeTests = []suiteTest{
	{name: "twice is no error", run: func(s suite) {
		s.wantError(s.st.Close(), nil)
		s.wantError(s.st.Close(), nil)
	}},
	{name: "afterwards everything is refused", run: func(s suite) {
		c := s.st.Watch(s.Context(), "items")
		s.wantError(s.st.Close(), nil)
		s.wantError(s.st.Write(s.Context(), func(store.Tx) error { s.Error("a function runs"); return nil }), store.ErrClosed)
		s.wantError(s.st.Read(s.Context(), func(store.Tx) error { s.Error("a function runs"); return nil }), store.ErrClosed)
		if _, open := <-c; open {
			s.Error("a watcher's channel is open")
		}
		if _, open := <-s.st.Watch(s.Context(), "items"); open {
			s.Error("a new watcher's channel is open")
		}
	}},
	{name: "while callers write and read, each gets an answer", run: closeInTheMidst},
	{name: "waits for a Read under way", run: func(s suite) {
		s.put(1, "a")
		inside, closed := make(chan struct{}), make(chan error, 1)
		go func() {
			<-inside
			closed <- s.st.Close()
		}()
		s.read(func(tx store.Tx) error {
			close(inside)
			for range 20 {
				if _, found, err := number(tx, "a"); err != nil || !found {
					return fmt.Errorf("found %v, error %v", found, err)
				}
			}
			return nil
		})
		s.wantError(await(s, closed, "the end of Close"), nil)
	}},
}

func closeInTheMidst(s suite) {
	var wg sync.WaitGroup
	var writes atomic.Int64
	enough := make(chan struct{})
	for i := range 32 {
		wg.Go(func() {
			for k := 0; ; k++ {
				ran := false
				err := s.st.Write(s.Context(), func(tx store.Tx) error {
					ran = true
					_, err := tx.Exec(putItem, fmt.Sprintf("i%d-%d", i, k), int64(k))
					return err
				})
				if err == nil {
					if !ran {
						s.Error("a Write succeeds without its function")
					}
					if writes.Add(1) == 100 {
						close(enough)
					}
				} else if !errors.Is(err, store.ErrClosed) {
					s.Errorf("write: %v", err)
				}
				if err := s.st.Read(s.Context(), func(tx store.Tx) error { _, _, err := number(tx, "x"); return err }); err != nil {
					s.wantError(err, store.ErrClosed)
				}
				if err != nil {
					return
				}
			}
		})
	}
	await(s, enough, "the hundredth write")
	s.wantError(s.st.Close(), nil)
	wg.Wait()
}
