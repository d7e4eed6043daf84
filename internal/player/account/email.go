package account

import (
	"strings"
	"unicode"
)

// ValidEmail reports whether s is an address as people have them: a dot-atom, an
// at sign and a domain of at least two labels, letters of any script included.
// Quoted local parts, comments and address literals are legal in mail and used
// by nobody but attackers, so they are refused.
func ValidEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && len(s) <= 254 && len(local) <= 64 && validLocal(local) && validDomain(domain)
}

// validLocal checks the part before the at sign: runs of atom characters
// (RFC 5322, 3.2.3, with the letters of RFC 6532) joined by single dots.
func validLocal(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.IndexFunc(atom, notAtom) >= 0 {
			return false
		}
	}
	return true
}

func notAtom(r rune) bool {
	return !isWord(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

// validDomain checks the part after the at sign.
func validDomain(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		if strings.IndexFunc(l, func(r rune) bool { return !isWord(r) && r != '-' }) >= 0 {
			return false
		}
	}
	return len(labels) >= 2
}

// isWord reports whether r is a letter, a mark upon one, or a digit.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }
