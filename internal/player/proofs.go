package player

import (
	"context"
	"errors"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// AuthenticateSessionTicketRequest asks a title whose session ticket this is.
type AuthenticateSessionTicketRequest struct {
	SessionTicket secret.Text `json:"SessionTicket" required:"true"`
}

// AuthenticateSessionTicketResult is the answer to it.
type AuthenticateSessionTicketResult struct {
	UserInfo               UserAccountInfo `json:"UserInfo"`
	IsSessionTicketExpired bool            `json:"IsSessionTicketExpired"`
}

// ValidateEntityTokenRequest asks what an entity token stands for.
type ValidateEntityTokenRequest struct {
	EntityToken secret.Text `json:"EntityToken" required:"true"`
}

// ValidateEntityTokenResponse is the answer to it. IdentifiedDeviceType is absent:
// no sign-in says by which device it was made.
type ValidateEntityTokenResponse struct {
	Entity                   EntityKey             `json:"Entity"`
	IdentityProvider         LoginIdentityProvider `json:"IdentityProvider,omitzero"`
	IdentityProviderIssuedId string                `json:"IdentityProviderIssuedId,omitzero"`
	Lineage                  *EntityLineage        `json:"Lineage"`
}

// EntityLineage is what an entity belongs to.
type EntityLineage struct {
	MasterPlayerAccountId string `json:"MasterPlayerAccountId,omitzero"`
	TitleId               string `json:"TitleId"`
	TitlePlayerAccountId  string `json:"TitlePlayerAccountId,omitzero"`
}

// LoginIdentityProvider is by what a player signed in.
type LoginIdentityProvider = ticket.LoginIdentityProvider

// proofRoutes are the calls about tickets and tokens.
func (s *Service) proofRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Any, "/Authentication/GetEntityToken", s.getEntityToken),
		call.Post(s.gate, call.Entity, "/Authentication/ValidateEntityToken", s.validateEntityToken),
		call.Post(s.gate, call.Secret, "/Server/AuthenticateSessionTicket", s.authenticateSessionTicket),
	}
}

// getEntityToken makes an entity token for who has a session ticket, a secret key
// or another entity token: for the entity that was asked for, which must be one
// of the caller's own, or for the same one. A secret key's own is the title.
func (s *Service) getEntityToken(_ context.Context, c *call.Call, r *GetEntityTokenRequest) (any, error) {
	b, typ := c.Claims.Bearer, c.Entity
	b.Title = c.Title.ID
	switch {
	case c.Server():
		typ = ticket.TitleEntity
	case typ == "":
		typ = ticket.TitlePlayerAccount
	}
	if r.Entity != nil {
		var err error
		if typ, err = ownEntity(c, b, *r.Entity); err != nil {
			return nil, err
		}
	}
	return s.prove(b, typ).response(c.Naming), nil
}

// validateEntityToken tells a title what an entity token of its own stands for.
func (s *Service) validateEntityToken(ctx context.Context, c *call.Call, r *ValidateEntityTokenRequest) (any, error) {
	if c.Entity != ticket.TitleEntity {
		return nil, errNotAuthorizedByTitle()
	}
	claims, err := s.gate.CheckEntityToken(r.EntityToken.Reveal())
	if err == nil && claims.Title != c.Title.ID {
		err = ludgate.Errorf(ludgate.Unauthenticated, "EntityTokenInvalid", "EntityTokenInvalid")
	}
	if err != nil {
		return nil, err
	}
	out := &ValidateEntityTokenResponse{
		Entity:           call.KeyOf(c.Naming, claims.ID(claims.Type), claims.Type),
		IdentityProvider: claims.Provider,
		Lineage:          &EntityLineage{MasterPlayerAccountId: claims.Player, TitleId: claims.Title, TitlePlayerAccountId: claims.Account},
	}
	if claims.Player == "" {
		return out, nil
	}
	err = s.store.Read(ctx, func(tx store.Tx) error {
		a, err := account.Get(tx, claims.Title, claims.Player)
		if err == nil && a != nil {
			out.IdentityProviderIssuedId = issuedID(a, claims.Provider)
		}
		return err
	})
	return out, err
}

// issuedID is the player's id with the provider it signed in by.
func issuedID(a *account.Account, by ticket.LoginIdentityProvider) string {
	switch by {
	case ticket.ByPassword:
		return a.ID
	case ticket.ByStreaming:
		return a.StreamingID
	case ticket.ByCustomID:
		return a.CustomID
	case ticket.ByServerCustom:
		return a.ServerCustomID
	case ticket.ByOpenID:
		if len(a.OpenIDs) == 1 { // the token does not say which of several
			return a.OpenIDs[0].Subject
		}
	}
	return ""
}

// authenticateSessionTicket tells a title whose session ticket this is, also when
// it has expired.
func (s *Service) authenticateSessionTicket(ctx context.Context, c *call.Call, r *AuthenticateSessionTicketRequest) (any, error) {
	claims, err := s.gate.CheckTicket(r.SessionTicket.Reveal())
	expired := errors.Is(err, ticket.ErrExpired)
	if err != nil && !expired || claims.Title != c.Title.ID {
		return nil, call.Refuse("InvalidSessionTicket", "Invalid session ticket").Because(err)
	}
	a, err := s.find(ctx, c.Title, &GetAccountInfoRequest{PlatformId: claims.Player}, "")
	if err != nil {
		return nil, err
	}
	return &AuthenticateSessionTicketResult{UserInfo: s.accountInfo(c, a), IsSessionTicketExpired: expired}, nil
}

func errNotAuthorizedByTitle() error {
	return ludgate.Errorf(ludgate.Forbidden, "NotAuthorizedByTitle", "Action not authorized by title")
}

// ownEntity gives the type of an entity of the bearer's own. A key without a
// type is known by its id.
func ownEntity(c *call.Call, b ticket.Bearer, want EntityKey) (ticket.EntityType, error) {
	if want.Id == "" {
		f := call.Faults{}
		f.Add("Entity", "The Id field is required.")
		return "", f.Err()
	}
	own := []ticket.EntityType{ticket.TitlePlayerAccount, ticket.MasterPlayerAccount}
	if c.Server() {
		own = []ticket.EntityType{ticket.TitleEntity}
	}
	for _, typ := range own {
		if want.Id == b.ID(typ) && (want.Kind() == "" || want.Kind() == string(typ)) {
			return typ, nil
		}
	}
	return "", errNotAuthorizedByTitle()
}

// entityProof is an entity token and what it stands for.
type entityProof struct {
	token   string
	expires string
	id      string
	typ     ticket.EntityType
}

func (s *Service) prove(b ticket.Bearer, typ ticket.EntityType) entityProof {
	token, expires := s.opt.Tickets.Entity(b, typ)
	return entityProof{token: token, expires: account.StampTime(expires), id: b.ID(typ), typ: typ}
}

// bearer is whom the proofs of an account are made for, and by what it signed in.
func bearer(a *account.Account, by ticket.LoginIdentityProvider) ticket.Bearer {
	return ticket.Bearer{Title: a.Title, Player: a.ID, Account: a.Account, Provider: by}
}
