package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ludgate"
)

// Options configure a Hasher. The zero value of a field has the default its
// comment names.
type Options struct {
	Params  Params        // costs of new hashes; Floor
	Workers int           // hashes computed at the same time; one per processor
	Queue   int           // callers that may wait; 128 per worker
	MaxWait time.Duration // the longest wait for a turn; 5 s
	// InProcess hashes in the server's own threads even where a helper could
	// be had: more hashes per second on a busy machine, slower other calls.
	InProcess bool
	Log       *slog.Logger // slog.Default
}

func (o *Options) setDefaults() {
	if o.Params == (Params{}) {
		o.Params = Floor
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Queue <= 0 {
		o.Queue = 128 * o.Workers
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

// Hasher hashes passwords. It is safe for concurrent use.
type Hasher struct {
	opt     Options
	queue   chan *job
	closing chan struct{}
	once    sync.Once
	workers sync.WaitGroup
	helper  *supervisor
	compute func(request) []byte
}

// New makes a Hasher; Close ends it.
func New(opt Options) *Hasher {
	opt.setDefaults()
	s := &supervisor{workers: opt.Workers, log: opt.Log, off: opt.InProcess || !available, own: make(chan struct{}, opt.Workers)}
	// Twice as many: each worker of the helper finds the next request waiting
	// when it is through with one.
	h := start(opt, 2*opt.Workers, s.compute)
	h.helper = s
	return h
}

// start makes a Hasher whose callers' jobs are given to compute, so many at a time.
func start(opt Options, atOnce int, compute func(request) []byte) *Hasher {
	h := &Hasher{opt: opt, queue: make(chan *job, opt.Queue), closing: make(chan struct{}), compute: compute}
	for range atOnce {
		h.workers.Go(h.work)
	}
	return h
}

// Close lets the hashes under way finish, refuses the rest and ends the helper.
func (h *Hasher) Close() {
	h.once.Do(func() {
		close(h.closing)
		h.workers.Wait()
		if h.helper != nil {
			h.helper.close()
		}
	})
}

// Hash gives the PHC string of a password. It fails with an Unavailable
// ludgate.Error when the queue is full or the turn did not come in time, and
// with ctx's error when ctx ends first.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	out := hashed{Params: h.opt.Params, salt: make([]byte, saltSize)}
	_, _ = rand.Read(out.salt) // crypto/rand.Read never fails
	var err error
	if out.key, err = h.submit(ctx, request{Params: out.Params, keySize: keySize, salt: out.salt, password: []byte(password)}); err != nil {
		return "", err
	}
	return out.String(), nil
}

// Verify reports whether password is the one that phc was made from. It fails as
// Hash does, and with ErrFormat where phc is not a PHC string of argon2id.
func (h *Hasher) Verify(ctx context.Context, phc, password string) (bool, error) {
	want, err := parsePHC(phc)
	if err != nil {
		return false, err
	}
	got, err := h.submit(ctx, request{Params: want.Params, keySize: uint8(len(want.key)), salt: want.salt, password: []byte(password)})
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want.key) == 1, nil
}

// NeedsRehash reports whether phc was made with other costs than Hash uses now,
// so that the password should be hashed again once it is known.
func (h *Hasher) NeedsRehash(phc string) bool {
	have, err := parsePHC(phc)
	return err != nil || have.Params != h.opt.Params || len(have.key) != keySize
}

// Who decides what becomes of a job: its caller until a worker takes it.
const (
	waiting int32 = iota
	taken
	left
)

// job is one request in the queue.
type job struct {
	request
	ctx   context.Context
	state atomic.Int32
	key   []byte
	done  chan struct{} // closed when key is set
}

// submit queues r and waits for its key.
func (h *Hasher) submit(ctx context.Context, r request) ([]byte, error) {
	if len(r.password) > maxPassword {
		return nil, errors.New("password: longer than the hasher takes")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j := &job{request: r, ctx: ctx, done: make(chan struct{})}
	select {
	case <-h.closing:
		return nil, h.busy()
	default:
	}
	select {
	case h.queue <- j:
	default:
		return nil, h.busy()
	}
	late := time.NewTimer(h.opt.MaxWait)
	defer late.Stop()
	for {
		select {
		case <-j.done:
			return j.key, nil
		case <-ctx.Done():
			j.state.CompareAndSwap(waiting, left)
			return nil, ctx.Err()
		case <-late.C:
			if j.state.CompareAndSwap(waiting, left) {
				return nil, h.busy()
			}
		case <-h.closing:
			if j.state.CompareAndSwap(waiting, left) {
				return nil, h.busy()
			}
			select { // a worker has it and finishes it
			case <-j.done:
				return j.key, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// busy is the refusal of a full or late queue, with a guess at when it is worth
// trying again: a worker does about 40 hashes a second.
func (h *Hasher) busy() error {
	after := time.Second * time.Duration(1+len(h.queue)/(40*h.opt.Workers))
	return ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "Too many passwords are waiting to be hashed; try again later.").After(after)
}

// work takes jobs until the Hasher closes.
func (h *Hasher) work() {
	for {
		select {
		case <-h.closing:
			return
		case j := <-h.queue:
			if j.ctx.Err() != nil || !j.state.CompareAndSwap(waiting, taken) {
				continue // nobody waits for it any more
			}
			j.key = h.compute(j.request)
			close(j.done)
		}
	}
}
