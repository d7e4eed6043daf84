package wire

import "sync"

// Naming is a table of words for one family of clients. The neutral naming is
// empty: its words are the contract's. Tables name exact words at known places;
// nothing is ever replaced inside a longer string or inside a free-form map.
type Naming struct {
	Name string
	// Namespaces maps a provider namespace, "Vendor.Sql", to this naming's.
	Namespaces map[string]string
	Player     PlayerNaming
	Directory  DirectoryNaming

	once    sync.Once
	in, out *words
}

// PlayerNaming is the part of a naming that the Player surface uses.
type PlayerNaming struct {
	Paths  map[string]string            // neutral path -> this naming's path
	Fields map[string]string            // neutral member name of a record -> this naming's
	Enums  map[string]map[string]string // Go type name of an enumeration -> value -> value
	Errors map[string]string            // neutral error name -> this naming's
	// Envelope is how a success is wrapped.
	Envelope Envelope
	// CollectParams: every shape error of a request is one InvalidParams; else
	// the first failing one gives the error its name.
	CollectParams bool
	// RichStatus: HTTP 401, 403, 404, 409 where they fit; else 400 for every
	// refusal of a call.
	RichStatus bool
	// TypeString: EntityKey also carries the deprecated member TypeString.
	TypeString bool
	// FoldUsernames: user names are given back in lower case.
	FoldUsernames bool
}

// DirectoryNaming is the part of a naming that the Directory surface uses.
type DirectoryNaming struct {
	// Strict: the behaviour of the public directory API where it differs from
	// the contract (docs/divergences.md has the list).
	Strict bool
}

// Envelope is the shape of a success on the Player surface.
type Envelope string

// Envelopes.
const (
	Bare    Envelope = "bare"    // the result itself
	Wrapped Envelope = "wrapped" // {"code":200,"status":"OK","data":result}
	Both    Envelope = "both"    // wrapped; on sign-ins the result's members beside data, too
)

// Neutral is the naming of the contract.
var Neutral = &Naming{Name: "neutral", Player: PlayerNaming{Envelope: Bare}}

// path gives the naming's path of a neutral player path.
func (n *Naming) path(neutral string) string {
	if p, ok := n.Player.Paths[neutral]; ok {
		return p
	}
	return neutral
}
