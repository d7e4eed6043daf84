package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
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

// writer owns the connection that writes. Only its goroutine touches the fields
// from conn on.
type writer struct {
	store   *Store
	queue   chan *call
	exited  chan struct{} // closed when the last call is answered
	restart atomic.Bool   // the log is over its limit: restart it between two batches
	calls   sync.Pool
	commits atomic.Int64
	writes  atomic.Int64

	conn  *conn
	batch []*call // taken, not yet answered
	at    int     // the call of the batch that runs
	solo  bool    // commit the calls of the batch one by one
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
	select {
	case <-s.closing:
		return store.ErrClosed
	default:
	}
	w := s.writer
	c := w.calls.Get().(*call)
	c.ctx, c.fn = ctx, fn
	c.state.Store(callWaiting)
	select {
	case w.queue <- c:
	default:
		w.reuse(c)
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
		if w.restart.CompareAndSwap(true, false) {
			w.restartLog(false)
		}
	}
	finished = true
}

// expel answers the call that ended the goroutine and undoes its batch.
func (w *writer) expel() {
	c := w.batch[w.at]
	w.batch = slices.Delete(w.batch, w.at, w.at+1)
	if !w.conn.AutocommitEnabled() {
		_ = run(w.conn.rollback) // what fails here fails again at the next BEGIN
	}
	c.exited = true
	c.done <- struct{}{}
}

// take waits for a call; it reports false when the store is closed and none waits.
func (w *writer) take() bool {
	for len(w.batch) == 0 {
		select {
		case c := <-w.queue:
			w.accept(c)
		case <-w.store.closing:
			select {
			case c := <-w.queue:
				w.accept(c)
			default:
				return false
			}
		}
	}
	return true
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

// accept puts a call in the batch, unless its caller has left or is about to.
func (w *writer) accept(c *call) {
	switch {
	case !c.state.CompareAndSwap(callWaiting, callTaken):
		w.reuse(c)
	case c.ctx.Err() != nil:
		c.err = c.ctx.Err()
		c.done <- struct{}{}
	default:
		w.batch = append(w.batch, c)
	}
}

// commitBatch runs the calls of the batch, and those that come meanwhile, in one
// transaction, and answers them after its commit. Of a batch that is to be
// committed one by one it does the first.
func (w *writer) commitBatch() {
	// The callers of the last batch have just been answered; let those that are
	// about to write again come in.
	runtime.Gosched()
	err := w.transact()
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultConstraint && len(w.batch) > 1 && !w.solo {
		// A constraint that is checked at commit: all run again, to find whose
		// it is.
		w.solo = true
		return
	}
	n := len(w.batch)
	if w.solo {
		n = 1
	}
	w.answer(w.batch[:n], err)
	w.batch = slices.Delete(w.batch, 0, n)
	w.solo = w.solo && len(w.batch) > 0
	if errors.Is(mapError(err), store.ErrFull) {
		w.restartLog(true) // the log may hold much of the space
	}
}

// transact runs the batch, or its first call, and commits. Its error means that
// nothing of it is kept.
func (w *writer) transact() error {
	if err := run(w.conn.beginWrite); err != nil {
		return err
	}
	var err error
	for w.at = 0; w.at < len(w.batch) && err == nil; w.at++ {
		err = w.one(w.batch[w.at])
		if w.solo {
			break
		}
		if w.at == len(w.batch)-1 {
			w.takeMore()
		}
	}
	if err == nil {
		err = run(w.conn.commit)
	}
	if err != nil && !w.conn.AutocommitEnabled() {
		err = errors.Join(err, run(w.conn.rollback))
	}
	return err
}

// answer tells callers how their transaction ended.
func (w *writer) answer(calls []*call, err error) {
	if err != nil {
		err = fmt.Errorf("store: commit: %w", mapError(err))
	} else {
		w.commits.Add(1)
		w.writes.Add(int64(len(calls)))
		w.store.check.committed()
	}
	for _, c := range calls {
		if err != nil {
			// Also for a call that failed by itself: what it saw when it did
			// may never have been.
			c.err = err
		} else if c.err == nil {
			for _, topic := range c.topics {
				w.store.watchers.Signal(topic)
			}
		}
		c.done <- struct{}{}
	}
}

// one runs a call in a savepoint. What its function does wrong is the call's own
// error; the error returned is the batch's.
func (w *writer) one(c *call) error {
	if err := run(w.conn.save); err != nil {
		return err
	}
	t := &tx{ctx: c.ctx, conn: w.conn, write: true}
	c.panic, c.topics = nil, nil
	c.err = c.invoke(t)
	t.over = true
	if t.failed != nil && (endsBatch(t.failed) || w.conn.AutocommitEnabled()) {
		return t.failed
	}
	if c.err == nil {
		c.err = t.failed
	}
	if c.err == nil && c.panic == nil {
		c.topics = t.topics
	} else if err := run(w.conn.undo); err != nil {
		return err
	}
	return run(w.conn.keep)
}

// invoke calls the function and catches its panic.
func (c *call) invoke(t *tx) error {
	defer func() {
		if v := recover(); v != nil {
			c.panic = &callPanic{value: v, stack: debug.Stack()}
		}
	}()
	return c.fn(t)
}
