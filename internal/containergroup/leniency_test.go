package containergroup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestBadBodies(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	const head = "The request content was invalid"
	for _, c := range []struct{ what, body, target, message string }{
		{"empty", "", "", head},
		{"blank", "  ", "", head},
		{"an array", "[]", "", head},
		{"text", "hello", "", head},
		{"cut off", `{"properties":{"containers":[`, "", head},
		{"bytes after it", base + "}", "", head},
		{"a member twice", `{"location":"a","location":"b"}`, "", head},
		{"not UTF-8", "{\"location\":\"\xff\"}", "", head},
		{"too deep", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), "", head},
		{"containers is an object", with(t, "properties.containers", "{}"), "properties.containers",
			"The request content was invalid and could not be deserialized: 'an array is needed, not an object. Path 'properties.containers', line 1, position 49.'."},
		{"name is a number", with(t, "properties.containers.0.name", "5"), "properties.containers[0].name", head},
		{"port is a word", with(t, cp+".ports", `[{"port":"http"}]`), at + ".ports[0].port", head},
		{"port is no whole number", with(t, cp+".ports", `[{"port":80.5}]`), at + ".ports[0].port", head},
		{"cpu is true", with(t, cp+".resources.requests.cpu", "true"), at + ".resources.requests.cpu", head},
		{"osType is a list", with(t, "properties.osType", "[]"), "properties.osType", head},
		{"tags is text", with(t, "tags", `"x"`), "tags", head},
		{"a tag is an object", with(t, "tags", `{"a":{}}`), "tags.a", head},
		{"password is a number", with(t, "properties.imageRegistryCredentials", `[{"server":"r.example","username":"u","password":5}]`), "properties.imageRegistryCredentials[0].password", head},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := s.want(s.call("PUT", group("g"), c.body), 400)
			if a.code() != "InvalidRequestContent" || !strings.HasPrefix(a.str("error", "message"), c.message) || c.target != "" && a.str("error", "target") != c.target {
				t.Errorf("%s", a.text)
			}
			if c.target != "" && !strings.Contains(a.str("error", "message"), "Path '"+c.target+"', line 1, position ") {
				t.Errorf("no place: %s", a.text)
			}
		})
	}
	if a := s.want(s.call("PUT", group("g"), base, "Content-Type", "text/xml"), 415); a.code() != "UnsupportedMediaType" {
		t.Errorf("%s", a.text)
	}
	big := `{"tags":{"x":"` + strings.Repeat("a", 5<<20) + `"}}`
	if a := s.want(s.call("PUT", group("g"), big), 413); a.code() != "RequestEntityTooLarge" {
		t.Errorf("%s", a.text)
	}
}

// TestLeniency: what clients send in other forms, and the one form it comes back
// in.
func TestLeniency(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine, o.Region = newFake(), "North Europe" })
	told := func(name string) answer {
		t.Helper()
		return s.until(name, func(a answer) bool { return a.str("properties", "provisioningState") == "Creating" })
	}
	s.put("plain", base)
	plain := told("plain")
	same := func(what string, a answer) {
		t.Helper()
		for _, member := range []string{"id", "name", "systemData"} {
			delete(a.body, member)
			delete(plain.body, member)
		}
		got, _ := json.Marshal(a.body)
		want, _ := json.Marshal(plain.body)
		for _, path := range [][]any{{"properties", "ipAddress", "ip"}, {"properties", "containers", 0, "properties", "instanceView", "currentState", "startTime"}} {
			want = bytes.ReplaceAll(want, []byte(plain.str(path...)), []byte(a.str(path...)))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
	for i, c := range []struct{ what, body string }{
		{"numbers as text, names in any case", `{"Location":"West US","PROPERTIES":{"OsType":"linux","Containers":[{"Name":"c","Properties":{"Image":"nginx","Ports":[{"Port":"80"}],
			"resources":{"requests":{"CPU":"1.0","memoryInGb":"1.5"}}}}],"ipaddress":{"type":"public","ports":[{"port":"80","protocol":"Tcp"}]}}}`},
		{"80.0", with(t, cp+".ports", `[{"port":80.0}]`, "properties.ipAddress.ports", `[{"port":8e1}]`)},
		{"null for everything", with(t, "tags", "null", "zones", "null", "identity", "null", "properties.restartPolicy", "null", "properties.volumes", "null", "properties.initContainers", "null",
			"properties.imageRegistryCredentials", "null", "properties.priority", "null", "properties.sku", "null", cp+".command", "null", cp+".environmentVariables", "null", cp+".livenessProbe", "null")},
		{"empty everything", with(t, "tags", "{}", "zones", "[]", "properties.initContainers", "[]", cp+".environmentVariables", "[]", cp+".configMap", `{"keyValuePairs":{}}`, "properties.ipAddress.dnsNameLabel", `""`)},
		{"unknown members", with(t, "plan", `{"name":"x"}`, "properties.networkProfile", `{"id":"x"}`, cp+".colour", "[1,2]")},
		{"read-only members", with(t, "id", "5", "name", `{"x":1}`, "type", "[]", "systemData", `"x"`, "properties.provisioningState", "7", "properties.instanceView", "[]", "properties.isCreatedFromStandbyPool", `"x"`,
			cp+".instanceView", `{"restartCount":"many"}`, "properties.ipAddress.fqdn", "1", "properties.ipAddress.ip", `"not an address"`)},
	} {
		name := fmt.Sprintf("g%d", i)
		a := s.call("PUT", group(name), c.body)
		if a.status != 201 {
			t.Errorf("%s: %d %s", c.what, a.status, a.text)
			continue
		}
		same(c.what, told(name))
	}

	// Defaults of what is left out.
	s.put("bare", `{"properties":{"containers":[{"name":"c","properties":{"image":"nginx"}}]}}`)
	a := s.call("GET", group("bare"), "")
	if a.str("location") != "northeurope" || a.str("properties", "osType") != "Linux" || a.str("properties", "sku") != "Standard" || a.get("properties", "restartPolicy") != nil ||
		a.get("properties", "containers", 0, "properties", "resources", "requests", "cpu") != 1.0 || a.get("properties", "containers", 0, "properties", "resources", "requests", "memoryInGB") != 1.5 ||
		a.get("tags") == nil || a.get("properties", "ipAddress") != nil {
		t.Errorf("defaults: %s", a.text)
	}
	s.want(s.call("PUT", group("upper"), with(t, "properties.restartPolicy", `"ALWAYS"`, "properties.containers.0.properties.ports", `[{"port":80,"protocol":"UdP"}]`, "properties.ipAddress.ports", `[{"port":80,"protocol":"UDP"}]`)), 201)
	if a := s.call("GET", group("upper"), ""); a.str("properties", "restartPolicy") != "Always" || a.str("properties", "containers", 0, "properties", "ports", 0, "protocol") != "UDP" {
		t.Errorf("canonical: %s", a.text)
	}
}

func TestZonesAreSaidToHaveNoEffect(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	a := s.put("g", with(t, "zones", `["1"]`))
	if a.get("zones", 0) != "1" || a.str("properties", "instanceView", "events", 0, "name") != "NotEnforced" {
		t.Errorf("%s", a.text)
	}
}

func TestStrictMode(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine, o.Strict = newFake(), true })
	s.want(s.call("PUT", group("g"), base), 201)
	for _, c := range []struct{ what, body, code string }{
		{"no osType", with(t, "properties.osType", nil), "InvalidOsType"},
		{"no resources", with(t, cp+".resources", nil), "ResourceRequestsNotSpecified"},
		{"private address", with(t, "properties.ipAddress.type", `"Private"`), "PrivateIPAddressNotSupported"},
		{"zones", with(t, "zones", `["1"]`), "FeatureNotSupported"},
		{"small group", with(t, cp+".resources.requests.cpu", "0.5"), "InvalidResourceRequests"},
	} {
		if a := s.want(s.call("PUT", group("x"), c.body), 400); a.code() != c.code {
			t.Errorf("%s: %s", c.what, a.text)
		}
	}
}
