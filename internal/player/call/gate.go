package call

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// Auth says which proof a call takes.
type Auth uint8

// Proofs.
const (
	Anonymous Auth = iota // none; the title is the body's TitleId or the host's
	Session               // X-Authorization: a session ticket
	Secret                // X-SecretKey: a secret key of the title
	Entity                // X-EntityToken
	Any                   // the first of session ticket, secret key and entity token that is there
)

// Options of a Gate.
type Options struct {
	Store   store.Store
	Titles  *title.Registry
	Tickets *ticket.Issuer
	// Revoked reports whether a proof was taken back; nil: none ever is.
	Revoked func(ticket.Claims) bool
	// Box seals player secrets.
	Box *secret.Box
	// Limit refuses a call that is one too many; nil lets all in. The call's
	// proof has been checked.
	Limit func(c *Call) error
	Clock ludgate.Clock
	Log   *slog.Logger
}

// Gate lets calls in. It is safe for concurrent use.
type Gate struct {
	opt   Options
	pairs sync.Map // title id -> *readPair
}

// NewGate makes a gate.
func NewGate(o Options) *Gate { return &Gate{opt: o} }

// Store is the store of all parts.
func (g *Gate) Store() store.Store { return g.opt.Store }

// Titles are the titles of the installation.
func (g *Gate) Titles() *title.Registry { return g.opt.Titles }

// Clock tells the time.
func (g *Gate) Clock() ludgate.Clock { return g.opt.Clock }

// Log is where the parts log.
func (g *Gate) Log() *slog.Logger { return g.opt.Log }

// Call is one call that was let in.
type Call struct {
	*wire.Request
	Title *title.Title
	// Player is the PlatformId of the caller, "" on calls of servers.
	Player string
	// Account is the id of the caller's title player account, likewise.
	Account string
	// Entity is what an entity token stands for; "" without one.
	Entity ticket.EntityType
	// Claims are those of the ticket or token, if there was one.
	Claims ticket.Claims
	// Signature is that of the request, nil for none. On calls with a session
	// ticket it has been verified.
	Signature *Signature
	// Now is the time of the call.
	Now time.Time

	gate   *Gate
	server bool
}

// Server reports whether the caller is a server of the title and not a player.
func (c *Call) Server() bool { return c.server }

// Millis is the time of the call in milliseconds since 1970.
func (c *Call) Millis() int64 { return c.Now.UnixMilli() }

// Post makes a route of the player surface. The gate proves the caller, decodes
// Req, and refuses it where a member tagged required:"true" is missing: a string,
// list, map or pointer that is empty or null. A nil result is sent as {}.
func Post[Req any](g *Gate, auth Auth, path string, fn func(ctx context.Context, c *Call, r *Req) (any, error)) wire.Route {
	return route(g, auth, path, false, fn)
}

// SignIn is Post for registrations and sign-ins, whose result some envelopes
// repeat outside.
func SignIn[Req any](g *Gate, auth Auth, path string, fn func(ctx context.Context, c *Call, r *Req) (any, error)) wire.Route {
	return route(g, auth, path, true, fn)
}

func route[Req any](g *Gate, auth Auth, path string, signIn bool, fn func(ctx context.Context, c *Call, r *Req) (any, error)) wire.Route {
	shape := shapeOf[Req]()
	return wire.Route{Surface: wire.Player, Method: http.MethodPost, Path: path, Record: reflect.TypeFor[Req](), Handler: func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		c := &Call{Request: r, Now: g.opt.Clock(), gate: g}
		if auth != Anonymous {
			if err := g.prove(c, auth); err != nil {
				return nil, err
			}
		}
		req := new(Req)
		if err := r.Decode(req); err != nil {
			return nil, err
		}
		if auth == Anonymous {
			if err := g.anonymous(c, shape.text(req, shape.titleID), signIn); err != nil {
				return nil, err
			}
		}
		if g.opt.Limit != nil {
			if err := g.opt.Limit(c); err != nil {
				return nil, err
			}
		}
		if !c.server {
			if err := g.policy(c, shape.text(req, shape.encrypted) != ""); err != nil {
				return nil, err
			}
		}
		if auth != Anonymous { // a sign-in verifies when it knows the player
			if err := g.verify(ctx, c); err != nil {
				return nil, err
			}
		}
		if err := g.unseal(ctx, c, shape, req); err != nil {
			return nil, err
		}
		if err := shape.required(req); err != nil {
			return nil, err
		}
		out, err := fn(ctx, c, req)
		if errors.Is(err, store.ErrZeroByte) { // of a text that fn had no reason to look into
			err = shape.zeroByte(req, err)
		}
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = struct{}{}
		}
		return &wire.Reply{Body: out, SignIn: signIn}, nil
	}}
}

// anonymous finds the title of a call without proof
// (P-2.RegisterPlatformUserRequest.TitleId). Its id is matched without regard to
// case, as host names carry it.
func (g *Gate) anonymous(c *Call, id string, signIn bool) (err error) {
	if signIn { // on other calls there is nobody whose signature it could be
		c.Signature = signatureOf(c.HTTP.Header)
	}
	if id == "" {
		f := &Faults{}
		f.Required("TitleId")
		return f.Err()
	}
	c.Title, err = g.title(c, strings.ToUpper(id))
	return err
}

// title gives a title that must be the one of the host, where that names one.
func (g *Gate) title(c *Call, id string) (*title.Title, error) {
	t, ok := g.opt.Titles.Get(id)
	if host := c.HostTitle(); ok && (host == "" || host == t.ID) {
		return t, nil
	}
	e := Refuse("InvalidTitleId", "Invalid title id")
	if ok {
		return nil, e.With("TitleId", "The title is not the one of the host name.")
	}
	return nil, e.With("TitleId", "There is no such title here.")
}

// policy holds a call against the title's policy.
func (g *Gate) policy(c *Call, encrypted bool) error {
	if !c.Title.Policy().Allows(c.HTTP.URL.Path, encrypted || c.Signature != nil) {
		return ludgate.Errorf(ludgate.Forbidden, "NotAuthorizedByTitle", "Action not authorized by title")
	}
	return nil
}
