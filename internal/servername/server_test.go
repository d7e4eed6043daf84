package servername

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

var namePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\z`)

// TestServer is the life of a server: made, changed, read, listed, removed.
func TestServer(t *testing.T) {
	f := start(t)
	path := serverPath(subA, "Games", "Vendor.Sql", "scores") + neutralVersion
	id := serverPath(subA, "Games", "Vendor.Sql", "scores")
	want := `{"id":"` + id + `","name":"scores","type":"Vendor.Sql/servers","location":"West Europe","tags":{"b":"2","é":""},"properties":{"state":"NameReserved"}}`
	if a := f.send("PUT", path, `{"location":"West Europe","tags":{"é":"","b":"2"}}`); a.status != 201 || a.body != want {
		t.Fatalf("create: %d %s\nwant %s", a.status, a.body, want)
	}
	// What was given may be sent back, a read again gives the same.
	if a := f.send("PUT", path, want); a.status != 200 || a.body != want {
		t.Errorf("send back: %d %s", a.status, a.body)
	}
	if a := f.send("GET", path, ""); a.status != 200 || a.body != want {
		t.Errorf("read: %d %s", a.status, a.body)
	}
	// PUT replaces: tags that are not sent are gone; the location stays.
	bare := `{"id":"` + id + `","name":"scores","type":"Vendor.Sql/servers","location":"West Europe","tags":{},"properties":{"state":"NameReserved"}}`
	if a := f.send("PUT", path, ``); a.status != 200 || a.body != bare {
		t.Errorf("replace: %d %s", a.status, a.body)
	}
	if a := f.send("PUT", path, `{"location":"westeurope","tags":null,"properties":null,"identity":null}`); a.status != 200 || a.body != bare {
		t.Errorf("other spelling of the location: %d %s", a.status, a.body)
	}
	if a := f.send("PUT", path, `{"location":"north"}`); a.status != 409 || a.code(t) != "InvalidResourceLocation" {
		t.Errorf("other location: %d %s", a.status, a.body)
	}
	// Subscription and resource group compare without regard to case; the first
	// spelling is given back, in the namespace that was asked.
	other := serverPath(strings.ToUpper(subA), "gAMES", "microsoft.sql", "scores") + "?api-version=2021-02-01-preview"
	vendor := strings.ReplaceAll(bare, "Vendor.Sql", "Microsoft.Sql")
	if a := f.send("GET", other, ""); a.status != 200 || a.body != vendor {
		t.Errorf("vendor: %d %s\nwant %s", a.status, a.body, vendor)
	}
	if a := f.send("HEAD", path, ""); a.status != 200 || a.body != "" {
		t.Errorf("HEAD: %d %s", a.status, a.body)
	}
	if a := f.send("DELETE", path, ""); a.status != 200 || a.body != "" {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if a := f.send("DELETE", path, ""); a.status != 204 {
		t.Errorf("delete again: %d %s", a.status, a.body)
	}
	if a := f.send("GET", path, ""); a.status != 404 || a.code(t) != "ResourceNotFound" ||
		a.message(t) != "The Resource 'Vendor.Sql/servers/scores' under resource group 'Games' was not found." {
		t.Errorf("read the removed: %d %s", a.status, a.body)
	}
	if a := f.send("GET", other, ""); a.message(t) != "The Resource 'Microsoft.Sql/servers/scores' under resource group 'gAMES' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix" {
		t.Errorf("vendor, read the removed: %d %s", a.status, a.body)
	}
	if m := f.check("scores").decode(t); m["available"] != true {
		t.Errorf("a removed server's name is free at once: %v", m)
	}
	// A new holder may live elsewhere.
	if a := f.take(subB, "rg", "scores"); a.status != 201 {
		t.Errorf("take again: %d %s", a.status, a.body)
	}
}

func TestServerDefaults(t *testing.T) {
	f := start(t)
	for i, body := range []string{``, `{}`, `{"location":null}`, `{"location":""}`} {
		path := serverPath(subA, "rg", "Vendor.Sql", fmt.Sprint("s", i)) + neutralVersion
		if a := f.send("PUT", path, body); a.status != 201 || !strings.Contains(a.body, `"location":"here"`) {
			t.Errorf("%q: %d %s", body, a.status, a.body)
		}
	}
}

// TestNameHasOneHolder: the register is one for all subscriptions.
func TestNameHasOneHolder(t *testing.T) {
	f := start(t)
	if a := f.take(subA, "one", "db"); a.status != 201 {
		t.Fatalf("take: %d %s", a.status, a.body)
	}
	if a := f.take(subA, "two", "db"); a.status != 409 || a.code(t) != "ServerAlreadyExists" || a.message(t) != "Duplicate server name." {
		t.Errorf("other group: %d %s", a.status, a.body)
	}
	if a := f.take(subB, "one", "db"); a.status != 400 || a.code(t) != "NameAlreadyExists" || a.message(t) != "The provided name already exists." {
		t.Errorf("other subscription: %d %s", a.status, a.body)
	}
	// Elsewhere the server is not to be seen, changed or removed.
	for _, p := range []string{serverPath(subA, "two", "Vendor.Sql", "db"), serverPath(subB, "one", "Vendor.Sql", "db")} {
		if a := f.send("GET", p+neutralVersion, ""); a.status != 404 {
			t.Errorf("%s: %d %s", p, a.status, a.body)
		}
		if a := f.send("DELETE", p+neutralVersion, ""); a.status != 204 {
			t.Errorf("%s: %d %s", p, a.status, a.body)
		}
	}
	if m := f.check("db").decode(t); m["reason"] != "AlreadyExists" {
		t.Errorf("still held: %v", m)
	}
}

func TestServerRefused(t *testing.T) {
	f := start(t)
	many := func(n int) string {
		var tags []string
		for i := range n {
			tags = append(tags, fmt.Sprintf(`"t%d":"v"`, i))
		}
		return `{"tags":{` + strings.Join(tags, ",") + `}}`
	}
	tag := func(key, value int) string {
		return `{"tags":{"` + strings.Repeat("é", key) + `":"` + strings.Repeat("é", value) + `"}}`
	}
	path := serverPath(subA, "rg", "Vendor.Sql", "db") + neutralVersion
	for _, c := range []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"upper case", serverPath(subA, "rg", "Vendor.Sql", "DB") + neutralVersion, `{}`, 400, "InvalidServerName"},
		{"64 characters", serverPath(subA, "rg", "Vendor.Sql", strings.Repeat("a", 64)) + neutralVersion, `{}`, 400, "InvalidServerName"},
		{"escaped slash", serverPath(subA, "rg", "Vendor.Sql", "a%2Fb") + neutralVersion, `{}`, 400, "InvalidServerName"},
		{"zero byte", serverPath(subA, "rg", "Vendor.Sql", "a%00") + neutralVersion, `{}`, 400, "InvalidRequestContent"},
		{"zero byte in the group", serverPath(subA, "r%00g", "Vendor.Sql", "a") + neutralVersion, `{}`, 400, "InvalidRequestContent"},
		{"group of 91", serverPath(subA, strings.Repeat("g", 91), "Vendor.Sql", "a") + neutralVersion, `{}`, 400, "InvalidResourceGroupName"},
		{"no version", serverPath(subA, "rg", "Vendor.Sql", "a"), `{}`, 400, "MissingApiVersionParameter"},
		{"login", path, `{"properties":{"administratorLogin":"sa"}}`, 400, "FeatureNotSupported"},
		{"password", path, `{"location":"here","properties":{"state":"x","administratorLoginPassword":"hunter2"}}`, 400, "FeatureNotSupported"},
		{"version", path, `{"properties":{"version":"12.0"}}`, 400, "FeatureNotSupported"},
		{"identity", path, `{"identity":{"type":"SystemAssigned"}}`, 400, "FeatureNotSupported"},
		{"properties a string", path, `{"properties":"x"}`, 400, "InvalidRequestContent"},
		{"tags a list", path, `{"tags":[]}`, 400, "InvalidRequestContent"},
		{"tag an object", path, `{"tags":{"a":{}}}`, 400, "InvalidRequestContent"},
		{"location a number", path, `{"location":1}`, 400, "InvalidRequestContent"},
		{"bad JSON", path, `{"location":`, 400, "InvalidRequestContent"},
		{"location of 65", path, `{"location":"` + strings.Repeat("é", 65) + `"}`, 400, "InvalidLocation"},
		{"location with a control", path, `{"location":"a\u0000"}`, 400, "InvalidLocation"},
		{"51 tags", path, many(51), 400, "InvalidTags"},
		{"tag without a name", path, tag(0, 1), 400, "InvalidTags"},
		{"tag name of 513", path, tag(513, 1), 400, "InvalidTags"},
		{"tag value of 257", path, tag(1, 257), 400, "InvalidTags"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := f.send("PUT", c.path, c.body)
			if a.status != c.status || a.code(t) != c.code {
				t.Errorf("got %d %s, want %d %s", a.status, a.body, c.status, c.code)
			}
			if strings.Contains(a.body, "hunter2") {
				t.Errorf("the reply repeats a password: %s", a.body)
			}
		})
	}
	if a := f.send("GET", path, ""); a.status != 404 {
		t.Errorf("a refused PUT left something: %d %s", a.status, a.body)
	}
	for _, body := range []string{`{"location":"` + strings.Repeat("é", 64) + `"}`, many(50), tag(512, 256)} {
		if a := f.send("PUT", path, body); a.status != 201 {
			t.Errorf("at the limit: %d %.200s", a.status, a.body)
		}
		f.send("DELETE", path, "")
	}
}

func TestServerPermission(t *testing.T) {
	f := start(t)
	one := serverPath(subA, "rg", "Vendor.Sql", "db") + neutralVersion
	all := serverPath(subA, "rg", "Vendor.Sql", "") + neutralVersion
	all = strings.Replace(all, "servers/", "servers", 1)
	for _, c := range []struct{ method, path string }{{"PUT", one}, {"GET", one}, {"DELETE", one}, {"GET", all}} {
		if a := f.send(c.method, c.path, "", "Caller", "reader"); a.status != 403 || a.code(t) != "AuthorizationFailed" {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.body)
		}
		if a := f.send(c.method, c.path, "", "Caller", "nobody"); a.status != 401 {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.body)
		}
		if a := f.send(c.method, c.path, "", "Caller", "user"); a.status > 201 {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.body)
		}
	}
}

// TestList walks pages and keeps subscriptions and groups apart.
func TestList(t *testing.T) {
	f := start(t)
	const n = pageSize + 2
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < n; i += 8 {
				if a := f.take(subA, "rg", fmt.Sprintf("s%04d", i)); a.status != 201 {
					t.Errorf("take: %d %s", a.status, a.body)
				}
			}
		})
	}
	wg.Wait()
	f.take(subA, "other", "a-elsewhere")
	f.take(subB, "rg", "b-elsewhere")
	group := strings.TrimSuffix(serverPath(subA, "RG", "Vendor.Sql", ""), "/") + neutralVersion
	a := f.send("GET", group, "")
	m := a.decode(t)
	page, _ := m["value"].([]any)
	next, _ := m["nextLink"].(string)
	if a.status != 200 || len(page) != pageSize || page[0].(map[string]any)["name"] != "s0000" || !strings.HasPrefix(next, f.URL) {
		t.Fatalf("first page: %d, %d servers, next %q", a.status, len(page), next)
	}
	rest := f.send("GET", strings.TrimPrefix(next, f.URL), "").decode(t)
	page, _ = rest["value"].([]any)
	if len(page) != 2 || page[1].(map[string]any)["name"] != fmt.Sprintf("s%04d", n-1) || rest["nextLink"] != nil {
		t.Errorf("second page: %v", rest)
	}
	sub := "/subscriptions/" + subA + "/providers/Vendor.Sql/servers" + neutralVersion
	m = f.send("GET", sub, "").decode(t)
	if page, _ = m["value"].([]any); len(page) != pageSize || page[0].(map[string]any)["name"] != "a-elsewhere" {
		t.Errorf("subscription: %d servers", len(page))
	}
	if a := f.send("GET", strings.Replace(sub, subA, "bbbbbbbb-1111-2222-3333-444444444444", 1), ""); a.body != `{"value":[]}` {
		t.Errorf("empty: %s", a.body)
	}
	for _, q := range []string{"&$filter=x", "&$top=1", "&$skiptoken=A", "&$skiptoken=%00"} {
		if a := f.send("GET", sub+q, ""); a.status != 400 || a.code(t) != "InvalidQueryParameter" {
			t.Errorf("%s: %d %s", q, a.status, a.body)
		}
	}
}

// TestConcurrentTakes: of many callers who take one name at once, one gets it.
func TestConcurrentTakes(t *testing.T) {
	st := storetest.Open(t, Area)
	f := startOn(t, st)
	const callers = 16
	for round := range 5 {
		name := fmt.Sprint("name", round)
		statuses := make([]answer, callers)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() { statuses[i] = f.take(subA, fmt.Sprint("rg", i), name) })
		}
		wg.Wait()
		won := 0
		for _, a := range statuses {
			switch {
			case a.status == http.StatusCreated:
				won++
			case a.status != 409 || a.code(t) != "ServerAlreadyExists":
				t.Errorf("got %d %s", a.status, a.body)
			}
		}
		if won != 1 {
			t.Errorf("%d callers took %s", won, name)
		}
	}
	// A claim and its server are one: as many names as rows.
	count := func(sql string) (n int64) {
		err := st.Read(t.Context(), func(tx store.Tx) error {
			_, err := store.QueryOne(tx, store.NewStmt("count", sql), func(r store.Row) error { n = r.Int(0); return nil })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if names, rows := count(`SELECT count(*) FROM ledger`), count(`SELECT count(*) FROM server_names`); names != 5 || rows != 5 {
		t.Errorf("%d names, %d servers", names, rows)
	}
}
