package displayname

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/circuit"
	"ludgate/internal/secret"
)

// local makes a filter whose titles' filters may be on this machine.
func local(t *testing.T, set func(*Options)) *Filter {
	t.Helper()
	opt := Options{AllowLoopback: true, Timeout: 20 * time.Second, Log: slog.New(slog.DiscardHandler)}
	if set != nil {
		set(&opt)
	}
	f := New(opt)
	t.Cleanup(f.Close)
	return f
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// Only an answer that cannot be misread lets a name through.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		what   string
		answer http.HandlerFunc
		want   error
	}{
		{"allowed", says(200, `{"allowed":true}`), nil},
		{"allowed, and more", says(200, ` {"reason":null,"allowed":true,"score":[0.1]} `), nil},
		{"not allowed", says(200, `{"allowed":false}`), ErrProfane},
		{"500", says(500, `{"allowed":true}`), ErrFilter},
		{"503", says(503, ``), ErrFilter},
		{"400", says(400, `{"allowed":true}`), ErrFilter},
		{"401", says(401, ``), ErrFilter},
		{"429", says(429, ``), ErrFilter},
		{"201", says(201, `{"allowed":true}`), ErrFilter},
		{"204", says(204, ``), ErrFilter},
		{"empty", says(200, ``), ErrFilter},
		{"empty object", says(200, `{}`), ErrFilter},
		{"null", says(200, `null`), ErrFilter},
		{"allowed is null", says(200, `{"allowed":null}`), ErrFilter},
		{"allowed is text", says(200, `{"allowed":"true"}`), ErrFilter},
		{"allowed is a number", says(200, `{"allowed":1}`), ErrFilter},
		{"member in another case", says(200, `{"Allowed":true}`), ErrFilter},
		{"a member twice", says(200, `{"allowed":false,"allowed":true}`), ErrFilter},
		{"two objects", says(200, `{"allowed":true}{"allowed":true}`), ErrFilter},
		{"cut off", says(200, `{"allowed":true`), ErrFilter},
		{"a list", says(200, `[{"allowed":true}]`), ErrFilter},
		{"a page", says(200, `<html>allowed</html>`), ErrFilter},
		{"huge body", says(200, `{"allowed":true,"x":"`+strings.Repeat("x", maxAnswer)+`"}`), ErrFilter},
		{"body shorter than it says", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"allowed":true}`)
		}, ErrFilter},
		{"huge header", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Big", strings.Repeat("x", 64<<10))
			_, _ = io.WriteString(w, `{"allowed":true}`)
		}, ErrFilter},
		{"compressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "\x1f\x8b\x08\x00\x00\x00\x00\x00")
		}, ErrFilter},
		{"connection dropped", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ErrFilter},
	} {
		t.Run(c.what, func(t *testing.T) {
			err := local(t, nil).Check(t.Context(), "144", &Settings{URL: serve(t, c.answer)}, "Ann")
			if !errors.Is(err, c.want) || c.want == ErrFilter && errors.Is(err, ErrProfane) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestQuestion(t *testing.T) {
	for _, bearer := range []secret.Text{"", "hunter2"} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			want := ""
			if bearer != "" {
				want = "Bearer " + bearer.Reveal()
			}
			if r.Method != "POST" || r.URL.String() != "/check?v=1" || string(body) != `{"title":"144","displayName":"Änn \"<b>\""}` ||
				r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != want {
				t.Errorf("%s %s %v %s", r.Method, r.URL, r.Header, body)
			}
			_, _ = io.WriteString(w, `{"allowed":true}`)
		})
		s := &Settings{Profanity: true, URL: url + "/check?v=1", Secret: bearer}
		f := local(t, nil)
		if err := f.Check(t.Context(), "144", s, `Änn "<b>"`); err != nil {
			t.Error(err)
		}
	}
}

// A name that another filter refuses is not asked about.
func TestAsksLast(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	s := &Settings{Profanity: true, Words: []string{"bad"}, URL: url}
	for _, name := range []string{"fuck", "bad", "\xff"} {
		if err := local(t, nil).Check(t.Context(), "144", s, name); !errors.Is(err, ErrProfane) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	target := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("followed") })
	for _, status := range []int{301, 302, 303, 307, 308} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
		if err := local(t, nil).Check(t.Context(), "144", &Settings{URL: url}, "Ann"); !errors.Is(err, ErrFilter) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A filter that hangs costs no more than its time, in the head or in the body.
func TestHang(t *testing.T) {
	end := make(chan struct{}) // of the handlers, which the servers wait for
	for what, h := range map[string]http.HandlerFunc{
		"head": func(_ http.ResponseWriter, r *http.Request) { wait(r, end) },
		"body": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"allowed":`)
			w.(http.Flusher).Flush()
			wait(r, end)
		},
	} {
		f := local(t, func(o *Options) { o.Timeout = 100 * time.Millisecond })
		if err := f.Check(t.Context(), "144", &Settings{URL: serve(t, h)}, "Ann"); !errors.Is(err, ErrFilter) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	close(end)
	if f := New(Options{}); f.opt.Timeout != 2*time.Second {
		t.Errorf("the budget is %s", f.opt.Timeout)
	}
}

func wait(r *http.Request, end <-chan struct{}) {
	select {
	case <-r.Context().Done():
	case <-end:
	}
}

// A filter that keeps failing is left alone, for that title and version only; a
// status that the name may have provoked does not count.
func TestCircuitBreaker(t *testing.T) {
	var status, calls, now atomic.Int64
	status.Store(500)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, `{"allowed":true}`)
	})
	var log bytes.Buffer
	f := local(t, func(o *Options) {
		o.Clock = func() time.Time { return time.Unix(0, now.Load()) }
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	s := &Settings{Version: "1", URL: url, Secret: "hunter2"}
	ask := func(title string, s *Settings) error { return f.Check(t.Context(), title, s, "Ann") }
	for range circuit.Failures + 3 {
		if err := ask("144", s); !errors.Is(err, ErrFilter) {
			t.Fatal(err)
		}
	}
	if calls.Load() != circuit.Failures || strings.Count(log.String(), "keeps failing") != 1 || strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "Ann") {
		t.Errorf("%d questions, log %s", calls.Load(), &log)
	}
	status.Store(200)
	if err := ask("145", s); err != nil {
		t.Errorf("another title: %v", err)
	}
	if err := ask("144", s); !errors.Is(err, ErrFilter) {
		t.Errorf("at rest: %v", err)
	}
	now.Add(int64(circuit.Rest))
	if err := ask("144", s); err != nil {
		t.Errorf("after the rest: %v", err)
	}
	status.Store(400)
	for range 3 * circuit.Failures {
		_ = ask("144", s)
	}
	status.Store(200)
	if err := ask("144", s); err != nil {
		t.Errorf("after refused names: %v", err)
	}
	status.Store(500)
	for range circuit.Failures {
		_ = ask("144", s)
	}
	status.Store(200)
	if err := ask("144", &Settings{Version: "2", URL: url}); err != nil {
		t.Errorf("new settings: %v", err)
	}
}

// Only so many questions are under way, and a caller that goes away takes its
// own with it.
func TestConcurrency(t *testing.T) {
	entered, release := make(chan struct{}, 2), make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
		_, _ = io.WriteString(w, `{"allowed":true}`)
	})
	f := local(t, func(o *Options) { o.MaxConcurrent = 2 })
	s := &Settings{URL: url}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := f.Check(context.Background(), "144", s, "Ann"); err != nil {
				t.Error(err)
			}
		})
		<-entered
	}
	if err := f.Check(t.Context(), "144", s, "Ann"); !errors.Is(err, ErrFilter) {
		t.Errorf("one too many: %v", err)
	}
	close(release)
	all.Wait()
	if err := f.Check(t.Context(), "144", s, "Ann"); err != nil {
		t.Errorf("room again: %v", err)
	}
}

// Filters are reached where they may be, whatever their name resolves to.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		ip        string
		forbidden bool
	}{
		{"192.0.2.7", false}, {"10.1.2.3", false}, {"192.168.0.1", false}, {"2001:db8::1", false}, {"fd12::1", false}, {"100.64.0.1", false},
		{"127.0.0.1", true}, {"127.9.9.9", true}, {"::1", true}, {"::ffff:127.0.0.1", true}, {"::127.0.0.1", true}, {"64:ff9b::7f00:1", true}, {"2002:7f00:1::", true},
		{"169.254.169.254", true}, {"169.254.1.1", true}, {"::ffff:169.254.169.254", true}, {"64:ff9b::a9fe:a9fe", true}, {"2002:a9fe:a9fe::1", true},
		{"fe80::1", true}, {"fe80::1%eth0", true}, {"fd00:ec2::254", true}, {"100.100.100.200", true}, {"168.63.129.16", true}, {"192.0.0.192", true},
		{"0.0.0.0", true}, {"0.1.2.3", true}, {"::", true}, {"224.0.0.1", true}, {"ff02::1", true}, {"255.255.255.255", true},
	} {
		if got := forbidden(netip.MustParseAddr(c.ip), false); got != c.forbidden {
			t.Errorf("%s: forbidden is %v", c.ip, got)
		}
	}
	if forbidden(netip.MustParseAddr("127.0.0.1"), true) || !forbidden(netip.MustParseAddr("169.254.169.254"), true) {
		t.Error("allowing loopback allows loopback alone")
	}
	// A name that resolves to loopback passes the settings and not the dial.
	var asked atomic.Bool
	url := serve(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	s := &Settings{URL: strings.Replace(url, "127.0.0.1", "localhost", 1)}
	f := local(t, func(o *Options) { o.AllowLoopback = false })
	if err := f.Check(t.Context(), "144", s, "Ann"); !errors.Is(err, ErrFilter) || !strings.Contains(err.Error(), "cannot be at this address") || asked.Load() {
		t.Errorf("localhost: %v", err)
	}
}

func TestTLS(t *testing.T) {
	srv := httptest.NewTLSServer(says(200, `{"allowed":true}`))
	defer srv.Close()
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s := &Settings{URL: srv.URL, Secret: "hunter2"}
	if err := local(t, nil).Check(t.Context(), "144", s, "Ann"); !errors.Is(err, ErrFilter) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("unknown certificate: %v", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	if err := local(t, func(o *Options) { o.TLS = &tls.Config{RootCAs: pool} }).Check(t.Context(), "144", s, "Ann"); err != nil {
		t.Error(err)
	}
}

// Settings are compiled once a version, and a title's own are its own.
func TestVersions(t *testing.T) {
	f := local(t, nil)
	one, two := &Settings{Version: "1", Words: []string{"bad"}}, &Settings{Version: "2"}
	if !errors.Is(f.Check(t.Context(), "144", one, "bad"), ErrProfane) || f.Check(t.Context(), "145", two, "bad") != nil {
		t.Error("titles share settings")
	}
	m := f.titles["144"].matcher
	if f.Check(t.Context(), "144", one, "good") != nil || f.titles["144"].matcher != m {
		t.Error("the same version is compiled again")
	}
	if f.Check(t.Context(), "144", two, "bad") != nil || f.titles["144"].matcher == m {
		t.Error("a new version is not taken")
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for v := range 50 {
				s := &Settings{Version: fmt.Sprint(v), Profanity: true}
				if !errors.Is(f.Check(context.Background(), fmt.Sprint(i%2), s, "fuck"), ErrProfane) {
					t.Error("accepted")
				}
			}
		})
	}
	all.Wait()
}

func TestSettingsThatCannotWork(t *testing.T) {
	for _, c := range []struct {
		s      Settings
		target string
	}{
		{Settings{Words: make([]string, maxWords+1)}, "Words"},
		{Settings{Words: []string{"ok", ""}}, "Words[1]"},
		{Settings{Words: []string{" \u200b."}}, "Words[0]"},
		{Settings{Substrings: []string{"\xff"}}, "Substrings[0]"},
		{Settings{Substrings: []string{"..."}}, "Substrings[0]"},
		{Settings{Allowed: []string{strings.Repeat("x", maxWord+1)}}, "Allowed[0]"},
		{Settings{URL: "filter"}, "URL"}, {Settings{URL: "ftp://filter"}, "URL"}, {Settings{URL: "http://"}, "URL"}, {Settings{URL: "http://%"}, "URL"},
		{Settings{URL: "https://user:pw@filter"}, "URL"}, {Settings{URL: "https://filter/#x"}, "URL"}, {Settings{URL: "https://" + strings.Repeat("x", maxURL)}, "URL"},
		{Settings{URL: "http://169.254.169.254/latest"}, "URL"}, {Settings{URL: "http://[fe80::1]/"}, "URL"}, {Settings{URL: "http://127.0.0.1/"}, "URL"},
		{Settings{URL: "http://[::ffff:127.0.0.1]:80/"}, "URL"},
		{Settings{URL: "http://filter/", Secret: "s"}, "URL"}, {Settings{Secret: "s"}, "Secret"}, {Settings{URL: "https://filter/", Secret: "a\nb"}, "Secret"},
	} {
		var e *ludgate.Error
		if err := c.s.Check(false); !errors.As(err, &e) || e.Kind != ludgate.Invalid || e.Code != "InvalidParams" || e.Target != c.target {
			t.Errorf("%v, want one at %s", err, c.target)
		}
	}
	for _, s := range []Settings{{}, strict, {URL: "https://filter.example/x?y=1", Secret: "s"}, {URL: "http://10.0.0.1/"}} {
		if err := s.Check(false); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if err := (&Settings{URL: "http://127.0.0.1/", Secret: "s"}).Check(true); err != nil {
		t.Errorf("loopback, allowed: %v", err)
	}
	// Settings that cannot be used let no name through.
	if err := check(t, Settings{URL: "nonsense"}, "Ann"); !errors.Is(err, ErrFilter) {
		t.Errorf("unusable settings: %v", err)
	}
}
