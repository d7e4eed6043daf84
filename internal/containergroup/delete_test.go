package containergroup

import (
	"strings"
	"testing"
	"time"
)

func TestDelete(t *testing.T) {
	s := start(t, nil)
	s.want(s.call("DELETE", group("web"), ""), 204)
	s.put("web", oneContainer(""))
	s.settled("web")
	a := s.want(s.call("DELETE", group("WEB"), ""), 200)
	if a.str("name") != "web" || a.str("properties", "provisioningState") != "Succeeded" || a.str("properties", "instanceView", "state") != "Running" {
		t.Errorf("last body: %s", a.text)
	}
	if e := s.want(s.call("GET", group("web"), ""), 404); e.code() != "ResourceNotFound" ||
		e.str("error", "message") != "The Resource 'Vendor.ContainerInstance/containerGroups/web' under resource group 'games' was not found." {
		t.Errorf("%s", e.text)
	}
	if l := s.call("GET", strings.Replace(group(""), "/?", "?", 1), ""); l.text != `{"value":[]}` {
		t.Errorf("list: %s", l.text)
	}
	s.want(s.call("DELETE", group("web"), ""), 204)
	s.want(s.call("PUT", group("web"), oneContainer("")), 201)
	keys, _ := s.eng.Keys(t.Context())
	if len(keys) > 1 {
		t.Errorf("the engine holds %v", keys)
	}
}

func TestDeleteWhileCreating(t *testing.T) {
	f := newFake()
	s := start(t, func(o *Options) { o.Engine = f })
	poll := s.put("web", oneContainer("")).header.Get("Azure-AsyncOperation")
	f.only(s)
	s.want(s.call("DELETE", group("web"), ""), 200)
	o := s.want(s.call("GET", poll, ""), 200)
	if o.str("status") != "Canceled" || o.str("error", "code") != "OperationPreempted" {
		t.Errorf("operation: %s", o.text)
	}
}

// TestSlowDelete: containers that do not end in time make a 202 that can be
// polled in both ways, and a PUT meanwhile makes a group of its own.
func TestSlowDelete(t *testing.T) {
	f := newFake()
	f.autorun = true
	s := start(t, func(o *Options) { o.Engine, o.DeleteWait = f, 30*time.Millisecond })
	s.put("web", whole)
	first := s.settled("web")
	hold := make(chan struct{})
	f.mu.Lock()
	f.hold = hold
	f.mu.Unlock()

	a := s.want(s.call("DELETE", group("web"), ""), 202)
	poll, result := a.header.Get("Azure-AsyncOperation"), a.header.Get("Location")
	if poll == "" || !strings.Contains(result, "/operationResults/") || a.header.Get("Retry-After") != "1" {
		t.Fatalf("headers: %v", a.header)
	}
	if o := s.want(s.call("GET", poll, ""), 200); o.str("status") != "InProgress" {
		t.Errorf("%s", o.text)
	}
	if o := s.want(s.call("GET", result, ""), 202); o.header.Get("Location") == "" || o.header.Get("Retry-After") != "1" {
		t.Errorf("%v", o.header)
	}
	if g := s.want(s.call("GET", group("web"), ""), 200); g.str("properties", "provisioningState") != "Deleting" {
		t.Errorf("%s", g.text)
	}
	// A second DELETE waits for the same end.
	if b := s.want(s.call("DELETE", group("web"), ""), 202); b.header.Get("Azure-AsyncOperation") != poll {
		t.Errorf("second DELETE: %v", b.header)
	}
	// A PUT makes a new group, with the label but not the address of the old one.
	s.want(s.call("PUT", group("web"), whole), 201)
	second := s.settled("web")
	if a, b := first.str("properties", "ipAddress", "ip"), second.str("properties", "ipAddress", "ip"); a == b || b == "" {
		t.Errorf("addresses %q and %q: the old one may still be listened on", a, b)
	}
	close(hold)
	for s.call("GET", poll, "").str("status") != "Succeeded" {
		time.Sleep(time.Millisecond)
	}
	s.want(s.call("GET", result, ""), 204)
	if g := s.want(s.call("GET", group("web"), ""), 200); g.str("properties", "provisioningState") != "Succeeded" {
		t.Errorf("the new group: %s", g.text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wishes) != 1 || len(f.removed) != 1 {
		t.Errorf("the engine has %d groups and removed %d", len(f.wishes), len(f.removed))
	}
}
