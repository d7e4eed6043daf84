package player

import (
	"embed"
	"errors"
	"fmt"
	"time"

	"ludgate"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this service.
var Area = store.Area{Name: "player", FS: files, Dir: "sql/migrations"}

var (
	statements   = store.Statements(files, "sql")
	insertStmt   = statements.Get("insert")
	signInStmt   = statements.Get("sign_in")
	recountStmt  = statements.Get("recount")
	countOneStmt = statements.Get("count_one")
	countStmt    = statements.Get("count")
)

// account is a player's account as it is stored. Strings that the player does
// not have are empty.
type account struct {
	title         string
	id            string // PlatformId
	account       string // id of the title player account
	origination   UserOrigination
	username      string // as the player spelled it
	email         string
	password      string // PHC string; not read back by a sign-in
	displayName   string
	streamingID   string
	streamingName string
	created       int64 // milliseconds since 1970, as all times here
	lastLogin     int64
	previousLogin int64 // 0: none
}

// newPlayerID makes a PlatformId. Ids grow with time, which keeps a large table
// quick to append to: 40 bits are the time in units of 4 ms (139 years of them),
// 24 are random, and the rare double is noticed when the account is stored.
func newPlayerID(ms int64) string {
	return fmt.Sprintf("%010X", uint64(ms)>>2&(1<<40-1)) + ludgate.NewPlayerID()[10:]
}

// errDoubleID: another account of the title has the id. The operation is tried
// again and gets another one.
var errDoubleID = errors.New("player: PlatformId exists already")

// insert stores a new account.
func (a *account) insert(tx store.Tx) error {
	n, err := tx.Exec(insertStmt, a.title, a.id, a.account, string(a.origination), orNull(a.username), orNull(a.email),
		orNull(a.password), orNull(a.displayName), orNull(a.streamingID), orNull(a.streamingName), a.created)
	if err == nil && n == 0 {
		err = errDoubleID
	}
	return err
}

// signIn notes that the account id of title signed in now under a name on the
// streaming platform, and gives it as it is then; nil when there is no such
// account.
func signIn(tx store.Tx, title, id, streamingName string, now int64) (*account, error) {
	a := &account{title: title, id: id, streamingName: streamingName, lastLogin: now}
	found, err := store.QueryOne(tx, signInStmt, func(r store.Row) error {
		a.account, a.origination = r.Text(0), UserOrigination(r.Text(1))
		a.username, a.email, a.displayName, a.streamingID = r.Text(2), r.Text(3), r.Text(4), r.Text(5)
		a.created, a.previousLogin = r.Int(6), r.Int(7)
		return nil
	}, title, id, now, orNull(streamingName))
	if err != nil || !found {
		return nil, err
	}
	return a, nil
}

// claim is a name that an account wants for itself.
type claim struct {
	space  store.Space
	key    string
	member string // of the request
	// What a caller hears when the name is taken.
	code, message, detail string
}

// claims lists the names of the account, in the order in which one that is taken
// names the refusal.
func (a *account) claims(t Title) []claim {
	var all []claim
	if a.email != "" {
		all = append(all, claim{store.SpaceEmail, emailKey(a.email), "Email",
			"EmailAddressNotAvailable", "Email address not available", "Email address already exists. "}) // clients compare the blank, too
	}
	if a.username != "" {
		all = append(all, claim{store.SpaceUsername, usernameKey(a.username), "Username",
			"UsernameNotAvailable", "Username not available", "User name already exists."})
	}
	if a.displayName != "" && !t.DuplicateNames {
		const text = "The display name entered is not available."
		all = append(all, claim{store.SpaceDisplayName, displayNameKey(a.displayName), "DisplayName", "NameNotAvailable", text, text})
	}
	return all
}

// errTaken is the refusal of a registration whose names are taken: the first one
// names it, and the details say all. A display name alone needs no detail.
func errTaken(taken []claim) error {
	if len(taken) == 0 {
		return nil
	}
	e := ludgate.Errorf(ludgate.Invalid, taken[0].code, "%s", taken[0].message)
	if len(taken) == 1 && taken[0].space == store.SpaceDisplayName {
		return e
	}
	for _, c := range taken {
		e.With(c.member, c.detail)
	}
	return e
}

// stamp is a stored time as the wire shows it: UTC, at most milliseconds, no
// trailing zeros (clients parse six digits at most). 0 is the minimum date-time.
func stamp(ms int64) string {
	if ms == 0 {
		return "0001-01-01T00:00:00Z"
	}
	return stampTime(time.UnixMilli(ms))
}

func stampTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }

// orNull stores an empty string as null.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
