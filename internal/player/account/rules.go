package account

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of names and passwords in code points (P-8), and of identities in bytes.
const (
	MinDisplayName, MaxDisplayName = 3, 25
	MinUsername, MaxUsername       = 3, 20
	MinPassword, MaxPassword       = 6, 100
	MaxIdentity                    = 100
)

// Each Check gives what is wrong, in the words that clients compare where they
// do; nothing when all is well.

// CheckUsername checks a user name.
func CheckUsername(name string) (faults []string) {
	if Outside(name, MinUsername, MaxUsername) {
		faults = append(faults, "Username must be between 3 and 20 characters.")
	}
	if strings.IndexFunc(name, notAlphanumeric) >= 0 {
		faults = append(faults, "Username contains invalid characters.")
	}
	return faults
}

// CheckEmail checks an e-mail address.
func CheckEmail(email string) (faults []string) {
	if !ValidEmail(email) {
		faults = append(faults, "Email address is not valid.")
	}
	return faults
}

// CheckPassword checks a password.
func CheckPassword(password string) (faults []string) {
	if Outside(password, MinPassword, MaxPassword) {
		faults = append(faults, "Password must be between 6 and 100 characters.")
	}
	return faults
}

// CheckDisplayName checks a display name.
func CheckDisplayName(name string) (faults []string) {
	if Outside(name, MinDisplayName, MaxDisplayName) {
		faults = append(faults, "The field DisplayName must be a string with a minimum length of 3 and a maximum length of 25.")
	}
	if strings.IndexFunc(name, unicode.IsControl) >= 0 {
		faults = append(faults, "The field DisplayName must not contain control characters.")
	}
	return faults
}

// CheckIdentity checks an id that a game chose, the request's member of that
// name.
func CheckIdentity(member, id string) (faults []string) {
	if len(id) > MaxIdentity {
		faults = append(faults, "The field "+member+" must be a string with a maximum length of 100.")
	}
	if strings.IndexFunc(id, unicode.IsControl) >= 0 {
		faults = append(faults, "The field "+member+" must not contain control characters.")
	}
	return faults
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// Outside reports whether s has fewer than least or more than most code points.
func Outside(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n < least || n > most
}
