package profile

import (
	"context"
	"net/netip"
	"time"

	"ludgate/internal/geo"
	"ludgate/internal/mail"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// Mailer sends mail, at once or later. Without one, or with one that is not
// configured, contact addresses stay Unverified. A *mail.Queue is one.
type Mailer interface {
	Configured() bool
	Send(ctx context.Context, m mail.Message) error
}

// Locator tells where a network address is. It reads no more than memory. A
// *geo.Database is one.
type Locator interface {
	Locate(addr netip.Addr) (geo.Place, bool)
}

// Revoker takes back the tickets and tokens that a player has. A *revocation.Set
// is one.
type Revoker interface {
	Revoke(tx store.Tx, title, player string, now time.Time) error
	// Refresh returns when this node knows what was taken back.
	Refresh(ctx context.Context) error
}

// Options of a Service. Every member may be left out.
type Options struct {
	Mailer  Mailer
	Locator Locator
	Revoker Revoker
	// Variants names the experiment variants that a player is in.
	Variants func(tx store.Tx, title, player string) ([]string, error)
	// Statistics gives a player's statistics.
	Statistics func(tx store.Tx, title, player string) ([]StatisticModel, error)
	// PublicURL is where mails lead to: the address under which players reach
	// this server, "https://play.example". Without it mails show the token alone.
	PublicURL string
}

// Service keeps profiles and bans. It is safe for concurrent use.
type Service struct {
	gate      *call.Gate
	opt       Options
	addresses *addressBans
}

// Open makes a Service, which follows the bans of addresses until Close.
func Open(ctx context.Context, g *call.Gate, o Options) (*Service, error) {
	addresses, err := openAddressBans(ctx, g)
	if err != nil {
		return nil, err
	}
	return &Service{gate: g, opt: o, addresses: addresses}, nil
}

// Close stops following the store.
func (s *Service) Close() { s.addresses.close() }

// write runs fn in a transaction of a title's player, who must exist.
func (s *Service) write(ctx context.Context, c *call.Call, player string, fn func(store.Tx) error) error {
	return s.gate.Store().Write(ctx, func(tx store.Tx) error {
		if err := account.Require(tx, c.Title.ID, player); err != nil {
			return err
		}
		return fn(tx)
	})
}

// overLimit refuses one thing more than a player may have.
func overLimit(what string, most int) error {
	return call.Refuse("OverLimit", "A player has at most %d %s.", most, what)
}

// orNull stores an empty text as null.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
