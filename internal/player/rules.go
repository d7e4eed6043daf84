package player

import (
	"slices"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
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
	f.need("Password", r.Password.Reveal(), account.CheckPassword)
	if r.DisplayName != nil {
		f.AddAll("DisplayName", account.CheckDisplayName(*r.DisplayName))
	}
	checkPlayerSecret(f, r.PlayerSecret)
	return f
}

// need checks a member that must be there.
func (f *faults) need(member, value string, check func(string) []string) {
	if value == "" {
		f.Required(member)
		return
	}
	f.AddAll(member, check(value))
}

// identity checks a member that is an id which a game chose.
func (f *faults) identity(member, id string) { f.AddAll(member, account.CheckIdentity(member, id)) }

// maxPlayerSecret bounds a player secret, in bytes.
const maxPlayerSecret = 256

// checkPlayerSecret checks a secret that may be there.
func checkPlayerSecret(f *faults, secret secret.Text) {
	if len(secret) > maxPlayerSecret {
		f.Add("PlayerSecret", "The field PlayerSecret must be a string with a maximum length of 256.")
	}
}

// checkConstraints refuses profile members that the title does not show to
// clients (P-7.RequestViewConstraintParamsNotAllowed).
func checkConstraints(t *title.Title, p *GetPlayerCombinedInfoRequestParams) error {
	if p == nil {
		return nil
	}
	return profile.CheckConstraints(t, p.ProfileConstraints)
}
