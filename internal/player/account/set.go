package account

import "ludgate/internal/store"

// Single columns that no name depends on; a title's demands on names, which may
// have become stricter since the account was made, are not held against these.

var (
	setBannedUntilStmt = statements.Get("set_banned_until")
	setAvatarURLStmt   = statements.Get("set_avatar_url")
)

// SetBannedUntil notes until when an account is banned: 0 is not, Forever without
// end. It fails with AccountNotFound.
func SetBannedUntil(tx store.Tx, title, id string, until int64) error {
	return one(tx.Exec(setBannedUntilStmt, title, id, until))
}

// SetAvatarURL sets the avatar of an account, "" takes it away. It fails with
// AccountNotFound.
func SetAvatarURL(tx store.Tx, title, id, url string) error {
	return one(tx.Exec(setAvatarURLStmt, title, id, orNull(url)))
}

// one refuses a change that met no account.
func one(n int64, err error) error {
	if err == nil && n == 0 {
		err = NotFound()
	}
	return err
}
