package operator

import (
	"time"

	"ludgate/internal/player/title"
)

// Source is where a title comes from.
type Source string

// Sources of titles.
const (
	FromFile  Source = "settings file"    // only the file changes it
	FromStore Source = "store"            // operators change it
	FromUse   Source = "development mode" // it springs up on first use
)

// Title is a title as operators see it.
type Title struct {
	ID        string         `json:"id"`
	Source    Source         `json:"source"`
	Publisher string         `json:"publisher"` // publisher id
	Settings  title.Settings `json:"settings"`  // secrets masked
	Players   *int64         `json:"players,omitzero"`
}

// Titles is a list of them.
type Titles struct {
	Titles []Title `json:"titles"`
}

// TitleRequest names a title.
type TitleRequest struct {
	ID string `json:"id"`
}

// SetRequest gives settings as texts, by their keys; see title.Settings.Set.
type SetRequest struct {
	ID       string              `json:"id"`
	Settings map[string][]string `json:"settings"`
}

// Deleted is how far a deletion came. One call does a part of the work; it is
// repeated until it is done.
type Deleted struct {
	Players int  `json:"players"` // removed by this call
	Done    bool `json:"done"`
}

// KeyRequest names a key of a title.
type KeyRequest struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NewKey is a key that was made. A secret key is seen this once.
type NewKey struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

// Keys are the keys of a title.
type Keys struct {
	Secrets   []SecretKey    `json:"secrets"`
	Shared    []SharedSecret `json:"shared"`
	PublicKey string         `json:"publicKey,omitzero"` // of the key pair, as clients get it
}

// SecretKey is a secret key without the key itself.
type SecretKey struct {
	Name     string    `json:"name"`
	Created  time.Time `json:"created"`
	Disabled bool      `json:"disabled"`
}

// SharedSecret is a shared secret, which is shown whole.
type SharedSecret struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Disabled bool   `json:"disabled"`
}

// PlayerRequest names a player.
type PlayerRequest struct {
	ID     string `json:"id"` // of the title
	Player string `json:"player"`
}

// ExportRequest asks for the players after one.
type ExportRequest struct {
	ID    string `json:"id"`
	After string `json:"after,omitzero"`
}

// Headers of a page of an export, whose body is JSON lines.
const (
	HeaderCount = "Ludgate-Count" // players of the page; 0 is the end
	HeaderLast  = "Ludgate-Last"  // where the next page begins
)

// Count is the number of players of a title.
type Count struct {
	Players int64 `json:"players"`
}
