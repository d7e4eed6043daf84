package mail

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"ludgate"
)

// Queue is a [Sender] that takes messages at once and delivers them later,
// through another sender. Make one with [NewQueue]; it needs [Queue.Close].
type Queue struct {
	sender Sender
	opt    QueueOptions
	ctx    context.Context // of deliveries; ends when the queue may take no longer to close
	cancel context.CancelFunc
	ready  chan *job // has room for all jobs there may be, so a send never blocks
	idle   chan struct{}
	done   sync.WaitGroup

	mu      sync.Mutex
	jobs    int                  // taken and neither delivered nor given up
	bytes   int                  // of their messages
	waiting map[*job]*time.Timer // those that wait for their next try
	closed  bool
}

// QueueOptions configure a [Queue]. The zero value of a field has the default
// its comment names.
type QueueOptions struct {
	From     string        // of messages that name no sender
	Size     int           // messages at a time, those waiting for another try included; 1,000
	Bytes    int           // that they may hold in all; 32 MiB
	Workers  int           // deliveries at a time; 4
	Attempts int           // tries of a message; 6
	Backoff  time.Duration // before the second try, four times as long before each further one; 2 s
	Longest  time.Duration // of these pauses; 10 minutes
	Log      *slog.Logger  // slog.Default
}

// job is a message on its way.
type job struct {
	m     Message
	size  int
	tries int
}

// NewQueue starts a queue in front of sender. Without a sender the queue refuses
// every message with MailNotConfigured, and [Queue.Configured] says so.
func NewQueue(sender Sender, opt QueueOptions) *Queue {
	opt.Size = cmp.Or(opt.Size, 1000)
	opt.Bytes = cmp.Or(opt.Bytes, 32<<20)
	opt.Workers = cmp.Or(opt.Workers, 4)
	opt.Attempts = cmp.Or(opt.Attempts, 6)
	opt.Backoff = cmp.Or(opt.Backoff, 2*time.Second)
	opt.Longest = cmp.Or(opt.Longest, 10*time.Minute)
	opt.Log = cmp.Or(opt.Log, slog.Default())
	q := &Queue{sender: sender, opt: opt, ready: make(chan *job, opt.Size), idle: make(chan struct{}), waiting: map[*job]*time.Timer{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	if sender != nil {
		for range opt.Workers {
			q.done.Go(q.work)
		}
	}
	return q
}

// Configured reports whether the queue has a sender. A service that cannot do
// its work without mail refuses the call when there is none, before it looks
// anything up.
func (q *Queue) Configured() bool { return q.sender != nil }

// Send takes m and returns at once: it waits for nothing, and ctx does not end
// the delivery. It fails when the queue is full or closed (MailUnavailable) and
// when mail is not configured (MailNotConfigured). Whether m can be sent at all
// is found out later, and logged, so that Send takes the same time for any.
func (q *Queue) Send(_ context.Context, m Message) error {
	if q.sender == nil {
		return ludgate.Errorf(ludgate.Unavailable, "MailNotConfigured", "This server sends no e-mail: set mail.host and mail.from.")
	}
	m.From = cmp.Or(m.From, q.opt.From)
	m.To, m.Headers = slices.Clone(m.To), maps.Clone(m.Headers)
	j := &job{m: m, size: size(&m)}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "The server is stopping.")
	case q.jobs >= q.opt.Size || q.bytes+j.size > q.opt.Bytes:
		return ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "Too many e-mails are waiting to be sent.").After(q.opt.Backoff)
	}
	q.jobs++
	q.bytes += j.size
	if m.Delay > 0 {
		q.later(j, m.Delay)
	} else {
		q.ready <- j
	}
	return nil
}

// later makes j ready after a pause. The caller holds the lock.
func (q *Queue) later(j *job, pause time.Duration) {
	q.waiting[j] = time.AfterFunc(pause, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waiting, j)
		q.ready <- j
	})
}

// Close takes no more messages and waits until those it has are delivered or
// given up, but no longer than ctx; pauses before a further try that have begun
// are cut short. It fails when messages had to be dropped. A second call waits
// like the first.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		q.endIdle()
		for j, t := range q.waiting {
			if t.Stop() {
				delete(q.waiting, j)
				q.ready <- j
			}
		}
	}
	q.mu.Unlock()
	select {
	case <-q.idle:
	case <-ctx.Done():
	}
	q.cancel()
	q.done.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.waiting {
		t.Stop()
	}
	if q.jobs > 0 {
		return fmt.Errorf("%d e-mails could not be sent before the server stopped", q.jobs)
	}
	return nil
}

// work delivers until the queue ends.
func (q *Queue) work() {
	for {
		select {
		case <-q.ctx.Done():
			return
		case j := <-q.ready:
			q.try(j)
		}
	}
}

// try makes one attempt at j and decides what becomes of it.
func (q *Queue) try(j *job) {
	j.tries++
	if from, err := parseAddress(j.m.From); j.m.ID == "" && err == nil {
		j.m.ID = newID(from.mail)
	}
	err := q.sender.Send(q.ctx, j.m)
	if err != nil && q.ctx.Err() != nil {
		return // dropped: Close counts it
	}
	log := q.opt.Log.With("message", j.m.ID, "try", j.tries)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil && ludgate.AsError(err).Kind == ludgate.Unavailable && j.tries < q.opt.Attempts {
		pause := q.pause(j.tries)
		log.Warn("an e-mail was not sent and is tried again", "error", err, "in", pause)
		q.later(j, pause)
		return
	}
	if err != nil {
		log.Error("an e-mail is given up", "error", err)
	} else {
		log.Debug("an e-mail was sent")
	}
	q.jobs--
	q.bytes -= j.size
	q.endIdle()
}

// size is what a message holds in memory, in bytes.
func size(m *Message) int {
	n := len(m.From) + len(m.Subject) + len(m.Text) + len(m.HTML)
	for _, to := range m.To {
		n += len(to)
	}
	for name, value := range m.Headers {
		n += len(name) + len(value)
	}
	return n
}

// pause is how long to wait after a number of tries.
func (q *Queue) pause(tries int) time.Duration {
	d := q.opt.Backoff
	for range tries - 1 {
		if d *= 4; d >= q.opt.Longest {
			break
		}
	}
	return min(d, q.opt.Longest)
}

// endIdle lets Close go on when nothing is left. The caller holds the lock.
func (q *Queue) endIdle() {
	if q.closed && q.jobs == 0 {
		close(q.idle)
	}
}
