package containergroup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// base is a body that breaks no rule; tests change one place of it.
const base = `{"location":"westus","properties":{"osType":"Linux",
	"containers":[{"name":"c","properties":{"image":"nginx","ports":[{"port":80}],"resources":{"requests":{"cpu":1,"memoryInGB":1.5}}}}],
	"ipAddress":{"type":"Public","ports":[{"port":80}]}}}`

// with sets (or, with nil, removes) the member at a dotted path of base.
func with(t testing.TB, changes ...any) string {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(base), &body); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(changes); i += 2 {
		var at any = body
		path := strings.Split(changes[i].(string), ".")
		for _, p := range path[:len(path)-1] {
			switch v := at.(type) {
			case map[string]any:
				at = v[p]
			case []any:
				n := 0
				if _, err := fmt.Sscan(p, &n); err != nil {
					t.Fatal(err)
				}
				at = v[n]
			}
		}
		m, last := at.(map[string]any), path[len(path)-1]
		var value any
		if s, ok := changes[i+1].(string); ok {
			if err := json.Unmarshal([]byte(s), &value); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			m[last] = value
		} else {
			delete(m, last)
		}
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// list makes a JSON array of n elements; %d in element is the number of each.
func list(n int, element string) string {
	var all []string
	for i := range n {
		all = append(all, strings.ReplaceAll(element, "%d", fmt.Sprint(i)))
	}
	return "[" + strings.Join(all, ",") + "]"
}

const (
	cp  = "properties.containers.0.properties"
	at  = "properties.containers[0].properties"
	two = `[{"name":"a","properties":{"image":"x","ports":[{"port":80}]}},{"name":"b","properties":{"image":"x"%s}}]`
)

// TestRules is the validation table: every way to be wrong with its code,
// target and words.
func TestRules(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	second := func(extra string) string { return strings.ReplaceAll(two, "%s", extra) }
	for _, c := range []struct {
		what         string
		body         string
		code, target string
		message      string // "" when any will do
	}{
		{"no properties", `{"location":"westus"}`, "InvalidRequestContent", "properties",
			"The request content was invalid and could not be deserialized: 'Required property 'properties' not found in JSON. Path '', line 1, position 21.'."},
		{"null properties", `{"properties":null}`, "InvalidRequestContent", "properties", ""},
		{"no containers", with(t, "properties.containers", nil, "properties.ipAddress", nil), "InvalidRequestContent", "properties.containers", ""},
		{"empty containers", with(t, "properties.containers", "[]", "properties.ipAddress", nil), "MissingContainers", "properties.containers",
			"The containers in container group 'g' cannot be empty."},
		{"container without name", with(t, "properties.containers.0.name", nil), "InvalidRequestContent", "properties.containers[0].name",
			"The request content was invalid and could not be deserialized: 'Required property 'name' not found in JSON. Path 'properties.containers[0]', line 1, position 155.'."},
		{"container without properties", with(t, "properties.containers", `[{"name":"c"}]`, "properties.ipAddress", nil), "InvalidRequestContent", "properties.containers[0].properties", ""},
		{"init container without name", with(t, "properties.initContainers", `[{"properties":{"image":"x"}}]`), "InvalidRequestContent", "properties.initContainers[0].name", ""},
		{"init container without properties", with(t, "properties.initContainers", `[{"name":"i"}]`), "InvalidRequestContent", "properties.initContainers[0].properties", ""},
		{"port without port", with(t, cp+".ports", `[{"port":80},{"protocol":"TCP"}]`), "InvalidRequestContent", at + ".ports[1].port", ""},
		{"variable without name", with(t, cp+".environmentVariables", `[{"value":"x"}]`), "InvalidRequestContent", at + ".environmentVariables[0].name", ""},
		{"address without type", with(t, "properties.ipAddress", `{"ports":[{"port":80}]}`), "InvalidRequestContent", "properties.ipAddress.type", ""},
		{"address without ports", with(t, "properties.ipAddress", `{"type":"Public"}`), "InvalidRequestContent", "properties.ipAddress.ports", ""},
		{"address port without port", with(t, "properties.ipAddress", `{"type":"Public","ports":[{}]}`), "InvalidRequestContent", "properties.ipAddress.ports[0].port", ""},
		{"credential without server", with(t, "properties.imageRegistryCredentials", `[{"username":"u","password":"p"}]`), "InvalidRequestContent", "properties.imageRegistryCredentials[0].server", ""},

		{"osType", with(t, "properties.osType", `"Plan9"`), "InvalidOsType", "properties.osType",
			"The 'osType' for container group 'g' is invalid. The value must be one of 'Windows,Linux'."},
		{"restartPolicy", with(t, "properties.restartPolicy", `"Sometimes"`), "InvalidRestartPolicy", "properties.restartPolicy",
			"The 'restartPolicy' for container group 'g' is invalid. The value must be one of 'Always,OnFailure,Never'."},
		{"sku", with(t, "properties.sku", `"Gold"`), "InvalidSku", "properties.sku", ""},
		{"priority", with(t, "properties.priority", `"High"`), "PriorityNotSpecified", "properties.priority",
			"The 'Priority' must be one of 'Regular,Spot' for container group 'g'."},
		{"protocol", with(t, cp+".ports", `[{"port":80},{"port":81,"protocol":"SCTP"}]`), "InvalidProtocol", at + ".ports[1].protocol", ""},
		{"address type", with(t, "properties.ipAddress.type", `"Secret"`), "InvalidIpAddressType", "properties.ipAddress.type", ""},
		{"reuse scope", with(t, "properties.ipAddress.autoGeneratedDomainNameLabelScope", `"Mine"`), "InvalidAutoGeneratedDomainNameLabelScope", "properties.ipAddress.autoGeneratedDomainNameLabelScope", ""},
		{"identity type", with(t, "identity", `{"type":"Nobody"}`), "InvalidIdentityType", "identity.type", ""},
		{"location", with(t, "location", `"west/us"`), "InvalidLocation", "location", ""},

		{"no resource requests", with(t, cp+".resources", "{}"), "ResourceRequestsNotSpecified", at + ".resources.requests",
			"The resource requests are not specified in container 'c' of contain group 'g'. Both memory and CPU requests are required since API version '2017-07-01-preview'."},
		{"empty resource requests", with(t, cp+".resources", `{"requests":{}}`), "ResourceRequestsNotSpecified", at + ".resources.requests", ""},
		{"no memory", with(t, cp+".resources", `{"requests":{"cpu":1}}`), "ResourceSomeRequestsNotSpecified", at + ".resources.requests.memoryInGB",
			"The 'MemoryInGB' request is not specified in 'requests' in container 'c' of contain group 'g'. It is required since API version '2017-07-01-preview'."},
		{"no cpu", with(t, cp+".resources", `{"requests":{"memoryInGB":1}}`), "ResourceSomeRequestsNotSpecified", at + ".resources.requests.cpu", ""},
		{"cpu 0", with(t, cp+".resources", `{"requests":{"cpu":0,"memoryInGB":1}}`), "InvalidResourceRequests", at + ".resources.requests.cpu", ""},
		{"memory below 0", with(t, cp+".resources", `{"requests":{"cpu":1,"memoryInGB":-1}}`), "InvalidResourceRequests", at + ".resources.requests.memoryInGB", ""},
		{"limit below request", with(t, cp+".resources", `{"requests":{"cpu":1,"memoryInGB":1},"limits":{"cpu":0.5}}`), "InvalidResourceLimits", at + ".resources.limits.cpu", ""},
		{"limit above the group", with(t, cp+".resources", `{"requests":{"cpu":1,"memoryInGB":1},"limits":{"memoryInGB":2}}`), "InvalidResourceLimits", at + ".resources.limits.memoryInGB", ""},
		{"too much cpu", with(t, cp+".resources", `{"requests":{"cpu":32,"memoryInGB":1}}`), "InvalidResourceRequests", "properties.containers", ""},
		{"too much memory", with(t, cp+".resources", `{"requests":{"cpu":1,"memoryInGB":241}}`), "InvalidResourceRequests", "properties.containers", ""},

		{"container name in upper case", with(t, "properties.containers.0.name", `"My"`), "InvalidContainerName", "properties.containers[0].name",
			"The container name 'My' in container group 'g' is invalid. The container name must contain no more than 63 characters and must match the regex '[a-z0-9]([-a-z0-9]*[a-z0-9])?' (e.g. 'my-name')."},
		{"empty container name", with(t, "properties.containers.0.name", `""`), "InvalidContainerName", "properties.containers[0].name", ""},
		{"container name of 64", with(t, "properties.containers.0.name", `"`+strings.Repeat("a", 64)+`"`), "InvalidContainerName", "properties.containers[0].name", ""},
		{"container name ends in hyphen", with(t, "properties.containers.0.name", `"a-"`), "InvalidContainerName", "properties.containers[0].name", ""},
		{"same name twice", with(t, "properties.initContainers", `[{"name":"c","properties":{"image":"x"}}]`), "DuplicateContainerName", "properties.containers[0].name", ""},
		{"no image", with(t, cp+".image", nil), "MissingContainerImage", at + ".image", ""},
		{"blank image", with(t, cp+".image", `" "`), "MissingContainerImage", at + ".image", ""},
		{"zero byte in command", with(t, cp+".command", `["a","b\u0000"]`), "InvalidContainerCommand", at + ".command[1]", ""},
		{"variable name", with(t, cp+".environmentVariables", `[{"name":"OK"},{"name":"1A"}]`), "InvalidContainerEnvironmentVariable", at + ".environmentVariables[1].name",
			"The environment variable name in container 'c' of container group 'g' is invalid. A valid environment variable name must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName')."},
		{"empty variable name", with(t, cp+".environmentVariables", `[{"name":""}]`), "InvalidContainerEnvironmentVariable", at + ".environmentVariables[0].name", ""},
		{"variable name of 64", with(t, cp+".environmentVariables", `[{"name":"`+strings.Repeat("A", 64)+`"}]`), "InvalidContainerEnvironmentVariable", at + ".environmentVariables[0].name", ""},
		{"zero byte in a value", with(t, cp+".environmentVariables", `[{"name":"A","value":"\u0000"}]`), "InvalidContainerEnvironmentVariable", at + ".environmentVariables[0].value", ""},
		{"port 0", with(t, cp+".ports", `[{"port":80},{"port":0}]`), "InvalidPort", at + ".ports[1].port", ""},
		{"port 65536", with(t, cp+".ports", `[{"port":80},{"port":65536}]`), "InvalidPort", at + ".ports[1].port", ""},
		{"same port in two containers", with(t, "properties.containers", second(`,"ports":[{"port":80,"protocol":"tcp"}]`)), "DuplicateContainerPort", "properties.containers[1].properties.ports[0].port",
			"Port '80' (TCP) is used by containers 'a' and 'b' in container group 'g'."},

		{"empty address ports", with(t, "properties.ipAddress.ports", "[]"), "MissingIpAddressPorts", "properties.ipAddress.ports",
			"The ports in the 'ipAddress' of container group 'g' cannot be empty."},
		{"unused address ports", with(t, "properties.ipAddress.ports", `[{"port":443},{"port":80,"protocol":"UDP"},{"port":80}]`), "UnreferencedIpAddressPorts", "properties.ipAddress.ports",
			"Following ports '443,80' in the 'ipAddress' are not used by any container in container group 'g'."},
		{"address port twice", with(t, "properties.ipAddress.ports", `[{"port":80},{"port":80,"protocol":"TCP"}]`), "DuplicateIpAddressPort", "properties.ipAddress.ports[1].port", ""},
		{"six address ports", with(t, cp+".ports", list(6, `{"port":8%d}`), "properties.ipAddress.ports", list(6, `{"port":8%d}`)), "ContainerGroupLimitExceeded", "properties.ipAddress.ports", ""},
		{"label of 4", with(t, "properties.ipAddress.dnsNameLabel", `"abcd"`), "InvalidDnsNameLabel", "properties.ipAddress.dnsNameLabel",
			"The DNS name label 'abcd' in container group 'g' is invalid. It can contain only lowercase letters, numbers and hyphens. The first character must be a letter. The last character must be a letter or number. The value must be between 5 and 63 characters long."},
		{"label of 64", with(t, "properties.ipAddress.dnsNameLabel", `"`+strings.Repeat("a", 64)+`"`), "InvalidDnsNameLabel", "properties.ipAddress.dnsNameLabel", ""},
		{"label with a dot", with(t, "properties.ipAddress.dnsNameLabel", `"abc.def"`), "InvalidDnsNameLabel", "properties.ipAddress.dnsNameLabel", ""},
		{"label of a private address", with(t, "properties.ipAddress.dnsNameLabel", `"abcdef"`, "properties.ipAddress.type", `"Private"`), "InvalidDnsNameLabel", "properties.ipAddress.dnsNameLabel", ""},

		{"61 containers", with(t, "properties.containers", list(61, `{"name":"c%d","properties":{"image":"x","resources":{"requests":{"cpu":0.1,"memoryInGB":0.1}}}}`), "properties.ipAddress", nil), "ContainerGroupLimitExceeded", "properties.containers",
			"The number of containers in container group 'g' exceeds the limit '60'."},
		{"60 init containers", with(t, "properties.initContainers", list(60, `{"name":"i%d","properties":{"image":"x"}}`)), "ContainerGroupLimitExceeded", "properties.initContainers", ""},
		{"two Windows containers", with(t, "properties.containers", second(""), "properties.osType", `"Windows"`), "InvalidWindowsContainerGroup", "properties.containers", ""},

		{"credential of no kind", with(t, "properties.imageRegistryCredentials", `[{"server":"r.example"}]`), "AmbiguousImageResitryCredentialType", "properties.imageRegistryCredentials[0]",
			"The registry credential type in the 'imageRegistryCredentials' of container group 'g' cannot be detected. Please set exactly one of username or identity"},
		{"credential of two kinds", with(t, "properties.imageRegistryCredentials", `[{"server":"r.example","username":"u","identity":"i"}]`), "AmbiguousImageResitryCredentialType", "properties.imageRegistryCredentials[0]", ""},
		{"server with protocol", with(t, "properties.imageRegistryCredentials", `[{"server":"https://r.example","username":"u","password":"p"}]`), "InvalidImageRegistryServer", "properties.imageRegistryCredentials[0].server", ""},
		{"empty server", with(t, "properties.imageRegistryCredentials", `[{"server":"","username":"u","password":"p"}]`), "InvalidImageRegistryServer", "properties.imageRegistryCredentials[0].server", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := s.want(s.call("PUT", group("g"), c.body), 400)
			if a.code() != c.code || a.str("error", "target") != c.target || c.message != "" && a.str("error", "message") != c.message || a.str("error", "message") == "" {
				t.Errorf("\n got %s\nwant %s at %s: %s", a.text, c.code, c.target, c.message)
			}
			if a.get("error", "details") != nil || a.header.Get("x-ms-error-code") != c.code {
				t.Errorf("details or header: %s %v", a.text, a.header)
			}
		})
	}
	if a := s.call("GET", group("g"), ""); a.status != 404 {
		t.Errorf("something was stored: %s", a.text)
	}
}

// TestRefusedFeatures: what is not carried out yet is refused with its path, and
// empty forms of it are not.
func TestRefusedFeatures(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	env := cp + ".environmentVariables"
	probe := `{"exec":{"command":["true"]},"periodSeconds":5}`
	for _, c := range []struct{ path, value, target, empty string }{
		{"identity", `{"type":"SystemAssigned"}`, "identity", `{"type":"None"}`},
		{"identity", `{"type":"SystemAssigned, UserAssigned","userAssignedIdentities":{"/subscriptions/x":{}}}`, "identity", `{"userAssignedIdentities":{}}`},
		{"properties.sku", `"confidential"`, "properties.sku", `"standard"`},
		{"properties.sku", `"Dedicated"`, "properties.sku", `"NotSpecified"`},
		{"properties.priority", `"Spot"`, "properties.priority", `"regular"`},
		{"properties.confidentialComputeProperties", `{"ccePolicy":"eA=="}`, "", `{"ccePolicy":""}`},
		{"properties.containerGroupProfile", `{"id":"/x","revision":1}`, "", `{"id":null}`},
		{"properties.diagnostics", `{"logAnalytics":{"workspaceId":"w","workspaceKey":"k"}}`, "", `{"logAnalytics":null}`},
		{"properties.dnsConfig", `{"nameServers":["1.1.1.1"]}`, "", `{"nameServers":[],"options":""}`},
		{"properties.encryptionProperties", `{"keyName":"k"}`, "", `{}`},
		{"properties.extensions", `[{"name":"x","properties":{"extensionType":"t","version":"1"}}]`, "", `[]`},
		{"properties.identityAcls", `{"defaultAccess":"All"}`, "", `{"acls":[]}`},
		{"properties.secretReferences", `[{"name":"s"}]`, "", `[]`},
		{"properties.standbyPoolProfile", `{"id":"/x"}`, "", `{}`},
		{"properties.standbyPoolProfile", `{"failContainerGroupCreateOnReuseFailure":false}`, "", `null`},
		{"properties.subnetIds", `[{"id":"/x"}]`, "", `[]`},
		{"properties.volumes", `[{"name":"v","emptyDir":{}}]`, "", `[]`},
		{cp + ".configMap", `{"keyValuePairs":{"a":"b"}}`, at + ".configMap", `{"keyValuePairs":{}}`},
		{cp + ".volumeMounts", `[{"name":"v","mountPath":"/x"}]`, at + ".volumeMounts", `[]`},
		{cp + ".livenessProbe", probe, at + ".livenessProbe", `{}`},
		{cp + ".readinessProbe", probe, at + ".readinessProbe", `{"exec":{"command":[]}}`},
		{cp + ".securityContext", `{"privileged":false}`, at + ".securityContext", `{"capabilities":{"add":[]}}`},
		{cp + ".resources.requests.gpu", `{"count":1,"sku":"K80"}`, at + ".resources.requests.gpu", `null`},
		{cp + ".resources.limits", `{"gpu":{"count":1,"sku":"K80"}}`, at + ".resources.limits.gpu", `{}`},
		{env, `[{"name":"A","secureValue":"x"}]`, at + ".environmentVariables[0].secureValue", `[{"name":"A","secureValue":""}]`},
		{env, `[{"name":"A","secureValueReference":"x"}]`, at + ".environmentVariables[0].secureValueReference", `[{"name":"A","secureValueReference":null}]`},
		{"properties.initContainers", `[{"name":"i","properties":{"image":"x","volumeMounts":[{"name":"v","mountPath":"/x"}]}}]`, "properties.initContainers[0].properties.volumeMounts", `[{"name":"i","properties":{"image":"x","volumeMounts":[]}}]`},
		{"properties.initContainers", `[{"name":"i","properties":{"image":"x","securityContext":{"runAsUser":0}}}]`, "properties.initContainers[0].properties.securityContext", `null`},
		{"properties.imageRegistryCredentials", `[{"server":"r.example","username":"u","passwordReference":"s"}]`, "properties.imageRegistryCredentials[0].passwordReference", `[]`},
		{"properties.imageRegistryCredentials", `[{"server":"r.example","identity":"/x"}]`, "properties.imageRegistryCredentials[0].identity", `null`},
		{"properties.imageRegistryCredentials", `[{"server":"r.example","username":"u","password":"p","identityUrl":"x"}]`, "properties.imageRegistryCredentials[0].identityUrl", `[{"server":"r.example","username":"u","identityUrl":""}]`},
	} {
		target := c.target
		if target == "" {
			target = c.path
		}
		t.Run(target, func(t *testing.T) {
			a := s.want(s.call("PUT", group("g"), with(t, c.path, c.value)), 400)
			if a.code() != "FeatureNotSupported" || a.str("error", "target") != target || !strings.Contains(a.str("error", "message"), "'"+target+"'") {
				t.Errorf("%s", a.text)
			}
			if a := s.call("PUT", group("ok"), with(t, c.path, c.empty)); a.status >= 300 {
				t.Errorf("%s = %s was refused: %s", c.path, c.empty, a.text)
			}
		})
	}
}

func TestSeveralFaultsAreToldTogether(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	a := s.want(s.call("PUT", group("g"), with(t, "properties.osType", `"x"`, cp+".image", nil, "properties.volumes", `[{"name":"v"}]`, "properties.ipAddress.type", nil)), 400)
	if a.code() != "MultipleErrorsOccurred" || a.header.Get("x-ms-error-code") != "MultipleErrorsOccurred" {
		t.Fatalf("%s", a.text)
	}
	var got [][2]string
	words := "Multiple error occurred: "
	details, _ := a.get("error", "details").([]any)
	for i, d := range details {
		m := d.(map[string]any)
		got = append(got, [2]string{m["code"].(string), m["target"].(string)})
		if i > 0 {
			words += ";"
		}
		words += fmt.Sprintf("'BadRequest':'%s':'%s'", m["code"], m["message"])
	}
	want := [][2]string{
		{"InvalidOsType", "properties.osType"},
		{"FeatureNotSupported", "properties.volumes"},
		{"MissingContainerImage", at + ".image"},
		{"InvalidRequestContent", "properties.ipAddress.type"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("details %v, want %v", got, want)
	}
	if a.str("error", "message") != words {
		t.Errorf("message:\n got %s\nwant %s", a.str("error", "message"), words)
	}

	// A request that is wrong everywhere does not make an answer without end.
	a = s.want(s.call("PUT", group("g"), with(t, cp+".environmentVariables", list(5000, `{"name":"-%d"}`))), 400)
	if details, _ := a.get("error", "details").([]any); len(details) != maxFaults {
		t.Errorf("%d details", len(details))
	}
}

func TestGroupNames(t *testing.T) {
	s := start(t, func(o *Options) { o.Engine = newFake() })
	for _, name := range []string{"a", "A9", "my-Group", strings.Repeat("a", 63)} {
		s.want(s.call("PUT", group(name), base), 201)
	}
	for _, name := range []string{"-a", "a-", "a_b", "a.b", strings.Repeat("a", 64), "%C3%A9", "a%20b"} {
		a := s.want(s.call("PUT", group(name), base), 400)
		if a.code() != "InvalidContainerGroupName" || a.str("error", "target") != "containerGroupName" {
			t.Errorf("%s: %s", name, a.text)
		}
		if a := s.want(s.call("GET", group(name), ""), 404); a.code() != "ResourceNotFound" {
			t.Errorf("%s: %s", name, a.text)
		}
		s.want(s.call("DELETE", group(name), ""), 204)
	}
}
