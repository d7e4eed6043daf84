package player

import (
	"slices"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
)

// faults are what is wrong with the members of a registration.
type faults struct{ call.Faults }

// shapeErrors are the errors that a registration has for single members, in the
// order in which one of them names the refusal; faults of other members are
// InvalidParams.
var shapeErrors = []struct{ member, code, message string }{
	{"Username", "InvalidUsername", "Invalid username"},
	{"Email", "InvalidEmailAddress", "Invalid email address"},
	{"Password", "InvalidPassword", "Invalid password"},
}

// err gives the refusal, or nil. Its details are always all faults; collect
// makes it InvalidParams, otherwise the first member with an error of its own
// names it.
func (f *faults) err(collect bool) error {
	if !collect {
		for _, e := range shapeErrors {
			if slices.Contains(f.Members, e.member) {
				return f.As(e.code, e.message)
			}
		}
	}
	return f.Err()
}

// check collects the faults of a registration's members (P-2, P-4.R2, P-8).
func (r *RegisterPlatformUserRequest) check() *faults {
	f := &faults{}
	both := r.RequireBothUsernameAndEmail == nil || *r.RequireBothUsernameAndEmail
	if r.Username != "" {
		f.AddAll("Username", account.CheckUsername(r.Username))
	} else if both || r.Email == "" {
		f.Required("Username")
	}
	if r.Email != "" {
		f.AddAll("Email", account.CheckEmail(r.Email))
	} else if both || r.Username == "" {
		f.Required("Email")
	}
	if r.Password == "" {
		f.Required("Password")
	} else {
		f.AddAll("Password", account.CheckPassword(r.Password.Reveal()))
	}
	if r.DisplayName != nil {
		f.AddAll("DisplayName", account.CheckDisplayName(*r.DisplayName))
	}
	checkPlayerSecret(f, r.PlayerSecret != "")
	return f
}

// checkPlayerSecret refuses a secret: one that was taken and never checked would
// promise a protection that is not there.
func checkPlayerSecret(f *faults, sent bool) {
	if sent {
		f.Add("PlayerSecret", "Player secrets are not supported yet; leave the field out.")
	}
}

// check collects the faults of a sign-in's members. The token is the platform's
// to judge.
func (r *StreamingLoginRequest) check() *faults {
	f := &faults{}
	checkPlayerSecret(f, r.PlayerSecret != "")
	return f
}

// checkConstraints refuses profile members that the title does not show
// (P-7.RequestViewConstraintParamsNotAllowed).
func (p *GetPlayerCombinedInfoRequestParams) checkConstraints() error {
	if p == nil || p.ProfileConstraints == nil {
		return nil
	}
	beyond := *p.ProfileConstraints
	beyond.ShowDisplayName = false
	if beyond == (PlayerProfileViewConstraints{}) {
		return nil
	}
	allowed, err := json.Marshal(allowedConstraints)
	if err != nil {
		return err
	}
	return call.Refuse("RequestViewConstraintParamsNotAllowed", "Invalid view constraints. Allowed for this title: %s", allowed)
}
