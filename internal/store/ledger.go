package store

// Space is one kind of name in the ledger. Within a space, and within the scope
// that the space is divided by, a key has at most one owner.
type Space string

// Spaces of the ledger. The comment says what the scope is.
const (
	SpaceEmail             Space = "email"              // scope: title
	SpaceUsername          Space = "username"           // scope: title
	SpaceDisplayName       Space = "displayname"        // scope: title
	SpaceStreamingIdentity Space = "streaming-identity" // scope: title
	SpaceCustomID          Space = "custom-id"          // scope: title
	SpaceServerCustomID    Space = "server-custom-id"   // scope: title
	SpaceOpenID            Space = "openid"             // scope: title
	SpaceGroupUniqueName   Space = "group-unique-name"  // scope: tenant
	SpaceMailNickname      Space = "mail-nickname"      // scope: tenant
	SpaceDNSLabel          Space = "dns-label"          // scope: region and reuse scope
	SpacePublicAddress     Space = "public-address"     // scope: ""
	SpaceServerName        Space = "server-name"        // scope: ""
)

var (
	claimStmt   = NewStmt("ledger_claim", `INSERT INTO ledger (space, scope, name, owner) VALUES ($1, $2, $3, $4) ON CONFLICT (space, scope, name) DO NOTHING`)
	ownerStmt   = NewStmt("ledger_owner", `SELECT owner FROM ledger WHERE space = $1 AND scope = $2 AND name = $3`)
	releaseStmt = NewStmt("ledger_release", `DELETE FROM ledger WHERE space = $1 AND scope = $2 AND name = $3 AND owner = $4`)
)

// Claim takes key for owner. It returns ErrTaken when another owner has it, and
// nil when owner has it already. Keys are canonical before they come here: one
// function per space, beside the service that owns the space, folds case and
// Unicode form.
func Claim(tx Tx, space Space, scope, key, owner string) error {
	n, err := tx.Exec(claimStmt, string(space), scope, key, owner)
	if err != nil || n == 1 {
		return err
	}
	have, err := Owner(tx, space, scope, key)
	if err != nil {
		return err
	}
	if have != owner {
		return ErrTaken
	}
	return nil
}

// Owner gives the owner of key, or "" when nobody has it.
func Owner(tx Tx, space Space, scope, key string) (string, error) {
	owner := ""
	_, err := QueryOne(tx, ownerStmt, func(r Row) error { owner = r.Text(0); return nil }, string(space), scope, key)
	return owner, err
}

// Release gives key up if owner has it; otherwise it does nothing.
func Release(tx Tx, space Space, scope, key, owner string) error {
	_, err := tx.Exec(releaseStmt, string(space), scope, key, owner)
	return err
}
