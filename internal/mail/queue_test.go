package mail

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/config"
)

// script is a sender that fails as it is told and remembers when it was asked.
type script struct {
	mu    sync.Mutex
	start time.Time
	left  map[string][]error // by subject: what the next tries say
	took  time.Duration      // a delivery takes
	tries []string           // subject@time since start
	ids   map[string]bool
	got   []Message
}

func (s *script) Send(ctx context.Context, m Message) error {
	select {
	case <-time.After(s.took):
	case <-ctx.Done():
		return unavailable("wait", ctx.Err())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries = append(s.tries, m.Subject+"@"+time.Since(s.start).String())
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[m.ID] = true
	if list := s.left[m.Subject]; len(list) > 0 {
		s.left[m.Subject] = list[1:]
		if list[0] != nil {
			return list[0]
		}
	}
	s.got = append(s.got, m)
	return nil
}

func (s *script) tried() string { s.mu.Lock(); defer s.mu.Unlock(); return strings.Join(s.tries, " ") }

var (
	passing = ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "later")
	forever = ludgate.Errorf(ludgate.Invalid, "MailRefused", "never")
)

func about(subject string) Message { m := note(); m.Subject = subject; return m }

func closeIn(t *testing.T, q *Queue, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return q.Close(ctx)
}

// What fails for a passing reason is tried again with growing pauses, holds up
// nobody, and is given up in the end.
func TestQueueRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{start: time.Now(), left: map[string][]error{
			"busy": {passing, passing, nil}, "no": {forever}, "down": {passing, passing, passing, passing, passing},
		}}
		var log bytes.Buffer
		q := NewQueue(s, QueueOptions{Workers: 1, Attempts: 5, Longest: time.Minute, Log: slog.New(slog.NewTextHandler(&log, nil))})
		for _, subject := range []string{"busy", "no", "down", "ok"} {
			if err := q.Send(t.Context(), about(subject)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Hour)
		want := "busy@0s no@100ms down@200ms ok@300ms busy@2s down@2.2s busy@10s down@10.2s down@42.2s down@1m42.2s"
		if got := s.tried(); got != want {
			t.Errorf("tries\n%s, want\n%s", got, want)
		}
		if len(s.ids) != 4 { // a message keeps its id
			t.Errorf("ids %v", s.ids)
		}
		if err := closeIn(t, q, time.Second); err != nil {
			t.Error(err)
		}
		if text := log.String(); strings.Count(text, "given up") != 2 || strings.Contains(text, "ann@") || strings.Contains(text, "1234") {
			t.Errorf("log %s", text)
		}
	})
}

// Send waits for nothing, whatever the sender does.
func TestQueueDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{start: time.Now(), took: 10 * time.Second}
		q := NewQueue(s, QueueOptions{From: "title@example.com", Size: 3, Workers: 1, Log: quiet()})
		ctx, cancel := context.WithCancel(t.Context())
		m := note()
		m.From = ""
		for range 3 {
			if err := q.Send(ctx, m); err != nil {
				t.Fatal(err)
			}
		}
		cancel() // the request is over; its message goes on
		m.To[0] = "changed@example.org"
		if err := q.Send(ctx, m); ludgate.AsError(err).Kind != ludgate.Unavailable || ludgate.AsError(err).RetryAfter == 0 {
			t.Errorf("full: %v", err)
		}
		if time.Since(s.start) != 0 {
			t.Errorf("Send took %s", time.Since(s.start))
		}
		if err := closeIn(t, q, time.Minute); err != nil || time.Since(s.start) != 30*time.Second {
			t.Errorf("drained after %s: %v", time.Since(s.start), err)
		}
		for _, m := range s.got {
			if m.From != "title@example.com" || m.To[0] != "ann@example.org" {
				t.Errorf("sent %+v", m)
			}
		}
		if err := q.Send(t.Context(), m); ludgate.AsError(err).Kind != ludgate.Unavailable {
			t.Errorf("closed: %v", err)
		}
		if err := closeIn(t, q, 0); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
}

func TestQueueBoundsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(&script{start: time.Now(), took: time.Second}, QueueOptions{Bytes: 1000, Workers: 1, Log: quiet()})
		big := note()
		big.Headers = map[string]string{"X-Big": strings.Repeat("x", 800)}
		if err := q.Send(t.Context(), big); err != nil {
			t.Fatal(err)
		}
		if err := q.Send(t.Context(), big); ludgate.AsError(err).Code != "MailUnavailable" {
			t.Errorf("over the bytes: %v", err)
		}
		time.Sleep(2 * time.Second)
		if err := q.Send(t.Context(), big); err != nil {
			t.Errorf("room again: %v", err)
		}
		if err := closeIn(t, q, time.Minute); err != nil {
			t.Error(err)
		}
	})
}

// Close cuts pauses short, and drops what is left at its deadline.
func TestQueueClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{start: time.Now(), left: map[string][]error{"busy": {passing}, "down": {passing, passing, passing, passing, passing, passing}}}
		q := NewQueue(s, QueueOptions{Backoff: time.Minute, Log: quiet()})
		for _, subject := range []string{"busy", "down"} {
			if err := q.Send(t.Context(), about(subject)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		err := closeIn(t, q, 5*time.Second)
		if err == nil || !strings.HasPrefix(err.Error(), "1 e-mails") || time.Since(s.start) != 6*time.Second || len(s.got) != 1 {
			t.Errorf("after %s: %v, sent %d", time.Since(s.start), err, len(s.got))
		}
		time.Sleep(time.Hour) // nothing goes on
		if n := len(s.tries); n != 4 {
			t.Errorf("%d tries: %s", n, s.tried())
		}
	})
	// A delivery that hangs is cut off.
	synctest.Test(t, func(t *testing.T) {
		s := &script{start: time.Now(), took: time.Hour}
		q := NewQueue(s, QueueOptions{Log: quiet()})
		if err := q.Send(t.Context(), note()); err != nil {
			t.Fatal(err)
		}
		if err := closeIn(t, q, time.Second); err == nil || time.Since(s.start) != time.Second {
			t.Errorf("after %s: %v", time.Since(s.start), err)
		}
	})
}

// Many requests and a close at once: every message that was taken is sent.
func TestQueueTogether(t *testing.T) {
	s := &script{start: time.Now(), left: map[string][]error{}}
	q := NewQueue(s, QueueOptions{Backoff: time.Millisecond, Log: quiet()})
	var taken sync.Map
	var all sync.WaitGroup
	for i := range 200 {
		subject := strings.Repeat("x", i+1)
		s.mu.Lock()
		if i%3 == 0 {
			s.left[subject] = []error{passing}
		}
		s.mu.Unlock()
		all.Go(func() {
			if q.Send(context.Background(), about(subject)) == nil {
				taken.Store(subject, true)
			}
		})
		if i == 150 {
			all.Go(func() {
				if err := closeIn(t, q, 10*time.Second); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for _, m := range s.got {
		taken.Delete(m.Subject)
	}
	taken.Range(func(k, _ any) bool { t.Errorf("%d was taken and not sent", len(k.(string))); return true })
}

// A queue before a real server: 4xx, then success.
func TestQueueToServer(t *testing.T) {
	srv := newMailServer(t, func(s *mailServer) {
		s.replies["RCPT"] = []string{"451 greylisted"}
		s.replies["mid DATA"] = []string{"drop"}
	})
	q := NewQueue(srv.sender(t, nil), QueueOptions{Backoff: time.Millisecond, Log: quiet()})
	if err := q.Send(t.Context(), note()); err != nil {
		t.Fatal(err)
	}
	if err := closeIn(t, q, 20*time.Second); err != nil || len(srv.messages()) != 1 {
		t.Errorf("%v, %d messages", err, len(srv.messages()))
	}
}

func TestOpen(t *testing.T) {
	// Development without a server: the mailbox of the data directory.
	c := config.Defaults(config.Dev)
	c.Data = t.TempDir()
	q, err := Open(&c, time.Now, quiet())
	if err != nil {
		t.Fatal(err)
	}
	m := note()
	m.From = ""
	if err := q.Send(t.Context(), m); err != nil || !q.Configured() {
		t.Error(err)
	}
	if err := closeIn(t, q, 20*time.Second); err != nil {
		t.Error(err)
	}
	list := names(t, filepath.Join(c.Data, "mailbox"))
	if len(list) != 1 {
		t.Fatalf("files %v", list)
	}
	text, err := os.ReadFile(filepath.Join(c.Data, "mailbox", list[0]))
	if err != nil || parsed(t, string(text)).Header.Get("From") != `"Ludgate" <no-reply@localhost>` {
		t.Errorf("%s, %v", text, err)
	}
	// Production without a server: every message is refused.
	c = config.Defaults(config.Serve)
	if q, err = Open(&c, time.Now, quiet()); err != nil || q.Configured() {
		t.Fatal(err)
	}
	if err := q.Send(t.Context(), m); !ludgate.IsCode(err, "MailNotConfigured") {
		t.Errorf("no server: %v", err)
	}
	if err := closeIn(t, q, time.Second); err != nil {
		t.Error(err)
	}
	// A server.
	srv := newMailServer(t, func(s *mailServer) { s.noTLS, s.offers, s.login = true, []string{"AUTH PLAIN"}, "u:p" })
	c.Mail = config.Mail{Host: "127.0.0.1", Port: srv.addr.Port, TLS: "none", Username: "u", Password: "p", From: "Games <games@example.com>", Timeout: 9 * time.Second}
	if q, err = Open(&c, time.Now, quiet()); err != nil {
		t.Fatal(err)
	}
	if err := q.Send(t.Context(), m); err != nil {
		t.Error(err)
	}
	if err := closeIn(t, q, 20*time.Second); err != nil || len(srv.messages()) != 1 || !strings.HasPrefix(srv.messages()[0].from, "<games@example.com>") {
		t.Errorf("%v, %+v", err, srv.messages())
	}
	// Settings that cannot work.
	c.Mail.From = `"a b"@example.com`
	if _, err := Open(&c, time.Now, quiet()); err == nil || !strings.Contains(err.Error(), "mail.from") {
		t.Errorf("from: %v", err)
	}
}

// A message with a delay waits for it, alone, unless the queue closes.
func TestQueueDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{start: time.Now()}
		q := NewQueue(s, QueueOptions{Workers: 1})
		for subject, delay := range map[string]time.Duration{"second": time.Second, "now": 0, "last": time.Hour} {
			m := about(subject)
			m.Delay = delay
			if err := q.Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Second)
		if got := s.tried(); got != "now@0s second@1s" {
			t.Errorf("sent %s", got)
		}
		if err := closeIn(t, q, time.Minute); err != nil || s.tried() != "now@0s second@1s last@10s" {
			t.Errorf("after closing: %s, %v", s.tried(), err)
		}
	})
}
