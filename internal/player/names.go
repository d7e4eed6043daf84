package player

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// One function per space of the ledger says when two names are the same. Keys
// are stored: a change here needs a migration that makes them anew.

// emailKey is the key of an e-mail address: whole, without regard to case.
func emailKey(email string) string { return foldKey(email) }

// usernameKey is the key of a user name: without regard to case.
func usernameKey(name string) string { return foldKey(name) }

// displayNameKey is the key of a display name: without regard to case and to
// characters that cannot be seen.
func displayNameKey(name string) string { return foldKey(strings.Map(visible, name)) }

// streamingKey is the key of an identity on the streaming platform: its id as it
// is, because ids are the platform's.
func streamingKey(userID string) string { return userID }

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
