package access

import (
	"context"
	"slices"
	"strings"

	"ludgate"
)

// permissions is one row of D-5: what it allows, and what a caller must hold.
// Any one of the permissions is enough; where there are roles, any one of those
// is needed as well.
type permissions struct {
	what  string
	any   []string
	roles []role
}

// role is a directory role: the template id that tokens carry, and its name.
type role struct{ id, name string }

var (
	globalAdministrator         = role{"62e90394-69f5-4237-9190-012177145e10", "Global Administrator"}
	privilegedRoleAdministrator = role{"e8611ab8-c189-46e8-94e1-60213ab1f814", "Privileged Role Administrator"}
	userAdministrator           = role{"fe930be7-5e62-47db-91af-98c3a49a38b1", "User Administrator"}
	directoryWriters            = role{"9360feb5-f418-4baa-8175-e2a00bac4301", "Directory Writers"}
	exchangeAdministrator       = role{"29232cdf-9323-42fd-ade2-1d097af3e4de", "Exchange Administrator"}
	sharePointAdministrator     = role{"f28a1f50-f6e7-4571-818b-6a12f2af6b6c", "SharePoint Administrator"}
)

// DirectoryRole gives the template id of a directory role by its name, for tokens
// that are to carry it.
func DirectoryRole(name string) (id string, ok bool) {
	for _, r := range directoryRoles {
		if strings.EqualFold(r.name, name) {
			return r.id, true
		}
	}
	return "", false
}

// DirectoryRoles are the names of the roles that some permission asks for.
func DirectoryRoles() []string {
	var names []string
	for _, r := range directoryRoles {
		names = append(names, r.name)
	}
	return names
}

var directoryRoles = []role{
	globalAdministrator, privilegedRoleAdministrator, userAdministrator, directoryWriters, exchangeAdministrator, sharePointAdministrator,
}

// The rows of D-5.
var (
	groupRead = permissions{what: "read groups", any: []string{
		"Group-NestingSupport.ReadWrite.All", "Directory.Read.All", "Directory.ReadWrite.All",
		"Group-XTenantIdentitySync.Read.All", "Group.ManageProtection.All", "Group.Read.All",
		"Group.ReadWrite.All", "GroupMember.Read.All",
	}}
	groupWrite = permissions{what: "change groups", any: []string{"Group.ReadWrite.All", "Directory.ReadWrite.All"}}
	// groupCreate is what the vendor's naming lets an application create with.
	groupCreate = permissions{what: "create groups", any: append([]string{"Group.Create"}, groupWrite.any...)}
	groupRole   = permissions{what: "make a group assignable to roles", any: []string{"RoleManagement.ReadWrite.Directory"},
		roles: []role{privilegedRoleAdministrator, globalAdministrator}}
	groupDataLocation = permissions{what: "set preferredDataLocation", any: []string{"Directory.ReadWrite.All"},
		roles: []role{userAdministrator, directoryWriters, exchangeAdministrator, sharePointAdministrator, globalAdministrator}}
)

// ReadGroups allows reading groups, or says why not.
func ReadGroups(ctx context.Context) error { return groupRead.decide(ctx) }

// WriteGroups allows changing and deleting groups, or says why not.
func WriteGroups(ctx context.Context) error { return groupWrite.decide(ctx) }

// CreateGroups allows creating groups, or says why not. Strict is the vendor's
// behaviour, where a permission of its own lets an application create.
func CreateGroups(ctx context.Context, strict bool) error {
	if p := From(ctx); strict && p != nil && p.Kind == Application {
		return groupCreate.decide(ctx)
	}
	return groupWrite.decide(ctx)
}

// AssignGroupsToRoles allows setting isAssignableToRole (D-5.R1), besides the
// right to create the group. Strict is the vendor's behaviour, where an
// application needs the permission only.
func AssignGroupsToRoles(ctx context.Context, strict bool) error {
	need := groupRole
	if p := From(ctx); strict && p != nil && p.Kind == Application {
		need.roles = nil
	}
	return need.decide(ctx)
}

// SetGroupDataLocation allows setting preferredDataLocation (D-5.R3).
func SetGroupDataLocation(ctx context.Context) error { return groupDataLocation.decide(ctx) }

// decide holds the caller of ctx against the row.
func (need permissions) decide(ctx context.Context) error {
	p := From(ctx)
	switch {
	case p == nil:
		return ludgate.Errorf(ludgate.Unauthenticated, "InvalidAuthenticationToken", "Access token is empty.")
	case p.Kind == Developer:
		return nil
	case p.Personal:
		return denied("Personal accounts may not " + need.what + ".")
	case !p.has(need.any):
		return denied("To " + need.what + ", one of these permissions is needed: " + strings.Join(need.any, ", ") + ".")
	case len(need.roles) > 0 && !slices.ContainsFunc(need.roles, p.hasRole):
		names := make([]string, len(need.roles))
		for i, r := range need.roles {
			names[i] = r.name
		}
		return denied("To " + need.what + ", one of these directory roles is needed: " + strings.Join(names, ", ") + ".")
	}
	return nil
}

// denied is the directory's refusal; why stands in its details, because clients
// compare the message.
func denied(why string) error {
	e := ludgate.Errorf(ludgate.Forbidden, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")
	e.Details = []*ludgate.Error{{Kind: ludgate.Forbidden, Code: "InsufficientPrivileges", Target: "authorization", Message: why}}
	return e
}

// hasRole reports whether the principal holds a directory role.
func (p *Principal) hasRole(r role) bool {
	return slices.ContainsFunc(p.Wids, func(id string) bool { return strings.EqualFold(id, r.id) })
}
