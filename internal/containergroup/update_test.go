package containergroup

import (
	"ludgate/internal/engine"
	"reflect"
	"strings"
	"testing"
)

func TestPutSupersedes(t *testing.T) {
	f := newFake()
	s := start(t, func(o *Options) { o.Engine = f })
	first := s.put("web", oneContainer("")).header.Get("Azure-AsyncOperation")
	key := f.only(s).Key
	b := s.want(s.call("PUT", group("web"), oneContainer("sleep 5")), 200)
	second := b.header.Get("Azure-AsyncOperation")
	if second == "" || second == first || b.str("properties", "provisioningState") != "Pending" {
		t.Fatalf("second PUT: %v %s", b.header, b.text)
	}
	w := f.wished(s, func(g *engine.Group) bool { return g.Generation == 2 })
	if w.Key != key || !reflect.DeepEqual(w.Containers[0].Command, []string{"sleep", "5"}) {
		t.Errorf("wish: %+v", w)
	}
	if o := s.call("GET", first, ""); o.str("status") != "Canceled" || o.str("error", "code") != "OperationPreempted" {
		t.Errorf("first operation: %s", o.text)
	}
	// An observation of the first wish says nothing about the second.
	f.see(key, &engine.Status{Generation: 1, Started: true})
	if o := s.call("GET", second, ""); o.str("status") != "InProgress" {
		t.Errorf("second operation: %s", o.text)
	}
	f.see(key, running(w))
	if a := s.settled("web"); a.str("properties", "provisioningState") != "Succeeded" {
		t.Errorf("%s", a.text)
	}
	if o := s.call("GET", second, ""); o.str("status") != "Succeeded" {
		t.Errorf("second operation: %s", o.text)
	}
}

func TestPutThatChangesNothing(t *testing.T) {
	f := newFake()
	f.autorun = true
	s := start(t, func(o *Options) { o.Engine = f })
	s.put("web", whole)
	before := s.settled("web")
	f.mu.Lock()
	ensured := f.ensured
	f.mu.Unlock()

	same := func(what, body string) {
		t.Helper()
		a := s.want(s.call("PUT", group("web"), body), 200)
		if a.header.Get("Azure-AsyncOperation") != "" || a.str("properties", "provisioningState") != "Succeeded" {
			t.Errorf("%s: %v %s", what, a.header, a.text)
		}
		if !reflect.DeepEqual(a.body, before.body) {
			t.Errorf("%s changed the group:\n%s\n%s", what, a.text, before.text)
		}
	}
	same("the same body", whole)
	same("the same body in other words", strings.NewReplacer(`"OnFailure"`, `"onfailure"`, `"port": 80`, `"PORT": "80"`, `"West US 2"`, `"westus2"`).Replace(whole))
	same("what GET gave", before.text)

	// Tags and the like are stored without an operation and without the engine.
	a := s.want(s.call("PUT", group("web"), strings.Replace(whole, `"blue"`, `"red"`, 1)), 200)
	if a.header.Get("Azure-AsyncOperation") != "" || a.str("tags", "team") != "red" || a.str("properties", "provisioningState") != "Succeeded" {
		t.Errorf("tags: %v %s", a.header, a.text)
	}
	if a := s.call("GET", group("web"), ""); a.str("tags", "team") != "red" {
		t.Errorf("tags: %s", a.text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ensured != ensured {
		t.Errorf("the engine was told %d times more", f.ensured-ensured)
	}
}

func TestPutWithoutAPreviousMemberRemovesIt(t *testing.T) {
	f := newFake()
	f.autorun = true
	s := start(t, func(o *Options) { o.Engine = f })
	s.put("web", whole)
	s.settled("web")
	s.put("web", oneContainer(""))
	a := s.settled("web")
	p, _ := a.get("properties").(map[string]any)
	if p["ipAddress"] != nil || p["imageRegistryCredentials"] != nil || len(a.get("tags").(map[string]any)) != 0 || len(p["initContainers"].([]any)) != 0 {
		t.Errorf("%s", a.text)
	}
	w := f.wished(s, func(g *engine.Group) bool { return g.Generation == 2 })
	if w.Address.IsValid() || w.Logins != nil || w.Publish != nil {
		t.Errorf("wish: %+v", w)
	}
	// Its names are free again.
	s.want(s.call("PUT", group("other"), whole), 201)
}

func TestOperatingSystemCannotChange(t *testing.T) {
	s := start(t, nil)
	s.put("web", oneContainer(""))
	a := s.want(s.call("PUT", group("web"), strings.Replace(oneContainer(""), "Linux", "Windows", 1)), 400)
	if a.code() != "InvalidContainerGroupUpdate" || a.str("error", "target") != "properties.osType" {
		t.Errorf("%s", a.text)
	}
}
