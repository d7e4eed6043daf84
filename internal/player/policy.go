package player

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

// policyName is the only policy that a title has.
const policyName = "ApiPolicy"

// Limits of a policy.
const (
	maxStatements = 100
	maxComment    = 500 // bytes
	maxResource   = 200 // bytes
)

// EffectType says what a statement does with the calls it matches.
type EffectType string

// Effects.
const (
	Allow EffectType = "Allow"
	Deny  EffectType = "Deny"
)

// Conditionals say which requests a statement is about.
type Conditionals string

// PermissionStatement allows or denies calls of clients.
type PermissionStatement struct {
	Resource      string        `json:"Resource" required:"true"`
	Action        string        `json:"Action"`
	Effect        EffectType    `json:"Effect"`
	Principal     string        `json:"Principal"`
	Comment       string        `json:"Comment,omitzero"`
	ApiConditions *ApiCondition `json:"ApiConditions,omitzero"`
}

// ApiCondition narrows a statement to requests that are signed or encrypted, or
// to those that are not.
type ApiCondition struct {
	HasSignatureOrEncryption Conditionals `json:"HasSignatureOrEncryption"`
}

// GetPolicyRequest asks for a policy; "" is the title's only one.
type GetPolicyRequest struct {
	PolicyName string `json:"PolicyName"`
}

// GetPolicyResponse is the answer to it.
type GetPolicyResponse struct {
	PolicyName    string                `json:"PolicyName"`
	PolicyVersion int32                 `json:"PolicyVersion"`
	Statements    []PermissionStatement `json:"Statements"`
}

// UpdatePolicyRequest changes a policy that is at a version: it replaces all
// statements, or adds some.
type UpdatePolicyRequest struct {
	PolicyName      string                `json:"PolicyName" required:"true"`
	OverwritePolicy bool                  `json:"OverwritePolicy"`
	PolicyVersion   int32                 `json:"PolicyVersion"`
	Statements      []PermissionStatement `json:"Statements" required:"true"`
}

// UpdatePolicyResponse is the answer to it.
type UpdatePolicyResponse struct {
	PolicyName string                `json:"PolicyName"`
	Statements []PermissionStatement `json:"Statements"`
}

// policyRoutes are the calls about a title's API policy.
func (s *Service) policyRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Secret, "/Admin/GetPolicy", s.getPolicy),
		call.Post(s.gate, call.Secret, "/Admin/UpdatePolicy", s.updatePolicy),
	}
}

func (s *Service) getPolicy(_ context.Context, c *call.Call, r *GetPolicyRequest) (any, error) {
	if r.PolicyName != "" && r.PolicyName != policyName {
		return nil, unknownPolicy()
	}
	p := c.Title.Policy()
	return &GetPolicyResponse{PolicyName: policyName, PolicyVersion: p.Version, Statements: statementsOf(p)}, nil
}

func (s *Service) updatePolicy(ctx context.Context, c *call.Call, r *UpdatePolicyRequest) (any, error) {
	if r.PolicyName != policyName {
		return nil, unknownPolicy()
	}
	f := &call.Faults{}
	statements := make([]title.Statement, 0, len(r.Statements))
	for i, p := range r.Statements {
		statements = append(statements, p.statement(f, i))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	out := &UpdatePolicyResponse{PolicyName: policyName}
	err := s.gate.Titles().UpdateKeys(ctx, c.Title.ID, func(k *title.Keys) error {
		p := &k.Policy
		if p.Version != r.PolicyVersion {
			return ludgate.Errorf(ludgate.Conflict, "ConcurrentEditError", "The policy is at version %d; read it again and change that", p.Version)
		}
		if !r.OverwritePolicy {
			old := p.Statements
			if len(old) == 0 {
				old = []title.Statement{allowAll}
			}
			statements = append(slices.Clone(old), statements...)
		}
		if len(statements) > maxStatements {
			f.Add("Statements", fmt.Sprintf("A policy has at most %d statements.", maxStatements))
			return f.Err()
		}
		p.Version++
		p.Statements = statements
		out.Statements = statementsOf(p)
		return nil
	})
	return out, err
}

// allowAll is what a title has that has no statements.
var allowAll = title.Statement{Resource: title.ResourcePrefix + "*", Comment: "The default allow all policy"}

func unknownPolicy() error {
	f := call.Faults{}
	f.Add("PolicyName", "The only policy is "+policyName+".")
	return f.Err()
}

// statement checks one statement and gives it as titles keep it.
func (p *PermissionStatement) statement(f *call.Faults, i int) title.Statement {
	fault := func(member, text string) { f.Add(fmt.Sprintf("Statements[%d].%s", i, member), text) }
	if !strings.HasPrefix(p.Resource, title.ResourcePrefix+"/") && p.Resource != title.ResourcePrefix+"*" ||
		len(p.Resource) > maxResource || strings.Contains(strings.TrimSuffix(p.Resource, "*"), "*") {
		fault("Resource", "A resource is "+title.ResourcePrefix+" and the path of a call, such as /Client/GetTime, or a beginning of paths and *.")
	}
	if p.Action != "*" {
		fault("Action", "The only action is *.")
	}
	if p.Principal != "*" {
		fault("Principal", "The only principal is *.")
	}
	if p.Effect != Allow && p.Effect != Deny {
		fault("Effect", "An effect is Allow or Deny.")
	}
	if len(p.Comment) > maxComment {
		fault("Comment", fmt.Sprintf("A comment has at most %d bytes.", maxComment))
	}
	s := title.Statement{Resource: p.Resource, Deny: p.Effect == Deny, Comment: p.Comment}
	if p.ApiConditions != nil {
		s.Protected = title.Condition(p.ApiConditions.HasSignatureOrEncryption)
		if s.Protected != title.Any && s.Protected != title.True && s.Protected != title.False {
			fault("ApiConditions.HasSignatureOrEncryption", "The condition is Any, True or False.")
		}
	}
	return s
}

// statementsOf writes a policy's statements.
func statementsOf(p *title.Policy) []PermissionStatement {
	all := p.Statements
	if len(all) == 0 {
		all = []title.Statement{allowAll}
	}
	out := make([]PermissionStatement, 0, len(all))
	for _, s := range all {
		w := PermissionStatement{Resource: s.Resource, Action: "*", Effect: Allow, Principal: "*", Comment: s.Comment}
		if s.Deny {
			w.Effect = Deny
		}
		if s.Protected != "" {
			w.ApiConditions = &ApiCondition{Conditionals(s.Protected)}
		}
		out = append(out, w)
	}
	return out
}
