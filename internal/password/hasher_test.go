package password

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
)

// TestMain does for this test binary what password/entry does for others.
func TestMain(m *testing.M) {
	if IsInvoked() {
		os.Exit(Main(os.Args[1:]))
	}
	Offer()
	os.Exit(m.Run())
}

// cheap are costs for tests that are not about costs.
var cheap = Params{Memory: 64, Time: 1, Threads: 1}

func newHasher(t *testing.T, opt Options) *Hasher {
	t.Helper()
	h := New(opt)
	t.Cleanup(h.Close)
	return h
}

func TestHashAndVerify(t *testing.T) {
	long := strings.Repeat("密", 100) // 300 bytes: bcrypt would look at 72 of them
	for _, inProcess := range []bool{false, true} {
		h := newHasher(t, Options{InProcess: inProcess})
		for _, tc := range []struct {
			set, tried string
			ok         bool
		}{
			{"secret", "secret", true},
			{"secret", "Secret", false},
			{"secret", "secret ", false},
			{"secret", "", false},
			{long, long, true},
			{long, long[:297] + "蜜", false},
			{"a\x00bcdef", "a\x00bcdef", true},
			{"a\x00bcdef", "a", false},
		} {
			phc, err := h.Hash(t.Context(), tc.set)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") {
				t.Fatalf("hash %s is not at the recommended floor", phc)
			}
			if ok, err := h.Verify(t.Context(), phc, tc.tried); err != nil || ok != tc.ok {
				t.Errorf("set %.20q, tried %.20q: %v %v, want %v", tc.set, tc.tried, ok, err, tc.ok)
			}
		}
	}
}

func TestSaltDiffers(t *testing.T) {
	h := newHasher(t, Options{Params: cheap, InProcess: true})
	a, err1 := h.Hash(t.Context(), "secret")
	b, err2 := h.Hash(t.Context(), "secret")
	if err1 != nil || err2 != nil || a == b {
		t.Errorf("two hashes of one password: %s, %s (%v, %v)", a, b, err1, err2)
	}
}

func TestNeedsRehash(t *testing.T) {
	old := newHasher(t, Options{Params: cheap, InProcess: true})
	now := newHasher(t, Options{InProcess: true})
	phc, err := old.Hash(t.Context(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	if old.NeedsRehash(phc) || !now.NeedsRehash(phc) || !now.NeedsRehash("$2b$10$abc") {
		t.Errorf("NeedsRehash: same costs %v, other costs %v", old.NeedsRehash(phc), now.NeedsRehash(phc))
	}
	// Costs changed since; the password still opens.
	if ok, err := now.Verify(t.Context(), phc, "secret"); !ok || err != nil {
		t.Errorf("verify with other costs: %v %v", ok, err)
	}
	if _, err := now.Verify(t.Context(), "$2b$10$abc", "secret"); !errors.Is(err, ErrFormat) {
		t.Errorf("verify of a foreign hash: %v", err)
	}
}

// checkBusy checks the refusal that tells a caller to come back.
func checkBusy(t *testing.T, what string, err error) {
	t.Helper()
	var e *ludgate.Error
	if !errors.As(err, &e) || e.Kind != ludgate.Unavailable || e.Code != "ServiceUnavailable" || e.RetryAfter < time.Second {
		t.Errorf("%s: %v, want ServiceUnavailable with a time to come back", what, err)
	}
}

// blocked makes a Hasher with one worker that stands still until release is
// closed, and counts what it computes.
func blocked(t *testing.T, opt Options) (h *Hasher, release chan struct{}, computed *atomic.Int32) {
	release, computed = make(chan struct{}), new(atomic.Int32)
	opt.Workers = 1
	opt.setDefaults()
	h = start(opt, opt.Workers, func(r request) []byte {
		<-release
		computed.Add(1)
		return make([]byte, r.keySize)
	})
	return h, release, computed
}

func TestQueueFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release, computed := blocked(t, Options{Queue: 2, MaxWait: time.Hour})
		var wg sync.WaitGroup
		for range 3 { // one at the worker, two waiting
			wg.Go(func() {
				if _, err := h.Hash(t.Context(), "secret"); err != nil {
					t.Errorf("within the queue's size: %v", err)
				}
			})
			synctest.Wait()
		}
		_, err := h.Hash(t.Context(), "secret")
		checkBusy(t, "queue full", err)
		close(release)
		wg.Wait()
		if n := computed.Load(); n != 3 {
			t.Errorf("%d hashes computed, want 3", n)
		}
		h.Close()
	})
}

func TestLateAndGoneAreNotHashed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release, computed := blocked(t, Options{MaxWait: 3 * time.Second})
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = h.Hash(t.Context(), "at the worker") })
		synctest.Wait()
		wg.Go(func() {
			began := time.Now()
			_, err := h.Hash(t.Context(), "late")
			checkBusy(t, "late", err)
			if d := time.Since(began); d != 3*time.Second {
				t.Errorf("late after %s, want 3s", d)
			}
		})
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := h.Hash(ctx, "gone"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("gone: %v", err)
			}
		})
		time.Sleep(10 * time.Second)
		close(release)
		wg.Wait()
		synctest.Wait()
		if n := computed.Load(); n != 1 {
			t.Errorf("%d hashes computed, want only the one whose caller waits", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Hash(ctx, "gone before"); !errors.Is(err, context.Canceled) {
			t.Errorf("gone before: %v", err)
		}
		h.Close()
	})
}

func TestCloseAnswersThoseWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release, _ := blocked(t, Options{})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := h.Hash(t.Context(), "at the worker"); err != nil {
				t.Errorf("a hash under way: %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			_, err := h.Hash(t.Context(), "waiting")
			checkBusy(t, "waiting", err)
		})
		synctest.Wait()
		go h.Close()
		synctest.Wait()
		close(release)
		wg.Wait()
		_, err := h.Hash(t.Context(), "afterwards")
		checkBusy(t, "closed", err)
	})
}
