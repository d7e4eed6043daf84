package player

import (
	"context"
	"errors"

	"ludgate"
	"ludgate/internal/ticket"
)

// proofs are the headers by which a caller can say who it is.
type proofs struct {
	session     string // X-Authorization, or X-Authentication, which some clients send
	entityToken string // X-EntityToken
	secretKey   string // X-SecretKey
}

// Messages that clients compare.
const (
	noTicket      = "Missing or invalid X-Authentication HTTP header"
	invalidTicket = "X-Authentication HTTP header contains invalid ticket"
	noProof       = "This API method does not allow anonymous callers."
)

// CheckTicket says whose session ticket this is, without a read (P-5.R2). Its
// errors are the refusals of a call that needs a ticket.
func (s *Service) CheckTicket(text string) (ticket.Claims, error) {
	if text == "" {
		return ticket.Claims{}, ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", noTicket)
	}
	c, err := s.opt.Tickets.CheckSession(text)
	if err != nil {
		return c, ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", invalidTicket).Because(err)
	}
	return c, nil
}

// checkEntityToken says whose entity token this is, without a read (P-5.R3).
func (s *Service) checkEntityToken(text string) (ticket.Claims, error) {
	c, err := s.opt.Tickets.CheckEntity(text)
	code := "EntityTokenInvalid"
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, ticket.ErrExpired):
		code = "EntityTokenExpired"
	}
	return c, ludgate.Errorf(ludgate.Unauthenticated, code, "%s", code).Because(err)
}

// getEntityToken makes an entity token for the bearer of a session ticket or of
// another entity token: for the entity that was asked for, which must be one of
// the bearer's own, or for the same one.
func (s *Service) getEntityToken(_ context.Context, c caller, p proofs, want *EntityKey) (entityProof, error) {
	var claims ticket.Claims
	var err error
	switch {
	case p.session != "":
		claims, err = s.CheckTicket(p.session)
		claims.Type = ticket.TitlePlayerAccount
	case p.secretKey != "": // no title has secret keys yet, so none is right
		err = ludgate.Errorf(ludgate.Unauthenticated, "NotAuthorized", "Not authorized")
	case p.entityToken != "":
		claims, err = s.checkEntityToken(p.entityToken)
	default:
		err = ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", noProof)
	}
	if err != nil {
		return entityProof{}, err
	}
	t, err := s.title(claims.Title, c)
	if err != nil {
		return entityProof{}, err
	}
	b, typ := claims.Bearer, claims.Type
	b.Title = t.ID
	if want != nil {
		if typ, err = ownEntity(b, *want); err != nil {
			return entityProof{}, err
		}
	}
	return s.prove(b, typ), nil
}

// ownEntity gives the type of an entity of the bearer's own. A key without a
// type is known by its id.
func ownEntity(b ticket.Bearer, want EntityKey) (ticket.EntityType, error) {
	if want.Id == "" {
		return "", ludgate.Errorf(ludgate.Invalid, "InvalidParams", "Invalid input parameters").With("Entity", "The Id field is required.")
	}
	name := want.Type
	if name == "" {
		name = want.TypeString
	}
	for _, typ := range []ticket.EntityType{ticket.TitlePlayerAccount, ticket.MasterPlayerAccount} {
		if want.Id == b.ID(typ) && (name == "" || name == string(typ)) {
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
	return entityProof{token: token, expires: stampTime(expires), id: b.ID(typ), typ: typ}
}

// bearer is whom the proofs of an account are made for.
func (a *account) bearer() ticket.Bearer {
	return ticket.Bearer{Title: a.title, Player: a.id, Account: a.account}
}
