// Package access says who is calling and what they may do.
//
// A [Principal] is found by the edge from the Authorization header and travels
// in the context. Services ask [Management], [ReadGroups], [WriteGroups] and
// their like inside their operations, so that no route can forget it. The rows
// of the contract's permission table are data (groups.go); a refusal says which
// permissions would have been enough.
package access

import (
	"context"
	"slices"

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
	Wids     []string // directory roles, as template ids (claim wids)
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
