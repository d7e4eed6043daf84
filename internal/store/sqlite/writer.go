package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"ludgate/internal/store"

	"zombiezen.com/go/sqlite"
)

// Who decides what becomes of a call: its caller until the writer takes it, the
// writer from then on.
const (
	callWaiting int32 = iota
	callTaken         // the writer runs it; its caller waits for the answer
	callGone          // the caller has left; the writer passes it over
)

// call is one Write on its way through the writer.
type call struct {
	ctx    context.Context
	fn     func(store.Tx) error
	state  atomic.Int32
	done   chan struct{} // one signal: the fields below are set
	err    error
	panic  *callPanic
	exited bool // fn ended its goroutine (testing.T.FailNow does that)
	topics []string
}

// callPanic carries a panic of fn from the writer to the caller.
type callPanic struct {
	value any
	stack []byte
}

func (p *callPanic) String() string {
	return fmt.Sprintf("panic in a store.Write: %v\n\nwhere it happened:\n%s", p.value, p.stack)
}

// writer owns the connection that writes. Only its goroutine touches conn and
// batch.
type writer struct {
	store  *Store
	conn   *conn
	queue  chan *call
	exited chan struct{} // closed when the last call is answered
	calls  sync.Pool
	batch  []*call // taken, not yet answered
	at     int     // the call of the batch that runs
}

func newWriter(s *Store, c *conn) *writer {
	w := &writer{store: s, conn: c, queue: make(chan *call, s.opts.Queue), exited: make(chan struct{})}
	w.calls.New = func() any { return &call{done: make(chan struct{}, 1)} }
	return w
}

// Write implements store.Store. It answers store.ErrBusy at once when the queue
// is full. A ctx that ends before the call's turn takes it out of the queue;
// later it has no effect, and the answer says what became of the transaction.
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := s.writer
	c := w.calls.Get().(*call)
	c.ctx, c.fn = ctx, fn
	c.state.Store(callWaiting)
	select {
	case <-s.closing:
		return store.ErrClosed
	default:
	}
	select {
	case w.queue <- c:
	default:
		return store.ErrBusy
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		if c.state.CompareAndSwap(callWaiting, callGone) {
			return ctx.Err()
		}
		<-c.done
	case <-w.exited:
		// Closed between the check above and the queue. The writer may have
		// answered all the same.
		if c.state.CompareAndSwap(callWaiting, callGone) {
			return store.ErrClosed
		}
		<-c.done
	}
	err, panicked, exited := c.err, c.panic, c.exited
	w.reuse(c)
	switch {
	case panicked != nil:
		panic(panicked.String())
	case exited:
		runtime.Goexit()
	}
	return err
}

// reuse keeps a call that nobody refers to any more for a later Write.
func (w *writer) reuse(c *call) {
	c.ctx, c.fn, c.err, c.panic, c.exited, c.topics = nil, nil, nil, nil, false, nil
	w.calls.Put(c)
}

// run answers calls until the store closes and the queue is empty.
func (w *writer) run() {
	finished := false
	defer func() {
		if finished {
			close(w.exited)
			return
		}
		// A function ended this goroutine. It alone is to be hit: the others of
		// its batch run again, on a new one.
		w.expel()
		go w.run()
	}()
	for len(w.batch) > 0 || w.take() {
		w.commitBatch()
	}
	finished = true
}

// expel answers the call that ended the goroutine and undoes its batch.
func (w *writer) expel() {
	c := w.batch[w.at]
	c.exited = true
	w.batch = append(w.batch[:w.at], w.batch[w.at+1:]...)
	if !w.conn.AutocommitEnabled() {
		_ = run(w.conn.rollback)
	}
	c.done <- struct{}{}
}

// take waits for a call; it reports false when the store is closed and none waits.
func (w *writer) take() bool {
	for {
		select {
		case c := <-w.queue:
			if w.accept(c) {
				return true
			}
			continue
		default:
		}
		select {
		case c := <-w.queue:
			if w.accept(c) {
				return true
			}
		case <-w.store.closing:
			if len(w.queue) == 0 {
				return false
			}
		}
	}
}

// takeMore adds the calls that wait by now, up to the limit of a batch.
func (w *writer) takeMore() {
	for len(w.batch) < w.store.opts.maxBatch {
		select {
		case c := <-w.queue:
			w.accept(c)
		default:
			return
		}
	}
}

// accept puts a call in the batch, unless its caller has left.
func (w *writer) accept(c *call) bool {
	if c.ctx.Err() != nil && c.state.CompareAndSwap(callWaiting, callTaken) {
		c.err = c.ctx.Err()
		c.done <- struct{}{}
		return false
	}
	if !c.state.CompareAndSwap(callWaiting, callTaken) {
		w.reuse(c)
		return false
	}
	w.batch = append(w.batch, c)
	return true
}

// commitBatch runs the calls of the batch, and those that come meanwhile, in one
// transaction, and answers them after its commit.
func (w *writer) commitBatch() {
	err := w.transact(true)
	if err != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultConstraint && len(w.batch) > 1 {
		// A constraint that is checked at commit: find whose it is.
		w.commitEach()
		return
	}
	w.answer(err)
}

// commitEach runs every call of the batch in a transaction of its own.
func (w *writer) commitEach() {
	all := w.batch
	for i, c := range all {
		w.batch = append(make([]*call, 0, len(all)-i), all[i:]...)[:1]
		_ = c
		w.answer(w.transact(false))
	}
}

// answer tells the callers of the batch how it ended and empties it.
func (w *writer) answer(err error) {
	if err != nil {
		err = fmt.Errorf("store: commit: %w", mapError(err))
	}
	for i, c := range w.batch {
		if err != nil {
			c.err = err
		} else if c.err == nil {
			for _, topic := range c.topics {
				w.store.watchers.Signal(topic)
			}
		}
		w.batch[i] = nil
		c.done <- struct{}{}
	}
	w.batch = w.batch[:0]
}

// transact runs the batch and commits it. Its error means that nothing of the
// batch is kept.
func (w *writer) transact(grow bool) error {
	if err := run(w.conn.beginWrite); err != nil {
		return err
	}
	var err error
	for w.at = 0; w.at < len(w.batch) && err == nil; w.at++ {
		err = w.one(w.batch[w.at])
		if grow && w.at == len(w.batch)-1 {
			w.takeMore()
		}
	}
	if err == nil {
		err = run(w.conn.commit)
	}
	if err != nil && !w.conn.AutocommitEnabled() {
		err = errors.Join(err, run(w.conn.rollback))
	}
	if err == nil {
		w.store.check.committed()
	}
	return err
}

// one runs a call in a savepoint. What the function does wrong is the call's own
// error; the error returned is the batch's.
func (w *writer) one(c *call) error {
	if err := run(w.conn.save); err != nil {
		return err
	}
	t := &tx{ctx: c.ctx, conn: w.conn, write: true}
	c.err, c.panic = call1(t, c.fn)
	t.over = true
	if c.err == nil && c.panic == nil {
		c.err = t.failed
	}
	if t.failed != nil && (endsBatch(t.failed) || w.conn.AutocommitEnabled()) {
		return t.failed
	}
	if c.err != nil || c.panic != nil {
		if err := run(w.conn.undo); err != nil {
			return err
		}
	} else {
		c.topics = t.topics
	}
	return run(w.conn.keep)
}

// call1 calls fn and catches its panic.
func call1(t *tx, fn func(store.Tx) error) (err error, panicked *callPanic) {
	defer func() {
		if v := recover(); v != nil {
			panicked = &callPanic{value: v, stack: debug.Stack()}
		}
	}()
	return fn(t), nil
}
