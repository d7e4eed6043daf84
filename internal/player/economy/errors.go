package economy

import (
	"strings"

	"ludgate"
)

// refuse makes a refusal of the player surface by its name.
func refuse(code, format string, args ...any) *ludgate.Error {
	return ludgate.Errorf(ludgate.Invalid, code, format, args...)
}

// invalid refuses one member of a request.
func invalid(member, text string) *ludgate.Error {
	return refuse("InvalidParams", "Invalid input parameters").With(member, text)
}

// clip bounds a caller's text in a message.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func errNotOwned() error {
	return refuse("ItemNotOwned", "Item not owned")
}

func errNoItem() error {
	return refuse("ItemNotFound", "Item not found")
}

func errNoCharacter() error {
	return refuse("CharacterNotFound", "Character not found")
}

func errNoCurrency(code string) error {
	return refuse("InvalidVirtualCurrency", "Invalid virtual currency").With("VirtualCurrency", "There is no currency "+clip(code)+".")
}
