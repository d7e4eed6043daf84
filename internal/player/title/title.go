package title

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"ludgate/internal/config"
	"ludgate/internal/wire"
)

// Title is one game, whose players are its own, as it is at one moment. It is
// never changed.
type Title struct {
	// ID is 3 to 5 hexadecimal digits in upper case.
	ID string
	Settings
	// WireNaming is what the title's clients speak; nil is the server's own.
	WireNaming *wire.Naming
	// Version grows with each change; who compiles something from the settings
	// keeps it as long as this stays.
	Version int64
	// Declared: the settings file has the title, and only it changes the settings.
	Declared bool

	keys Keys
}

// Settings are what an operator decides about a title. There is one list of them
// for the settings file and for titles made at run time.
type Settings config.TitleSettings

// OpenIDConnection is an OpenID Connect provider that a title trusts.
type OpenIDConnection = config.OpenIDConnection

var idPattern = regexp.MustCompile(`^[0-9A-F]{3,5}$`)

// ValidID reports whether id, in upper case, can be a title's.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// CleanID gives an id as titles keep it, or an error that says what ids are.
func CleanID(id string) (string, error) {
	id = strings.ToUpper(id)
	if !ValidID(id) {
		return "", fmt.Errorf("%q is no title id; it must be 3 to 5 hexadecimal digits", id)
	}
	return id, nil
}

// Publisher is the title's publisher id: 16 upper-case hexadecimal digits that
// follow from the title's id.
func (t *Title) Publisher() string {
	sum := sha256.Sum256([]byte("publisher of title " + t.ID))
	return strings.ToUpper(hex.EncodeToString(sum[:8]))
}

// Constraint reports whether client calls may set a Show flag.
func (s *Settings) Constraint(flag string) bool {
	if len(s.AllowedConstraints) == 0 {
		return flag == "ShowDisplayName"
	}
	for _, allowed := range s.AllowedConstraints {
		if allowed == flag {
			return true
		}
	}
	return false
}

// Connection finds an OpenID Connect provider of the title.
func (s *Settings) Connection(id string) (OpenIDConnection, bool) {
	for _, c := range s.OpenIDConnections {
		if c.ID == id {
			return c, true
		}
	}
	return OpenIDConnection{}, false
}
