package call

import (
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// EntityKey names an entity (P-2). TypeString repeats Type under namings that
// want it.
type EntityKey struct {
	Id         string `json:"Id"`
	Type       string `json:"Type"`
	TypeString string `json:"TypeString,omitzero"`
}

// KeyOf writes an entity key as a naming's clients know it.
func KeyOf(n *wire.Naming, id string, typ ticket.EntityType) EntityKey {
	k := EntityKey{Id: id, Type: string(typ)}
	if n.Player.TypeString {
		k.TypeString = k.Type
	}
	return k
}

// Kind is the type a key names; clients that know the deprecated member send it
// there.
func (k EntityKey) Kind() string {
	if k.Type == "" {
		return k.TypeString
	}
	return k.Type
}
