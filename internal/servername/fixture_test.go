package servername

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

const (
	subA = "00000000-1111-2222-3333-444444444444"
	subB = "aaaaaaaa-1111-2222-3333-444444444444"

	neutralVersion = "?api-version=2025-01-01"
)

// principals are the callers that the header "Caller" chooses from; without it
// the caller is the developer of development mode.
var principals = map[string]*access.Principal{
	"":       {Kind: access.Developer, Name: "developer"},
	"user":   {Kind: access.User, Name: "ann", Scopes: []string{"user_impersonation"}},
	"app":    {Kind: access.Application, Name: "job"},
	"reader": {Kind: access.User, Name: "bob", Scopes: []string{"Group.Read.All"}},
}

// fixture is the service behind a real edge and a real HTTP server.
type fixture struct {
	*httptest.Server
	t testing.TB
}

func start(t testing.TB) *fixture {
	t.Helper()
	return startOn(t, storetest.Open(t, Area))
}

func startOn(t testing.TB, st store.Store) *fixture {
	t.Helper()
	srv := httptest.NewServer(newEdge(t, st))
	t.Cleanup(srv.Close)
	return &fixture{srv, t}
}

func newEdge(t testing.TB, st store.Store, more ...wire.Route) *wire.Edge {
	t.Helper()
	s, err := New(Options{Store: st, Location: "here"})
	if err != nil {
		t.Fatal(err)
	}
	return wire.NewEdge(wire.Options{
		Authenticate: func(r *http.Request, _ wire.Surface) (context.Context, error) {
			p, ok := principals[r.Header.Get("Caller")]
			if !ok {
				return nil, ludgate.Errorf(ludgate.Unauthenticated, "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
			}
			return access.With(r.Context(), p), nil
		},
	}, append(s.Routes(), more...)...)
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// decode reads the body as JSON.
func (a answer) decode(t testing.TB) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal([]byte(a.body), &m); err != nil {
		t.Fatalf("%q is no JSON object: %v", a.body, err)
	}
	return m
}

// code is the code of a CloudError.
func (a answer) code(t testing.TB) string {
	t.Helper()
	e, _ := a.decode(t)["error"].(map[string]any)
	c, _ := e["code"].(string)
	return c
}

// message is the message of a CloudError.
func (a answer) message(t testing.TB) string {
	t.Helper()
	e, _ := a.decode(t)["error"].(map[string]any)
	m, _ := e["message"].(string)
	return m
}

// send does one call; headers are name, value pairs.
func (f *fixture) send(method, path, body string, headers ...string) answer {
	f.t.Helper()
	req, err := http.NewRequest(method, f.URL+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := f.Client().Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(b)}
}

// check asks for a name in the neutral namespace.
func (f *fixture) check(name string) answer {
	f.t.Helper()
	b, err := json.Marshal(map[string]string{"name": name, "type": "Vendor.Sql/servers"})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.send("POST", checkPath(subA, "Vendor.Sql")+neutralVersion, string(b))
}

func checkPath(sub, namespace string) string {
	return "/subscriptions/" + sub + "/providers/" + namespace + "/checkNameAvailability"
}

func serverPath(sub, group, namespace, name string) string {
	return "/subscriptions/" + sub + "/resourceGroups/" + group + "/providers/" + namespace + "/servers/" + name
}

// take makes a server in the neutral namespace.
func (f *fixture) take(sub, group, name string) answer {
	f.t.Helper()
	return f.send("PUT", serverPath(sub, group, "Vendor.Sql", name)+neutralVersion, `{"location":"here"}`)
}
