package servername

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ludgate"
)

// Limits of what a caller sends. The name's is D-8.serverName.
const (
	maxName     = 63
	maxBody     = 64 << 10
	maxTags     = 50
	maxTagKey   = 512
	maxTagValue = 256
	maxLocation = 64
)

// The sentences of the name check.
const (
	invalidName = "Specified server name contains unsupported characters or is too long. Server name must be no longer than 63 characters long, " +
		"contain only lower-case characters or digits, cannot contain '.' or '_' characters and can't start or end with '-' character."
	takenName = "Specified server name is already used"
)

// validName is the rule of D-8.serverName: 1 to 63 lower-case letters, digits
// and hyphens, and no hyphen at either end.
func validName(name string) bool {
	if len(name) < 1 || len(name) > maxName || name[0] == '-' || name[len(name)-1] == '-' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// check holds the request against the rules that need no look at the register,
// in their order: a name and a type are there, the type is the servers of the
// path's namespace.
func (q checkRequest) check(namespace string) error {
	switch {
	case q.Name == nil || *q.Name == "":
		return invalidCheck().At("name")
	case q.Type == nil || *q.Type == "":
		return invalidCheck().At("type")
	case !strings.EqualFold(*q.Type, namespace+"/servers"):
		return ludgate.Errorf(ludgate.Invalid, "UnknownNameType", "Unknown resource type specified for a subscription level name availability check.").At("type")
	}
	return nil
}

func invalidCheck() *ludgate.Error {
	return ludgate.Errorf(ludgate.Invalid, "InvalidNameAvailabilityRequest", "The check name availability request is invalid.")
}

// harmless are the members of properties that a reply of this service, or of a
// real one, carries: a client may send them back.
var harmless = []string{"state", "fullyqualifieddomainname", "privateendpointconnections", "workspacefeature", "externalgovernancestatus"}

// check holds a PUT against the rules of the servers resource. No message
// repeats a value that the caller sent in properties.
func (q serverRequest) check() error {
	if len(q.Identity) > 0 && q.Identity.Kind() != 'n' {
		return notSupported("identity")
	}
	var refused []string
	for name, value := range q.Properties {
		if value.Kind() != 'n' && !slices.Contains(harmless, strings.ToLower(name)) {
			refused = append(refused, name)
		}
	}
	if len(refused) > 0 {
		return notSupported("properties." + clip(slices.Min(refused)))
	}
	if utf8.RuneCountInString(q.Location) > maxLocation || hasControl(q.Location) {
		return ludgate.Errorf(ludgate.Invalid, "InvalidLocation", "The location must be at most %d characters without control characters.", maxLocation).At("location")
	}
	if len(q.Tags) > maxTags {
		return ludgate.Errorf(ludgate.Invalid, "InvalidTags", "A resource has at most %d tags; the request has %d.", maxTags, len(q.Tags)).At("tags")
	}
	for key, value := range q.Tags {
		if key == "" || utf8.RuneCountInString(key) > maxTagKey || utf8.RuneCountInString(value) > maxTagValue {
			return ludgate.Errorf(ludgate.Invalid, "InvalidTags", "The tag '%s' is invalid: names have 1 to %d characters, values at most %d.", clip(key), maxTagKey, maxTagValue).At("tags")
		}
	}
	return nil
}

func notSupported(path string) error {
	return ludgate.Errorf(ludgate.Invalid, "FeatureNotSupported",
		"This server keeps the names of database servers and runs none: '%s' cannot be carried out. Leave it out.", path).At(path)
}

// sameLocation compares as people write locations: "West Europe" is westeurope.
func sameLocation(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", ""))
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// clip shortens a caller's text for a message.
func clip(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return fmt.Sprintf("%s…", string([]rune(s)[:most]))
}
