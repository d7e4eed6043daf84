package player

import (
	"context"
	"unicode/utf8"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/throttle"
	"ludgate/internal/ticket"
)

// Signing in with a password. A caller learns whether an account exists (games
// offer to register), but by the answer only: the work is the same.

// LoginWithPlatformRequest signs a player in with user name and password.
type LoginWithPlatformRequest struct {
	TitleId  string      `json:"TitleId"`
	Username string      `json:"Username" required:"true"`
	Password secret.Text `json:"Password" required:"true"`
	SignInOptions
}

// LoginWithEmailAddressRequest signs a player in with e-mail address and password.
type LoginWithEmailAddressRequest struct {
	TitleId  string      `json:"TitleId"`
	Email    string      `json:"Email" required:"true"`
	Password secret.Text `json:"Password" required:"true"`
	SignInOptions
}

// AddUsernamePasswordRequest gives an account a user name, an e-mail address and
// a password.
type AddUsernamePasswordRequest struct {
	Username string      `json:"Username"`
	Email    string      `json:"Email"`
	Password secret.Text `json:"Password"`
}

// AddUsernamePasswordResult is the answer to it.
type AddUsernamePasswordResult struct {
	Username string `json:"Username"`
}

// wrongPassword is how a refusal names the pair that does not fit.
type wrongPassword struct{ code, message string }

func (w wrongPassword) err() error {
	return ludgate.Errorf(ludgate.Unauthenticated, w.code, "%s", w.message)
}

var (
	wrongForUsername = wrongPassword{"InvalidUsernameOrPassword", "Invalid username or password"}
	wrongForEmail    = wrongPassword{"InvalidEmailOrPassword", "Invalid email address or password"}
)

func (s *Service) signInUsername(ctx context.Context, c *call.Call, r *LoginWithPlatformRequest) (any, error) {
	known := len(account.CheckUsername(r.Username)) == 0
	return s.signInPassword(ctx, c, account.UsernameName(clip(r.Username, maxName)), known, r.Password, wrongForUsername, &r.SignInOptions)
}

func (s *Service) signInEmail(ctx context.Context, c *call.Call, r *LoginWithEmailAddressRequest) (any, error) {
	known := len(account.CheckEmail(r.Email)) == 0
	return s.signInPassword(ctx, c, account.EmailName(clip(r.Email, maxName)), known, r.Password, wrongForEmail, &r.SignInOptions)
}

// maxName is more than a user name or an address can have, in bytes.
const maxName = 254

// signInPassword signs in the account of a name with its password. possible says
// whether any account can have the name.
func (s *Service) signInPassword(ctx context.Context, c *call.Call, name account.Name, possible bool, password secret.Text, wrong wrongPassword, o *SignInOptions) (any, error) {
	if err := checkSignIn(c, &faults{}, "", o); err != nil {
		return nil, err
	}
	phc := ""
	found := false
	if possible {
		err := s.store.Read(ctx, func(tx store.Tx) error {
			owner, err := account.Owner(tx, c.Title.ID, name)
			if err != nil || owner == "" {
				return err
			}
			a, err := account.Get(tx, c.Title.ID, owner)
			if err == nil && a != nil {
				found, phc = true, a.Password
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	right, err := s.guess(ctx, c, name, phc, password.Reveal())
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, account.NotFound()
	case !right:
		return nil, wrong.err()
	}
	better := ""
	if s.opt.Passwords.NeedsRehash(phc) {
		// One that cannot be made now is made at another sign-in.
		if better, err = s.opt.Passwords.Hash(ctx, password.Reveal()); err != nil {
			s.gate.Log().WarnContext(ctx, "a password was not hashed anew", "title", c.Title.ID, "error", err)
			better = ""
		}
	}
	v := &visit{name: name, provider: ticket.ByPassword, options: o}
	v.also = func(tx store.Tx, a *account.Account) error {
		if a.Password != phc { // changed in the meantime
			return wrong.err()
		}
		if better == "" {
			return nil
		}
		_, err := account.Change(tx, a.Title, a.ID, demands(c.Title), func(a *account.Account) error {
			a.Password = better
			return nil
		})
		return err
	}
	return s.signIn(ctx, c, v)
}

// guess reports whether a password is that of a stored hash, unless it is tried
// too often. Without a hash the work is done all the same.
func (s *Service) guess(ctx context.Context, c *call.Call, name account.Name, phc, password string) (bool, error) {
	var guess *throttle.Guess
	if s.opt.Guesses != nil {
		g, wait, ok := s.opt.Guesses.Begin(throttle.Attempt{Title: c.Title.ID, Name: name.Key, Address: throttle.Network(c.Client)}, c.Now)
		if !ok {
			return false, call.Refuse("FailedLoginAttemptRateLimitExceeded", "Too many failed sign-ins; try again later").After(wait)
		}
		guess = g
	}
	real := phc != ""
	if !real {
		var err error
		if phc, err = s.decoy(ctx); err != nil {
			return false, err
		}
	}
	if utf8.RuneCountInString(password) > account.MaxPassword {
		password = "" // nobody has either
	}
	right, err := s.opt.Passwords.Verify(ctx, phc, password)
	right = right && real
	switch {
	case guess == nil:
	case err != nil:
		guess.Drop(s.clock())
	case right:
		guess.Succeeded(s.clock())
	}
	return right, err
}

// decoy is the hash of a password that nobody has, to be checked where there is
// no other.
func (s *Service) decoy(ctx context.Context) (string, error) {
	s.decoyMu.Lock()
	defer s.decoyMu.Unlock()
	if s.decoyHash == "" {
		phc, err := s.opt.Passwords.Hash(ctx, ludgate.NewPlayerID())
		if err != nil {
			return "", err
		}
		s.decoyHash = phc
	}
	return s.decoyHash, nil
}

// addUsernamePassword gives the caller's account what a registration gives.
func (s *Service) addUsernamePassword(ctx context.Context, c *call.Call, r *AddUsernamePasswordRequest) (any, error) {
	f := &faults{}
	f.need("Username", r.Username, account.CheckUsername)
	f.need("Email", r.Email, account.CheckEmail)
	f.need("Password", r.Password.Reveal(), account.CheckPassword)
	if err := f.err(c.Naming.Player.CollectParams); err != nil {
		return nil, err
	}
	a := &account.Account{Title: c.Title.ID, ID: c.Player, Username: r.Username, Email: r.Email}
	err := s.store.Read(ctx, func(tx store.Tx) error {
		old, err := account.Get(tx, a.Title, a.ID)
		switch {
		case err != nil:
			return err
		case old == nil:
			return account.NotFound()
		case hasPassword(old):
			return errAlreadyLinked()
		}
		return answerTo(account.Free(tx, a, account.Options{}))
	})
	if err != nil {
		return nil, err
	}
	phc, err := s.opt.Passwords.Hash(ctx, r.Password.Reveal())
	if err != nil {
		return nil, err
	}
	_, err = s.change(ctx, c.Title, c.Player, func(a *account.Account) error {
		if hasPassword(a) {
			return errAlreadyLinked()
		}
		a.Username, a.Email, a.Password = r.Username, r.Email, phc
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &AddUsernamePasswordResult{Username: username(c.Naming, r.Username)}, nil
}

func hasPassword(a *account.Account) bool {
	return a.Username != "" || a.Email != "" || a.Password != ""
}
