package image

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flight[int]
		calls := 0
		release := make(chan int)
		fn := func(ctx context.Context) (int, error) {
			calls++
			select {
			case n := <-release:
				return n, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		type answer struct {
			n   int
			err error
		}
		start := func(ctx context.Context, key string) chan answer {
			c := make(chan answer, 1)
			go func() {
				n, err := f.do(ctx, key, fn)
				c <- answer{n, err}
			}()
			synctest.Wait()
			return c
		}
		ctx := context.Background()
		first, giveUp := context.WithCancel(ctx)
		a := start(first, "k")
		b := start(ctx, "k")
		other := start(ctx, "other")
		giveUp()
		if got := <-a; !errors.Is(got.err, context.Canceled) {
			t.Errorf("who gave up got %v", got)
		}
		release <- 1
		release <- 1
		if got := <-b; got.n != 1 || got.err != nil {
			t.Errorf("who stayed got %v", got)
		}
		if got := <-other; got.n != 1 || calls != 2 {
			t.Errorf("another key got %v after %d calls", got, calls)
		}

		// When all have gone the attempt ends, and the next caller starts anew.
		second, giveUp := context.WithCancel(ctx)
		a, b = start(second, "k"), start(second, "k")
		giveUp()
		<-a
		<-b
		synctest.Wait()
		c := start(ctx, "k")
		release <- 2
		if got := <-c; got.n != 2 || calls != 4 {
			t.Errorf("after all had gone: %v, %d calls", got, calls)
		}
	})
}
