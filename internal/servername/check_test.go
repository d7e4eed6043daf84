package servername

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// TestReplies holds the three replies of the check against the published ones,
// byte for byte.
func TestReplies(t *testing.T) {
	f := start(t)
	if a := f.take(subB, "other", "server1"); a.status != 201 {
		t.Fatalf("take: %d %s", a.status, a.body)
	}
	for name, want := range map[string]string{
		"SERVER1": `{"name":"SERVER1","available":false,"message":"Specified server name contains unsupported characters or is too long. Server name must be no longer than 63 characters long, contain only lower-case characters or digits, cannot contain '.' or '_' characters and can't start or end with '-' character.","reason":"Invalid"}`,
		"server1": `{"name":"server1","available":false,"message":"Specified server name is already used","reason":"AlreadyExists"}`,
		"server2": `{"name":"server2","available":true}`,
	} {
		a := f.check(name)
		if a.status != 200 || a.body != want {
			t.Errorf("%s: %d\ngot  %s\nwant %s", name, a.status, a.body, want)
		}
		if a.header.Get("Content-Type") != "application/json; charset=utf-8" || a.header.Get("x-ms-request-id") == "" {
			t.Errorf("headers: %v", a.header)
		}
	}
}

// TestPublishedExamples runs the request and reply pairs of testdata, which are
// the specification's own, under the vendor namespace.
func TestPublishedExamples(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) != 3 {
		t.Fatalf("examples: %v, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var example struct {
				Parameters struct {
					Parameters     json.RawMessage
					SubscriptionID string
				}
				Responses map[string]struct{ Body map[string]any }
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &example); err != nil {
				t.Fatal(err)
			}
			f := start(t)
			want := example.Responses["200"].Body
			if want["reason"] == "AlreadyExists" {
				if a := f.take(subB, "rg", want["name"].(string)); a.status != 201 {
					t.Fatalf("take: %d %s", a.status, a.body)
				}
			}
			a := f.send("POST", checkPath(example.Parameters.SubscriptionID, "Microsoft.Sql")+neutralVersion, string(example.Parameters.Parameters))
			if got := a.decode(t); a.status != 200 || !reflect.DeepEqual(got, want) {
				t.Errorf("got %d %v, want %v", a.status, got, want)
			}
		})
	}
}

func TestNameRule(t *testing.T) {
	f := start(t)
	for _, name := range []string{"server1", "a", "1", "a-b", "a--b", "0-9", strings.Repeat("a", 62), strings.Repeat("a", 63), strings.Repeat("9", 62) + "z"} {
		if a := f.check(name); a.status != 200 || a.body != `{"name":"`+name+`","available":true}` {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for _, name := range []string{
		"SERVER1", "Server1", "servEr", "-a", "a-", "-", "--", "a.b", "a_b", "a b", " a", "a ", "   ", "sérver", "serverＡ", "a\x00", "a\nb",
		strings.Repeat("a", 64), strings.Repeat("é", 63), strings.Repeat("a", 62) + "-", "a/b", "ａ",
	} {
		a := f.check(name)
		m := a.decode(t)
		if a.status != 200 || m["name"] != name || m["available"] != false || m["reason"] != "Invalid" || m["message"] != invalidName || len(m) != 4 {
			t.Errorf("%q: %d %s", name, a.status, a.body)
		}
	}
}

// TestCheckRefused covers every refusal of the check, in the order of their
// precedence.
func TestCheckRefused(t *testing.T) {
	f := start(t)
	const (
		invalid     = "The check name availability request is invalid."
		unknownType = "Unknown resource type specified for a subscription level name availability check."
		noVersion   = "The api-version query parameter (?api-version=) is required for all requests."
	)
	for _, c := range []struct {
		name, path, body string
		status           int
		code, message    string
	}{
		{"no body", "", ``, 400, "InvalidNameAvailabilityRequest", invalid},
		{"not JSON", "", `{"name":"a",`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"no object", "", `["a"]`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"null", "", `null`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"trailing data", "", `{"name":"a","type":"Vendor.Sql/servers"}{}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"invalid UTF-8", "", "{\"name\":\"\xff\",\"type\":\"Vendor.Sql/servers\"}", 400, "InvalidNameAvailabilityRequest", invalid},
		{"name twice", "", `{"name":"a","name":"b","type":"Vendor.Sql/servers"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"name missing", "", `{"type":"Vendor.Sql/servers"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"name empty", "", `{"name":"","type":"Vendor.Sql/servers"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"name null", "", `{"name":null,"type":"Vendor.Sql/servers"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"name a number", "", `{"name":1,"type":"Vendor.Sql/servers"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"name an object", "", `{"name":{},"type":"Vendor.Sql/servers"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"type missing", "", `{"name":"a"}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"type empty", "", `{"name":"a","type":""}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"type null", "", `{"name":"a","type":null}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"type a boolean", "", `{"name":"a","type":true}`, 400, "InvalidNameAvailabilityRequest", invalid},
		{"type of something else", "", `{"name":"a","type":"Vendor.Sql/servers/databases"}`, 400, "UnknownNameType", unknownType},
		{"type of another namespace", "", `{"name":"a","type":"Microsoft.Sql/servers"}`, 400, "UnknownNameType", unknownType},
		{"neutral type on the vendor's path", checkPath(subA, "Microsoft.Sql") + neutralVersion, `{"name":"a","type":"Vendor.Sql/servers"}`, 400, "UnknownNameType", unknownType},
		{"type before name", "", `{"name":"NOT A NAME","type":"x"}`, 400, "UnknownNameType", unknownType},
		{"no version", checkPath(subA, "Vendor.Sql"), `{"name":"a","type":"Vendor.Sql/servers"}`, 400, "MissingApiVersionParameter", noVersion},
		{"empty version", checkPath(subA, "Vendor.Sql") + "?api-version=", `{}`, 400, "MissingApiVersionParameter", noVersion},
		{"other version", checkPath(subA, "Vendor.Sql") + "?api-version=2024-11-01-preview", `{}`, 400, "InvalidApiVersionParameter",
			"The api-version '2024-11-01-preview' is invalid. The supported versions are '2025-01-01'."},
		{"malformed version on the vendor's path", checkPath(subA, "Microsoft.Sql") + "?api-version=latest", `{}`, 400, "InvalidApiVersionParameter",
			"The api-version 'latest' is invalid. The supported versions are '2025-01-01'."},
		{"the first of two versions counts", checkPath(subA, "Vendor.Sql") + "?api-version=2020-01-01&api-version=2025-01-01", `{}`, 400, "InvalidApiVersionParameter",
			"The api-version '2020-01-01' is invalid. The supported versions are '2025-01-01'."},
		{"version before subscription", checkPath("abc", "Vendor.Sql"), `{}`, 400, "MissingApiVersionParameter", noVersion},
		{"subscription is no GUID", checkPath("abc", "Vendor.Sql") + neutralVersion, ``, 400, "InvalidSubscriptionId",
			"The provided subscription identifier 'abc' is malformed or invalid."},
		{"too large", "", `{"name":"` + strings.Repeat("a", maxBody) + `"}`, 413, "RequestEntityTooLarge", "The request body is larger than the limit of 65536 bytes."},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = checkPath(subA, "Vendor.Sql") + neutralVersion
			}
			a := f.send("POST", path, c.body)
			if a.status != c.status || a.code(t) != c.code || a.message(t) != c.message {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH"} {
		if a := f.send(method, checkPath(subA, "Vendor.Sql")+neutralVersion, ""); a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d %v", method, a.status, a.header)
		}
	}
}

// TestCheckAccepted covers what clients vary without meaning anything by it.
func TestCheckAccepted(t *testing.T) {
	f := start(t)
	const body = `{"name":"a","type":"Vendor.Sql/servers"}`
	for name, c := range map[string][2]string{
		"path segments in any case":     {strings.ToUpper(checkPath(subA, "Vendor.Sql")) + neutralVersion, body},
		"parameter name in any case":    {checkPath(subA, "Vendor.Sql") + "?API-Version=2025-01-01", body},
		"first of two versions":         {checkPath(subA, "Vendor.Sql") + neutralVersion + "&api-version=x", body},
		"subscription in upper case":    {checkPath(strings.ToUpper(subB), "Vendor.Sql") + neutralVersion, body},
		"type in any case":              {checkPath(subA, "Vendor.Sql") + neutralVersion, `{"name":"a","type":"VENDOR.sql/SERVERS"}`},
		"members in any case":           {checkPath(subA, "Vendor.Sql") + neutralVersion, `{"Name":"a","TYPE":"Vendor.Sql/servers"}`},
		"further members":               {checkPath(subA, "Vendor.Sql") + neutralVersion, `{"name":"a","type":"Vendor.Sql/servers","region":{"x":[1]}}`},
		"further query parameters":      {checkPath(subA, "Vendor.Sql") + neutralVersion + "&x=1", body},
		"vendor, version of the Go SDK": {checkPath(subA, "Microsoft.Sql") + "?api-version=2021-02-01-preview", `{"name":"a","type":"Microsoft.Sql/servers"}`},
		"vendor, newest version":        {checkPath(subA, "microsoft.sql") + neutralVersion, `{"name":"a","type":"microsoft.sql/servers"}`},
	} {
		if a := f.send("POST", c[0], c[1]); a.status != 200 || a.body != `{"name":"a","available":true}` {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

func TestCheckPermission(t *testing.T) {
	f := start(t)
	path := checkPath(subA, "Vendor.Sql") + neutralVersion
	for caller, want := range map[string]int{"nobody": 401, "reader": 403, "user": 200, "app": 200} {
		a := f.send("POST", path, `{"name":"a","type":"Vendor.Sql/servers"}`, "Caller", caller)
		if a.status != want {
			t.Errorf("%s: %d %s, want %d", caller, a.status, a.body, want)
		}
	}
	// Who may not ask learns nothing, not even that the question is malformed.
	if a := f.send("POST", path, `{`, "Caller", "reader"); a.status != 403 || a.code(t) != "AuthorizationFailed" {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if a := f.send("POST", checkPath(subA, "Vendor.Sql"), `{}`, "Caller", "nobody"); a.status != 401 || a.header.Get("WWW-Authenticate") == "" {
		t.Errorf("got %d %s %v", a.status, a.body, a.header)
	}
}

// TestCheckReservesNothing: many checks of one name at once while one caller
// takes it; every answer is one of the two true ones, and afterwards it is taken.
func TestCheckReservesNothing(t *testing.T) {
	f := start(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				m := f.check("contested").decode(t)
				if m["available"] != true && m["reason"] != "AlreadyExists" {
					t.Errorf("got %v", m)
				}
			}
		})
	}
	if a := f.take(subA, "rg", "contested"); a.status != 201 {
		t.Errorf("take: %d %s", a.status, a.body)
	}
	if m := f.check("contested").decode(t); m["reason"] != "AlreadyExists" {
		t.Errorf("after the take: %v", m)
	}
	wg.Wait()
}

// FuzzValidName holds the rule against its regular expression.
func FuzzValidName(f *testing.F) {
	for _, s := range []string{"a", "a-b", "-", "", "A", strings.Repeat("a", 63), strings.Repeat("a", 64), "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := validName(s), namePattern.MatchString(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	})
}
