package directory

import (
	"strings"
	"testing"
)

// TestPermissions: who may do what, with the sentence clients compare.
func TestPermissions(t *testing.T) {
	f := start(t)
	id := f.create(security("x"))
	for caller, may := range map[string]struct{ read, write bool }{
		"writer": {true, true}, "app": {true, true}, "": {true, true},
		"member": {true, false}, "stranger": {}, "personal": {}, "creator": {},
	} {
		for _, c := range []struct {
			method, path, body string
			allowed            bool
		}{
			{"GET", "/v1.0/groups/" + id, "", may.read},
			{"GET", byName("x"), "", may.read},
			{"POST", "/v1.0/groups", security("by-" + caller + "."), may.write},
			{"PATCH", "/v1.0/groups/" + id, `{"displayName":"y"}`, may.write},
			{"PATCH", byName("x"), `{"displayName":"y"}`, may.write},
			{"DELETE", byName("by-" + caller + "."), "", may.write},
			// Who may not write is not told what is wrong with a body.
			{"POST", "/v1.0/groups", `{`, may.write},
		} {
			a := f.send(c.method, c.path, c.body, "Caller", caller, "Prefer", "create-if-missing")
			if c.allowed {
				if a.status == 401 || a.status == 403 {
					t.Errorf("%s: %s %s: %d %s", caller, c.method, c.path, a.status, a.body)
				}
				continue
			}
			code, message, target := a.failure()
			if a.status != 403 || code != "Authorization_RequestDenied" || message != "Insufficient privileges to complete the operation." || target != "authorization" {
				t.Errorf("%s: %s %s: %d %s", caller, c.method, c.path, a.status, a.body)
			}
		}
	}
	a := f.send("GET", "/v1.0/groups/"+id, "", "Caller", "nobody")
	if code, _, _ := a.failure(); a.status != 401 || code != "InvalidAuthenticationToken" || a.header.Get("WWW-Authenticate") == "" {
		t.Errorf("nobody: %d %s", a.status, a.body)
	}
	// An application's Group.Create opens POST, and POST alone, in the strict naming.
	s := startStrict(t)
	id = s.send("POST", "/v1.0/groups", security("x"), "Caller", "creator").want(201).id()
	for method, path := range map[string]string{"PATCH": "/v1.0/groups/" + id, "DELETE": byName("x")} {
		s.send(method, path, `{}`, "Caller", "creator").want(403)
	}
}

// TestRolePermissions: properties that need more than the right to write.
func TestRolePermissions(t *testing.T) {
	neutral, strict := start(t), startStrict(t)
	role, place := J{"isAssignableToRole": true}, J{"preferredDataLocation": "EUR"}
	for _, c := range []struct {
		f      *fixture
		caller string
		with   J
		status int
	}{
		{neutral, "writer", role, 403},
		{neutral, "app", role, 403},
		{neutral, "roles", role, 201},
		{neutral, "roles app", role, 403},
		{strict, "roles app", role, 201},
		{strict, "writer", role, 403},
		{neutral, "writer", J{"isAssignableToRole": false}, 201},
		{neutral, "writer", place, 403},
		{neutral, "roles", place, 403},
		{neutral, "app", place, 403},
		{neutral, "places", place, 201},
		{strict, "places", place, 201},
		{neutral, "writer", J{"preferredDataLocation": nil}, 201},
		// The right comes before the rules.
		{neutral, "writer", J{"isAssignableToRole": true, "visibility": "Public"}, 403},
		{neutral, "roles", J{"isAssignableToRole": true, "visibility": "Public"}, 400},
	} {
		name := strings.ReplaceAll(c.caller, " ", "-") + jsonText(c.with)
		for _, a := range []answer{
			c.f.send("POST", "/v1.0/groups", security("a", c.with, J{"uniqueName": name}), "Caller", c.caller),
			c.f.upsert(name+"2", security("a", c.with, J{"uniqueName": name + "2"}), "Caller", c.caller),
		} {
			if a.status != c.status {
				t.Errorf("%s %v: got %d %s, want %d", c.caller, c.with, a.status, a.body, c.status)
			}
		}
	}
	// An update that leaves such a property as it is needs no more than writing.
	id := neutral.create(security("declared", role, place))
	path := "/v1.0/groups/" + id
	neutral.send("PATCH", path, `{"isAssignableToRole":true,"preferredDataLocation":"EUR","description":"x"}`, "Caller", "writer").want(204)
	neutral.send("PATCH", path, `{"preferredDataLocation":"NAM"}`, "Caller", "writer").want(403)
	neutral.send("PATCH", path, `{"preferredDataLocation":null}`, "Caller", "writer").want(403)
	neutral.send("PATCH", path, `{"preferredDataLocation":"NAM"}`, "Caller", "places").want(204)
	neutral.send("PATCH", "/v1.0/groups/"+neutral.create(security("plain")), `{"isAssignableToRole":true}`, "Caller", "writer").want(403)
}
