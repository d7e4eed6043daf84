package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// signals is a Store that can only be watched.
type signals struct {
	Store
	w Watchers
}

func (s *signals) Watch(ctx context.Context, topic string) <-chan struct{} {
	return s.w.Watch(ctx, topic)
}

// TestFollow: loads at once and after every signal, tries again what failed, and
// stops when it is told to.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, trouble := &signals{}, errors.New("trouble")
		loads, fails, told := 0, 0, 0
		load := func(context.Context) error {
			loads++
			if fails > 0 {
				fails--
				return trouble
			}
			return nil
		}
		fails = 1
		if _, err := Follow(t.Context(), st, "x", load, nil); !errors.Is(err, trouble) {
			t.Errorf("a first load that fails: %v", err)
		}
		loads = 0
		stop, err := Follow(t.Context(), st, "x", load, func(error) { told++ })
		if err != nil || loads != 1 {
			t.Fatalf("%v after %d loads", err, loads)
		}
		signal := func() { st.w.Signal("x"); synctest.Wait() }
		if signal(); loads != 2 {
			t.Errorf("after a signal: %d loads", loads)
		}
		st.w.Signal("y")
		if synctest.Wait(); loads != 2 {
			t.Errorf("after another topic's signal: %d loads", loads)
		}
		fails = 2
		signal()
		time.Sleep(2 * followRetry)
		if synctest.Wait(); loads != 5 || told != 2 {
			t.Errorf("two that failed: %d loads, told of %d", loads, told)
		}
		fails = 1000
		signal()
		stop()
		n := loads
		st.w.Signal("x")
		time.Sleep(time.Minute)
		if synctest.Wait(); loads != n {
			t.Errorf("%d loads after it was stopped", loads-n)
		}
	})
}
