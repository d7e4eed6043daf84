package containergroup

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestBothNamespacesOneGroup(t *testing.T) {
	s := start(t, nil)
	vendorPath := strings.Replace(groupIn(vendor, "Web"), "2026-07-01", "2023-05-01", 1)
	a := s.want(s.call("PUT", vendorPath, oneContainer("")), 201)
	poll := a.header.Get("Azure-AsyncOperation")
	if !strings.Contains(poll, "/providers/Microsoft.ContainerInstance/locations/westus/operations/") || !strings.HasSuffix(poll, "?api-version=2023-05-01") {
		t.Errorf("polling URL: %s", poll)
	}
	s.settled("web")
	for _, c := range []struct{ path, namespace string }{
		{vendorPath, vendor}, {group("Web"), neutral},
		{strings.NewReplacer("containerGroups", "CONTAINERgroups", "resourceGroups/games", "resourcegroups/GAMES", "Vendor", "vendor").Replace(group("wEB")), neutral},
	} {
		a := s.want(s.call("GET", c.path, ""), 200)
		if a.str("type") != c.namespace+"/containerGroups" || a.str("id") != "/subscriptions/"+subscription+"/resourceGroups/games/providers/"+c.namespace+"/containerGroups/Web" || a.str("name") != "Web" {
			t.Errorf("%s: id %s, type %s", c.path, a.str("id"), a.str("type"))
		}
		o := s.want(s.call("GET", strings.Replace(poll, vendor, c.namespace, 1), ""), 200)
		if o.str("id") != a.str("id") {
			t.Errorf("operation: %s", o.text)
		}
	}
	// The polling address takes any well-formed version, the group does not.
	s.want(s.call("GET", strings.Replace(strings.Replace(poll, vendor, neutral, 1), "2023-05-01", "2018-06-01", 1), ""), 200)
	if e := s.want(s.call("GET", strings.Replace(group("web"), "2026-07-01", "2018-06-01", 1), ""), 400); e.code() != "InvalidApiVersionParameter" {
		t.Errorf("%s", e.text)
	}
	s.want(s.call("DELETE", group("web"), ""), 200)
	s.want(s.call("GET", vendorPath, ""), 404)
}

func TestOperationsThatAreNotThere(t *testing.T) {
	s := start(t, nil)
	poll := s.put("web", oneContainer("")).header.Get("Azure-AsyncOperation")
	for _, path := range []string{
		strings.Replace(poll, subscription, "00000000-1111-2222-3333-555555555555", 1),
		regexp.MustCompile(`operations/[^?]*`).ReplaceAllString(poll, "operations/00000000-0000-0000-0000-000000000000"),
		regexp.MustCompile(`operations/[^?]*`).ReplaceAllString(poll, "operations/x'y"),
		strings.Replace(regexp.MustCompile(`operations/[^?]*`).ReplaceAllString(poll, "operations/x%2Fy"), "operations", "operationResults", 1),
	} {
		if e := s.want(s.call("GET", path, ""), 404); e.code() != "ResourceNotFound" {
			t.Errorf("%s: %s", path, e.text)
		}
	}
}

// TestOperationsAreKeptForADay: finished operations can be polled for 24 hours
// and are gone some time later; those under way stay.
func TestOperationsAreKeptForADay(t *testing.T) {
	f := newFake()
	f.autorun = true
	var mu sync.Mutex
	now := time.Now()
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	s := start(t, func(o *Options) { o.Engine, o.Clock = f, clock })
	done := s.put("web", oneContainer("")).header.Get("Azure-AsyncOperation")
	s.settled("web")
	f.mu.Lock()
	f.autorun = false
	f.mu.Unlock()
	open := s.put("slow", oneContainer("")).header.Get("Azure-AsyncOperation")
	pass := func(d time.Duration) {
		mu.Lock()
		now = now.Add(d)
		mu.Unlock()
		if err := s.svc.purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pass(24 * time.Hour)
	s.want(s.call("GET", done, ""), 200)
	pass(2 * time.Hour)
	s.want(s.call("GET", done, ""), 404)
	s.want(s.call("GET", open, ""), 200)
}

func TestMethodsOfALaterDay(t *testing.T) {
	s := start(t, nil)
	s.put("web", oneContainer(""))
	for _, c := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"PATCH", group("web"), 405, "MethodNotAllowed"},
		{"POST", group("web"), 405, "MethodNotAllowed"},
		{"POST", strings.Replace(group("web"), "web?", "web/stop?", 1), 404, "InvalidResourceType"},
		{"POST", strings.Replace(group("web"), "web?", "web/containers/main/exec?", 1), 404, "InvalidResourceType"},
		{"PUT", strings.Replace(group("web"), "containerGroups", "containerGroupProfiles", 1), 404, "InvalidResourceType"},
	} {
		a := s.want(s.call(c.method, c.path, "{}"), c.status)
		if a.code() != c.code || a.header.Get("x-ms-error-code") != c.code {
			t.Errorf("%s %s: %s", c.method, c.path, a.text)
		}
		if c.status == http.StatusMethodNotAllowed && a.header.Get("Allow") != "DELETE, GET, PUT" {
			t.Errorf("Allow: %q", a.header.Get("Allow"))
		}
	}
}
