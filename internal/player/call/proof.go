package call

import (
	"errors"
	"net/http"

	"ludgate"
	"ludgate/internal/ticket"
)

// Messages that clients compare.
const (
	noTicket      = "Missing or invalid X-Authentication HTTP header"
	invalidTicket = "X-Authentication HTTP header contains invalid ticket"
	noProof       = "This API method does not allow anonymous callers."
)

// prove finds out who makes a call and for which title.
func (g *Gate) prove(c *Call, auth Auth) error {
	h := c.HTTP.Header
	session, key, token := h.Get("X-Authorization"), h.Get("X-SecretKey"), h.Get("X-EntityToken")
	if session == "" {
		session = h.Get("X-Authentication") // which some clients send
	}
	if auth == Any {
		switch {
		case session != "":
			auth = Session
		case key != "":
			auth = Secret
		case token != "":
			auth = Entity
		default:
			return ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", noProof)
		}
	}
	var err error
	switch auth {
	case Session:
		c.Claims, err = g.CheckTicket(session)
		if err == nil {
			c.Signature = signatureOf(h)
		}
	case Secret:
		return g.server(c, key)
	default:
		c.Claims, err = g.CheckEntityToken(token)
		c.Entity = c.Claims.Type
	}
	if err != nil {
		return err
	}
	c.Player, c.Account = c.Claims.Player, c.Claims.Account
	c.server = c.Entity == ticket.TitleEntity
	c.Title, err = g.title(c, c.Claims.Title)
	return err
}

// server lets in who has a secret key of a title.
func (g *Gate) server(c *Call, key string) (err error) {
	t, ok := g.opt.Titles.BySecret(key)
	if !ok || key == "" {
		return ludgate.Errorf(ludgate.Unauthenticated, "NotAuthorized", "Not authorized")
	}
	c.server = true
	c.Title, err = g.title(c, t.ID)
	return err
}

// CheckTicket says whose session ticket this is (P-5.R2), without a read. Its
// errors are the refusals of a call that needs a ticket.
func (g *Gate) CheckTicket(text string) (ticket.Claims, error) {
	if text == "" {
		return ticket.Claims{}, ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", noTicket)
	}
	c, err := g.opt.Tickets.CheckSession(text)
	if err == nil && g.revoked(c) {
		err = errors.New("the ticket was revoked")
	}
	if err != nil {
		return c, ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", invalidTicket).Because(err)
	}
	return c, nil
}

// CheckEntityToken says whose entity token this is, without a read (P-5.R3).
func (g *Gate) CheckEntityToken(text string) (ticket.Claims, error) {
	if text == "" {
		return ticket.Claims{}, ludgate.Errorf(ludgate.Unauthenticated, "NotAuthenticated", noProof)
	}
	c, err := g.opt.Tickets.CheckEntity(text)
	code := "EntityTokenInvalid"
	switch {
	case err == nil && g.revoked(c):
		code = "EntityTokenRevoked"
	case err == nil:
		return c, nil
	case errors.Is(err, ticket.ErrExpired):
		code = "EntityTokenExpired"
	}
	return c, ludgate.Errorf(ludgate.Unauthenticated, code, "%s", code).Because(err)
}

func (g *Gate) revoked(c ticket.Claims) bool { return g.opt.Revoked != nil && g.opt.Revoked(c) }

// TitleOf gives the title that the proof in a call's headers is for, "" when
// there is none that could be good. It is what wire.Options.TitleOf wants.
func (g *Gate) TitleOf(h http.Header) string {
	for _, name := range []string{"X-Authorization", "X-Authentication"} {
		if c, err := g.opt.Tickets.CheckSession(h.Get(name)); err == nil {
			return c.Title
		}
	}
	if key := h.Get("X-SecretKey"); key != "" {
		if t, ok := g.opt.Titles.BySecret(key); ok {
			return t.ID
		}
	}
	if c, err := g.opt.Tickets.CheckEntity(h.Get("X-EntityToken")); err == nil {
		return c.Title
	}
	return ""
}
