package player

import (
	"context"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/ticket"
)

// getEntityToken makes an entity token for the bearer of a session ticket or of
// another entity token: for the entity that was asked for, which must be one of
// the bearer's own, or for the same one.
func (s *Service) getEntityToken(_ context.Context, c *call.Call, r *GetEntityTokenRequest) (any, error) {
	b, typ := c.Claims.Bearer, c.Entity
	b.Title = c.Title.ID
	if typ == "" {
		typ = ticket.TitlePlayerAccount
	}
	if r.Entity != nil {
		var err error
		if typ, err = ownEntity(b, *r.Entity); err != nil {
			return nil, err
		}
	}
	return s.prove(b, typ).response(c.Naming), nil
}

// ownEntity gives the type of an entity of the bearer's own. A key without a
// type is known by its id.
func ownEntity(b ticket.Bearer, want EntityKey) (ticket.EntityType, error) {
	if want.Id == "" {
		f := call.Faults{}
		f.Add("Entity", "The Id field is required.")
		return "", f.Err()
	}
	for _, typ := range []ticket.EntityType{ticket.TitlePlayerAccount, ticket.MasterPlayerAccount} {
		if want.Id == b.ID(typ) && (want.Kind() == "" || want.Kind() == string(typ)) {
			return typ, nil
		}
	}
	return "", ludgate.Errorf(ludgate.Forbidden, "NotAuthorizedByTitle", "Action not authorized by title")
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

// bearer is whom the proofs of an account are made for.
func bearer(a *account.Account) ticket.Bearer {
	return ticket.Bearer{Title: a.Title, Player: a.ID, Account: a.Account}
}
