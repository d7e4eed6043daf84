package title

import (
	"strings"
)

// Policy is a title's API policy: which calls may be made by its clients, and
// whether they must be signed or encrypted. What no statement allows is denied;
// the zero value allows all.
type Policy struct {
	Version    int32       `json:"version,omitzero"`
	Statements []Statement `json:"statements,omitzero"`
}

// Statement allows or denies calls.
type Statement struct {
	Resource  string    `json:"resource"` // pfrn:api--/Client/X, or pfrn:api--*
	Deny      bool      `json:"deny,omitzero"`
	Comment   string    `json:"comment,omitzero"`
	Protected Condition `json:"protected,omitzero"`
}

// Condition says whether a statement is about signed or encrypted requests.
type Condition string

// Conditions of statements.
const (
	Any   Condition = "Any" // also ""
	True  Condition = "True"
	False Condition = "False"
)

// ResourcePrefix begins every resource of a statement.
const ResourcePrefix = "pfrn:api--"

// Allows reports whether a client may make the call of a path, in the naming's
// words; protected says whether the request is signed or encrypted.
func (p *Policy) Allows(path string, protected bool) bool {
	if len(p.Statements) == 0 {
		return true
	}
	allowed := false
	for _, s := range p.Statements {
		if !s.matches(path, protected) {
			continue
		}
		if s.Deny {
			return false
		}
		allowed = true
	}
	return allowed
}

func (s *Statement) matches(path string, protected bool) bool {
	if s.Protected == True && !protected || s.Protected == False && protected {
		return false
	}
	rest, ok := strings.CutPrefix(s.Resource, ResourcePrefix)
	if !ok {
		return false
	}
	if prefix, wild := strings.CutSuffix(rest, "*"); wild {
		return strings.HasPrefix(path, prefix)
	}
	return rest == path
}
