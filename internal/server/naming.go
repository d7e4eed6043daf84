package server

import (
	"cmp"

	"ludgate/internal/config"
	"ludgate/internal/wire"
)

// namings gives every naming of an installation: the built-in ones and those of
// the settings.
func namings(own []config.Naming) []*wire.Naming {
	all := []*wire.Naming{wire.Neutral, wire.Vendor}
	for _, n := range own {
		all = append(all, &wire.Naming{
			Name: n.Name, Namespaces: n.Namespaces,
			Player: wire.PlayerNaming{
				Paths: n.Paths, Fields: n.Fields, Enums: n.Enums, Errors: n.Errors,
				Envelope:      cmp.Or(wire.Envelope(n.Envelope), wire.Bare),
				CollectParams: n.CollectParams, RichStatus: n.RichStatus, TypeString: n.TypeString,
			},
			Directory: wire.DirectoryNaming{Strict: n.StrictGroups},
		})
	}
	return all
}

// naming finds a naming by name; nil when there is none.
func (s *Server) naming(name string) *wire.Naming {
	for _, n := range s.namings {
		if n.Name == name {
			return n
		}
	}
	return nil
}
