package platform

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/streaming"
	"ludgate/internal/wire"
)

// clock is a time that a test sets.
type clock struct{ now time.Time }

func (c *clock) get() time.Time { return c.now }

func newPlatform(t *testing.T, dir string, c *clock) *Platform {
	t.Helper()
	p, err := New(dir, c.get)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func seconds(n int64) *int64 { return &n }

func mint(t *testing.T, p *Platform, r MintRequest) string {
	t.Helper()
	token, err := p.Mint(r)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// get asks the validate endpoint with an Authorization header.
func get(p *Platform, authorization string) (status int, body string) {
	r := httptest.NewRequest("GET", ValidatePath, nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestValidateEndpoint(t *testing.T) {
	c := newClock()
	p := newPlatform(t, t.TempDir(), c)
	ann := mint(t, p, MintRequest{UserID: "42", Login: "ann"})
	expired := mint(t, p, MintRequest{UserID: "42", ExpiresIn: seconds(-1)})
	const invalid = `{"status":401,"message":"invalid access token"}`
	const missing = `{"status":401,"message":"missing authorization token"}`
	for _, tc := range []struct {
		what, authorization string
		status              int
		body                string
	}{
		{"OAuth", "OAuth " + ann, 200, `{"client_id":"` + ClientID + `","login":"ann","scopes":[],"user_id":"42","expires_in":14400}`},
		{"Bearer", "Bearer " + ann, 200, `{"client_id":"` + ClientID + `","login":"ann","scopes":[],"user_id":"42","expires_in":14400}`},
		{"scheme in lower case", "oauth " + ann, 200, `{"client_id":"` + ClientID + `","login":"ann","scopes":[],"user_id":"42","expires_in":14400}`},
		{"another application's", "OAuth " + mint(t, p, MintRequest{UserID: "42", Login: "ann", ClientID: "other", ExpiresIn: seconds(60)}), 200, `{"client_id":"other","login":"ann","scopes":[],"user_id":"42","expires_in":60}`},
		{"never expires", "OAuth " + mint(t, p, MintRequest{UserID: "42", ExpiresIn: seconds(0)}), 200, `{"client_id":"` + ClientID + `","login":"42","scopes":[],"user_id":"42","expires_in":0}`},
		{"an application's own", "OAuth " + mint(t, p, MintRequest{UserID: "42", Login: "ann", Kind: "app"}), 200, `{"client_id":"` + ClientID + `","scopes":null,"expires_in":14400}`},
		{"expired", "OAuth " + expired, 401, invalid},
		{"not ours", "OAuth abc", 401, invalid},
		{"changed", "OAuth x" + ann[1:], 401, invalid},
		{"made elsewhere", "OAuth " + mint(t, newPlatform(t, t.TempDir(), c), MintRequest{UserID: "42"}), 401, invalid},
		{"no header", "", 401, missing},
		{"no token", "OAuth", 401, missing},
		{"another scheme", "Basic " + ann, 401, missing},
	} {
		if status, body := get(p, tc.authorization); status != tc.status || body != tc.body {
			t.Errorf("%s: %d %s, want %d %s", tc.what, status, body, tc.status, tc.body)
		}
	}
	c.now = c.now.Add(4*time.Hour - time.Second)
	if status, _ := get(p, "OAuth "+ann); status != 200 {
		t.Errorf("a second before the end: %d", status)
	}
	c.now = c.now.Add(time.Second)
	if status, _ := get(p, "OAuth "+ann); status != 401 {
		t.Errorf("at the end: %d", status)
	}
}

func TestOtherPathsAndMethods(t *testing.T) {
	p := newPlatform(t, t.TempDir(), newClock())
	for _, tc := range []struct {
		method, path string
		status       int
	}{{"GET", "/", 404}, {"GET", "/oauth2/validate/x", 404}, {"POST", ValidatePath, 404}} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, nil))
		if w.Code != tc.status || w.Body.String() != `{"status":404,"message":"not found"}` {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, w.Code, w.Body)
		}
	}
}

func TestTokensSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	token := mint(t, newPlatform(t, dir, newClock()), MintRequest{UserID: "42", Login: "ann"})
	if status, body := get(newPlatform(t, dir, newClock()), "OAuth "+token); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

func TestMintRefuses(t *testing.T) {
	p := newPlatform(t, t.TempDir(), newClock())
	for _, tc := range []struct {
		r      MintRequest
		target string
	}{
		{MintRequest{}, "user_id"},
		{MintRequest{UserID: "a b"}, "user_id"},
		{MintRequest{UserID: strings.Repeat("1", 65)}, "user_id"},
		{MintRequest{UserID: "42", Login: "ann\n"}, "login"},
		{MintRequest{UserID: "42", Login: strings.Repeat("a", 65)}, "login"},
		{MintRequest{UserID: "42", ClientID: "ö"}, "client_id"},
		{MintRequest{UserID: "42", Kind: "robot"}, "kind"},
		{MintRequest{UserID: "42", ExpiresIn: seconds(longestLife + 1)}, "expires_in"},
	} {
		_, err := p.Mint(tc.r)
		var e *ludgate.Error
		if !errors.As(err, &e) || e.Kind != ludgate.Invalid || e.Target != tc.target {
			t.Errorf("%+v: %v, want a refusal of %s", tc.r, err, tc.target)
		}
	}
	longest := strings.Repeat("a", 64)
	if status, body := get(p, "OAuth "+mint(t, p, MintRequest{UserID: longest, Login: longest, ClientID: longest})); status != 200 {
		t.Errorf("longest words: %d %s", status, body)
	}
}

// TestWithTheValidator drives the platform by HTTP as the player service does.
func TestWithTheValidator(t *testing.T) {
	p := newPlatform(t, t.TempDir(), newClock())
	platform := httptest.NewServer(p)
	defer platform.Close()
	edge := httptest.NewServer(wire.NewEdge(wire.Options{}, p.Routes()...))
	defer edge.Close()
	post := func(body string) (int, string) {
		t.Helper()
		res, err := http.Post(edge.URL+"/dev/streaming/token", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(b)
	}
	status, body := post(`{"user_id":"42","login":"ann"}`)
	var reply MintReply
	if err := json.Unmarshal([]byte(body), &reply, json.RejectUnknownMembers(true)); status != 200 || err != nil {
		t.Fatalf("mint: %d %s (%v)", status, body, err)
	}
	token := reply.AccessToken
	v, err := streaming.New(streaming.Options{URL: platform.URL + ValidatePath})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	want := streaming.Identity{ClientID: ClientID, UserID: "42", Login: "ann"}
	if id, err := v.Validate(t.Context(), token, ClientID); err != nil || id != want {
		t.Errorf("%+v %v, want %+v", id, err, want)
	}
	if status, body := post(`{"login":"ann"}`); status != 400 || !strings.Contains(body, `"target":"user_id"`) {
		t.Errorf("mint without a user: %d %s", status, body)
	}
	if status, body := post(`{"user_id":`); status != 400 || !strings.Contains(body, `"InvalidRequestContent"`) {
		t.Errorf("mint with half a body: %d %s", status, body)
	}
}
