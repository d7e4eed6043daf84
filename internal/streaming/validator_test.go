package streaming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/circuit"
)

const client = "gc1d"

// double is a platform that answers as a test says.
type double struct {
	*httptest.Server
	calls atomic.Int32
}

func newDouble(t *testing.T, h http.HandlerFunc) *double {
	d := &double{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.calls.Add(1)
		h(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

func newValidator(t *testing.T, opt Options) *Validator {
	t.Helper()
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	v, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v
}

// reply makes a handler that answers with a status and a body.
func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func code(err error) string {
	var e *ludgate.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

const (
	badToken    = "InvalidStreamingPlatformToken"
	badPlatform = "StreamingPlatformResponseError"
	annBody     = `{"client_id":"gc1d","login":"ann","scopes":["channel:read:subscriptions"],"user_id":"141981764","expires_in":5520838}`
)

func TestAnswers(t *testing.T) {
	ann := Identity{client, "141981764", "ann"}
	for _, tc := range []struct {
		what   string
		status int
		body   string
		want   Identity
		code   string
	}{
		{"valid", 200, annBody, ann, ""},
		{"scopes null", 200, `{"client_id":"gc1d","login":"ann","scopes":null,"user_id":"141981764","expires_in":9}`, ann, ""},
		{"expires_in 0", 200, `{"client_id":"gc1d","login":"ann","scopes":[],"user_id":"141981764","expires_in":0}`, ann, ""},
		{"no expires_in, a member more", 200, `{"client_id":"gc1d","login":"ann","user_id":"141981764","x":[{}]}`, ann, ""},
		{"no login", 200, `{"client_id":"gc1d","user_id":"141981764"}`, Identity{client, "141981764", ""}, ""},
		{"application token", 200, `{"client_id":"gc1d","scopes":null,"expires_in":5053085}`, Identity{}, badToken},
		{"application token, empty user", 200, `{"client_id":"gc1d","scopes":[],"user_id":"","login":""}`, Identity{}, badToken},
		{"another application", 200, `{"client_id":"other","login":"ann","user_id":"141981764","expires_in":9}`, Identity{}, badToken},
		{"client id in another case", 200, `{"client_id":"GC1D","login":"ann","user_id":"141981764","expires_in":9}`, Identity{}, badToken},
		{"401", 401, `{"status":401,"message":"invalid access token"}`, Identity{}, badToken},
		{"401, empty", 401, ``, Identity{}, badToken},
		{"401, a page", 401, `<html>`, Identity{}, badToken},
		{"no client id", 200, `{"login":"ann","user_id":"141981764","expires_in":9}`, Identity{}, badPlatform},
		{"member in another case", 200, `{"Client_Id":"gc1d","login":"ann","user_id":"141981764"}`, Identity{}, badPlatform},
		{"empty object", 200, `{}`, Identity{}, badPlatform},
		{"empty", 200, ``, Identity{}, badPlatform},
		{"null", 200, `null`, Identity{}, badPlatform},
		{"a list", 200, `[` + annBody + `]`, Identity{}, badPlatform},
		{"a page", 200, `<html>sign in</html>`, Identity{}, badPlatform},
		{"cut off", 200, annBody[:40], Identity{}, badPlatform},
		{"two objects", 200, annBody + annBody, Identity{}, badPlatform},
		{"a member twice", 200, `{"client_id":"other","client_id":"gc1d","user_id":"1"}`, Identity{}, badPlatform},
		{"user id is a number", 200, `{"client_id":"gc1d","login":"ann","user_id":141981764}`, Identity{}, badPlatform},
		{"expires_in is text", 200, `{"client_id":"gc1d","login":"ann","user_id":"1","expires_in":"soon"}`, Identity{}, badPlatform},
		{"user id without end", 200, `{"client_id":"gc1d","login":"ann","user_id":"` + strings.Repeat("1", 65) + `"}`, Identity{}, badPlatform},
		{"control character in the login", 200, `{"client_id":"gc1d","login":"a\u0000n","user_id":"1"}`, Identity{}, badPlatform},
		{"huge body", 200, strings.TrimSuffix(annBody, "}") + `,"x":"` + strings.Repeat("x", maxBody) + `"}`, Identity{}, badPlatform},
		{"201", 201, annBody, Identity{}, badPlatform},
		{"204", 204, ``, Identity{}, badPlatform},
		{"400", 400, `{}`, Identity{}, badPlatform},
		{"403", 403, `{}`, Identity{}, badPlatform},
		{"404", 404, ``, Identity{}, badPlatform},
		{"429", 429, ``, Identity{}, badPlatform},
		{"500", 500, annBody, Identity{}, badPlatform},
		{"503", 503, ``, Identity{}, badPlatform},
	} {
		t.Run(tc.what, func(t *testing.T) {
			d := newDouble(t, reply(tc.status, tc.body))
			got, err := newValidator(t, Options{URL: d.URL}).Validate(t.Context(), "tok", client)
			if tc.code == "" && err != nil || tc.code != "" && code(err) != tc.code || got != tc.want {
				t.Errorf("got %+v, %v; want %+v, %s", got, err, tc.want, tc.code)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	d := newDouble(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.URL.String() != "/oauth2/validate?v=1" || r.Header.Get("Authorization") != "OAuth tok~!" || r.ContentLength > 0 {
			t.Errorf("%s %s with Authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		_, _ = io.WriteString(w, annBody)
	})
	if _, err := newValidator(t, Options{URL: d.URL + "/oauth2/validate?v=1"}).Validate(t.Context(), "tok~!", client); err != nil {
		t.Error(err)
	}
}

func TestNoRequestForWhatIsNoToken(t *testing.T) {
	d := newDouble(t, reply(200, annBody))
	v := newValidator(t, Options{URL: d.URL})
	for _, token := range []string{"", " ", "a b", "tok\n", "\ttok", "tok\x00", "tok\x7f", "tok\u0085", "tök", strings.Repeat("a", 2049)} {
		if _, err := v.Validate(t.Context(), token, client); code(err) != badToken {
			t.Errorf("token %.20q: %v", token, err)
		}
	}
	if n := d.calls.Load(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	if _, err := v.Validate(t.Context(), strings.Repeat("a", 2048), client); err != nil {
		t.Errorf("longest token: %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	d := newDouble(t, reply(200, annBody))
	for _, status := range []int{301, 302, 303, 307, 308} {
		r := newDouble(t, func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, d.URL, status) })
		if _, err := newValidator(t, Options{URL: r.URL}).Validate(t.Context(), "tok", client); code(err) != badPlatform {
			t.Errorf("%d: %v", status, err)
		}
	}
	if d.calls.Load() != 0 {
		t.Error("the token went where the redirect pointed")
	}
}

func TestPlatformThatCannotBeReached(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	tls := httptest.NewTLSServer(reply(200, annBody)) // nobody vouches for its certificate
	tls.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(tls.Close)
	cuts := newDouble(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
			c.Close()
		}
	})
	for what, url := range map[string]string{"closed port": gone.URL, "unknown certificate": tls.URL, "cut connection": cuts.URL} {
		if _, err := newValidator(t, Options{URL: url}).Validate(t.Context(), "tok", client); code(err) != badPlatform {
			t.Errorf("%s: %v", what, err)
		}
	}
	trusted := newValidator(t, Options{URL: tls.URL, TLS: tls.Client().Transport.(*http.Transport).TLSClientConfig})
	if _, err := trusted.Validate(t.Context(), "tok", client); err != nil {
		t.Errorf("certificate that is vouched for: %v", err)
	}
}

func TestPlatformThatHangs(t *testing.T) {
	for what, begin := range map[string]func(w http.ResponseWriter){
		"before its answer": func(http.ResponseWriter) {},
		"within its answer": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, annBody[:30])
			_ = http.NewResponseController(w).Flush()
		},
	} {
		release := make(chan struct{})
		d := newDouble(t, func(w http.ResponseWriter, _ *http.Request) { begin(w); <-release })
		began := time.Now()
		_, err := newValidator(t, Options{URL: d.URL, Timeout: 50 * time.Millisecond}).Validate(t.Context(), "tok", client)
		close(release)
		if code(err) != badPlatform || time.Since(began) > 3*time.Second {
			t.Errorf("%s: %v after %s", what, err, time.Since(began))
		}
	}
}

func TestOneOfManyAsks(t *testing.T) {
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	d := newDouble(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		_, _ = io.WriteString(w, annBody)
	})
	v := newValidator(t, Options{URL: d.URL})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := v.Validate(ctx, "tok", client); first <- err }()
	<-arrived
	var wg sync.WaitGroup
	var started sync.WaitGroup
	for range 20 {
		started.Add(1)
		wg.Go(func() {
			started.Done()
			if _, err := v.Validate(t.Context(), "tok", client); err != nil {
				t.Errorf("one who waits along: %v", err)
			}
		})
	}
	started.Wait()
	time.Sleep(20 * time.Millisecond) // all wait for the one request
	cancel()                          // the one who asked leaves; the others still get the answer
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	close(release)
	wg.Wait()
	if n := d.calls.Load(); n != 1 {
		t.Errorf("%d requests for one token", n)
	}
	if _, err := v.Validate(t.Context(), "tok", client); err != nil || d.calls.Load() != 2 {
		t.Errorf("without memory the next caller asks again: %v, %d requests", err, d.calls.Load())
	}
}

func TestTooManyRequests(t *testing.T) {
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	d := newDouble(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		_, _ = io.WriteString(w, annBody)
	})
	v := newValidator(t, Options{URL: d.URL, MaxConcurrent: 1})
	first := make(chan error, 1)
	go func() { _, err := v.Validate(t.Context(), "one", client); first <- err }()
	<-arrived
	for range 2 * circuit.Failures { // and these are no failures of the platform
		if _, err := v.Validate(t.Context(), "two", client); code(err) != badPlatform {
			t.Errorf("one more: %v", err)
		}
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if _, err := v.Validate(t.Context(), "two", client); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestNew(t *testing.T) {
	for _, url := range []string{"", "id.example/oauth2/validate", "ftp://id.example/", "http://", "https://id.example/#x", "http://[::1"} {
		if _, err := New(Options{URL: url}); err == nil || !strings.Contains(err.Error(), "validate URL") {
			t.Errorf("URL %q: %v", url, err)
		}
	}
}
