package economy

import (
	"strings"
	"unicode/utf8"

	"ludgate"
	"ludgate/internal/player/call"
)

// invalid refuses one member of a request.
func invalid(member, text string) *ludgate.Error {
	return call.Refuse("InvalidParams", "Invalid input parameters").With(member, text)
}

// clip bounds a caller's text in a message.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// long reports whether a name has more than maxName characters, or could not be
// stored at all.
func long(s string) bool { return utf8.RuneCountInString(s) > maxName || !isText(s) }

// isText reports whether the store can keep s as text.
func isText(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

func errNotOwned() error    { return call.Refuse("ItemNotOwned", "Item not owned") }
func errNoItem() error      { return call.Refuse("ItemNotFound", "Item not found") }
func errNoCharacter() error { return call.Refuse("CharacterNotFound", "Character not found") }

func errNoCurrency(code string) error {
	return call.Refuse("InvalidVirtualCurrency", "Invalid virtual currency").With("VirtualCurrency", "There is no currency "+clip(code)+".")
}
