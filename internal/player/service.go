package player

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	"ludgate"
	"ludgate/internal/openid"
	"ludgate/internal/player/account"
	"ludgate/internal/player/bulk"
	"ludgate/internal/player/call"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/streaming"
	"ludgate/internal/throttle"
	"ludgate/internal/ticket"
)

// Passwords hashes and checks passwords; a *password.Hasher does.
type Passwords interface {
	Hash(ctx context.Context, password string) (phc string, err error)
	Verify(ctx context.Context, phc, password string) (bool, error)
	NeedsRehash(phc string) bool
}

// Streaming asks the streaming platform whom a token belongs to; a
// *streaming.Validator does.
type Streaming interface {
	Validate(ctx context.Context, token, clientID string) (streaming.Identity, error)
}

// OpenID checks ID tokens of OpenID Connect providers; an *openid.Verifier does.
type OpenID interface {
	Verify(ctx context.Context, c openid.Connection, token string) (openid.Identity, error)
}

// Options of a Service.
type Options struct {
	Gate      *call.Gate     // required
	Tickets   *ticket.Issuer // required
	Passwords Passwords      // required
	// Streaming is the streaming platform; nil switches streaming sign-in off
	// for every title.
	Streaming Streaming
	// OpenID checks ID tokens; nil switches OpenID Connect off for every title.
	OpenID OpenID
	// Guesses slows down who tries passwords; nil does not.
	Guesses *throttle.Guesses
	// DisplayNames refuses display names that a title does not want, with
	// ProfaneDisplayName, or with InvalidPartnerResponse where it cannot tell; nil
	// wants all.
	DisplayNames func(ctx context.Context, t *title.Title, name string) error
	// Revoke takes back the proofs that a player has, in the transaction that
	// changes what they were given for; nil does not. A revocation.Set does.
	Revoke func(tx store.Tx, titleID, player string, now time.Time) error
	// Profile is what contacts, bans and locations stand on; recovery by e-mail
	// uses the same mail, revocations and address.
	Profile profile.Options
}

// Service registers players and signs them in. It is safe for concurrent use.
type Service struct {
	opt   Options
	gate  *call.Gate
	store store.Store
	clock ludgate.Clock
	parts
	whole   *bulk.Bulk
	counted sync.Map // ids of titles whose count this process has checked

	decoyMu   sync.Mutex
	decoyHash string // see decoy

	pairMu sync.Mutex // one key pair is made at a time
}

// Open makes a Service; Close ends it.
func Open(ctx context.Context, opt Options) (*Service, error) {
	if opt.Gate == nil || opt.Tickets == nil || opt.Passwords == nil {
		return nil, errors.New("player: a gate, tickets and a password hasher are needed")
	}
	s := &Service{opt: opt, gate: opt.Gate, store: opt.Gate.Store(), clock: opt.Gate.Clock()}
	if err := s.openParts(ctx); err != nil {
		return nil, err
	}
	var err error
	s.whole, err = bulk.New(bulk.Options{Gate: opt.Gate, Parts: s.Parts(), Revoke: opt.Revoke})
	return s, err
}

// Bulk deals with players as wholes.
func (s *Service) Bulk() *bulk.Bulk { return s.whole }

// change lets fn change an account, with the names that the change adds and drops.
func (s *Service) change(ctx context.Context, t *title.Title, player string, fn func(a *account.Account) error) (a *account.Account, err error) {
	err = s.store.Write(ctx, func(tx store.Tx) error {
		a, err = account.Change(tx, t.ID, player, demands(t), fn)
		return answerTo(err)
	})
	return a, err
}

// clean gives an id that a caller sent for looking it up: no player has one that
// no store could keep.
func clean(id string) string {
	if len(id) > account.MaxIdentity || strings.ContainsFunc(id, unicode.IsControl) {
		return ""
	}
	return id
}

// demands are what a title demands of accounts.
func demands(t *title.Title) account.Options {
	return account.Options{DuplicateNames: t.DuplicateNames, Limit: t.PlayerLimit}
}

// register makes an account with a password (P-4.RegisterPlatformUser).
func (s *Service) register(ctx context.Context, c *call.Call, r *RegisterPlatformUserRequest) (any, error) {
	if c.Signature != nil { // no secret can exist yet
		return nil, call.Refuse("SignedRequestNotAllowed", "Signed requests are not allowed for this API")
	}
	if err := r.check().err(c.Naming.Player.CollectParams); err != nil {
		return nil, err
	}
	a := &account.Account{Title: c.Title.ID, Origination: account.Organic, Username: r.Username, Email: r.Email}
	if r.DisplayName != nil {
		a.DisplayName = *r.DisplayName
		if err := s.checkDisplayName(ctx, c.Title, a.DisplayName); err != nil {
			return nil, err
		}
	}
	if err := s.mayCreate(ctx, c.Title, a); err != nil {
		return nil, err
	}
	var err error
	if a.Password, err = s.opt.Passwords.Hash(ctx, r.Password.Reveal()); err != nil {
		return nil, err
	}
	place := s.place(c)
	err = account.Write(ctx, s.store, func(tx store.Tx) error {
		now := s.clock().UnixMilli()
		if err := s.banned(tx, c, nil, now); err != nil {
			return err
		}
		if err := s.create(tx, c, a, r.PlayerSecret, now); err != nil {
			return err
		}
		return s.profile.Seen(tx, a.Title, a.ID, place, s.clock())
	})
	if err != nil {
		return nil, err
	}
	s.log(ctx, "player registered", a, r.CustomTags)
	return s.registered(c.Naming, a), nil
}

// mayCreate checks, before the expensive part, whether the names of a new
// account are free and the title has room.
func (s *Service) mayCreate(ctx context.Context, t *title.Title, a *account.Account) error {
	if err := s.ensureCounted(ctx, t); err != nil {
		return err
	}
	return s.store.Read(ctx, func(tx store.Tx) error { return answerTo(account.Free(tx, a, demands(t))) })
}

// isTaken reports whether names of an account belong to others.
func isTaken(err error) bool {
	var taken *account.TakenError
	return errors.As(err, &taken)
}

// answerTo turns what package account says into what a registration answers.
func answerTo(err error) error {
	var taken *account.TakenError
	switch {
	case errors.As(err, &taken):
		return errTaken(taken.Names)
	case errors.Is(err, account.ErrFull): // P-7.EvaluationModePlayerCountExceeded
		return call.Refuse("EvaluationModePlayerCountExceeded", "Player count limit exceeded")
	}
	return err
}

// takenTexts are what a caller hears when a name is taken, in the order in which
// one names the refusal. Clients compare them, blanks included.
var takenTexts = []struct {
	space                         store.Space
	member, code, message, detail string
}{
	{store.SpaceEmail, "Email", "EmailAddressNotAvailable", "Email address not available", "Email address already exists. "},
	{store.SpaceUsername, "Username", "UsernameNotAvailable", "Username not available", "User name already exists."},
	{store.SpaceDisplayName, "DisplayName", "NameNotAvailable", "The display name entered is not available.", "The display name entered is not available."},
}

// errTaken is the refusal of a registration whose names are taken: the first one
// names it, and the details say all. A display name alone needs no detail.
func errTaken(taken []account.Name) error {
	var e *ludgate.Error
	for _, t := range takenTexts {
		for _, n := range taken {
			if n.Space != t.space {
				continue
			}
			if e == nil {
				e = call.Refuse(t.code, "%s", t.message)
			}
			if n.Space != store.SpaceDisplayName || len(taken) > 1 {
				e.With(t.member, t.detail)
			}
		}
	}
	return e
}

// ensureCounted counts the players of a title with a limit once in the life of
// the process. From then on creations keep the count; before, the title may have
// had no limit and nobody may have counted.
func (s *Service) ensureCounted(ctx context.Context, t *title.Title) error {
	if t.PlayerLimit == 0 {
		return nil
	}
	if _, done := s.counted.Load(t.ID); done {
		return nil
	}
	err := s.store.Write(ctx, func(tx store.Tx) error { return account.Counted(tx, t.ID) })
	if err == nil {
		s.counted.Store(t.ID, true)
	}
	return err
}

// log notes an operation with the caller's tags (P-2.RegisterPlatformUserRequest.CustomTags)
// where someone follows at that level.
func (s *Service) log(ctx context.Context, what string, a *account.Account, tags map[string]string) {
	if !s.gate.Log().Enabled(ctx, slog.LevelDebug) {
		return
	}
	s.gate.Log().DebugContext(ctx, what, "title", a.Title, "player", a.ID, "tags", clipTags(tags))
}

// clipTags bounds what a caller can put in a log.
func clipTags(tags map[string]string) map[string]string {
	const most, longest = 16, 128
	out := make(map[string]string, min(len(tags), most))
	for k, v := range tags {
		if len(out) == most {
			break
		}
		out[clip(k, longest)] = clip(v, longest)
	}
	return out
}

func clip(s string, longest int) string {
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
