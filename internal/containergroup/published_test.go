package containergroup

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// published is where public examples lie beside the project, if they do.
const published = "../../../shared/examples/containers"

// readPublished reads the examples of a folder into documents of one shape.
func readPublished[T any](t *testing.T, folder string) map[string]T {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(published, folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("no published examples beside the project")
	}
	out := map[string]T{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var doc T
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = doc
	}
	return out
}

// TestPublishedRequests puts requests of public documentation: each is stored, or
// refused for nothing but members that are not carried out yet.
func TestPublishedRequests(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	try := func(name string, body json.RawMessage) {
		if body == nil {
			return
		}
		a := s.call("PUT", groupIn(vendor, name), string(body))
		if a.status == 201 {
			t.Logf("%s: stored", name)
			return
		}
		faults, _ := a.get("error", "details").([]any)
		if faults == nil {
			faults = []any{a.get("error")}
		}
		for _, e := range faults {
			m, _ := e.(map[string]any)
			if t.Logf("%s: %s %s", name, m["code"], m["target"]); m["code"] != "FeatureNotSupported" {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
	for name, doc := range readPublished[struct{ Body json.RawMessage }](t, "requests") {
		try(name, doc.Body)
	}
	for name, doc := range readPublished[struct {
		Parameters struct{ ContainerGroup json.RawMessage }
	}](t, "spec") {
		try(name, doc.Parameters.ContainerGroup)
	}
}

// TestRecordedExchanges repeats PUTs that a public client sent to a real
// service: what that service answered is in the answer here, member by member.
func TestRecordedExchanges(t *testing.T) {
	// Of older versions, or of the moment.
	other := map[string]bool{"provisioningTimeoutInSeconds": true, "isCustomProvisioningTimeout": true, "events": true}
	var within func(path string, real, ours any)
	within = func(path string, real, ours any) {
		switch real := real.(type) {
		case map[string]any:
			m, _ := ours.(map[string]any)
			for k, v := range real {
				if !other[k] {
					within(path+"."+k, v, m[k])
				}
			}
		case []any:
			l, _ := ours.([]any)
			if len(l) != len(real) {
				t.Errorf("%s: %d elements, the real service has %d", path, len(l), len(real))
				return
			}
			for i := range real {
				within(fmt.Sprintf("%s[%d]", path, i), real[i], l[i])
			}
		default:
			if !reflect.DeepEqual(real, ours) {
				t.Errorf("%s: %v, the real service says %v", path, ours, real)
			}
		}
	}
	for name, doc := range readPublished[struct {
		Exchanges []struct {
			Method, URI               string
			RequestBody, ResponseBody json.RawMessage
			Status                    int
		}
	}](t, "recordings") {
		s := start(t, func(o *Options) { o.Engine = newFake() })
		for _, e := range doc.Exchanges {
			if e.Method != "PUT" {
				continue
			}
			u, err := url.Parse(e.URI)
			if err != nil {
				t.Fatal(err)
			}
			a := s.call("PUT", u.RequestURI(), string(e.RequestBody))
			if a.status == 400 && a.code() == "FeatureNotSupported" {
				t.Logf("%s: %s is not carried out yet", name, a.str("error", "target"))
				continue
			}
			s.want(a, e.Status)
			var real any
			if err := json.Unmarshal(e.ResponseBody, &real); err != nil {
				t.Fatal(err)
			}
			within(name, real, a.body)
		}
	}
}
