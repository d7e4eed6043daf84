package directory

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

const tenant = "11111111-aaaa-4bbb-8ccc-222222222222"

// principals are the callers that the header "Caller" chooses from; without it
// the caller is the developer of development mode.
var principals = map[string]*access.Principal{
	"":          {Kind: access.Developer, Tenant: tenant},
	"writer":    {Kind: access.User, Tenant: tenant, Scopes: []string{"Group.ReadWrite.All"}},
	"member":    {Kind: access.User, Tenant: tenant, Scopes: []string{"GroupMember.Read.All"}},
	"app":       {Kind: access.Application, Tenant: tenant, Roles: []string{"Directory.ReadWrite.All"}},
	"creator":   {Kind: access.Application, Tenant: tenant, Roles: []string{"Group.Create"}},
	"stranger":  {Kind: access.User, Tenant: tenant, Scopes: []string{"User.Read", "user_impersonation"}},
	"personal":  {Kind: access.User, Tenant: tenant, Scopes: []string{"Group.ReadWrite.All"}, Personal: true},
	"neighbour": {Kind: access.User, Tenant: "99999999-aaaa-4bbb-8ccc-222222222222", Scopes: []string{"Group.ReadWrite.All"}},
	"roles": {Kind: access.User, Tenant: tenant, Scopes: []string{"Group.ReadWrite.All", "RoleManagement.ReadWrite.Directory"},
		Wids: []string{"e8611ab8-c189-46e8-94e1-60213ab1f814"}},
	"roles app": {Kind: access.Application, Tenant: tenant, Roles: []string{"Group.ReadWrite.All", "RoleManagement.ReadWrite.Directory"}},
	"places":    {Kind: access.User, Tenant: tenant, Scopes: []string{"Directory.ReadWrite.All"}, Wids: []string{"9360feb5-f418-4baa-8175-e2a00bac4301"}},
}

// fixture is the service behind a real edge and a real HTTP server. Its clock
// stands still until a test moves it.
type fixture struct {
	*httptest.Server
	t     testing.TB
	store store.Store
	now   time.Time
}

// start serves the neutral naming, startStrict the vendor's.
func start(t testing.TB) *fixture       { return serve(t, wire.Neutral) }
func startStrict(t testing.TB) *fixture { return serve(t, wire.Vendor) }

func serve(t testing.TB, naming *wire.Naming) *fixture {
	t.Helper()
	f := &fixture{t: t, store: storetest.Open(t, Area), now: time.Date(2026, 3, 4, 5, 6, 7, 890, time.FixedZone("", 3600))}
	f.Server = httptest.NewServer(newEdge(t, f.store, naming, func() time.Time { return f.now }))
	t.Cleanup(f.Close)
	return f
}

func newEdge(t testing.TB, st store.Store, naming *wire.Naming, clock ludgate.Clock, more ...wire.Route) *wire.Edge {
	t.Helper()
	s, err := New(Options{Store: st, Clock: clock, MailDomain: "studio.example"})
	if err != nil {
		t.Fatal(err)
	}
	return wire.NewEdge(wire.Options{
		Default: naming,
		Authenticate: func(r *http.Request, _ wire.Surface) (context.Context, error) {
			p, ok := principals[r.Header.Get("Caller")]
			if !ok {
				return nil, ludgate.Errorf(ludgate.Unauthenticated, "InvalidAuthenticationToken", "Access token is empty.")
			}
			return access.With(r.Context(), p), nil
		},
	}, append(s.Routes(), more...)...)
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
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
	return answer{f.t, resp.StatusCode, resp.Header, string(b)}
}

// object reads the body as JSON.
func (a answer) object() map[string]any {
	a.t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal([]byte(a.body), &m); err != nil {
		a.t.Fatalf("%d %q is no JSON object: %v", a.status, a.body, err)
	}
	return m
}

// failure is the error of a refusal: code, message, and the target of its first
// detail.
func (a answer) failure() (code, message, target string) {
	a.t.Helper()
	var e struct {
		Error struct {
			Code, Message string
			Details       []struct{ Target, Code, Message string }
		}
	}
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		a.t.Fatalf("%d %q: %v", a.status, a.body, err)
	}
	if len(e.Error.Details) > 0 {
		target = e.Error.Details[0].Target
		if e.Error.Details[0].Message == "" || e.Error.Details[0].Code == "" {
			a.t.Errorf("a detail without code or message: %s", a.body)
		}
	}
	return e.Error.Code, e.Error.Message, target
}

// want fails the test unless the call answered with that status.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("got %d %s, want %d", a.status, a.body, status)
	}
	return a
}

// id is the id of the group that came back.
func (a answer) id() string {
	a.t.Helper()
	id, _ := a.object()["id"].(string)
	if !ludgate.IsGUID(id) {
		a.t.Fatalf("no id in %d %s", a.status, a.body)
	}
	return id
}

// J is a JSON object of a request. Setting a property to absentValue takes it out.
type J map[string]any

type gone struct{}

// security is a request for a security group; with gives it further properties.
func security(name string, with ...J) string {
	return group(J{"displayName": "Group " + name, "mailEnabled": false, "securityEnabled": true, "mailNickname": "n-" + name, "uniqueName": name}, with...)
}

// office is a request for a unified group.
func office(name string, with ...J) string {
	return group(J{"displayName": "Group " + name, "mailEnabled": true, "securityEnabled": false, "mailNickname": "n-" + name, "uniqueName": name,
		"groupTypes": []string{"Unified"}}, with...)
}

func group(base J, with ...J) string {
	for _, w := range with {
		maps.Copy(base, w)
	}
	maps.DeleteFunc(base, func(_ string, v any) bool { _, is := v.(gone); return is })
	return jsonText(base)
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// create makes a group and gives its id.
func (f *fixture) create(body string) string {
	f.t.Helper()
	return f.send("POST", "/v1.0/groups", body).want(201).id()
}

// upsert sends a create-if-missing.
func (f *fixture) upsert(name, body string, headers ...string) answer {
	f.t.Helper()
	return f.send("PATCH", byName(name), body, append([]string{"Prefer", "create-if-missing"}, headers...)...)
}

// read gives a group as GET does.
func (f *fixture) read(id string) map[string]any {
	f.t.Helper()
	return f.send("GET", "/v1.0/groups/"+id, "").want(200).object()
}

// byName is the path of a group by its uniqueName, quoted as an SDK does.
func byName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[c>>4])+string("0123456789abcdef"[c&15])))
		}
	}
	return "/v1.0/groups(uniqueName='" + b.String() + "')"
}
