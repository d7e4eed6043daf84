package containergroup

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// steps records what a queue did.
type steps struct {
	mu   sync.Mutex
	all  []string
	busy map[string]bool
	most int
	fail map[string]int // how often the step of a group shall fail yet
	took time.Duration
}

func (s *steps) do(t *testing.T) func(context.Context, string) error {
	s.busy = map[string]bool{}
	return func(ctx context.Context, key string) error {
		s.mu.Lock()
		if s.busy[key] {
			t.Errorf("two steps of group %s at a time", key)
		}
		s.busy[key] = true
		s.all = append(s.all, key)
		s.most = max(s.most, len(s.busy))
		s.mu.Unlock()
		time.Sleep(s.took)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.busy, key)
		if s.fail[key] > 0 {
			s.fail[key]--
			return errors.New("not now")
		}
		return ctx.Err()
	}
}

func (s *steps) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func inQueue(t *testing.T, s *steps, f func(q *queue)) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(s.do(t), quietLog())
		q.add("before the start") // forgotten
		ctx, stop := context.WithCancel(t.Context())
		q.start(ctx)
		f(q)
		stop()
		q.wait()
		q.add("after the end") // forgotten
		synctest.Wait()
		if len(q.tasks) != 0 {
			t.Errorf("tasks left: %v", q.tasks)
		}
	})
}

func TestQueueLooksOnceMore(t *testing.T) {
	s := &steps{took: time.Second}
	inQueue(t, s, func(q *queue) {
		for range 3 {
			for range 5 {
				q.add("a")
				q.add("b")
				q.addIdle("a")
			}
			synctest.Wait() // the first steps have begun
		}
		time.Sleep(time.Minute)
		if s.count() != 4 || s.most != 2 {
			t.Errorf("steps %v, at most %d at a time", s.all, s.most)
		}
		q.addIdle("a")
		q.addIdle("a")
		time.Sleep(time.Minute)
		if s.count() != 5 {
			t.Errorf("steps %v", s.all)
		}
	})
}

func TestQueueTriesAgain(t *testing.T) {
	s := &steps{fail: map[string]int{"a": 4, "b": 1000}}
	inQueue(t, s, func(q *queue) {
		q.add("a")
		time.Sleep(100*time.Millisecond - 1)
		synctest.Wait()
		if s.count() != 1 {
			t.Errorf("steps %v", s.all)
		}
		time.Sleep(200*time.Millisecond + 1) // 100, then 200 ms later
		synctest.Wait()
		if s.count() != 3 {
			t.Errorf("steps %v", s.all)
		}
		q.add("a") // new work is not made to wait
		synctest.Wait()
		if s.count() != 4 {
			t.Errorf("steps %v", s.all)
		}
		time.Sleep(time.Hour)
		if s.count() != 5 {
			t.Errorf("steps %v", s.all)
		}
		q.add("b")
		time.Sleep(time.Hour)
		if n := s.count() - 5; n < 100 || n > 140 {
			t.Errorf("%d tries in an hour", n)
		}
	})
}

func TestQueueWalksWithPatience(t *testing.T) {
	s := &steps{took: time.Second}
	inQueue(t, s, func(q *queue) {
		for i := range 4 * crowd {
			q.addPatiently(fmt.Sprint(i))
		}
		q.add("new work") // does not wait for the walk
		time.Sleep(time.Minute)
		if s.count() != 4*crowd+1 || s.most > crowd+1 {
			t.Errorf("%d steps, at most %d at a time", s.count(), s.most)
		}
	})
}

func TestQueueEndsWalks(t *testing.T) {
	s := &steps{took: 24 * time.Hour}
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(s.do(t), quietLog())
		ctx, stop := context.WithCancel(t.Context())
		q.start(ctx)
		done := make(chan struct{})
		go func() {
			for i := range 2 * crowd {
				q.addPatiently(fmt.Sprint(i))
			}
			close(done)
		}()
		synctest.Wait()
		stop()
		<-done
		q.wait()
		if s.count() != crowd {
			t.Errorf("%d steps", s.count())
		}
	})
}
