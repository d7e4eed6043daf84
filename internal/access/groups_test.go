package access_test

import (
	"context"
	"strings"
	"testing"

	"ludgate"
	"ludgate/internal/access"
)

const (
	privileged = "e8611ab8-c189-46e8-94e1-60213ab1f814"
	global     = "62e90394-69f5-4237-9190-012177145e10"
	writers    = "9360feb5-f418-4baa-8175-e2a00bac4301"
)

// TestGroupRoles covers the two rights that need a directory role as well.
func TestGroupRoles(t *testing.T) {
	const manage, all = "RoleManagement.ReadWrite.Directory", "Directory.ReadWrite.All"
	user := func(scope string, wids ...string) *access.Principal {
		return &access.Principal{Kind: access.User, Scopes: []string{scope}, Wids: wids}
	}
	app := func(role string, wids ...string) *access.Principal {
		return &access.Principal{Kind: access.Application, Roles: []string{role}, Wids: wids}
	}
	for _, c := range []struct {
		name                           string
		p                              *access.Principal
		assign, assignStrict, location bool
	}{
		{"developer", &access.Principal{Kind: access.Developer}, true, true, true},
		{"privileged role administrator", user(manage, privileged), true, true, false},
		{"global administrator", user(manage, strings.ToUpper(global)), true, true, false},
		{"permission without role", user(manage), false, false, false},
		{"permission with another role", user(manage, writers), false, false, false},
		{"role without permission", user("Group.ReadWrite.All", privileged, global, writers), false, false, false},
		{"application with both", app(manage, privileged), true, true, false},
		{"application with the permission", app(manage), false, true, false},
		{"personal account", &access.Principal{Kind: access.User, Personal: true, Scopes: []string{manage, all}, Wids: []string{global}}, false, false, false},
		{"directory writer", user(all, writers), false, false, true},
		{"global administrator, all permissions on the directory", user(all, global), false, false, true},
		{"directory permission alone", user(all), false, false, false},
		{"privileged role administrator is none of those", user(all, privileged), false, false, false},
		{"application that writes the directory", app(all, writers), false, false, true},
	} {
		ctx := access.With(t.Context(), c.p)
		for what, got := range map[string]bool{
			"assign": access.AssignGroupsToRoles(ctx, false) == nil, "assign, strict": access.AssignGroupsToRoles(ctx, true) == nil,
			"location": access.SetGroupDataLocation(ctx) == nil,
		} {
			want := map[string]bool{"assign": c.assign, "assign, strict": c.assignStrict, "location": c.location}[what]
			if got != want {
				t.Errorf("%s: %s: %v, want %v", c.name, what, got, want)
			}
		}
	}
}

func TestCreateGroups(t *testing.T) {
	for _, c := range []struct {
		name            string
		p               access.Principal
		neutral, strict bool
	}{
		{"application with Group.Create", access.Principal{Kind: access.Application, Roles: []string{"Group.Create"}}, false, true},
		{"person with Group.Create", access.Principal{Kind: access.User, Scopes: []string{"Group.Create"}}, false, false},
		{"application that writes groups", access.Principal{Kind: access.Application, Roles: []string{"Group.ReadWrite.All"}}, true, true},
	} {
		ctx := access.With(t.Context(), &c.p)
		if got := access.CreateGroups(ctx, false) == nil; got != c.neutral {
			t.Errorf("%s: neutral %v", c.name, got)
		}
		if got := access.CreateGroups(ctx, true) == nil; got != c.strict {
			t.Errorf("%s: strict %v", c.name, got)
		}
	}
}

// TestDenialExplains: the message is the one clients compare, the reason stands
// in the details.
func TestDenialExplains(t *testing.T) {
	user := &access.Principal{Kind: access.User, Scopes: []string{"Directory.ReadWrite.All"}}
	for want, check := range map[string]func(context.Context) error{
		"To make a group assignable to roles, one of these permissions is needed: RoleManagement.ReadWrite.Directory.":                                                                         func(ctx context.Context) error { return access.AssignGroupsToRoles(ctx, false) },
		"To set preferredDataLocation, one of these directory roles is needed: User Administrator, Directory Writers, Exchange Administrator, SharePoint Administrator, Global Administrator.": access.SetGroupDataLocation,
	} {
		e := ludgate.AsError(check(access.With(t.Context(), user)))
		if e.Message != "Insufficient privileges to complete the operation." || len(e.Details) != 1 || e.Details[0].Message != want {
			t.Errorf("got %q, %v, want %q", e.Message, e.Details, want)
		}
	}
}
