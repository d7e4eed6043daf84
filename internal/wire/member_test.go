package wire

import "testing"

func TestMissingMember(t *testing.T) {
	body := []byte("{\"Properties\":{\n \"containers\":[{\"name\":\"a\"},{\"NAME\":null, \"x\":{}}]}}")
	for _, c := range []struct{ path, name, want string }{
		{"", "properties", ""},
		{"", "location", "The request content was invalid and could not be deserialized: 'Required property 'location' not found in JSON. Path '', line 2, position 52.'."},
		{"properties.containers[0]", "name", ""},
		{"properties.containers[0]", "properties", "The request content was invalid and could not be deserialized: 'Required property 'properties' not found in JSON. Path 'properties.containers[0]', line 2, position 27.'."},
		{"properties.containers[1]", "name", "The request content was invalid and could not be deserialized: 'Required property 'name' not found in JSON. Path 'properties.containers[1]', line 2, position 49.'."},
		{"properties.containers[2]", "name", ""},
		{"properties.nothing", "name", ""},
		{"properties.containers", "name", ""},
	} {
		got := ""
		if e := missingMember(body, c.path, c.name); e != nil {
			got = e.Message
		}
		if got != c.want {
			t.Errorf("%s.%s:\n got %s\nwant %s", c.path, c.name, got, c.want)
		}
	}
	if e := missingMember(body, "properties.containers[1]", "name"); e.Target != "properties.containers[1].name" || e.Code != "InvalidRequestContent" {
		t.Errorf("target %q, code %q", e.Target, e.Code)
	}
}
