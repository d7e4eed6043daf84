package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ludgate"
)

// Provider is an enumeration a naming translates.
type Provider string

type inner struct {
	PlatformId string            `json:"PlatformId"`
	Provider   Provider          `json:"Provider,omitzero"`
	Tags       map[string]string `json:"Tags,omitempty"`
}

type echo struct {
	TitleId    string  `json:"TitleId,omitzero"`
	PlatformId string  `json:"PlatformId,omitzero"`
	Count      int32   `json:"Count,omitzero"`
	Ratio      float64 `json:"Ratio,omitzero"`
	On         bool    `json:"On,omitzero"`
	Inner      *inner  `json:"Inner,omitzero"`
	List       []inner `json:"List,omitempty"`
}

var acme = &Naming{
	Name: "acme",
	Player: PlayerNaming{
		Paths:  map[string]string{"/Client/Echo": "/Client/Ekho"},
		Fields: map[string]string{"PlatformId": "AcmeId"},
		Enums:  map[string]map[string]string{"Provider": {"Streaming": "Tv"}},
		Errors: map[string]string{"InvalidUsername": "BadName"}, Envelope: Both, RichStatus: true,
	},
}

// testEdge serves an echo on every surface.
func testEdge(t *testing.T, opt Options) *httptest.Server {
	t.Helper()
	back := func(_ context.Context, r *Request) (*Reply, error) {
		var v echo
		if err := r.Decode(&v); err != nil {
			return nil, err
		}
		return &Reply{Body: v, SignIn: v.Count == 0}, nil
	}
	params := func(_ context.Context, r *Request) (*Reply, error) {
		return OK(map[string]string{"ns": r.Namespace, "rg": r.Param("resourceGroupName"), "name": r.Param("name"), "id": r.Param("id"), "version": r.APIVersion}), nil
	}
	fail := func(err error) Handler {
		return func(context.Context, *Request) (*Reply, error) { return nil, err }
	}
	if opt.Namings == nil {
		opt.Namings = []*Naming{Neutral, Vendor, acme}
	}
	e := NewEdge(opt,
		Route{Surface: Player, Method: "POST", Path: "/Client/Echo", Handler: back},
		Route{Surface: Player, Method: "POST", Path: "/Client/Refuse", Handler: fail(ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", "no").With("PlatformId", "why"))},
		Route{Surface: Player, Method: "POST", Path: "/Client/Panic", Handler: func(context.Context, *Request) (*Reply, error) { panic("boom: hunter2") }},
		Route{Surface: Player, Method: "POST", Path: "/Client/Broken", Handler: fail(errors.New("SELECT secret FROM table"))},
		Route{Surface: Management, Method: "PUT", Path: "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Vendor.ContainerInstance/containerGroups/{name}", APIVersions: []string{"2026-07-01"}, Handler: back},
		Route{Surface: Management, Method: "GET", Path: "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Vendor.ContainerInstance/containerGroups/{name}", APIVersions: []string{"2026-07-01"}, Handler: params},
		Route{Surface: Directory, Method: "GET", Path: "/v1.0/groups/{id}", Handler: params},
		Route{Surface: Directory, Method: "POST", Path: "/v1.0/groups", Handler: back},
		Route{Surface: Own, Method: "GET", Path: "/healthz", WhileDraining: true, Handler: func(context.Context, *Request) (*Reply, error) { return OK(map[string]string{"status": "ok"}), nil }},
	)
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	return srv
}

type reply struct {
	status int
	header http.Header
	body   string
}

// send does one request; headers are name, value pairs.
func send(t *testing.T, srv *httptest.Server, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(b)}
}

const group = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/MyRg/providers/Vendor.ContainerInstance/containerGroups/Web"

func TestPlayerReading(t *testing.T) {
	srv := testEdge(t, Options{})
	for _, c := range []struct {
		name, body string
		status     int
		want       string // in the reply
	}{
		{"as written", `{"TitleId":"144","Count":3}`, 200, `{"TitleId":"144","Count":3}`},
		{"names are case-sensitive", `{"titleid":"144"}`, 200, `{}`},
		{"unknown members are ignored", `{"Tomorrow":[1,{"a":null}]}`, 200, `{}`},
		{"null is absent", `{"TitleId":null,"Inner":null}`, 200, `{}`},
		{"a duplicate member", `{"TitleId":"1","TitleId":"2"}`, 400, `"errorCode":1071`},
		{"something behind the object", `{} {}`, 400, `"errorCode":1071`},
		{"no object", `[1]`, 400, `"error":"InvalidRequest"`},
		{"empty", ``, 400, `"error":"InvalidRequest"`},
		{"cut short", `{"TitleId":"1`, 400, `"errorCode":1071`},
		{"invalid UTF-8", "{\"TitleId\":\"\xff\"}", 400, `"errorCode":1071`},
		{"too deep", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), 400, `64 levels`},
		{"brackets in a string nest nothing", `{"TitleId":"` + strings.Repeat("[", 200) + `"}`, 200, `"TitleId":"[[`},
		{"a number for a string", `{"TitleId":7}`, 400, `"errorDetails":{"TitleId":["The field TitleId has the wrong type: a string is needed, not a number."]}`},
		{"a string for a number", `{"Count":"7"}`, 400, `"errorCode":1000`},
		{"a wrong type inside names the member at the top", `{"Inner":{"PlatformId":1}}`, 400, `"errorDetails":{"Inner":`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := send(t, srv, "POST", "/Client/Echo", c.body)
			if r.status != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("got %d %s, want %d with %s", r.status, r.body, c.status, c.want)
			}
			if r.header.Get("X-RequestId") == "" || r.header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("headers: %v", r.header)
			}
		})
	}
}

func TestManagementReading(t *testing.T) {
	srv := testEdge(t, Options{})
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"members in any case", `{"titleID":"144","COUNT":3}`, 200, `{"TitleId":"144","Count":3}`},
		{"numbers as strings", `{"count":"80","ratio":"1.5"}`, 200, `{"Count":80,"Ratio":1.5}`},
		{"whole numbers with a fraction of zero", `{"count":80.0}`, 200, `"Count":80`},
		{"booleans as strings", `{"on":"True"}`, 200, `"On":true`},
		{"null is absent", `{"count":null,"on":null,"ratio":null}`, 200, `{}`},
		{"a fraction for a whole number", `{"count":1.5}`, 400, `a whole number is needed, not '1.5'`},
		{"out of range", `{"count":4294967296}`, 400, `out of range`},
		{"words for a number", `{"count":"many"}`, 400, `a number is needed, not 'many'. Path 'count', line 1, position`},
		{"an object for a string", "{\n \"list\":[{\"PlatformId\":{}}]}", 400, `Path 'list[0].PlatformId', line 2, position`},
		{"two spellings of one member", `{"count":1,"Count":2}`, 400, `InvalidRequestContent`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := send(t, srv, "PUT", group+"?api-version=2026-07-01", c.body)
			if r.status != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("got %d %s, want %d with %s", r.status, r.body, c.status, c.want)
			}
		})
	}
}

func TestManagementPaths(t *testing.T) {
	srv := testEdge(t, Options{})
	for _, c := range []struct {
		name, method, path string
		status             int
		want               string
	}{
		{"neutral", "GET", group + "?api-version=2026-07-01", 200, `"name":"Web","ns":"Vendor.ContainerInstance","rg":"MyRg"`},
		{"fixed segments in any case, names as sent", "GET", strings.NewReplacer("resourceGroups", "RESOURCEgroups", "Vendor.C", "vendor.c").Replace(group) + "?Api-Version=2026-07-01", 200, `"name":"Web","ns":"Vendor.ContainerInstance","rg":"MyRg"`},
		{"vendor namespace takes any version", "GET", strings.Replace(group, "Vendor.", "microsoft.", 1) + "?api-version=2019-12-01-preview", 200, `"ns":"Microsoft.ContainerInstance"`},
		{"double slashes", "GET", "/" + group + "?api-version=2026-07-01", 200, `"name":"Web"`},
		{"parentheses in names", "GET", strings.Replace(group, "MyRg", "rg(1)", 1) + "?api-version=2026-07-01", 200, `"rg":"rg(1)"`},
		{"control characters in names", "GET", strings.Replace(group, "MyRg", "my%00rg", 1) + "?api-version=2026-07-01", 400, `"code":"InvalidRequestContent"`},
		{"names that are not UTF-8", "GET", strings.Replace(group, "MyRg", "%ff", 1) + "?api-version=2026-07-01", 400, `"code":"InvalidRequestContent"`},
		{"escaped names", "GET", strings.Replace(group, "MyRg", "my%20rg%2F1", 1) + "?api-version=2026-07-01", 200, `"rg":"my rg/1"`},
		{"no version", "GET", group, 400, `"code":"MissingApiVersionParameter"`},
		{"empty version", "GET", group + "?api-version=", 400, `"code":"MissingApiVersionParameter"`},
		{"other version", "GET", group + "?api-version=2025-01-01", 400, `The api-version '2025-01-01' is invalid. The supported versions are '2026-07-01'.`},
		{"first of two versions counts", "GET", group + "?api-version=2026-07-01&api-version=x", 200, `"version":"2026-07-01"`},
		{"subscription is no GUID", "GET", strings.Replace(group, "11111111-2222-3333-4444-555555555555", "abc", 1) + "?api-version=2026-07-01", 400, `The provided subscription identifier 'abc' is malformed or invalid.`},
		{"resource group of 90", "GET", strings.Replace(group, "MyRg", strings.Repeat("é", 90), 1) + "?api-version=2026-07-01", 200, `"name":"Web"`},
		{"resource group of 91", "GET", strings.Replace(group, "MyRg", strings.Repeat("a", 91), 1) + "?api-version=2026-07-01", 400, `"code":"InvalidResourceGroupName"`},
		{"wrong method", "POST", group + "?api-version=2026-07-01", 405, `allowed: GET, PUT`},
		{"unknown type", "GET", strings.Replace(group, "containerGroups", "pods", 1) + "?api-version=2026-07-01", 404, `"code":"InvalidResourceType"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := send(t, srv, c.method, c.path, "")
			if r.status != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("got %d %s, want %d with %s", r.status, r.body, c.status, c.want)
			}
			if r.status >= 400 && r.header.Get("x-ms-error-code") == "" {
				t.Error("no x-ms-error-code")
			}
		})
	}
}

func TestDirectoryPaths(t *testing.T) {
	srv := testEdge(t, Options{})
	for path, want := range map[string]string{
		"/v1.0/groups/AbC":                           `"id":"AbC"`,
		"/V1.0/Groups(uniqueName='My%20Grp')":        `"id":"(uniqueName='My Grp')"`,
		"/v1.0/groups/(uniqueName='x')":              `"id":"(uniqueName='x')"`,
		"/v1.0/groups%28uniqueName=%27x(1)%27%29":    `"id":"(uniqueName='x(1)')"`,
		"/v1.0/groups(uniqueName=%27a%2Fb%20%27%27)": `"id":"(uniqueName='a/b '')"`,
	} {
		if r := send(t, srv, "GET", path, ""); r.status != 200 || !strings.Contains(r.body, want) {
			t.Errorf("%s: got %d %s, want %s", path, r.status, r.body, want)
		}
	}
	r := send(t, srv, "POST", "/v1.0/groups", `{"count":"1","Count":true}`, "client-request-id", "mine")
	if r.status != 400 || !strings.Contains(r.body, `"code":"Request_BadRequest"`) || !strings.Contains(r.body, `"client-request-id":"mine"`) {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if r := send(t, srv, "DELETE", "/v1.0/groups/x", ""); r.status != 405 || r.header.Get("Allow") != "GET" {
		t.Errorf("got %d %v", r.status, r.header)
	}
}

func TestNamingOfPlayerCalls(t *testing.T) {
	titles := map[string]*Naming{"ACE": acme}
	srv := testEdge(t, Options{TitleNaming: func(id func() string) *Naming { return titles[id()] }})
	in := `{"TitleId":"ACE","AcmeId":"1","Inner":{"AcmeId":"2","Provider":"Tv","Tags":{"PlatformId":"AcmeId"}},"List":[{"AcmeId":"3"}]}`
	want := `{"code":200,"status":"OK","data":` + in + `,` + in[1:]
	if r := send(t, srv, "POST", "/Client/Ekho", in); r.body != want {
		t.Errorf("got  %s\nwant %s", r.body, want)
	}
	// Other calls than sign-ins are wrapped only.
	if r := send(t, srv, "POST", "/Client/Ekho", `{"TitleId":"ACE","Count":1}`); r.body != `{"code":200,"status":"OK","data":{"TitleId":"ACE","Count":1}}` {
		t.Errorf("got %s", r.body)
	}
	// The neutral word is unknown under a naming that spells it otherwise.
	if r := send(t, srv, "POST", "/Client/Ekho", `{"TitleId":"ACE","PlatformId":"1"}`); strings.Contains(r.body, `"1"`) {
		t.Errorf("a neutral member was read: %s", r.body)
	}
	for _, c := range []struct{ path, body, host string }{
		{"/Client/Echo", in, ""},                     // the title's naming has another path
		{"/Client/Ekho", `{"TitleId":"144"}`, ""},    // a neutral title does not know this path
		{"/Client/Echo", `{}`, "ace.play.example"},   // the host names the title
		{"/Client/Ekho", `{}`, "127.0.0.1:80"},       // an address names none
		{"/client/echo", `{"TitleId":"144"}`, ""},    // player paths are exact
		{"/Client/Echo/", `{"TitleId":"ACE"}`, ""},   // also after tidying
		{"/Client/Nothing", `{"TitleId":"144"}`, ""}, // unknown
		{"/", ``, ""}, //
		{"/Client/Echo/more", `{"TitleId":"144"}`, ""},   //
		{"/Client/Ekho", `{"TitleId":["ACE"]}`, ""},      // no title
		{"/Client/Ekho", `{"Deep":{"TitleId":"A"}}`, ""}, // not at the top
	} {
		args := []string{}
		if c.host != "" {
			args = append(args, "Host", c.host)
		}
		if r := send(t, srv, "POST", c.path, c.body, args...); r.status != 404 || !strings.Contains(r.body, `"errorCode":1131`) {
			t.Errorf("%s %s: got %d %s", c.path, c.body, r.status, r.body)
		}
	}
}

func TestPlayerErrors(t *testing.T) {
	titles := map[string]*Naming{"ACE": acme}
	srv := testEdge(t, Options{TitleNaming: func(id func() string) *Naming { return titles[id()] }})
	want := `{"code":400,"status":"BadRequest","error":"NotAuthenticated","errorCode":1074,"errorMessage":"no","errorDetails":{"PlatformId":["why"]}}`
	if r := send(t, srv, "POST", "/Client/Refuse", `{}`); r.status != 400 || r.body != want {
		t.Errorf("neutral: %d %s", r.status, r.body)
	}
	want = `{"code":401,"status":"Unauthorized","error":"NotAuthenticated","errorCode":1074,"errorMessage":"no","errorDetails":{"AcmeId":["why"]}}`
	if r := send(t, srv, "POST", "/Client/Refuse", `{"TitleId":"ACE"}`); r.status != 401 || r.body != want {
		t.Errorf("rich: %d %s", r.status, r.body)
	}
	if r := send(t, srv, "POST", "/Client/Refuse", `{"TitleId":"ACE"}`, "X-ReportErrorAsSuccess", "true"); r.status != 200 || r.body != want {
		t.Errorf("as success: %d %s", r.status, r.body)
	}
	for _, path := range []string{"/Client/Panic", "/Client/Broken"} {
		r := send(t, srv, "POST", path, `{}`)
		if r.status != 500 || !strings.Contains(r.body, `"errorCode":1110`) || strings.Contains(r.body, "hunter2") || strings.Contains(r.body, "SELECT") {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := send(t, srv, "GET", "/Client/Echo", ``); r.status != 405 || r.header.Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", r.status, r.header)
	}
	if r := send(t, srv, "OPTIONS", "/Client/Echo", ``, "Origin", "https://game.example"); r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight: %d %v", r.status, r.header)
	}
}

func TestBodies(t *testing.T) {
	srv := testEdge(t, Options{BodyTimeout: 200 * time.Millisecond, MaxBody: 2000})
	zipped := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}
	long := `{"TitleId":"` + strings.Repeat("a", playerMaxBody) + `"}`
	for _, c := range []struct {
		name, path, body string
		headers          []string
		status           int
		want             string
	}{
		{"gzip", "/Client/Echo", zipped(`{"TitleId":"144"}`), []string{"Content-Encoding", "GZIP"}, 200, `144`},
		{"broken gzip", "/Client/Echo", "this is nonsense", []string{"Content-Encoding", "gzip"}, 400, `not valid gzip`},
		{"cut gzip", "/Client/Echo", zipped(`{"TitleId":"144"}`)[:20], []string{"Content-Encoding", "gzip"}, 400, `ended early`},
		{"gzip bomb", "/Client/Echo", zipped(long), []string{"Content-Encoding", "gzip"}, 413, `"errorCode":1068`},
		{"too large", "/Client/Echo", long, nil, 413, `"errorCode":1068`},
		{"too large for management", group + "?api-version=2026-07-01", strings.Repeat(" ", 2001), nil, 413, `RequestEntityTooLarge`},
		{"other encoding", "/Client/Echo", "x", []string{"Content-Encoding", "br"}, 400, `'br' is not supported`},
		{"json with charset", "/Client/Echo", `{}`, []string{"Content-Type", "application/json; charset=utf-8"}, 200, `{}`},
		{"other type", "/Client/Echo", `{}`, []string{"Content-Type", "text/plain"}, 400, `"errorCode":1144`},
		{"other type for management", group + "?api-version=2026-07-01", `{}`, []string{"Content-Type", "text/xml"}, 415, `UnsupportedMediaType`},
	} {
		t.Run(c.name, func(t *testing.T) {
			method := "POST"
			if strings.HasPrefix(c.path, "/sub") {
				method = "PUT"
			}
			r := send(t, srv, method, c.path, c.body, c.headers...)
			if r.status != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("got %d %.200s, want %d with %s", r.status, r.body, c.status, c.want)
			}
		})
	}
	t.Run("a body that stalls", func(t *testing.T) {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /Client/Echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"TitleId\":")
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		b, err := io.ReadAll(conn)
		if err != nil || !strings.Contains(string(b), "did not arrive within 200ms") {
			t.Errorf("got %q, %v", b, err)
		}
	})
}

func TestDrain(t *testing.T) {
	release, entered := make(chan struct{}), make(chan struct{})
	e := NewEdge(Options{},
		Route{Surface: Player, Method: "POST", Path: "/Client/Slow", Handler: func(context.Context, *Request) (*Reply, error) {
			close(entered)
			<-release
			return OK(struct{}{}), nil
		}},
		Route{Surface: Own, Method: "GET", Path: "/healthz", WhileDraining: true, Handler: func(context.Context, *Request) (*Reply, error) { return NoContent(), nil }},
	)
	srv := httptest.NewServer(e)
	defer srv.Close()
	done := make(chan int)
	go func() {
		resp, err := srv.Client().Post(srv.URL+"/Client/Slow", "application/json", strings.NewReader("{}"))
		if err != nil {
			done <- 0
			return
		}
		resp.Body.Close()
		done <- resp.StatusCode
	}()
	<-entered
	e.Drain()
	r := send(t, srv, "POST", "/Client/Slow", "{}")
	if r.status != 503 || r.header.Get("Retry-After") != "1" || !strings.Contains(r.body, `"errorCode":1123`) {
		t.Errorf("new request: %d %v %s", r.status, r.header, r.body)
	}
	if r := send(t, srv, "GET", "/healthz", ""); r.status != 204 {
		t.Errorf("healthz: %d", r.status)
	}
	close(release)
	if got := <-done; got != 200 {
		t.Errorf("request under way ended with %d", got)
	}
}

func TestAuthentication(t *testing.T) {
	type key struct{}
	srv := testEdge(t, Options{AuthorityURL: "https://auth.example", Authenticate: func(r *http.Request, s Surface) (context.Context, error) {
		if r.Header.Get("Authorization") == "" {
			return nil, ludgate.Errorf(ludgate.Unauthenticated, "AuthenticationFailed", "no token")
		}
		return context.WithValue(r.Context(), key{}, s), nil
	}})
	// 401 comes before the api-version is looked at.
	r := send(t, srv, "GET", group, "")
	if r.status != 401 || !strings.HasPrefix(r.header.Get("WWW-Authenticate"), `Bearer authorization_uri="https://auth.example/common/oauth2/authorize", error="invalid_token"`) {
		t.Errorf("got %d %v", r.status, r.header)
	}
	if r := send(t, srv, "GET", group, "", "Authorization", "Bearer x"); r.status != 400 {
		t.Errorf("got %d", r.status)
	}
	if r := send(t, srv, "POST", "/Client/Echo", "{}"); r.status != 200 {
		t.Errorf("player calls need no principal: %d", r.status)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"TitleId":"1","Inner":{"AcmeId":"x","Provider":"Tv"}}`, `{"count":"80.0"}`, `{"a":[[[]]]}`, "{\"\\u0000\":1}", `{"List":[null,{}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, n := range []*Naming{Neutral, Vendor, acme} {
			var v echo
			if err := decodePlayer(n, body, &v); err != nil {
				if e := ludgate.AsError(err); e.Kind != ludgate.Invalid {
					t.Fatalf("a bad body is %v", err)
				}
				continue
			}
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := n.outward(out, v); err != nil {
				t.Fatalf("outward: %v", err)
			}
		}
		var v echo
		if err := decodeLenient(body, &v); err != nil && ludgate.AsError(err).Kind != ludgate.Invalid {
			t.Fatalf("a bad body is %v", err)
		}
	})
}

// BenchmarkEdge is the cost of the edge itself: an empty call, and one with a
// record in and out under each naming.
func BenchmarkEdge(b *testing.B) {
	back := func(_ context.Context, r *Request) (*Reply, error) {
		var v echo
		if err := r.Decode(&v); err != nil {
			return nil, err
		}
		return OK(v), nil
	}
	for _, n := range []*Naming{Neutral, acme} {
		e := NewEdge(Options{Default: n, Namings: []*Naming{Neutral, acme}}, Route{Surface: Player, Method: "POST", Path: "/Client/Echo", Handler: back})
		b.Run(n.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("POST", n.path("/Client/Echo"), strings.NewReader(`{"TitleId":"144","Inner":{"Tags":{"a":"b"}}}`))
				w := httptest.NewRecorder()
				e.ServeHTTP(w, r)
				if w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
