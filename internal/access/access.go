// Package access says who is calling and what they may do.
//
// A [Principal] is found by the edge from the Authorization header and travels
// in the context. Services ask [Management], [ReadGroups] or [WriteGroups]
// inside their operations, so that no route can forget it. The rows of the
// contract's permission table are data ([groupRead], [groupWrite]); a refusal
// says which permissions would have been enough.
package access

import (
	"context"
	"slices"
	"strings"

	"ludgate"
)

// Kind is what sort of caller a principal is.
type Kind string

// Kinds of principals.
const (
	// Developer is the anonymous caller of development mode: all rights.
	Developer Kind = "developer"
	// User is a person through an application (a delegated token).
	User Kind = "user"
	// Application is a program by itself.
	Application Kind = "application"
)

// Principal is the caller of a management or directory request.
type Principal struct {
	Kind     Kind
	ID       string // object id, a GUID; "" for the developer
	Name     string // for people: user name or application name
	Tenant   string
	AppID    string
	Scopes   []string // delegated permissions (claim scp)
	Roles    []string // application permissions (claim roles)
	Personal bool     // a personal account: no group call is open to it
}

type key struct{}

// With gives a context that carries p.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, key{}, p)
}

// From gives the principal of ctx, or nil.
func From(ctx context.Context) *Principal {
	p, _ := ctx.Value(key{}).(*Principal)
	return p
}

// groupRead and groupWrite are the permission rows of D-5: any one of them is
// enough, in a delegated token of a work account or in an application's.
var (
	groupRead = []string{
		"Group-NestingSupport.ReadWrite.All", "Directory.Read.All", "Directory.ReadWrite.All",
		"Group-XTenantIdentitySync.Read.All", "Group.ManageProtection.All", "Group.Read.All",
		"Group.ReadWrite.All", "GroupMember.Read.All",
	}
	groupWrite = []string{"Group.ReadWrite.All", "Directory.ReadWrite.All"}
)

// ReadGroups allows reading groups, or says why not.
func ReadGroups(ctx context.Context) error { return directory(ctx, "read groups", groupRead) }

// WriteGroups allows creating, changing and deleting groups, or says why not.
func WriteGroups(ctx context.Context) error { return directory(ctx, "change groups", groupWrite) }

func directory(ctx context.Context, what string, enough []string) error {
	p := From(ctx)
	switch {
	case p == nil:
		return ludgate.Errorf(ludgate.Unauthenticated, "InvalidAuthenticationToken", "Access token is empty.")
	case p.Kind == Developer:
		return nil
	case p.Personal:
		return denied("Insufficient privileges to complete the operation. Personal accounts may not %s.", what)
	case p.has(enough):
		return nil
	}
	return denied("Insufficient privileges to complete the operation. To %s, one of these permissions is needed: %s.", what, strings.Join(enough, ", "))
}

func denied(format string, args ...any) error {
	return ludgate.Errorf(ludgate.Forbidden, "Authorization_RequestDenied", format, args...)
}

// has reports whether the principal holds one of the permissions in the form
// its kind carries them: scopes for a user, roles for an application.
func (p *Principal) has(enough []string) bool {
	held := p.Scopes
	if p.Kind == Application {
		held = p.Roles
	}
	return slices.ContainsFunc(held, func(s string) bool { return slices.Contains(enough, s) })
}

// Management allows a management call on scope (a resource id), or says why
// not: a delegated token needs the scope user_impersonation (C-5), an
// application's token is enough by itself.
func Management(ctx context.Context, action, scope string) error {
	p := From(ctx)
	switch {
	case p == nil:
		return ludgate.Errorf(ludgate.Unauthenticated, "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
	case p.Kind == Developer, p.Kind == Application, slices.Contains(p.Scopes, "user_impersonation"):
		return nil
	}
	return ludgate.Errorf(ludgate.Forbidden, "AuthorizationFailed",
		"The client '%s' does not have authorization to perform action '%s' over scope '%s': its token lacks the scope user_impersonation.", p.Name, action, scope)
}
