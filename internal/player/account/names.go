package account

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"ludgate/internal/store"
)

// Name is one name that an account has for itself in its title.
type Name struct {
	Space store.Space
	Key   string
}

// Names lists the names of the account; with duplicateNames, display names are
// none.
func (a *Account) Names(duplicateNames bool) []Name {
	var all []Name
	add := func(space store.Space, name string, key func(string) string) {
		if name != "" {
			all = append(all, Name{space, key(name)})
		}
	}
	add(store.SpaceEmail, a.Email, emailKey)
	add(store.SpaceUsername, a.Username, usernameKey)
	if !duplicateNames {
		add(store.SpaceDisplayName, a.DisplayName, displayNameKey)
	}
	add(store.SpaceStreamingIdentity, a.StreamingID, identityKey)
	add(store.SpaceCustomID, a.CustomID, identityKey)
	add(store.SpaceServerCustomID, a.ServerCustomID, identityKey)
	for _, o := range a.OpenIDs {
		all = append(all, OpenIDName(o))
	}
	return all
}

// EmailName is the name that an e-mail address is.
func EmailName(email string) Name { return Name{store.SpaceEmail, emailKey(email)} }

// UsernameName is the name that a user name is.
func UsernameName(name string) Name { return Name{store.SpaceUsername, usernameKey(name)} }

// DisplayName is the name that a display name is.
func DisplayName(name string) Name { return Name{store.SpaceDisplayName, displayNameKey(name)} }

// StreamingName is the name that a user id of the streaming platform is.
func StreamingName(id string) Name { return Name{store.SpaceStreamingIdentity, identityKey(id)} }

// CustomIDName is the name that a custom id is.
func CustomIDName(id string) Name { return Name{store.SpaceCustomID, identityKey(id)} }

// ServerCustomIDName is the name that a custom id given by a game server is.
func ServerCustomIDName(id string) Name { return Name{store.SpaceServerCustomID, identityKey(id)} }

// OpenIDName is the name that an identity of an OpenID provider is: its issuer
// and subject, whichever connection they came by.
func OpenIDName(o OpenID) Name { return Name{store.SpaceOpenID, o.Issuer + "\n" + o.Subject} }

// One function per space of the ledger says when two names are the same. Keys
// are stored: a change here needs a migration that makes them anew.

// emailKey is the key of an e-mail address: whole, without regard to case, and
// to whether a domain of another script is spelled out or in its ASCII form.
func emailKey(email string) string {
	if at := strings.LastIndexByte(email, '@') + 1; hasALabel(email[at:]) {
		if domain, err := idna.ToUnicode(strings.ToLower(email[at:])); err == nil {
			email = email[:at] + domain
		}
	}
	return foldKey(email)
}

// hasALabel reports whether a domain has a label in the ASCII form of another
// script (RFC 5890).
func hasALabel(domain string) bool {
	for label := range strings.SplitSeq(domain, ".") {
		if len(label) > 4 && strings.EqualFold(label[:4], "xn--") {
			return true
		}
	}
	return false
}

// usernameKey is the key of a user name: without regard to case.
func usernameKey(name string) string { return foldKey(name) }

// displayNameKey is the key of a display name: without regard to case and to
// characters that cannot be seen.
func displayNameKey(name string) string { return foldKey(strings.Map(visible, name)) }

// identityKey is the key of an identity that somebody else gives out, such as the
// streaming platform: its id as it is.
func identityKey(id string) string { return id }

// foldKey folds case and the Unicode forms that mean the same (NFKC_Casefold
// without its removal of invisible characters).
func foldKey(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	// Folding may undo the form, and the form may bring in what folds.
	fold := cases.Fold()
	s = norm.NFKC.String(fold.String(norm.NFKD.String(s)))
	return norm.NFKC.String(fold.String(s))
}

// visible drops characters that are not shown: formats, joiners, selectors.
func visible(r rune) rune {
	if r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
