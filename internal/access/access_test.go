package access_test

import (
	"context"
	"testing"

	"ludgate"
	"ludgate/internal/access"
)

// Every row of the contract's permission table, for grant and denial.
func TestGroupPermissions(t *testing.T) {
	read := []string{
		"Group-NestingSupport.ReadWrite.All", "Directory.Read.All", "Directory.ReadWrite.All", "Group-XTenantIdentitySync.Read.All",
		"Group.ManageProtection.All", "Group.Read.All", "Group.ReadWrite.All", "GroupMember.Read.All",
	}
	write := map[string]bool{"Group.ReadWrite.All": true, "Directory.ReadWrite.All": true}
	allowed := func(p *access.Principal, check func(context.Context) error) bool {
		err := check(access.With(t.Context(), p))
		if err != nil && !ludgate.IsCode(err, "Authorization_RequestDenied") {
			t.Fatalf("denial is %v", err)
		}
		return err == nil
	}
	for _, perm := range append(read, "User.Read", "group.read.all", "user_impersonation", "") {
		known := false
		for _, r := range read {
			known = known || r == perm
		}
		for _, c := range []struct {
			name      string
			principal access.Principal
			can       bool
		}{
			{"delegated", access.Principal{Kind: access.User, Scopes: []string{"openid", perm}}, true},
			{"application", access.Principal{Kind: access.Application, Roles: []string{perm}}, true},
			{"personal account", access.Principal{Kind: access.User, Personal: true, Scopes: []string{perm}}, false},
			{"scope in an application's token", access.Principal{Kind: access.Application, Scopes: []string{perm}}, false},
			{"role in a person's token", access.Principal{Kind: access.User, Roles: []string{perm}}, false},
		} {
			if got, want := allowed(&c.principal, access.ReadGroups), c.can && known; got != want {
				t.Errorf("read with %q, %s: %v, want %v", perm, c.name, got, want)
			}
			if got, want := allowed(&c.principal, access.WriteGroups), c.can && write[perm]; got != want {
				t.Errorf("write with %q, %s: %v, want %v", perm, c.name, got, want)
			}
		}
	}
	if !allowed(&access.Principal{Kind: access.Developer}, access.WriteGroups) {
		t.Error("the developer may not write")
	}
}

func TestNobodyIsUnauthenticated(t *testing.T) {
	for name, err := range map[string]error{
		"read": access.ReadGroups(t.Context()), "write": access.WriteGroups(t.Context()), "management": access.Management(t.Context(), "a", "b"),
	} {
		if e := ludgate.AsError(err); err == nil || e.Kind != ludgate.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestManagement(t *testing.T) {
	for _, c := range []struct {
		name string
		p    access.Principal
		ok   bool
	}{
		{"developer", access.Principal{Kind: access.Developer}, true},
		{"application", access.Principal{Kind: access.Application}, true},
		{"person with the scope", access.Principal{Kind: access.User, Scopes: []string{"user_impersonation"}}, true},
		{"personal account with the scope", access.Principal{Kind: access.User, Personal: true, Scopes: []string{"user_impersonation"}}, true},
		{"person without it", access.Principal{Kind: access.User, Scopes: []string{"Group.Read.All"}}, false},
	} {
		err := access.Management(access.With(t.Context(), &c.p), "read", "/subscriptions/x")
		if (err == nil) != c.ok || err != nil && !ludgate.IsCode(err, "AuthorizationFailed") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
