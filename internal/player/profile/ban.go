package profile

import (
	"fmt"
	"net/netip"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

var (
	banAddStmt     = statements.Get("ban_add")
	banUpdateStmt  = statements.Get("ban_update")
	banGetStmt     = statements.Get("ban_get")
	bansStmt       = statements.Get("bans")
	banInForceStmt = statements.Get("ban_in_force")
)

// Ban keeps a player out of a title until it expires or is revoked. With an
// address it also keeps out everybody who signs in from there.
type Ban struct {
	ID      string `json:"id"`
	Player  string `json:"-"`
	Created int64  `json:"created"`
	Expires int64  `json:"expires"` // account.Forever: never
	Reason  string `json:"reason,omitzero"`
	Address string `json:"address,omitzero"`
	Active  bool   `json:"active"` // not revoked

	stored string // the address that the store has
}

// inForce reports whether the ban holds at a time.
func (b *Ban) inForce(now int64) bool { return b.Active && b.Expires > now }

// Refusal is what somebody hears whom the ban keeps out: its reason, and until
// when.
func (b *Ban) Refusal() error {
	reason, until := b.Reason, account.Stamp(b.Expires)
	if reason == "" {
		reason = "No reason given"
	}
	if b.Expires == account.Forever {
		until = "Indefinite"
	}
	e := ludgate.Errorf(ludgate.Forbidden, "AccountBanned", "The account making this request is currently banned")
	return e.With(reason, until)
}

// KeepOut refuses a player who is banned, and whoever comes from an address that
// is. The account is nil for a player who does not exist yet, and the zero address
// is none. Of several bans the one counts that lasts longest. It reads the store
// only for somebody whom the account or what this node knows of addresses says to
// be banned.
func (s *Service) KeepOut(tx store.Tx, title string, a *account.Account, from netip.Addr, now int64) error {
	player, until := "", int64(0)
	if a != nil {
		player, until = a.ID, a.BannedUntil
	}
	if until <= now && !s.addresses.banned(title, from, now) {
		return nil
	}
	var ban *Ban
	_, err := store.QueryOne(tx, banInForceStmt, func(r store.Row) error { ban = scanBan(r); return nil },
		title, player, orNull(addressKey(from)), now)
	switch {
	case err != nil:
		return err
	case ban != nil:
		return ban.Refusal()
	case until > now: // an account that was imported without its bans
		return (&Ban{Expires: until}).Refusal()
	}
	return nil // the ban of the address was lifted just now
}

func (b *Ban) shown(now int64) BanInfo {
	return BanInfo{PlatformId: b.Player, BanId: b.ID, IPAddress: b.Address, Created: account.Stamp(b.Created),
		Expires: account.Stamp(b.Expires), Reason: b.Reason, Active: b.inForce(now)}
}

// bannedUntil is when the last of the bans that are in force ends; 0 when none is.
func bannedUntil(bans []*Ban, now int64) int64 {
	until := int64(0)
	for _, b := range bans {
		if b.inForce(now) {
			until = max(until, b.Expires)
		}
	}
	return until
}

func (b *Ban) add(tx store.Tx, title string) error {
	n, err := tx.Exec(banAddStmt, title, b.Player, b.ID, b.Created, b.Expires, b.Reason, orNull(b.Address), b.Active)
	if err == nil && n == 0 {
		err = fmt.Errorf("profile: ban %s exists already", b.ID)
	}
	return err
}

func (b *Ban) update(tx store.Tx, title string) error {
	_, err := tx.Exec(banUpdateStmt, title, b.Player, b.ID, b.Expires, b.Reason, orNull(b.Address), b.Active)
	return err
}

func getBan(tx store.Tx, title, id string) (ban *Ban, err error) {
	_, err = store.QueryOne(tx, banGetStmt, func(r store.Row) error { ban = scanBan(r); return nil }, title, id)
	return ban, err
}

func loadBans(tx store.Tx, title, player string) ([]*Ban, error) {
	bans := []*Ban{}
	err := tx.Query(bansStmt, func(r store.Row) error { bans = append(bans, scanBan(r)); return nil }, title, player)
	return bans, err
}

func scanBan(r store.Row) *Ban {
	b := &Ban{ID: r.Text(0), Player: r.Text(1), Created: r.Int(2), Expires: r.Int(3), Reason: r.Text(4), Address: r.Text(5), Active: r.Bool(6)}
	b.stored = b.Address
	return b
}
