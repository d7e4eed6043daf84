package player

import (
	"context"
	"fmt"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/streaming"
)

// signedIn is a sign-in that succeeded.
type signedIn struct {
	*account.Account
	title   *title.Title
	created bool // by this sign-in
}

// signInStreaming signs a player in with a streaming platform's token
// (P-4.LoginWithStreamingPlatform).
func (s *Service) signInStreaming(ctx context.Context, c *call.Call, r *StreamingLoginRequest) (any, error) {
	t := c.Title
	if err := errEncrypted(r.EncryptedRequest); err != nil {
		return nil, err
	}
	if err := r.check().err(true); err != nil {
		return nil, err
	}
	if err := r.InfoRequestParameters.checkConstraints(); err != nil {
		return nil, err
	}
	if t.StreamingClientID == "" || s.opt.Streaming == nil {
		return nil, call.Refuse("FeatureNotConfiguredForTitle", "The feature is not configured for this title")
	}
	id, err := s.opt.Streaming.Validate(ctx, r.AccessToken.Reveal(), t.StreamingClientID)
	if err != nil {
		return nil, err
	}
	if c.Signature != nil {
		return nil, s.refuseSigned(ctx, t, id, r.CreateAccount)
	}
	if r.CreateAccount {
		if err := s.ensureCounted(ctx, t); err != nil {
			return nil, err
		}
	}
	in := &signedIn{title: t}
	if err := account.Write(ctx, s.store, func(tx store.Tx) error { return s.findOrCreate(tx, in, id, r.CreateAccount) }); err != nil {
		return nil, err
	}
	what := "player signed in"
	if in.created {
		what = "player created"
	}
	s.log(ctx, what, in.Account, r.CustomTags)
	return s.loggedIn(c.Naming, in, r.InfoRequestParameters), nil
}

// findOrCreate signs in the account of a streaming identity, making it first
// when there is none and one is wanted. All of it is one transaction, so that an
// identity never has two accounts (P-4.R5).
func (s *Service) findOrCreate(tx store.Tx, in *signedIn, id streaming.Identity, create bool) error {
	in.created = false
	now := s.clock().UnixMilli()
	owner, err := account.Owner(tx, in.title.ID, account.StreamingName(id.UserID))
	if err != nil {
		return err
	}
	if owner != "" {
		in.Account, err = account.SignInStreaming(tx, in.title.ID, owner, id.Login, now)
		if err == nil && in.Account == nil {
			err = fmt.Errorf("player: streaming identity of title %s belongs to %s, who does not exist", in.title.ID, owner)
		}
		return err
	}
	if !create {
		return account.NotFound()
	}
	a := &account.Account{Title: in.title.ID, Origination: account.StreamingPlatform, StreamingID: id.UserID, StreamingName: id.Login}
	if err := account.Create(tx, a, demands(in.title), now); err != nil {
		return answerTo(err)
	}
	in.Account, in.created = a, true
	return nil
}

// refuseSigned refuses a signed sign-in whose token is good: without an account
// and a wish for one as always, otherwise because no player has a secret to
// check the signature with (P-7.PlayerSecretNotConfigured).
func (s *Service) refuseSigned(ctx context.Context, t *title.Title, id streaming.Identity, create bool) error {
	owner := ""
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		owner, err = account.Owner(tx, t.ID, account.StreamingName(id.UserID))
		return err
	})
	switch {
	case err != nil:
		return err
	case owner == "" && !create:
		return account.NotFound()
	}
	return call.Refuse("PlayerSecretNotConfigured", "Player secret is not configured")
}
