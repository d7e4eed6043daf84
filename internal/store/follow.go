package store

import (
	"context"
	"sync"
	"time"
)

// followRetry is how long [Follow] waits after a load that failed.
const followRetry = time.Second

// Follow keeps something in memory as it is in the store: load runs now, and
// again after every change that signals topic, here or on another node, until
// stop is called, which waits for a load under way. A first load that fails is
// the error; a later one is told to failed and tried again every second.
func Follow(ctx context.Context, st Store, topic string, load func(context.Context) error, failed func(error)) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	changed := st.Watch(ctx, topic) // before the first load, so that nothing is missed
	if err := load(ctx); err != nil {
		cancel()
		return nil, err
	}
	var done sync.WaitGroup
	done.Go(func() {
		for range changed {
			for {
				err := load(ctx)
				if err == nil || ctx.Err() != nil {
					break
				}
				failed(err)
				select {
				case <-time.After(followRetry):
				case <-ctx.Done():
				}
			}
		}
	})
	return func() { cancel(); done.Wait() }, nil
}
