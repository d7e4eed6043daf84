package image

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestPullRetries(t *testing.T) {
	for _, status := range []int{408, 429, 500, 502, 503, 504} {
		for _, what := range []string{"/manifests/", "/blobs/"} {
			t.Run(fmt.Sprint(status, what), func(t *testing.T) {
				f := newFakeRegistry(t)
				f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
				var left atomic.Int64
				left.Store(2)
				f.before = func(w http.ResponseWriter, r *http.Request) bool {
					if strings.Contains(r.URL.Path, what) && left.Add(-1) >= 0 {
						w.WriteHeader(status)
						return true
					}
					return false
				}
				mustPull(t, openStore(t, t.TempDir(), quick), f.ref("a:1"))
			})
		}
	}
	t.Run("a permanent answer is final", func(t *testing.T) {
		f := newFakeRegistry(t)
		pullError(t, openStore(t, t.TempDir(), quick), f.ref("a:1"))
		if n := f.count("/manifests/"); n != 1 {
			t.Errorf("%d requests for the manifest, want 1", n)
		}
	})
	t.Run("three attempts", func(t *testing.T) {
		f := newFakeRegistry(t)
		f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/manifests/") {
				w.WriteHeader(500)
				return true
			}
			return false
		}
		if e := pullError(t, openStore(t, t.TempDir(), quick), f.ref("a:1")); e.Permanent {
			t.Errorf("%v is permanent", e)
		}
		if n := f.count("/manifests/"); n != 3 {
			t.Errorf("%d requests for the manifest, want 3", n)
		}
	})
}

func TestStalledRegistry(t *testing.T) {
	opt := quick
	opt.Stall = 50 * time.Millisecond
	for _, what := range []string{"/v2/", "/manifests/", "/blobs/"} {
		for _, half := range []bool{false, true} {
			if half && what == "/v2/" {
				continue // the first bytes are answer enough
			}
			t.Run(fmt.Sprintf("%s half=%v", what, half), func(t *testing.T) {
				f := newFakeRegistry(t)
				f.put(t, "1", imageOf(t, tarOf(t, file("f", strings.Repeat("x", 1000)))))
				f.before = func(w http.ResponseWriter, r *http.Request) bool {
					if !strings.Contains(r.URL.Path, what) {
						return false
					}
					if half {
						w.Header().Set("Content-Length", "100000")
						w.Write([]byte("{"))
						w.(http.Flusher).Flush()
					}
					<-r.Context().Done()
					return true
				}
				e := pullError(t, openStore(t, t.TempDir(), opt), f.ref("a:1"))
				if e.Permanent || !strings.Contains(e.Error(), "sent nothing for 50ms") {
					t.Errorf("permanent = %v, %v", e.Permanent, e)
				}
			})
		}
	}
	t.Run("never ends", func(t *testing.T) {
		opt := quick
		opt.Total = 200 * time.Millisecond
		f := newFakeRegistry(t)
		f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/manifests/") {
				return false
			}
			for r.Context().Err() == nil { // a byte now and then
				w.Write([]byte(" "))
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
			return true
		}
		if e := pullError(t, openStore(t, t.TempDir(), opt), f.ref("a:1")); e.Permanent || !errors.Is(e, errTooLong) {
			t.Errorf("permanent = %v, %v", e.Permanent, e)
		}
	})
}

func TestLogins(t *testing.T) {
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:secret"))
	schemes := map[string]func(f *fakeRegistry) func(w http.ResponseWriter, r *http.Request) bool{
		"basic": func(f *fakeRegistry) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("Authorization") == basic {
					return false
				}
				w.Header().Set("WWW-Authenticate", `Basic realm="here"`)
				registryError(w, 401, "UNAUTHORIZED", "authentication required")
				return true
			}
		},
		"token": func(f *fakeRegistry) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path == "/token" && r.Header.Get("Authorization") == basic:
					fmt.Fprint(w, `{"token":"good"}`)
				case r.URL.Path == "/token":
					registryError(w, 401, "UNAUTHORIZED", "incorrect username or password")
				case r.Header.Get("Authorization") == "Bearer good":
					return false
				default:
					w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="here",scope="repository:a:pull"`, f.URL))
					registryError(w, 401, "UNAUTHORIZED", "authentication required")
				}
				return true
			}
		},
	}
	for scheme, before := range schemes {
		f := newFakeRegistry(t)
		f.before = before(f)
		host := strings.TrimPrefix(f.URL, "http://")
		f.put(t, "1", imageOf(t, tarOf(t, file("f", "x"))))
		other := Login{"registry.example", "bob", "x"}
		for _, server := range []string{host, f.URL, f.URL + "/v2/", strings.ToUpper(host)} {
			t.Run(scheme+" as "+strings.ReplaceAll(server, host, "HOST"), func(t *testing.T) {
				mustPull(t, openStore(t, t.TempDir(), quick), f.ref("a:1"), other, Login{server, "ann", "secret"})
			})
		}
		for name, logins := range map[string][]Login{
			"none":           nil,
			"of another":     {other},
			"wrong password": {{host, "ann", "guess"}},
			"wrong port":     {{strings.Split(host, ":")[0], "ann", "secret"}},
		} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				e := pullError(t, openStore(t, t.TempDir(), quick), f.ref("a:1"), logins...)
				if !e.Permanent || !strings.Contains(e.Error(), "UNAUTHORIZED") {
					t.Errorf("permanent = %v, %v", e.Permanent, e)
				}
				if strings.Contains(e.Error(), "guess") || strings.Contains(e.Error(), "secret") {
					t.Errorf("the error tells the password: %v", e)
				}
			})
		}
	}
}
