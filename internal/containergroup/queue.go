package containergroup

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Pauses between two tries of a step that failed.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 30 * time.Second
)

// crowd is how many groups may be under way before a walk over all of them waits.
const crowd = 256

// queue runs one step per group at a time. A group that is added while its step
// runs is looked at once more; a step that fails is tried again, later and later,
// or at once when the group is added again.
type queue struct {
	do  func(ctx context.Context, key string) error
	log *slog.Logger

	mu    sync.Mutex
	space sync.Cond       // signals that tasks became fewer
	ctx   context.Context // nil before start
	tasks map[string]*task
	work  sync.WaitGroup

	closed bool // nothing new may begin
}

// task is one group under way.
type task struct {
	again bool
	wake  chan struct{} // holds at most one signal
}

func newQueue(do func(context.Context, string) error, log *slog.Logger) *queue {
	q := &queue{do: do, log: log, tasks: map[string]*task{}}
	q.space.L = &q.mu
	return q
}

// start lets steps run until ctx ends. What was added before is forgotten: a
// start is followed by a walk over all groups.
func (q *queue) start(ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ctx = ctx
	context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.space.Broadcast()
	})
}

// wait returns when the context of start has ended and every step with it.
func (q *queue) wait() {
	<-q.ctx.Done()
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.work.Wait()
}

// add has the group looked at.
func (q *queue) add(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(key, true)
}

// addIdle has the group looked at unless that happens already.
func (q *queue) addIdle(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(key, false)
}

// addPatiently is addIdle for walks over all groups: it waits while many are
// under way.
func (q *queue) addPatiently(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tasks) >= crowd && q.ctx.Err() == nil {
		q.space.Wait()
	}
	q.put(key, false)
}

func (q *queue) put(key string, again bool) {
	if q.ctx == nil || q.closed || q.ctx.Err() != nil {
		return
	}
	if t := q.tasks[key]; t != nil {
		if again {
			t.again = true
			select {
			case t.wake <- struct{}{}:
			default:
			}
		}
		return
	}
	t := &task{wake: make(chan struct{}, 1)}
	q.tasks[key] = t
	ctx := q.ctx
	q.work.Go(func() { q.run(ctx, key, t) })
}

// run does steps of one group until there is nothing more to do.
func (q *queue) run(ctx context.Context, key string, t *task) {
	pause := time.Duration(0)
	for {
		q.begin(t)
		err := q.do(ctx, key)
		if q.over(ctx, key, t, err) {
			return
		}
		if err == nil {
			pause = 0
			continue
		}
		pause = min(max(2*pause, firstPause), lastPause)
		q.log.Warn("a container group could not be brought to its wish; trying again", "group", key, "pause", pause, "error", err)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-t.wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// begin forgets what was added before: the step that follows sees it.
func (q *queue) begin(t *task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.again = false
	select {
	case <-t.wake:
	default:
	}
}

// over ends the task when its step succeeded and nobody added the group since it
// began.
func (q *queue) over(ctx context.Context, key string, t *task, err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() == nil && (err != nil || t.again) {
		return false
	}
	delete(q.tasks, key)
	q.space.Signal()
	return true
}
