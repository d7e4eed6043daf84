package containergroup

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ludgate/internal/store"
)

// life is the one Run that a service may have.
type life struct {
	mu    sync.Mutex
	stop  context.CancelFunc // set while running, or a no-op after Close
	ended chan struct{}
}

func (l *life) begin(stop context.CancelFunc) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		return errors.New("containergroup: the service was run or closed before")
	}
	l.stop, l.ended = stop, make(chan struct{})
	return nil
}

func (l *life) end() { close(l.ended) }

// Close ends Run, if it was called, and waits for it. It leaves the store and the
// engine to their owner.
func (s *Service) Close() error {
	l := &s.life
	l.mu.Lock()
	if l.stop == nil {
		l.stop = func() {}
	}
	stop, ended := l.stop, l.ended
	l.mu.Unlock()
	stop()
	if ended != nil {
		<-ended
	}
	return nil
}

// Times of the service's own housekeeping.
const (
	purgeEvery  = time.Hour
	watchPause  = time.Second // between two reactions to other nodes' writes
	fullResyncs = 60          // looks at open operations between two at all groups
)

// Run moves the engine toward what is stored until ctx ends, and returns when
// every step under way has ended. It tells the engine of every group first.
// Containers keep running.
func (s *Service) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := s.life.begin(stop); err != nil {
		return err
	}
	defer s.life.end()
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { s.housekeep(ctx) })
	if s.opt.Engine == nil {
		<-ctx.Done()
		return nil
	}
	s.queue.start(ctx)
	defer s.queue.wait()
	work.Go(func() { s.follow(ctx) })
	work.Go(func() { s.listen(ctx) })
	<-ctx.Done()
	return nil
}

// housekeep removes old operations.
func (s *Service) housekeep(ctx context.Context) {
	ticker := time.NewTicker(purgeEvery)
	defer ticker.Stop()
	for {
		if err := s.purge(ctx); err != nil && ctx.Err() == nil {
			s.opt.Log.Warn("old operations of container groups could not be removed", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// follow hears what changed in the engine.
func (s *Service) follow(ctx context.Context) {
	changes := s.opt.Engine.Changes()
	for {
		select {
		case key, open := <-changes:
			if !open {
				return
			}
			s.queue.add(key)
		case <-ctx.Done():
			return
		}
	}
}

// listen walks over groups: over all at the start and now and then, over those
// with an operation under way every few seconds, and when another node wrote
// something.
func (s *Service) listen(ctx context.Context) {
	ticker := time.NewTicker(s.opt.Resync)
	defer ticker.Stop()
	written := s.opt.Store.Watch(ctx, topic)
	walk := s.walkAll
	for n := 1; ctx.Err() == nil; {
		if err := walk(ctx); err != nil && ctx.Err() == nil {
			s.opt.Log.Warn("container groups could not be listed; trying again", "error", err)
		}
		walk = s.walkOpen
		select {
		case <-ticker.C:
			if n++; n%fullResyncs == 0 {
				walk = s.walkAll
			}
		case <-written:
			select {
			case <-time.After(watchPause):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}
}

// walkOpen has the groups with an operation under way looked at.
func (s *Service) walkOpen(ctx context.Context) error {
	var keys []string
	err := s.opt.Store.Read(ctx, func(tx store.Tx) error {
		keys = nil
		return tx.Query(groupsOpen, func(r store.Row) error {
			keys = append(keys, r.Text(0))
			return nil
		})
	})
	for _, key := range keys {
		s.queue.addIdle(key)
	}
	return err
}

// walkAll has every group looked at, those of the engine that are in no row too:
// they were left behind and are removed.
func (s *Service) walkAll(ctx context.Context) error {
	held, err := s.opt.Engine.Keys(ctx)
	if err != nil {
		return fmt.Errorf("list the engine's groups: %w", err)
	}
	known := map[string]bool{}
	last := ""
	for {
		var keys []string
		err := s.opt.Store.Read(ctx, func(tx store.Tx) error {
			keys = nil
			return tx.Query(groupsAfter, func(r store.Row) error {
				keys = append(keys, r.Text(0))
				return nil
			}, last, int64(pageSize))
		})
		if err != nil {
			return err
		}
		for _, key := range keys {
			known[key] = true
			s.queue.addPatiently(key)
		}
		if len(keys) < pageSize {
			break
		}
		last = keys[len(keys)-1]
	}
	for _, key := range held {
		if !known[key] {
			s.queue.addPatiently(key)
		}
	}
	return nil
}
