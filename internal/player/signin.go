package player

import (
	"context"
	"fmt"
	"net/netip"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
)

// SignInOptions are the members that every sign-in has.
type SignInOptions struct {
	CustomTags            map[string]string                   `json:"CustomTags"`
	InfoRequestParameters *GetPlayerCombinedInfoRequestParams `json:"InfoRequestParameters"`
}

// visit is a player who wants in: the name it goes by, which has been proven,
// and what happens when nobody has that name.
type visit struct {
	name     account.Name
	provider ticket.LoginIdentityProvider
	options  *SignInOptions
	secret   secret.Text // to be the player's from now on; "" for none
	create   bool        // make an account when there is none
	// anonymous: nobody vouches for the name, so a title may refuse to make
	// accounts for it.
	anonymous bool
	// fresh is what a new account has.
	fresh account.Account
	// also judges, and may change, an account that was found; nil for nothing.
	also func(tx store.Tx, a *account.Account) error
}

// signedIn is a sign-in that succeeded.
type signedIn struct {
	*account.Account
	title    *title.Title
	provider ticket.LoginIdentityProvider
	created  bool // by this sign-in
}

// checkSignIn is what every sign-in of a client checks before any work: its own
// faults, and that it asks for nothing that the title does not show. Servers may
// see everything.
func checkSignIn(c *call.Call, f *faults, secret secret.Text, o *SignInOptions) error {
	checkPlayerSecret(f, secret)
	if err := f.err(true); err != nil {
		return err
	}
	if c.Server() {
		return nil
	}
	return checkConstraints(c.Title, o.InfoRequestParameters)
}

// signIn lets a player in.
func (s *Service) signIn(ctx context.Context, c *call.Call, v *visit) (any, error) {
	if v.create {
		if err := s.ensureCounted(ctx, c.Title); err != nil {
			return nil, err
		}
	}
	in := &signedIn{title: c.Title, provider: v.provider}
	place := s.place(c)
	err := account.Write(ctx, s.store, func(tx store.Tx) error {
		if err := s.enter(tx, c, in, v); err != nil {
			return err
		}
		return s.profile.Seen(tx, in.title.ID, in.ID, place, s.clock())
	})
	if err != nil {
		return nil, err
	}
	what := "player signed in"
	if in.created {
		what = "player created"
	}
	s.log(ctx, what, in.Account, v.options.CustomTags)
	return s.loggedIn(ctx, c.Naming, in, v.options.InfoRequestParameters)
}

// place is where a player calls from, nil when that is not known; on the call of
// a server it is not known.
func (s *Service) place(c *call.Call) *profile.LocationModel {
	if c.Server() {
		return nil
	}
	return s.profile.Locate(c.Client)
}

// enter signs in the account of a visitor, making it first when there is none and
// one is wanted. All of it is one transaction, so that an identity never has two
// accounts (P-4.R5), and a sign-in that is refused leaves nothing behind.
func (s *Service) enter(tx store.Tx, c *call.Call, in *signedIn, v *visit) error {
	now := s.clock().UnixMilli()
	owner, err := account.Owner(tx, in.title.ID, v.name)
	switch {
	case err != nil:
		return err
	case owner != "":
		in.created = false
		return s.enterKnown(tx, c, in, v, owner, now)
	case !v.create:
		return account.NotFound()
	case v.anonymous && in.title.CreationDisabled:
		return call.Refuse("PlayerCreationDisabled", "Player creation is disabled for this title")
	case c.Signature != nil: // no secret can exist yet
		return call.Refuse("PlayerSecretNotConfigured", "Player secret is not configured")
	}
	if err := s.banned(tx, c, nil, now); err != nil {
		return err
	}
	a := v.fresh
	a.Title = in.title.ID
	if err := s.create(tx, c, &a, v.secret, now); err != nil {
		return err
	}
	in.Account, in.created = &a, true
	return nil
}

// enterKnown signs in the account of an id.
func (s *Service) enterKnown(tx store.Tx, c *call.Call, in *signedIn, v *visit, id string, now int64) (err error) {
	if v.provider == ticket.ByStreaming {
		in.Account, err = account.SignInStreaming(tx, in.title.ID, id, v.fresh.StreamingName, now)
	} else {
		in.Account, err = account.SignIn(tx, in.title.ID, id, now)
	}
	if err == nil && in.Account == nil {
		err = fmt.Errorf("player: a name in space %s of title %s belongs to %s, who does not exist", v.name.Space, in.title.ID, id)
	}
	if err == nil && v.also != nil {
		err = v.also(tx, in.Account)
	}
	if err == nil {
		err = s.banned(tx, c, in.Account, now)
	}
	if err == nil && c.Signature != nil {
		err = c.VerifySignature(in.Account)
	}
	if err == nil && v.secret != "" {
		in.Account, err = s.setSecret(tx, c.Title, id, v.secret, false)
	}
	return err
}

// create stores a new account, with a player secret where one was sent.
func (s *Service) create(tx store.Tx, c *call.Call, a *account.Account, secret secret.Text, now int64) error {
	a.Begin(now)
	if secret != "" {
		a.Secret = s.gate.SealSecret(a, secret.Reveal())
	}
	return answerTo(account.Insert(tx, a, demands(c.Title)))
}

// banned refuses a player who is banned, or a client at an address that is (that
// of a server says nothing about the player); a is nil for a player who does not
// exist yet.
func (s *Service) banned(tx store.Tx, c *call.Call, a *account.Account, now int64) error {
	from := c.Client
	if c.Server() {
		from = netip.Addr{}
	}
	return s.profile.KeepOut(tx, c.Title.ID, a, from, now)
}
