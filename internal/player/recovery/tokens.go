package recovery

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"strings"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this part.
var Area = store.Area{Name: "player-recovery", FS: files, Dir: "sql/migrations"}

var (
	statements      = store.Statements(files, "sql")
	addStmt         = statements.Get("add")
	countStmt       = statements.Get("count")
	getStmt         = statements.Get("get")
	useStmt         = statements.Get("use")
	voidStmt        = statements.Get("void")
	pruneStmt       = statements.Get("prune")
	deleteStmt      = statements.Get("delete")
	deleteTitleStmt = statements.Get("delete_title")
)

const (
	// MailsPerHour is how many mails an account gets in an hour, the life of a
	// token: whoever is refused one has that many that work.
	MailsPerHour = 5
	tokenLife    = time.Hour
	// remembered is how long a token is told from one that never was.
	remembered = 24 * time.Hour
)

// tokenLength is that of two texts of crypto/rand, 260 bits.
const tokenLength = 52

func newToken() string { return rand.Text() + rand.Text() }

// wellFormed reports whether a text can be a token.
func wellFormed(token string) bool {
	return len(token) == tokenLength && strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// hashOf is what is stored of a token or an address. Tokens are random, so a
// plain hash gives nothing away, and finding it in an index neither.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// row is a stored token.
type row struct {
	title, player string
	address       []byte
	expires, used int64
}

// isFor reports whether the token was mailed to an account's present address.
func (r *row) isFor(a *account.Account) bool {
	return a.Email != "" && bytes.Equal(r.address, hashOf(account.EmailName(a.Email).Key))
}

// get finds a token; nil when there is none.
func get(tx store.Tx, token string) (*row, error) {
	var out *row
	_, err := store.QueryOne(tx, getStmt, func(r store.Row) error {
		out = &row{r.Text(0), r.Text(1), bytes.Clone(r.Bytes(2)), r.Int(3), r.Int(4)}
		return nil
	}, hashOf(token))
	return out, err
}

// room is how long an account has to wait for its next mail; 0: it need not.
func room(tx store.Tx, title, player string, now int64) (wait time.Duration, err error) {
	_, err = store.QueryOne(tx, countStmt, func(r store.Row) error {
		if r.Int(0) >= MailsPerHour {
			wait = time.Duration(r.Int(1)-now)*time.Millisecond + tokenLife
		}
		return nil
	}, title, player, now-tokenLife.Milliseconds())
	return wait, err
}

// add stores a new token, and forgets old ones.
func add(tx store.Tx, title, player, address, token string, now int64) error {
	if _, err := tx.Exec(pruneStmt, now); err != nil {
		return err
	}
	_, err := tx.Exec(addStmt, title, player, hashOf(token), hashOf(address), now, now+tokenLife.Milliseconds(), now+remembered.Milliseconds())
	return err
}

// Delete removes the tokens of a player.
func (s *Service) Delete(tx store.Tx, title, player string) error {
	_, err := tx.Exec(deleteStmt, title, player)
	return err
}

// DeleteTitle removes the tokens of a title.
func (s *Service) DeleteTitle(tx store.Tx, title string) error {
	_, err := tx.Exec(deleteTitleStmt, title)
	return err
}

// Dump is what is exported of a player: nothing, since a token belongs to the
// server that mailed it.
type Dump struct{}

// Export gives nothing.
func (s *Service) Export(store.Tx, string, string) (*Dump, error) { return nil, nil }

// Import has nothing to store.
func (s *Service) Import(store.Tx, string, string, *Dump) error { return nil }
