package directory

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"ludgate/internal/store"
)

// TestBodies: how a body may arrive, and what is no body of a group.
func TestBodies(t *testing.T) {
	f := start(t)
	zipped := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
		want       string // in the message
	}{
		{"gzip", zipped(security("zip")), []string{"Content-Encoding", "gzip"}, 201, ""},
		{"broken gzip", zipped(security("zip2"))[:30], []string{"Content-Encoding", "gzip"}, 400, "ended early"},
		{"gzip that grows too large", zipped(security("zip3", J{"x": strings.Repeat("a", maxBody)})), []string{"Content-Encoding", "gzip"}, 413, "larger than the limit of 262144 bytes"},
		{"too large", security("big", J{"x": strings.Repeat("a", maxBody)}), nil, 413, "larger than the limit of 262144 bytes"},
		{"empty", "", nil, 400, "the body is empty"},
		{"not JSON", `displayName=x`, nil, 400, "must be a JSON object"},
		{"cut short", security("cut")[:40], nil, 400, "not valid JSON"},
		{"an array", `[` + security("x") + `]`, nil, 400, "must be a JSON object"},
		{"null", `null`, nil, 400, "must be a JSON object"},
		{"two objects", security("x") + `{}`, nil, 400, "not valid JSON"},
		{"a property twice", `{"displayName":"a","displayName":"b"}`, nil, 400, "duplicate"},
		{"not UTF-8", "{\"displayName\":\"\xff\"}", nil, 400, "invalid UTF-8"},
		{"half a surrogate pair", `{"displayName":"\ud800"}`, nil, 400, "not valid JSON"},
		{"too deep", `{"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, nil, 400, "deeper than 64"},
		{"members in another case are unknown", strings.Replace(security("case"), "displayName", "DisplayName", 1), nil, 400, requiredText("displayName")},
		{"another content type", security("x"), []string{"Content-Type", "text/xml"}, 415, "text/xml"},
		{"odata content type", security("odata"), []string{"Content-Type", "application/json;odata.metadata=minimal"}, 201, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := f.send("POST", "/v1.0/groups", c.body, append(c.headers, "client-request-id", "mine")...)
			a.t = t
			if a.status != c.status {
				t.Fatalf("got %d %s, want %d", a.status, a.body, c.status)
			}
			if a.header.Get("client-request-id") != "mine" {
				t.Errorf("headers: %v", a.header)
			}
			if c.status == 201 {
				return
			}
			if code, message, _ := a.failure(); !strings.Contains(message, c.want) || c.status == 400 && code != "Request_BadRequest" {
				t.Errorf("got %s, want %s", a.body, c.want)
			}
			inner, _ := a.object()["error"].(map[string]any)["innerError"].(map[string]any)
			if inner["client-request-id"] != "mine" || inner["request-id"] != a.header.Get("request-id") || len(inner["date"].(string)) != len("2006-01-02T15:04:05") {
				t.Errorf("innerError: %v", inner)
			}
		})
	}
	for _, c := range []struct{ method, path, allow string }{
		{"GET", "/v1.0/groups", "POST"}, {"DELETE", "/groups", "POST"}, {"PUT", "/v1.0/groups/" + tenant, "DELETE, GET, PATCH"}, {"POST", byName("x"), "DELETE, GET, PATCH"},
	} {
		if a := f.send(c.method, c.path, ""); a.status != 405 || a.header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d %v", c.method, c.path, a.status, a.header)
		}
	}
	for _, path := range []string{"/v1.0/groups/" + tenant + "/members", "/v2.0/groups", "/v1.0/users/" + tenant, "/beta"} {
		if a := f.send("GET", path, ""); a.status != 404 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestConcurrentUpserts: one name makes one group; the others update it.
func TestConcurrentUpserts(t *testing.T) {
	f := start(t)
	const callers, rounds = 16, 4
	for round := range rounds {
		name := fmt.Sprint("name", round)
		answers := make([]answer, callers)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				// Also in another case: it is the same name.
				spelling := name
				if i%2 == 1 {
					spelling = strings.ToUpper(name)
				}
				answers[i] = f.upsert(spelling, security(name, J{"uniqueName": gone{}, "displayName": fmt.Sprint("by ", i)}))
			})
		}
		wg.Wait()
		made := 0
		for _, a := range answers {
			switch a.status {
			case 201:
				made++
			case 204:
			default:
				t.Errorf("got %d %s", a.status, a.body)
			}
		}
		if made != 1 {
			t.Errorf("%s was made %d times", name, made)
		}
	}
	f.agree(rounds)
}

// TestConcurrentNicknames: of unified groups that want one nickname, by creation
// and by update, one gets it, and the others leave nothing behind.
func TestConcurrentNicknames(t *testing.T) {
	f := start(t)
	const callers = 8
	var ids []string
	for i := range callers {
		ids = append(ids, f.create(office(fmt.Sprint("old", i))))
	}
	answers := make([]answer, 2*callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			answers[i] = f.send("POST", "/v1.0/groups", office(fmt.Sprint("new", i), J{"mailNickname": "Wanted"}))
		})
		wg.Go(func() {
			answers[callers+i] = f.send("PATCH", "/v1.0/groups/"+ids[i], `{"mailNickname":"wanted"}`)
		})
	}
	wg.Wait()
	got, groups := 0, callers
	for _, a := range answers {
		switch a.status {
		case 201:
			got, groups = got+1, groups+1
		case 204:
			got++
		case 400:
		default:
			t.Errorf("got %d %s", a.status, a.body)
		}
	}
	if got != 1 {
		t.Errorf("%d groups got the nickname", got)
	}
	f.agree(int64(2 * groups)) // each has a uniqueName and a nickname
}

// agree holds the ledger against the groups: that many names, and each name's
// owner is a group.
func (f *fixture) agree(names int64) {
	f.t.Helper()
	var have, orphans int64
	err := f.store.Read(f.t.Context(), func(tx store.Tx) error {
		_, err := store.QueryOne(tx, store.NewStmt("agree", `SELECT count(*), (SELECT count(*) FROM ledger WHERE owner NOT IN (SELECT id FROM directory_groups)) FROM ledger`),
			func(r store.Row) error { have, orphans = r.Int(0), r.Int(1); return nil })
		return err
	})
	if err != nil || have != names || orphans != 0 {
		f.t.Errorf("%d names, want %d; %d without a group; %v", have, names, orphans, err)
	}
}
