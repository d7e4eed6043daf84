package server

import (
	"strings"

	"ludgate/internal/config"
	"ludgate/internal/wire"
)

// namings gives every naming of the settings, the default one, and a function
// that finds a title's own (nil when no title has one).
func namings(c *config.Config) (all []*wire.Naming, def *wire.Naming, title func(string) *wire.Naming) {
	all = []*wire.Naming{wire.Neutral, wire.Vendor}
	for _, n := range c.Namings {
		all = append(all, fromConfig(n))
	}
	byName := map[string]*wire.Naming{}
	for _, n := range all {
		byName[n.Name] = n
	}
	own := map[string]*wire.Naming{}
	for _, t := range c.Titles {
		if t.Naming != "" {
			own[strings.ToUpper(t.ID)] = byName[t.Naming]
		}
	}
	if len(own) > 0 {
		title = func(id string) *wire.Naming { return own[strings.ToUpper(id)] }
	}
	return all, byName[c.Naming], title
}

// fromConfig makes a naming of the file's table.
func fromConfig(n config.Naming) *wire.Naming {
	envelope := wire.Envelope(n.Envelope)
	if envelope == "" {
		envelope = wire.Bare
	}
	return &wire.Naming{
		Name: n.Name, Namespaces: n.Namespaces,
		Player: wire.PlayerNaming{
			Paths: n.Paths, Fields: n.Fields, Enums: n.Enums, Errors: n.Errors, Envelope: envelope,
			CollectParams: n.CollectParams, RichStatus: n.RichStatus, TypeString: n.TypeString,
		},
		Directory: wire.DirectoryNaming{Strict: n.StrictGroups},
	}
}
