package recovery

import (
	"context"
	"net/netip"
	"time"

	"ludgate"
	"ludgate/internal/mail"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
	"ludgate/internal/throttle"
)

// Mailer takes mails at once and sends them later. A *mail.Queue is one.
type Mailer interface {
	Configured() bool
	Send(ctx context.Context, m mail.Message) error
}

// Passwords hashes passwords. A *password.Hasher does.
type Passwords interface {
	Hash(ctx context.Context, password string) (phc string, err error)
}

// Revoker takes back the tickets and tokens that a player has. A *revocation.Set
// is one.
type Revoker interface {
	Revoke(tx store.Tx, title, player string, now time.Time) error
	// Refresh returns when this node knows what was taken back.
	Refresh(ctx context.Context) error
}

// Options of a Service.
type Options struct {
	Passwords Passwords // required
	// Mailer sends the mails; without one, or with one that is not configured,
	// the calls that ask for a mail are refused.
	Mailer Mailer
	// Revoker takes back the proofs of whose password is set; nil does not.
	Revoker Revoker
	// Guesses hears who has set a password on the page, so that guesses of others
	// do not keep them out; may be nil.
	Guesses *throttle.Guesses
	// PublicURL is where mails lead to where a title has no page of its own: the
	// address under which players reach this server. Without it they show the
	// token alone.
	PublicURL string
}

// Service recovers accounts. It is safe for concurrent use.
type Service struct {
	gate   *call.Gate
	opt    Options
	asking *throttle.Counters // by client network
}

// askingPerHour is how many mails one network can ask for in an hour, and
// mostAsking how many networks are remembered.
const (
	askingPerHour = 30
	mostAsking    = 100_000
)

// New makes a Service.
func New(g *call.Gate, o Options) *Service {
	return &Service{g, o, throttle.NewCounters(mostAsking, throttle.Window{Max: askingPerHour, Per: time.Hour})}
}

// vouch tells the guard of passwords that a client has shown to be the owner of
// an account.
func (s *Service) vouch(a *account.Account, client netip.Addr, now time.Time) {
	if s.opt.Guesses == nil {
		return
	}
	for _, n := range []account.Name{account.EmailName(a.Email), account.UsernameName(a.Username)} {
		if n.Key != "" {
			s.opt.Guesses.Vouch(throttle.Attempt{Title: a.Title, Name: n.Key, Address: throttle.Network(client)}, now)
		}
	}
}

// unavailable is the refusal where a mail was due and could not be handed over.
func unavailable(cause error) error {
	return ludgate.Errorf(ludgate.Unavailable, "DownstreamServiceUnavailable", "The e-mail could not be sent; try again later").
		After(ludgate.AsError(cause).RetryAfter).Because(cause)
}
