package recovery

import (
	"context"
	"net/netip"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/secret"
	"ludgate/internal/store"
)

// ResetPasswordRequest sets the password of the account that a token was mailed
// for.
type ResetPasswordRequest struct {
	Password secret.Text `json:"Password" required:"true"`
	Token    secret.Text `json:"Token" required:"true"`
}

func (s *Service) reset(ctx context.Context, c *call.Call, r *ResetPasswordRequest) (any, error) {
	f := &call.Faults{}
	f.AddAll("Password", account.CheckPassword(r.Password.Reveal()))
	err := f.As("InvalidPassword", "Invalid password")
	if c.Naming.Player.CollectParams {
		err = f.Err()
	}
	if err != nil {
		return nil, err
	}
	_, err = s.set(ctx, c.Title.ID, r.Token.Reveal(), r.Password.Reveal())
	return nil, err
}

// set gives the account of a token a password. titleID is "" where the token is
// all that is known.
func (s *Service) set(ctx context.Context, titleID, token, password string) (a *account.Account, err error) {
	if !wellFormed(token) {
		return nil, call.Refuse("InvalidAuthToken", "The token is not one that was mailed")
	}
	var found *row
	usable := func(tx store.Tx) (err error) {
		found, err = s.usable(tx, titleID, token)
		return err
	}
	if err := s.gate.Store().Read(ctx, usable); err != nil { // before the work of hashing
		return nil, err
	}
	phc, err := s.opt.Passwords.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	err = s.gate.Store().Write(ctx, func(tx store.Tx) error {
		now := s.gate.Clock()()
		if err := usable(tx); err != nil {
			return err
		}
		if n, err := tx.Exec(useStmt, hashOf(token), now.UnixMilli()); err != nil || n == 0 {
			return orUsed(err)
		}
		if _, err := tx.Exec(voidStmt, found.title, found.player, now.UnixMilli()); err != nil {
			return err
		}
		a, err = account.Change(tx, found.title, found.player, account.Options{}, func(a *account.Account) error {
			if !found.isFor(a) {
				return addressGone()
			}
			a.Password = phc
			return nil
		})
		if err == nil && s.opt.Revoker != nil {
			err = s.opt.Revoker.Revoke(tx, found.title, found.player, now)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.opt.Revoker != nil {
		if err := s.opt.Revoker.Refresh(ctx); err != nil { // it will know soon enough
			s.gate.Log().WarnContext(ctx, "revoked tickets are not known yet", "error", err)
		}
	}
	s.gate.Log().InfoContext(ctx, "password set by e-mail", "title", a.Title, "player", a.ID)
	return a, nil
}

// usable finds a token that can be used now, or says why it cannot.
func (s *Service) usable(tx store.Tx, titleID, token string) (*row, error) {
	r, err := get(tx, token)
	switch {
	case err != nil:
		return nil, err
	case r == nil || titleID != "" && r.title != titleID:
		return nil, unknownToken()
	case r.used != 0:
		return nil, orUsed(nil)
	case r.expires <= s.gate.Clock()().UnixMilli():
		return nil, call.Refuse("AuthTokenExpired", "The token has expired; ask for another one")
	}
	a, err := account.Get(tx, r.title, r.player)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, unknownToken()
	case !r.isFor(a):
		return nil, addressGone()
	}
	return r, nil
}

func unknownToken() error {
	return call.Refuse("AuthTokenDoesNotExist", "The token does not exist")
}

func addressGone() error {
	return call.Refuse("NoContactEmailAddressFound", "The account no longer has the address that the token was mailed to")
}

// orUsed is err, or the refusal of a token that was used already.
func orUsed(err error) error {
	if err != nil {
		return err
	}
	return call.Refuse("AuthTokenAlreadyUsedToResetPassword", "The token, or a later one, was used already")
}

// setOnPage is set for a person who followed a link.
func (s *Service) setOnPage(ctx context.Context, token, password string, client netip.Addr) error {
	a, err := s.set(ctx, "", token, password)
	if err == nil {
		s.vouch(a, client, s.gate.Clock()())
	}
	return err
}
