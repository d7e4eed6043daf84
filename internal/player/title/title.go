package title

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

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

// Settings are what an operator decides about a title. Their zero values are
// what a new title should have.
type Settings struct {
	Name   string `json:"name,omitzero" doc:"What people call the title."`
	Naming string `json:"naming,omitzero" doc:"Naming of the title's clients: neutral, vendor or one of the settings file; the server's when empty."`

	StreamingClientID string `json:"streaming_client_id,omitzero" doc:"Client id on the streaming platform; the server's when empty."`
	PlayerLimit       int64  `json:"player_limit,omitzero" doc:"Most players the title may have; 0 is no limit."`
	CreationDisabled  bool   `json:"creation_disabled,omitzero" doc:"No new players; those who exist sign in."`
	DuplicateNames    bool   `json:"allow_duplicate_display_names,omitzero" doc:"Several players may share a display name."`

	AllowClientStatistics bool `json:"allow_client_statistics,omitzero" doc:"Clients may post statistics."`
	AllowClientCurrency   bool `json:"allow_client_currency,omitzero" doc:"Clients may add and subtract virtual currency."`

	// AllowedConstraints are the Show flags of profile constraints that client
	// calls may set; nil is ShowDisplayName alone.
	AllowedConstraints []string `json:"profile_constraints,omitzero" doc:"Show flags that clients may set when they ask for profiles; ShowDisplayName when empty."`

	AllowPKCS1v15 bool `json:"allow_pkcs1v15,omitzero" doc:"Encrypted requests may use the padding PKCS#1 v1.5 besides OAEP."`

	ProfanityFilter bool     `json:"profanity_filter,omitzero" doc:"Display names pass the built-in filter."`
	ForbiddenWords  []string `json:"forbidden_words,omitzero" doc:"Words that display names must not contain."`
	AllowedWords    []string `json:"allowed_words,omitzero" doc:"Words that the filter finds but the title allows."`
	NameFilterURL   string   `json:"name_filter_url,omitzero" doc:"An HTTP service that is asked about every display name."`
	NameFilterToken string   `json:"name_filter_token,omitzero" secret:"true" doc:"Bearer token for it."`

	OpenIDConnections []OpenIDConnection `json:"openid_connections,omitzero" doc:"OpenID Connect providers that players sign in with."`

	RecoveryURL string `json:"recovery_url,omitzero" doc:"Page of the game that a recovery mail leads to, with token={token} in it; without one the mail shows the token."`
}

// OpenIDConnection is an OpenID Connect provider that a title trusts.
type OpenIDConnection struct {
	ID       string `json:"id" doc:"What sign-in calls name it by."`
	Issuer   string `json:"issuer" doc:"Issuer URL; its discovery document is read."`
	ClientID string `json:"client_id" doc:"Audience that ID tokens must have."`
}

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
