package store

import (
	"context"
	"testing"
	"testing/synctest"
)

func TestWatchersCloseTheChannelWhenTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Watchers
		ctx, cancel := context.WithCancel(t.Context())
		one, other := w.Watch(ctx, "a"), w.Watch(t.Context(), "a")
		cancel()
		synctest.Wait()
		if _, open := <-one; open {
			t.Error("a signal, want a closed channel")
		}
		w.Signal("a")
		if _, open := <-other; !open {
			t.Error("the other watcher's channel is closed too")
		}
		if got := w.Watch(ctx, "a"); got == nil {
			t.Error("no channel")
		} else if _, open := <-got; open {
			t.Error("a context that has ended gives an open channel")
		}
		w.Close()
		if _, open := <-other; open {
			t.Error("Close left a channel open")
		}
		if _, open := <-w.Watch(t.Context(), "a"); open {
			t.Error("a channel after Close is open")
		}
	})
}

func TestWatchersMergeSignalsAndKeepTopicsApart(t *testing.T) {
	var w Watchers
	defer w.Close()
	a, b := w.Watch(t.Context(), "a"), w.Watch(t.Context(), "b")
	w.Signal("a")
	w.Signal("a")
	<-a
	select {
	case <-a:
		t.Error("two signals nobody read did not become one")
	case <-b:
		t.Error("a signal of another topic")
	default:
	}
	w.SignalAll()
	<-a
	<-b
}
