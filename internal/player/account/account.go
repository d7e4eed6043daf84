package account

import (
	"embed"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of the accounts.
var Area = store.Area{Name: "player", FS: files, Dir: "sql/migrations"}

var (
	statements          = store.Statements(files, "sql")
	insertStmt          = statements.Get("insert")
	signInStmt          = statements.Get("sign_in")
	signInStreamingStmt = statements.Get("sign_in_streaming")
	getStmt             = statements.Get("get")
	lockStmt            = statements.Get("lock")
	saveStmt            = statements.Get("save")
	existsStmt          = statements.Get("exists")
	deleteStmt          = statements.Get("delete")
	recountStmt         = statements.Get("recount")
	countOneStmt        = statements.Get("count_one")
	countLessStmt       = statements.Get("count_less")
	countStmt           = statements.Get("count")
	countAllStmt        = statements.Get("count_all")
	pageStmt            = statements.Get("page")
)

// UserOrigination is how a player first came.
type UserOrigination string

// Ways in which players come. They are stored, so they never change.
const (
	Organic           UserOrigination = "Organic" // registration
	StreamingPlatform UserOrigination = "StreamingPlatform"
	CustomID          UserOrigination = "CustomId"
	ServerCustomID    UserOrigination = "ServerCustomId"
	OpenIDConnect     UserOrigination = "OpenIdConnect"
	Unknown           UserOrigination = "Unknown"  // imported without saying
	LoadTest          UserOrigination = "LoadTest" // imported
)

// Forever is the time at which an endless ban ends: the last of the wire.
const Forever int64 = 253402300799999

// Account is a player's account as it is stored. Strings that the player does
// not have are empty; times are milliseconds since 1970.
type Account struct {
	Title          string
	ID             string // PlatformId
	Account        string // id of the title player account
	Origination    UserOrigination
	Username       string // as the player spelled it
	Email          string
	Password       string // PHC string
	DisplayName    string
	StreamingID    string
	StreamingName  string
	CustomID       string
	ServerCustomID string
	AvatarURL      string
	Secret         string // player secret, sealed
	OpenIDs        []OpenID
	BannedUntil    int64 // 0: not banned
	Created        int64
	LastLogin      int64
	PreviousLogin  int64 // 0: none
}

// OpenID is one linked identity of an OpenID Connect provider.
type OpenID struct {
	Connection string `json:"c"`
	Issuer     string `json:"i"`
	Subject    string `json:"s"`
}

// NewID makes a PlatformId. Ids grow with time, which keeps a large table quick
// to append to: 40 bits are the time in units of 4 ms (139 years of them), 24 are
// random, and the rare double is noticed when the account is stored.
func NewID(ms int64) string {
	return fmt.Sprintf("%010X", uint64(ms)>>2&(1<<40-1)) + ludgate.NewPlayerID()[10:]
}

// SignIn notes that the account signed in now, and gives it as it is then; nil
// when there is no such account.
func SignIn(tx store.Tx, title, id string, now int64) (*Account, error) {
	return read(tx, signInStmt, title, id, now)
}

// SignInStreaming is SignIn with the name that the player has on the streaming
// platform now.
func SignInStreaming(tx store.Tx, title, id, name string, now int64) (*Account, error) {
	return read(tx, signInStreamingStmt, title, id, now, orNull(name))
}

// Get gives an account; nil when there is none.
func Get(tx store.Tx, title, id string) (*Account, error) { return read(tx, getStmt, title, id) }

func read(tx store.Tx, stmt *store.Stmt, title, id string, more ...any) (*Account, error) {
	a := &Account{Title: title, ID: id}
	openIDs := ""
	found, err := store.QueryOne(tx, stmt, func(r store.Row) error {
		a.Account, a.Origination = r.Text(0), UserOrigination(r.Text(1))
		a.Username, a.Email, a.Password, a.DisplayName = r.Text(2), r.Text(3), r.Text(4), r.Text(5)
		a.StreamingID, a.StreamingName, a.CustomID, a.ServerCustomID = r.Text(6), r.Text(7), r.Text(8), r.Text(9)
		a.AvatarURL, a.Secret, openIDs, a.BannedUntil = r.Text(10), r.Text(11), r.Text(12), r.Int(13)
		a.Created, a.LastLogin, a.PreviousLogin = r.Int(14), r.Int(15), r.Int(16)
		return nil
	}, append([]any{title, id}, more...)...)
	if err != nil || !found {
		return nil, err
	}
	if openIDs != "" {
		if err := json.Unmarshal([]byte(openIDs), &a.OpenIDs); err != nil {
			return nil, fmt.Errorf("player %s of title %s: identities: %w", id, title, err)
		}
	}
	return a, nil
}

// Exists reports whether a title has a player.
func Exists(tx store.Tx, title, id string) (bool, error) {
	return store.QueryOne(tx, existsStmt, func(store.Row) error { return nil }, title, id)
}

// Require fails with AccountNotFound unless the title has the player.
func Require(tx store.Tx, title, id string) error {
	found, err := Exists(tx, title, id)
	if err == nil && !found {
		err = NotFound()
	}
	return err
}

// NotFound is the refusal of a call about a player who does not exist. Games
// tell it from a bad password and offer to make an account.
func NotFound() error {
	return ludgate.Errorf(ludgate.Invalid, "AccountNotFound", "User not found")
}

// Page lists ids of a title's players after one, in order.
func Page(tx store.Tx, title, after string, most int) ([]string, error) {
	var ids []string
	err := tx.Query(pageStmt, func(r store.Row) error { ids = append(ids, r.Text(0)); return nil }, title, after, int64(most))
	return ids, err
}

// openIDs is the column of that name.
func (a *Account) openIDs() (any, error) {
	if len(a.OpenIDs) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(a.OpenIDs)
	return string(b), err
}

// Stamp is a stored time as the wire shows it: UTC, at most milliseconds, no
// trailing zeros (clients parse six digits at most). 0 is the minimum date-time.
func Stamp(ms int64) string {
	if ms == 0 {
		return "0001-01-01T00:00:00Z"
	}
	return StampTime(time.UnixMilli(ms))
}

// StampTime is a time as the wire shows it. Records hold many of them, so the
// digits are written here rather than by a layout, which takes three times as
// long; what a layout would do otherwise, one does.
func StampTime(t time.Time) string {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.Format("2006-01-02T15:04:05.999Z07:00")
	}
	hour, minute, second := t.Clock()
	b := [24]byte{4: '-', 7: '-', 10: 'T', 13: ':', 16: ':', 19: '.'}
	digits(b[0:4], year)
	digits(b[5:7], int(month))
	digits(b[8:10], day)
	digits(b[11:13], hour)
	digits(b[14:16], minute)
	digits(b[17:19], second)
	n := 19
	if ms := t.Nanosecond() / 1e6; ms != 0 {
		digits(b[20:23], ms)
		for n = 23; b[n-1] == '0'; n-- {
		}
	}
	b[n] = 'Z'
	return string(b[:n+1])
}

// digits writes n, right-aligned with zeros.
func digits(b []byte, n int) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

// orNull stores an empty string as null.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
