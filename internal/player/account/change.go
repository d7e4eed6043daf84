package account

import (
	"context"
	"errors"
	"slices"

	"ludgate"
	"ludgate/internal/store"
)

// ErrDoubleID: another account of the title has the id. The transaction is tried
// again and gets another one; [Write] does.
var ErrDoubleID = errors.New("player: PlatformId exists already")

// ErrFull: the title has as many players as it may have.
var ErrFull = errors.New("player: the title has no room for another player")

// TakenError says which names of an account belong to others.
type TakenError struct{ Names []Name }

func (e *TakenError) Error() string { return "player: names are taken" }

// Options say what a title demands of accounts.
type Options struct {
	// DuplicateNames lets several players have one display name.
	DuplicateNames bool
	// Limit is the most players the title may have, 0 for any number. Counted
	// must have run before.
	Limit int64
}

// Create stores a new account with all its names. It gives the account its ids,
// and its times where they are not set. It fails with a TakenError, ErrFull or
// ErrDoubleID.
func Create(tx store.Tx, a *Account, o Options, now int64) error {
	a.Begin(now)
	return Insert(tx, a, o)
}

// Begin gives a new account ids and times, for who needs the ids before Insert.
func (a *Account) Begin(now int64) {
	a.ID, a.Account = NewID(now), ludgate.NewPlayerID()
	a.Created, a.LastLogin, a.PreviousLogin = now, now, 0
}

// Insert is Create for an account that has its ids and times, as an import
// brings them.
func Insert(tx store.Tx, a *Account, o Options) error {
	if err := claim(tx, a, a.Names(o.DuplicateNames)); err != nil {
		return err
	}
	if o.Limit > 0 {
		n, err := tx.Exec(countOneStmt, a.Title, o.Limit)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrFull
		}
	}
	openIDs, err := a.openIDs()
	if err != nil {
		return err
	}
	n, err := tx.Exec(insertStmt, a.Title, a.ID, a.Account, string(a.Origination), orNull(a.Username), orNull(a.Email),
		orNull(a.Password), orNull(a.DisplayName), orNull(a.StreamingID), orNull(a.StreamingName), orNull(a.CustomID),
		orNull(a.ServerCustomID), orNull(a.AvatarURL), orNull(a.Secret), openIDs, a.BannedUntil, a.Created, a.LastLogin, a.PreviousLogin)
	if err == nil && n == 0 {
		err = ErrDoubleID
	}
	return err
}

// Change lets fn change an account and stores it, with the names it has then;
// names it had before are free. It fails with AccountNotFound, with what fn says,
// and with a TakenError. Ids, origination and times cannot be changed.
func Change(tx store.Tx, title, id string, o Options, fn func(a *Account) error) (*Account, error) {
	a, err := read(tx, lockStmt, title, id)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, NotFound()
	}
	before := a.Names(false)
	if err := fn(a); err != nil {
		return nil, err
	}
	after := a.Names(o.DuplicateNames)
	for _, n := range before {
		if !slices.Contains(after, n) {
			if err := store.Release(tx, n.Space, title, n.Key, id); err != nil {
				return nil, err
			}
		}
	}
	// A name it had is its own already, or was shared with others when the title
	// allowed that; either way it stays as it is.
	after = slices.DeleteFunc(after, func(n Name) bool { return slices.Contains(before, n) })
	// Names that stay are not claimed again: a display name that the title once
	// let several players have would stand in the way of every other change.
	added := slices.DeleteFunc(after, func(n Name) bool { return slices.Contains(before, n) })
	if err := claim(tx, a, added); err != nil {
		return nil, err
	}
	openIDs, err := a.openIDs()
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(saveStmt, title, id, orNull(a.Username), orNull(a.Email), orNull(a.Password), orNull(a.DisplayName),
		orNull(a.StreamingID), orNull(a.StreamingName), orNull(a.CustomID), orNull(a.ServerCustomID), orNull(a.AvatarURL),
		orNull(a.Secret), openIDs, a.BannedUntil)
	return a, err
}

// Delete removes an account and frees its names; the rest of the player is
// removed by who keeps it. It reports whether there was such an account.
func Delete(tx store.Tx, title, id string) (bool, error) {
	a, err := read(tx, lockStmt, title, id)
	if err != nil || a == nil {
		return false, err
	}
	for _, n := range a.Names(false) {
		if err := store.Release(tx, n.Space, title, n.Key, id); err != nil {
			return false, err
		}
	}
	if _, err := tx.Exec(deleteStmt, title, id); err != nil {
		return false, err
	}
	_, err = tx.Exec(countLessStmt, title)
	return true, err
}

// claim takes names for an account.
func claim(tx store.Tx, a *Account, names []Name) error {
	var taken []Name
	for _, n := range names {
		switch err := store.Claim(tx, n.Space, a.Title, n.Key, a.ID); {
		case errors.Is(err, store.ErrTaken):
			taken = append(taken, n)
		case err != nil:
			return err
		}
	}
	if len(taken) > 0 {
		return &TakenError{taken}
	}
	return nil
}

// Owner gives the id of the player who has a name, or "".
func Owner(tx store.Tx, title string, n Name) (string, error) {
	return store.Owner(tx, n.Space, title, n.Key)
}

// Free fails with a TakenError where names of an account belong to others, and
// with ErrFull where the title has no room: what Create would say, before work
// that is expensive.
func Free(tx store.Tx, a *Account, o Options) error {
	var taken []Name
	for _, n := range a.Names(o.DuplicateNames) {
		owner, err := Owner(tx, a.Title, n)
		if err != nil {
			return err
		}
		if owner != "" && owner != a.ID {
			taken = append(taken, n)
		}
	}
	if len(taken) > 0 {
		return &TakenError{taken}
	}
	if o.Limit == 0 {
		return nil
	}
	n, err := Count(tx, a.Title)
	if err == nil && n >= o.Limit {
		err = ErrFull
	}
	return err
}

// Count is how many players a title has, as of its last Counted and the
// creations since.
func Count(tx store.Tx, title string) (n int64, err error) {
	_, err = store.QueryOne(tx, countStmt, func(r store.Row) error { n = r.Int(0); return nil }, title)
	return n, err
}

// CountAll counts the players of a title, all of them: some tenths of a second
// for a million.
func CountAll(tx store.Tx, title string) (n int64, err error) {
	_, err = store.QueryOne(tx, countAllStmt, func(r store.Row) error { n = r.Int(0); return nil }, title)
	return n, err
}

// Counted counts the players of a title, which creations with a limit rely on.
func Counted(tx store.Tx, title string) error {
	_, err := tx.Exec(recountStmt, title)
	return err
}

// Write runs fn in a transaction, again when it met a doubled id.
func Write(ctx context.Context, st store.Store, fn func(store.Tx) error) error {
	err := st.Write(ctx, fn)
	for range 3 {
		if !errors.Is(err, ErrDoubleID) {
			break
		}
		err = st.Write(ctx, fn)
	}
	return err
}
