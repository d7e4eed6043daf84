package player

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/streaming"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// Passwords hashes passwords; a *password.Hasher does.
type Passwords interface {
	Hash(ctx context.Context, password string) (phc string, err error)
}

// Streaming asks the streaming platform whom a token belongs to; a
// *streaming.Validator does.
type Streaming interface {
	Validate(ctx context.Context, token, clientID string) (streaming.Identity, error)
}

// Options of a Service.
type Options struct {
	Store     store.Store    // with the schema of Area; required
	Titles    Titles         // required
	Tickets   *ticket.Issuer // required
	Passwords Passwords      // required
	// Streaming is the streaming platform; nil switches streaming sign-in off
	// for every title.
	Streaming Streaming
	Clock     ludgate.Clock // time.Now when nil
	Log       *slog.Logger  // slog.Default when nil
}

// Service registers players and signs them in. It is safe for concurrent use.
type Service struct {
	opt     Options
	counted sync.Map // ids of titles whose count this process has checked
}

// New makes a Service.
func New(opt Options) (*Service, error) {
	if opt.Store == nil || opt.Titles == nil || opt.Tickets == nil || opt.Passwords == nil {
		return nil, errors.New("player: a store, titles, tickets and a password hasher are needed")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	return &Service{opt: opt}, nil
}

// TitleNaming gives the naming of a title that has one of its own, else nil; it
// is what wire.Options.TitleNaming wants.
func (s *Service) TitleNaming(id string) *wire.Naming {
	t, ok := s.opt.Titles.Get(strings.ToUpper(id))
	if !ok {
		return nil
	}
	return t.Naming
}

// caller is what an operation wants to know of a request besides its body.
type caller struct {
	hostTitle string // title id in the host name, or ""
	signed    bool   // signature headers were sent
	collect   bool   // one InvalidParams for all faults of a request
}

// title finds the title of a request (P-2.RegisterPlatformUserRequest.TitleId).
// Its id is matched without regard to case, as host names carry it.
func (s *Service) title(id string, c caller) (Title, error) {
	if id == "" {
		f := &faults{}
		f.required("TitleId")
		return Title{}, f.err(true)
	}
	id = strings.ToUpper(id)
	t, ok := s.opt.Titles.Get(id)
	if !ok || c.hostTitle != "" && c.hostTitle != t.ID {
		e := ludgate.Errorf(ludgate.Invalid, "InvalidTitleId", "Invalid title id")
		if ok {
			return Title{}, e.With("TitleId", "The title is not the one of the host name.")
		}
		return Title{}, e.With("TitleId", "There is no such title here.")
	}
	return t, nil
}

// errEncrypted refuses an encrypted request: no title has a key pair
// (P-7.EncryptionKeyMissing).
func errEncrypted(sent secret.Text) error {
	if sent == "" {
		return nil
	}
	return ludgate.Errorf(ludgate.Invalid, "EncryptionKeyMissing", "Encryption key missing for title")
}

// register makes an account with a password (P-4.RegisterPlatformUser).
func (s *Service) register(ctx context.Context, c caller, r *RegisterPlatformUserRequest) (*account, error) {
	t, err := s.title(r.TitleId, c)
	if err != nil {
		return nil, err
	}
	if err := errEncrypted(r.EncryptedRequest); err != nil {
		return nil, err
	}
	if c.signed { // no secret can exist yet
		return nil, ludgate.Errorf(ludgate.Invalid, "SignedRequestNotAllowed", "Signed requests are not allowed for this API")
	}
	if err := r.check().err(c.collect); err != nil {
		return nil, err
	}
	a := &account{title: t.ID, origination: Organic, username: r.Username, email: r.Email}
	if r.DisplayName != nil {
		a.displayName = *r.DisplayName
	}
	if err := s.mayCreate(ctx, t, a); err != nil {
		return nil, err
	}
	if a.password, err = s.opt.Passwords.Hash(ctx, r.Password.Reveal()); err != nil {
		return nil, err
	}
	err = s.write(ctx, func(tx store.Tx) error { return s.create(tx, t, a) })
	if err != nil {
		return nil, err
	}
	s.log(ctx, "player registered", a, r.CustomTags)
	return a, nil
}

// mayCreate checks, before the expensive part, whether the names of a new
// account are free and the title has room.
func (s *Service) mayCreate(ctx context.Context, t Title, a *account) error {
	if err := s.ensureCounted(ctx, t); err != nil {
		return err
	}
	return s.opt.Store.Read(ctx, func(tx store.Tx) error {
		var taken []claim
		for _, c := range a.claims(t) {
			owner, err := store.Owner(tx, c.space, t.ID, c.key)
			if err != nil {
				return err
			}
			if owner != "" {
				taken = append(taken, c)
			}
		}
		if err := errTaken(taken); err != nil || t.PlayerLimit == 0 {
			return err
		}
		n := int64(0)
		if _, err := store.QueryOne(tx, countStmt, func(r store.Row) error { n = r.Int(0); return nil }, t.ID); err != nil {
			return err
		}
		if n >= t.PlayerLimit {
			return errFull()
		}
		return nil
	})
}

// create stores a new account with all it claims. It gives the account its ids
// and times; a transaction that runs again gives new ones.
func (s *Service) create(tx store.Tx, t Title, a *account) error {
	now := s.opt.Clock().UnixMilli()
	a.id, a.account = newPlayerID(now), ludgate.NewPlayerID()
	a.created, a.lastLogin, a.previousLogin = now, now, 0
	var taken []claim
	for _, c := range a.claims(t) {
		switch err := store.Claim(tx, c.space, t.ID, c.key, a.id); {
		case errors.Is(err, store.ErrTaken):
			taken = append(taken, c)
		case err != nil:
			return err
		}
	}
	if err := errTaken(taken); err != nil {
		return err
	}
	if t.PlayerLimit > 0 {
		n, err := tx.Exec(countOneStmt, t.ID, t.PlayerLimit)
		if err != nil {
			return err
		}
		if n == 0 {
			return errFull()
		}
	}
	return a.insert(tx)
}

// errFull is the refusal of one account more than the title may have
// (P-7.EvaluationModePlayerCountExceeded).
func errFull() error {
	return ludgate.Errorf(ludgate.Invalid, "EvaluationModePlayerCountExceeded", "Player count limit exceeded")
}

// ensureCounted counts the players of a title with a limit once in the life of
// the process. From then on creations keep the count; before, the title may have
// had no limit and nobody may have counted.
func (s *Service) ensureCounted(ctx context.Context, t Title) error {
	if t.PlayerLimit == 0 {
		return nil
	}
	if _, done := s.counted.Load(t.ID); done {
		return nil
	}
	err := s.opt.Store.Write(ctx, func(tx store.Tx) error {
		_, err := tx.Exec(recountStmt, t.ID)
		return err
	})
	if err == nil {
		s.counted.Store(t.ID, true)
	}
	return err
}

// write runs fn in a transaction, again when it met a doubled id.
func (s *Service) write(ctx context.Context, fn func(store.Tx) error) error {
	err := s.opt.Store.Write(ctx, fn)
	for range 3 {
		if !errors.Is(err, errDoubleID) {
			break
		}
		err = s.opt.Store.Write(ctx, fn)
	}
	return err
}

// log notes an operation with the caller's tags (P-2.RegisterPlatformUserRequest.CustomTags)
// where someone follows at that level.
func (s *Service) log(ctx context.Context, what string, a *account, tags map[string]string) {
	if !s.opt.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	s.opt.Log.DebugContext(ctx, what, "title", a.title, "player", a.id, "tags", clipTags(tags))
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
