package player

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"ludgate"
)

// Limits in code points (P-8).
const (
	minDisplayName, maxDisplayName = 3, 25
	minUsername, maxUsername       = 3, 20
	minPassword, maxPassword       = 6, 100
)

// faults collects what is wrong with the members of one request, so that a
// caller learns all of it at once.
type faults struct {
	members []string
	texts   []string
}

func (f *faults) add(member, text string) {
	f.members = append(f.members, member)
	f.texts = append(f.texts, text)
}

func (f *faults) required(member string) { f.add(member, "The "+member+" field is required.") }

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
	if len(f.members) == 0 {
		return nil
	}
	e := ludgate.Errorf(ludgate.Invalid, "InvalidParams", "Invalid input parameters")
	if !collect {
		e = f.named(e)
	}
	for i, member := range f.members {
		e.With(member, f.texts[i])
	}
	return e
}

func (f *faults) named(otherwise *ludgate.Error) *ludgate.Error {
	for _, s := range shapeErrors {
		for _, member := range f.members {
			if member == s.member {
				return ludgate.Errorf(ludgate.Invalid, s.code, "%s", s.message)
			}
		}
	}
	return otherwise
}

// check collects the faults of a registration's members (P-2, P-4.R2, P-8).
func (r *RegisterPlatformUserRequest) check() *faults {
	f := &faults{}
	both := r.RequireBothUsernameAndEmail == nil || *r.RequireBothUsernameAndEmail
	if r.Username != "" {
		checkUsername(f, r.Username)
	} else if both || r.Email == "" {
		f.required("Username")
	}
	if r.Email != "" {
		if !validEmail(r.Email) {
			f.add("Email", "Email address is not valid.")
		}
	} else if both || r.Username == "" {
		f.required("Email")
	}
	if r.Password == "" {
		f.required("Password")
	} else if outside(r.Password.Reveal(), minPassword, maxPassword) {
		f.add("Password", "Password must be between 6 and 100 characters.")
	}
	if r.DisplayName != nil {
		checkDisplayName(f, *r.DisplayName)
	}
	checkPlayerSecret(f, r.PlayerSecret != "")
	return f
}

func checkUsername(f *faults, name string) {
	if outside(name, minUsername, maxUsername) {
		f.add("Username", "Username must be between 3 and 20 characters.")
	}
	if strings.IndexFunc(name, notAlphanumeric) >= 0 {
		f.add("Username", "Username contains invalid characters.")
	}
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

func checkDisplayName(f *faults, name string) {
	if outside(name, minDisplayName, maxDisplayName) {
		f.add("DisplayName", "The field DisplayName must be a string with a minimum length of "+
			strconv.Itoa(minDisplayName)+" and a maximum length of "+strconv.Itoa(maxDisplayName)+".")
	}
	if strings.IndexFunc(name, unicode.IsControl) >= 0 {
		f.add("DisplayName", "The field DisplayName must not contain control characters.")
	}
}

// checkPlayerSecret refuses a secret: one that was taken and never checked would
// promise a protection that is not there.
func checkPlayerSecret(f *faults, sent bool) {
	if sent {
		f.add("PlayerSecret", "Player secrets are not supported yet; leave the field out.")
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
	return ludgate.Errorf(ludgate.Invalid, "RequestViewConstraintParamsNotAllowed", "Invalid view constraints. Allowed for this title: %s", allowed)
}

// outside reports whether s has fewer than least or more than most code points.
func outside(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n < least || n > most
}
