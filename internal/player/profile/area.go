package profile

import (
	"embed"

	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this part.
var Area = store.Area{Name: "player-profile", FS: files, Dir: "sql/migrations"}

var statements = store.Statements(files, "sql")
