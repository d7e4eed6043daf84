package directory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ludgate"
)

// key is what a path names a group by: its id, or its uniqueName.
type key struct {
	id     string // a GUID in lower case, when byName is false
	name   string
	byName bool
}

// text is the key as a message repeats it.
func (k key) text() string {
	if k.byName {
		return clip(k.name)
	}
	return k.id
}

// parseKey reads the last segment of a path, unescaped: an id, ('id'), or
// (uniqueName='x').
func parseKey(segment string) (key, error) {
	inner, isKey := strings.CutPrefix(segment, "(")
	if !isKey {
		if ludgate.IsGUID(segment) {
			return key{id: strings.ToLower(segment)}, nil
		}
		return key{}, invalidIdentifier(segment)
	}
	inner, closed := strings.CutSuffix(inner, ")")
	if !closed {
		return key{}, invalidIdentifier(segment)
	}
	if id, quoted := unquote(inner); quoted && ludgate.IsGUID(id) {
		return key{id: strings.ToLower(id)}, nil
	}
	property, value, _ := strings.Cut(inner, "=")
	name, quoted := unquote(value)
	if !quoted || !strings.EqualFold(property, "uniqueName") {
		return key{}, invalidIdentifier(segment)
	}
	return key{name: name, byName: true}, nil
}

// unquote takes the quotes off a key's value. Inside, two quotes are one, as in
// OData; a lone one is taken as it is, because some clients escape it instead.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '\'' || s[len(s)-1] != '\'' {
		return "", false
	}
	return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), true
}

// Bounds of a uniqueName: characters as written, bytes as compared.
const (
	maxUniqueName    = 256
	maxUniqueNameKey = 1024
)

// validUniqueName says whether a group can have the name: 1 to 256 characters
// that are not only blanks and hold no control character.
func validUniqueName(name string) bool {
	return strings.TrimSpace(name) != "" && utf8.RuneCountInString(name) <= maxUniqueName &&
		utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) && len(canonicalUniqueName(name)) <= maxUniqueNameKey
}

// canonicalUniqueName is the ledger's key of a uniqueName: one form for all
// variants of a character (NFKC), and one for all its cases.
func canonicalUniqueName(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFKC.String(strings.Map(foldCase, norm.NFKC.String(name)))
		}
	}
	return strings.ToLower(name)
}

// foldCase gives one character for all that differ in case only. Lower case
// alone would not do: some letters have two, such as the Greek final sigma.
func foldCase(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// canonicalMailNickname is the ledger's key of a mailNickname. The rules leave
// ASCII without a backslash; the ledger takes no zero byte.
func canonicalMailNickname(nickname string) string {
	return strings.ReplaceAll(strings.ToLower(nickname), "\x00", `\0`)
}

// clip shortens a caller's text for a message.
func clip(s string) string {
	const most = 256
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
