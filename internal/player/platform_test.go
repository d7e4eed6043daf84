package player

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ludgate/internal/streaming"
	"ludgate/internal/wire"
)

// TestPlatformAnswers signs in against a double of the streaming platform that
// answers in every way that was ever seen, and some more.
func TestPlatformAnswers(t *testing.T) {
	const valid = `{"client_id":"gc1d","login":"ann","scopes":["channel:read:subscriptions"],"user_id":"141981764","expires_in":5520838}`
	ok := refusal{}
	type reply struct {
		status int
		body   string
	}
	for _, tc := range []struct {
		what  string
		reply reply
		want  refusal
	}{
		{"valid", reply{200, valid}, ok},
		{"scopes null", reply{200, strings.Replace(valid, `["channel:read:subscriptions"]`, `null`, 1)}, ok},
		{"expires_in 0", reply{200, strings.Replace(valid, `5520838`, `0`, 1)}, ok},
		{"an application's token", reply{200, `{"client_id":"gc1d","scopes":null,"expires_in":5053085}`}, badToken},
		{"an application's token with empty scopes", reply{200, `{"client_id":"gc1d","scopes":[],"expires_in":5053085}`}, badToken},
		{"another application's", reply{200, strings.Replace(valid, `gc1d`, `other`, 1)}, badToken},
		{"refused", reply{401, `{"status":401,"message":"invalid access token"}`}, badToken},
		{"refused, empty", reply{401, ``}, badToken},
		{"server error", reply{500, ``}, badPlatform},
		{"overloaded", reply{503, `{}`}, badPlatform},
		{"forbidden", reply{403, `{}`}, badPlatform},
		{"redirect", reply{302, ``}, badPlatform},
		{"unreadable", reply{200, `<html>`}, badPlatform},
		{"without client id", reply{200, `{"login":"ann","user_id":"141981764"}`}, badPlatform},
		{"huge", reply{200, strings.TrimSuffix(valid, "}") + `,"x":"` + strings.Repeat("x", 1<<20) + `"}`}, badPlatform},
		{"empty", reply{200, ``}, badPlatform},
		{"a list", reply{200, `[` + valid + `]`}, badPlatform},
		{"cut off", reply{200, valid[:len(valid)-9]}, badPlatform},
		{"client id is a number", reply{200, strings.Replace(valid, `"gc1d"`, `1`, 1)}, badPlatform},
		{"client id null", reply{200, strings.Replace(valid, `"gc1d"`, `null`, 1)}, badPlatform},
		{"user id null", reply{200, strings.Replace(valid, `"141981764"`, `null`, 1)}, badToken},
		{"user id empty", reply{200, strings.Replace(valid, `"141981764"`, `""`, 1)}, badToken},
		{"user id is a number", reply{200, strings.Replace(valid, `"141981764"`, `141981764`, 1)}, badPlatform},
		{"without login", reply{200, strings.Replace(valid, `"login":"ann",`, ``, 1)}, ok},
		{"further members", reply{200, strings.Replace(valid, `{`, `{"new":{"a":[1]},`, 1)}, ok},
		{"expires_in negative", reply{200, strings.Replace(valid, `5520838`, `-1`, 1)}, ok},
		{"refused, not in JSON", reply{401, `<html>`}, badToken},
		{"created", reply{201, valid}, badPlatform},
		{"no content", reply{204, ``}, badPlatform},
		{"moved for ever", reply{308, valid}, badPlatform},
		{"not found", reply{404, `{}`}, badPlatform},
		{"too many", reply{429, `{}`}, badPlatform},
		{"bad gateway", reply{502, valid}, badPlatform},
		{"a user id that cannot be stored", reply{200, strings.Replace(valid, `141981764`, `1\u00002`, 1)}, badPlatform},
	} {
		double := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/oauth2/validate" || r.Header.Get("Authorization") != "OAuth tok" {
				t.Errorf("asked for %s with %q", r.URL, r.Header.Get("Authorization"))
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(tc.reply.status)
			_, _ = io.WriteString(w, tc.reply.body)
		}))
		titles := titles{listed: listed{"ABCDE": {StreamingClientID: "gc1d"}}}
		for _, n := range []*wire.Naming{wire.Neutral, wire.Vendor} {
			f := newFixture(t, setup{naming: n, titles: titles, platform: double.URL + "/oauth2/validate"})
			a := f.signIn(obj{"TitleId": "ABCDE", "AccessToken": "tok", "CreateAccount": true})
			if tc.want.name == "" {
				f.result(a)
				continue
			}
			f.refused(tc.what, a, tc.want)
			if rows := f.count("players") + f.count("ledger"); rows != 0 {
				t.Errorf("%s: %d rows were written", tc.what, rows)
			}
		}
		double.Close()
	}
}

// TestPlatformFails: the platform is not there, hangs, or is not who it says.
func TestPlatformFails(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	forged := httptest.NewUnstartedServer(http.NotFoundHandler())
	forged.Config.ErrorLog = log.New(io.Discard, "", 0)
	forged.StartTLS()
	defer forged.Close()
	drips := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil { // an answer that never ends, a byte at a time
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}))
	defer drips.Close()
	hangsUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"client_id":"gc1d",`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer hangsUp.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for what, url := range map[string]string{
		"gone": gone.URL, "hangs": hangs.URL, "forged": forged.URL, "drips": drips.URL, "hangs up": hangsUp.URL,
		"no TLS": strings.Replace(plain.URL, "http:", "https:", 1), "no such name": "http://platform.invalid/validate",
	} {
		f := newFixture(t, setup{
			titles:   titles{listed: listed{"ABCDE": {StreamingClientID: "gc1d"}}},
			platform: url, valid: &streaming.Options{Timeout: 100 * time.Millisecond, TLS: &tls.Config{}},
		})
		for i := range 8 { // the later ones meet a platform that is left alone
			f.refused(what, f.signIn(obj{"TitleId": "ABCDE", "AccessToken": fmt.Sprint("tok", i), "CreateAccount": true}), badPlatform)
		}
	}
}
