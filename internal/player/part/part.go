// Package part is the door between the parts of the player service and what
// happens to players as wholes: deletion, export and import.
//
// A part (economy, data, profile, experiment) keeps rows about players in tables
// of its own. It offers the three methods of a [Keeper] with a Dump of its own
// making, and [Of] makes a [Part] of it, which the assembly lists. The account
// itself is no part: it is removed last and imported first.
package part

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/store"
)

// Keeper is what a part implements. D is its dump: a struct with all that the
// part keeps of one player, which marshals to a JSON object and whose zero value
// marshals to {} (members tagged omitzero).
type Keeper[D any] interface {
	// Delete removes every row of a player. Nothing there is no error.
	Delete(tx store.Tx, title, player string) error
	// Export gives every row of a player; nil or an empty dump when there is none.
	Export(tx store.Tx, title, player string) (*D, error)
	// Import stores a dump for a player who has nothing there yet. It checks the
	// dump as if a caller had sent it; a refusal is an error for people.
	Import(tx store.Tx, title, player string, dump *D) error
}

// TitleKeeper is a part that also keeps rows of titles, such as a catalog.
type TitleKeeper interface {
	// DeleteTitle removes every row of a title whose players are gone.
	DeleteTitle(tx store.Tx, title string) error
}

// Part is a part of the player service as deletion, export and import see it.
type Part interface {
	// Name is the member of an exported player that holds the part's dump. It
	// stands in files, so it never changes.
	Name() string
	// Delete removes every row of a player.
	Delete(tx store.Tx, title, player string) error
	// DeleteTitle removes every row that is a title's own.
	DeleteTitle(tx store.Tx, title string) error
	// Export gives the player's dump as one JSON object; nil when it is empty.
	Export(tx store.Tx, title, player string) (jsontext.Value, error)
	// Parse reads what Export gave, strictly. It needs no transaction, so that
	// many can be read at once.
	Parse(dump jsontext.Value) (Dump, error)
}

// Dump is a parsed dump of one player.
type Dump interface {
	// Import stores the dump for a player who has nothing in the part yet.
	Import(tx store.Tx, title, player string) error
}

// Of makes a part of what keeps it.
func Of[D any](name string, k Keeper[D]) Part { return &keeper[D]{name, k} }

type keeper[D any] struct {
	name string
	Keeper[D]
}

func (k *keeper[D]) Name() string { return k.name }

func (k *keeper[D]) DeleteTitle(tx store.Tx, title string) error {
	if t, ok := k.Keeper.(TitleKeeper); ok {
		return t.DeleteTitle(tx, title)
	}
	return nil
}

func (k *keeper[D]) Export(tx store.Tx, title, player string) (jsontext.Value, error) {
	d, err := k.Keeper.Export(tx, title, player)
	if err != nil || d == nil {
		return nil, err
	}
	text, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("%s of player %s: %w", k.name, player, err)
	}
	if bytes.Equal(text, []byte("{}")) {
		return nil, nil
	}
	return text, nil
}

func (k *keeper[D]) Parse(text jsontext.Value) (Dump, error) {
	d := &dump[D]{keeper: k}
	if err := json.Unmarshal(text, &d.D, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s: %w", k.name, err)
	}
	return d, nil
}

type dump[D any] struct {
	keeper *keeper[D]
	D      D
}

func (d *dump[D]) Import(tx store.Tx, title, player string) error {
	if err := d.keeper.Keeper.Import(tx, title, player, &d.D); err != nil {
		return fmt.Errorf("%s: %w", d.keeper.name, err)
	}
	return nil
}
