package data

import (
	"embed"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this package.
var Area = store.Area{Name: "player-data", FS: files, Dir: "sql/migrations"}

var statements = store.Statements(files, "sql")

var (
	headsStmt       = statements.Get("heads")
	headStmt        = statements.Get("head")
	putHeadStmt     = statements.Get("put_head")
	deleteHeadsStmt = statements.Get("delete_heads")
)

// Service keeps what a game stores about its players. It is safe for concurrent
// use.
type Service struct {
	gate  *call.Gate
	opt   Options
	marks markCache
}

// kind is a kind of data that is counted by a head.
type kind int64

// The kinds; their numbers are stored.
const (
	clientData   kind = 0
	readOnlyData kind = 1
	internalData kind = 2
	objectData   kind = 3
	eventData    kind = 4

	kinds = 5
)

// head counts what a player has of one kind.
type head struct {
	version int64 // calls that changed it; of events: the number of the last one
	entries int64
	bytes   int64 // of names and values
}

// loadHead reads one head; it is zero where there is none.
func loadHead(tx store.Tx, title, player string, k kind) (head, error) {
	var h head
	_, err := store.QueryOne(tx, headStmt, func(r store.Row) error {
		h = head{r.Int(0), r.Int(1), r.Int(2)}
		return nil
	}, title, player, int64(k))
	return h, err
}

// loadHeads reads every head of a player in one statement, by kind.
func loadHeads(tx store.Tx, title, player string) (heads [kinds]head, err error) {
	err = tx.Query(headsStmt, func(r store.Row) error {
		if k := r.Int(0); k >= 0 && k < kinds {
			heads[k] = head{r.Int(1), r.Int(2), r.Int(3)}
		}
		return nil
	}, title, player)
	return heads, err
}

func (h head) store(tx store.Tx, title, player string, k kind) error {
	_, err := tx.Exec(putHeadStmt, title, player, int64(k), h.version, h.entries, h.bytes)
	return err
}
