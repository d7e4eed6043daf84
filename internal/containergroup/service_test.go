package containergroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ludgate/internal/engine"
	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"
)

func TestRegistryPasswords(t *testing.T) {
	f := newFake()
	f.autorun = true
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context(), st, Area); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, st: st, key: []byte("0123456789abcdef0123456789abcdef")}
	s.serve(func(o *Options) { o.Engine = f })
	const creds = `[{"server":"r.example","username":"ann","password":"hunter2-hunter2"}]`
	s.put("g", with(t, "properties.imageRegistryCredentials", creds))
	a := s.settled("g")
	login := func(generation int64) []engine.Login {
		t.Helper()
		return f.wished(s, func(g *engine.Group) bool { return g.Generation == generation }).Logins
	}
	want := []engine.Login{{Server: "r.example", Username: "ann", Password: "hunter2-hunter2"}}
	if got := login(1); !reflect.DeepEqual(got, want) {
		t.Errorf("the engine was told %v", got)
	}
	for what, a := range map[string]answer{
		"GET": a, "list": s.call("GET", strings.Replace(group(""), "/?", "?", 1), ""),
		"PUT": s.put("g", with(t, "properties.imageRegistryCredentials", creds, "tags", `{"a":"b"}`)),
	} {
		if strings.Contains(a.text, "hunter2") || strings.Contains(a.text, "***") || strings.Contains(a.text, "password") {
			t.Errorf("%s shows the password: %s", what, a.text)
		}
	}
	// Left out by a client that sends back what it got, the password stays.
	without := strings.Replace(creds, `,"password":"hunter2-hunter2"`, "", 1)
	s.put("g", with(t, "properties.imageRegistryCredentials", without, cp+".command", `["x"]`))
	if got := login(2); !reflect.DeepEqual(got, want) {
		t.Errorf("the engine was told %v", got)
	}
	// Another one is a change.
	s.put("g", with(t, "properties.imageRegistryCredentials", strings.Replace(creds, "hunter2-hunter2", "other", 1), cp+".command", `["x"]`))
	if got := login(3); got[0].Password != "other" {
		t.Errorf("the engine was told %v", got)
	}
	if err := s.svc.Close(); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && strings.Contains(string(b), "hunter2") {
			t.Errorf("%s holds the password", filepath.Base(file))
		}
	}
}

// TestPasswordOfAnotherKey: a store that came without its key file makes the
// group fail with a reason, and a PUT with the password heals it.
func TestPasswordOfAnotherKey(t *testing.T) {
	f := newFake()
	f.autorun = true
	f.refuse = errors.New("not now")
	s := start(t, func(o *Options) { o.Engine = f })
	body := with(t, "properties.imageRegistryCredentials", `[{"server":"r.example","username":"ann","password":"hunter2"}]`)
	s.put("g", body)
	if err := s.svc.Close(); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.refuse = nil
	f.mu.Unlock()
	s.key = []byte("another key, of the same length.")
	s.serve(func(o *Options) { o.Engine = f })
	a := s.settled("g")
	if a.str("properties", "provisioningState") != "Failed" || a.str("properties", "instanceView", "events", 0, "name") != "ImageRegistryCredentialUnreadable" {
		t.Errorf("%s", a.text)
	}
	s.put("g", body)
	if a := s.settled("g"); a.str("properties", "provisioningState") != "Succeeded" {
		t.Errorf("%s", a.text)
	}
}

func TestList(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine, o.PageSize = newFake(), 10 })
	path := strings.Replace(group(""), "/?", "?", 1)
	everything := strings.Replace(path, "/resourceGroups/games", "", 1)
	if a := s.want(s.call("GET", path, ""), 200); a.text != `{"value":[]}` {
		t.Errorf("%s", a.text)
	}
	const n = 25
	for k := range n {
		s.put(fmt.Sprintf("g%02d", k), oneContainer(""))
	}
	s.want(s.call("PUT", strings.Replace(group("G09"), "games", "Other", 1), base), 201)

	walk := func(path string) (names []string) {
		t.Helper()
		for pages := 0; path != ""; pages++ {
			if pages > n {
				t.Fatal("the list has no end")
			}
			a := s.want(s.call("GET", path, ""), 200)
			for i := range a.get("value").([]any) {
				names = append(names, a.str("value", i, "name"))
				if a.get("value", i, "properties", "instanceView") != nil || a.get("value", i, "properties", "containers", 0, "properties", "instanceView") != nil ||
					a.str("value", i, "properties", "provisioningState") == "" {
					t.Fatalf("item %d: %v", i, a.get("value", i))
				}
			}
			path = a.str("nextLink")
			if path != "" && !strings.HasPrefix(path, s.url+"/") {
				t.Errorf("nextLink %q", path)
			}
		}
		return names
	}
	names := walk(path)
	if len(names) != n || names[0] != "g00" || names[n-1] != "g24" {
		t.Errorf("%d names, %q to %q", len(names), names[0], names[len(names)-1])
	}
	names = walk(everything)
	// Of two groups of one name the resource group decides.
	if len(names) != n+1 || names[9] != "g09" || names[10] != "G09" {
		t.Errorf("in the subscription: %v", names)
	}
	if names := walk(strings.Replace(path, "games", "OTHER", 1)); len(names) != 1 {
		t.Errorf("%v", names)
	}
	for _, token := range []string{"x", "eC95L3o", "%00", "////"} {
		if a := s.call("GET", path+"&$skiptoken="+token, ""); a.status != 400 && a.status != 200 || a.status == 400 && a.code() != "InvalidSkipToken" {
			t.Errorf("token %s: %d %s", token, a.status, a.text)
		}
	}
}

func TestWithoutAnEngine(t *testing.T) {
	f := newFake()
	f.autorun = true
	s := start(t, func(o *Options) { o.Engine = f })
	poll := s.put("g", base).header.Get("Azure-AsyncOperation")
	s.settled("g")
	if err := s.svc.Close(); err != nil {
		t.Fatal(err)
	}
	old := s.url
	s.serve(func(o *Options) {
		o.Unavailable = &engine.Unavailable{Engine: "native", Reason: "This is not Linux.", Remedy: "Start with --engine simulated."}
	})
	for _, c := range []struct{ method, path, body string }{
		{"PUT", group("new"), base}, {"PUT", group("g"), base}, {"DELETE", group("g"), ""},
		{"GET", strings.Replace(group("g"), "/g?", "/g/containers/c/logs?", 1), ""},
	} {
		a := s.want(s.call(c.method, c.path, c.body), 503)
		if a.code() != "ContainerEngineUnavailable" || !strings.Contains(a.str("error", "message"), "This is not Linux. Start with --engine simulated.") {
			t.Errorf("%s %s: %s", c.method, c.path, a.text)
		}
	}
	s.want(s.call("GET", group("new"), ""), 404)
	s.want(s.call("DELETE", group("new"), ""), 204)
	if a := s.want(s.call("PUT", group("new"), with(t, "properties.osType", "5")), 400); a.code() != "InvalidRequestContent" {
		t.Errorf("a bad request is told so first: %s", a.text)
	}
	a := s.want(s.call("GET", group("g"), ""), 200)
	if a.str("properties", "provisioningState") != "Succeeded" || a.str("properties", "instanceView", "state") != "Running" ||
		a.str("properties", "instanceView", "events", 0, "name") != "ContainerEngineUnavailable" || !strings.Contains(a.text, "What is shown was observed last at ") {
		t.Errorf("%s", a.text)
	}
	if a := s.want(s.call("GET", strings.Replace(group(""), "/?", "?", 1), ""), 200); len(a.get("value").([]any)) != 1 {
		t.Errorf("%s", a.text)
	}
	s.want(s.call("GET", strings.Replace(poll, old, s.url, 1), ""), 200)
}

func TestWhoMayCall(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	list := strings.Replace(group(""), "/?", "?", 1)
	poll := strings.TrimPrefix(s.put("g", base).header.Get("Azure-AsyncOperation"), s.url)
	for _, c := range []struct{ method, path string }{
		{"PUT", group("x")}, {"GET", group("g")}, {"DELETE", group("g")}, {"GET", list}, {"GET", poll},
		{"GET", strings.Replace(poll, "operations", "operationResults", 1)},
		{"GET", strings.Replace(group("g"), "/g?", "/g/containers/c/logs?", 1)},
	} {
		body := ""
		if c.method == "PUT" {
			body = "not even JSON"
		}
		if a := s.want(s.call(c.method, c.path, body, "X-Test-Caller", "nobody"), 401); a.code() != "AuthenticationFailed" {
			t.Errorf("%s %s: %s", c.method, c.path, a.text)
		}
		if a := s.want(s.call(c.method, c.path, body, "X-Test-Caller", "stranger"), 403); a.code() != "AuthorizationFailed" {
			t.Errorf("%s %s: %s", c.method, c.path, a.text)
		}
	}
	a := s.want(s.call("PUT", group("app"), base, "X-Test-Caller", "app"), 201)
	if a.str("systemData", "createdBy") != "ci" || a.str("systemData", "createdByType") != "Application" {
		t.Errorf("systemData: %s", a.text)
	}
}

func TestLogs(t *testing.T) {
	f := newFake()
	s := start(t, func(o *Options) { o.Engine = f })
	s.put("g", `{"properties":{"containers":[{"name":"c","properties":{"image":"x"}},{"name":"broken","properties":{"image":"x"}}],"initContainers":[{"name":"i","properties":{"image":"x"}}]}}`)
	f.only(s)
	logs := func(container, query string) answer {
		return s.call("GET", strings.Replace(group("g"), "/g?", "/g/containers/"+container+"/logs?", 1)+query, "")
	}
	for _, c := range []struct{ container, query, want string }{
		{"c", "", "one\n\uFFFD\n"}, {"C", "&tail=10&timestamps=True&previous=false", "one\n\uFFFD\n"}, {"i", "&TAIL=1", "one\n\uFFFD\n"}, {"c", "&tail=0", ""},
	} {
		if a := s.want(logs(c.container, c.query), 200); a.get("content") != c.want {
			t.Errorf("%s%s: %s", c.container, c.query, a.text)
		}
	}
	for _, query := range []string{"&tail=-1", "&tail=x", "&tail=99999999999", "&timestamps=maybe", "&previous=2"} {
		if a := s.want(logs("c", query), 400); a.code() != "InvalidQueryParameter" || a.str("error", "target") == "" {
			t.Errorf("%s: %s", query, a.text)
		}
	}
	if a := s.want(logs("d", ""), 404); a.code() != "ContainerNotFound" {
		t.Errorf("%s", a.text)
	}
	if a := s.want(s.call("GET", strings.Replace(group("x"), "/x?", "/x/containers/c/logs?", 1), ""), 404); a.code() != "ResourceNotFound" {
		t.Errorf("%s", a.text)
	}
	if a := s.want(logs("broken", ""), 500); strings.Contains(a.text, "secret/place") {
		t.Errorf("%s", a.text)
	}
	// Known, but the engine has nothing of it: empty, not an error.
	key := f.only(s).Key
	f.mu.Lock()
	delete(f.status, key)
	f.mu.Unlock()
	if a := s.want(logs("c", ""), 200); a.text != `{"content":""}` {
		t.Errorf("%s", a.text)
	}
	if b, err := newest(strings.NewReader(strings.Repeat("a", 100)+"end"), 10); err != nil || string(b) != "aaaaaaaend" {
		t.Errorf("%q %v", b, err)
	}
}
