package player

import (
	"context"

	"ludgate/internal/openid"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/ticket"
)

// LoginWithCustomIDRequest signs a player in with an id that the game chose, such
// as one it made when it was installed. Who knows the id is the player, so a
// title may want the request signed.
type LoginWithCustomIDRequest struct {
	TitleId          string      `json:"TitleId"`
	CustomId         string      `json:"CustomId" required:"true"`
	CreateAccount    bool        `json:"CreateAccount"`
	EncryptedRequest secret.Text `json:"EncryptedRequest"`
	PlayerSecret     secret.Text `json:"PlayerSecret"`
	SignInOptions
}

// LoginWithServerCustomIdRequest signs a player in with an id that the game's
// server chose.
type LoginWithServerCustomIdRequest struct {
	ServerCustomId string      `json:"ServerCustomId" required:"true"`
	CreateAccount  bool        `json:"CreateAccount"`
	PlayerSecret   secret.Text `json:"PlayerSecret"`
	SignInOptions
}

// LoginWithOpenIdConnectRequest signs a player in with an ID token of a provider
// that the title trusts.
type LoginWithOpenIdConnectRequest struct {
	TitleId          string      `json:"TitleId"`
	ConnectionId     string      `json:"ConnectionId" required:"true"`
	IdToken          secret.Text `json:"IdToken" required:"true"`
	CreateAccount    bool        `json:"CreateAccount"`
	EncryptedRequest secret.Text `json:"EncryptedRequest"`
	PlayerSecret     secret.Text `json:"PlayerSecret"`
	SignInOptions
}

func (s *Service) signInCustomID(ctx context.Context, c *call.Call, r *LoginWithCustomIDRequest) (any, error) {
	f := &faults{}
	f.identity("CustomId", r.CustomId)
	if err := checkSignIn(c, f, r.PlayerSecret, &r.SignInOptions); err != nil {
		return nil, err
	}
	return s.signIn(ctx, c, &visit{
		name: account.CustomIDName(r.CustomId), provider: ticket.ByCustomID, options: &r.SignInOptions,
		create: r.CreateAccount, anonymous: true, secret: r.PlayerSecret,
		fresh: account.Account{Origination: account.CustomID, CustomID: r.CustomId},
	})
}

func (s *Service) signInServerCustomID(ctx context.Context, c *call.Call, r *LoginWithServerCustomIdRequest) (any, error) {
	f := &faults{}
	f.identity("ServerCustomId", r.ServerCustomId)
	if err := checkSignIn(c, f, r.PlayerSecret, &r.SignInOptions); err != nil {
		return nil, err
	}
	return s.signIn(ctx, c, &visit{
		name: account.ServerCustomIDName(r.ServerCustomId), provider: ticket.ByServerCustom, options: &r.SignInOptions,
		create: r.CreateAccount, secret: r.PlayerSecret,
		fresh: account.Account{Origination: account.ServerCustomID, ServerCustomID: r.ServerCustomId},
	})
}

func (s *Service) signInOpenID(ctx context.Context, c *call.Call, r *LoginWithOpenIdConnectRequest) (any, error) {
	if err := checkSignIn(c, &faults{}, r.PlayerSecret, &r.SignInOptions); err != nil {
		return nil, err
	}
	id, err := s.openIDUser(ctx, c.Title, r.ConnectionId, r.IdToken)
	if err != nil {
		return nil, err
	}
	return s.signIn(ctx, c, &visit{
		name: account.OpenIDName(id), provider: ticket.ByOpenID, options: &r.SignInOptions,
		create: r.CreateAccount, secret: r.PlayerSecret,
		fresh: account.Account{Origination: account.OpenIDConnect, OpenIDs: []account.OpenID{id}},
	})
}

// openIDUser asks whose ID token this is.
func (s *Service) openIDUser(ctx context.Context, t *title.Title, connection string, token secret.Text) (account.OpenID, error) {
	if s.opt.OpenID == nil || len(t.OpenIDConnections) == 0 {
		return account.OpenID{}, errNotConfigured()
	}
	c, ok := t.Connection(connection)
	if !ok {
		return account.OpenID{}, errNoConnection()
	}
	who, err := s.opt.OpenID.Verify(ctx, openid.Connection{ID: c.ID, Issuer: c.Issuer, ClientID: c.ClientID}, token.Reveal())
	if err != nil {
		return account.OpenID{}, err
	}
	return account.OpenID{Connection: c.ID, Issuer: who.Issuer, Subject: who.Subject}, nil
}

func errNoConnection() error {
	return call.Refuse("InvalidIdentityProviderId", "The title has no such OpenID Connect connection")
}
