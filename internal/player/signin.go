package player

import (
	"context"
	"fmt"

	"ludgate"
	"ludgate/internal/store"
	"ludgate/internal/streaming"
)

// signedIn is a sign-in that succeeded.
type signedIn struct {
	*account
	title   Title
	created bool // by this sign-in
}

// errUnlinked: nobody has the streaming identity, and no account is wanted
// (P-4.R7). Games tell it from a bad token and offer to make an account.
func errUnlinked() error {
	return ludgate.Errorf(ludgate.Invalid, "AccountNotFound", "User not found")
}

// signInStreaming signs a player in with a streaming platform's token
// (P-4.LoginWithStreamingPlatform).
func (s *Service) signInStreaming(ctx context.Context, c caller, r *StreamingLoginRequest) (*signedIn, error) {
	t, err := s.title(r.TitleId, c)
	if err != nil {
		return nil, err
	}
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
		return nil, ludgate.Errorf(ludgate.Invalid, "FeatureNotConfiguredForTitle", "The feature is not configured for this title")
	}
	id, err := s.opt.Streaming.Validate(ctx, r.AccessToken.Reveal(), t.StreamingClientID)
	if err != nil {
		return nil, err
	}
	if c.signed {
		return nil, s.refuseSigned(ctx, t, id, r.CreateAccount)
	}
	if r.CreateAccount {
		if err := s.ensureCounted(ctx, t); err != nil {
			return nil, err
		}
	}
	in := &signedIn{title: t}
	if err := s.write(ctx, func(tx store.Tx) error { return s.findOrCreate(tx, in, id, r.CreateAccount) }); err != nil {
		return nil, err
	}
	what := "player signed in"
	if in.created {
		what = "player created"
	}
	s.log(ctx, what, in.account, r.CustomTags)
	return in, nil
}

// findOrCreate signs in the account of a streaming identity, making it first
// when there is none and one is wanted. All of it is one transaction, so that an
// identity never has two accounts (P-4.R5).
func (s *Service) findOrCreate(tx store.Tx, in *signedIn, id streaming.Identity, create bool) error {
	in.created = false
	key := streamingKey(id.UserID)
	owner, err := store.Owner(tx, store.SpaceStreamingIdentity, in.title.ID, key)
	if err != nil {
		return err
	}
	if owner != "" {
		in.account, err = signIn(tx, in.title.ID, owner, id.Login, s.opt.Clock().UnixMilli())
		if err == nil && in.account == nil {
			err = fmt.Errorf("player: streaming identity of title %s belongs to %s, who does not exist", in.title.ID, owner)
		}
		return err
	}
	if !create {
		return errUnlinked()
	}
	a := &account{title: in.title.ID, origination: StreamingPlatform, streamingID: id.UserID, streamingName: id.Login}
	if err := s.create(tx, in.title, a); err != nil {
		return err
	}
	if err := store.Claim(tx, store.SpaceStreamingIdentity, a.title, key, a.id); err != nil {
		return err
	}
	in.account, in.created = a, true
	return nil
}

// refuseSigned refuses a signed sign-in whose token is good: without an account
// and a wish for one as always, otherwise because no player has a secret to
// check the signature with (P-7.PlayerSecretNotConfigured).
func (s *Service) refuseSigned(ctx context.Context, t Title, id streaming.Identity, create bool) error {
	owner := ""
	err := s.opt.Store.Read(ctx, func(tx store.Tx) (err error) {
		owner, err = store.Owner(tx, store.SpaceStreamingIdentity, t.ID, streamingKey(id.UserID))
		return err
	})
	switch {
	case err != nil:
		return err
	case owner == "" && !create:
		return errUnlinked()
	}
	return ludgate.Errorf(ludgate.Invalid, "PlayerSecretNotConfigured", "Player secret is not configured")
}
