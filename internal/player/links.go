package player

import (
	"context"
	"slices"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
)

// An account can have further ways to sign in (P-4.R3), and give them up again,
// the last one included: who has a ticket can still add another.

// LinkStreamingPlatformRequest links the caller's account with an identity on the
// streaming platform. ForceLink takes it from another player.
type LinkStreamingPlatformRequest struct {
	AccessToken secret.Text `json:"AccessToken" required:"true"`
	ForceLink   bool        `json:"ForceLink"`
}

// UnlinkStreamingPlatformRequest ends it. A token that is there must be that of
// the linked identity.
type UnlinkStreamingPlatformRequest struct {
	AccessToken secret.Text `json:"AccessToken"`
}

// LinkStreamingAccountRequest and UnlinkStreamingAccountRequest are the same, made
// by a game server.
type LinkStreamingAccountRequest struct {
	PlatformId  string      `json:"PlatformId" required:"true"`
	AccessToken secret.Text `json:"AccessToken" required:"true"`
	ForceLink   bool        `json:"ForceLink"`
}

// UnlinkStreamingAccountRequest ends it; see LinkStreamingAccountRequest.
type UnlinkStreamingAccountRequest struct {
	PlatformId  string      `json:"PlatformId" required:"true"`
	AccessToken secret.Text `json:"AccessToken"`
}

// LinkCustomIDRequest links the caller's account with an id that the game chose;
// the one it had before is free.
type LinkCustomIDRequest struct {
	CustomId  string `json:"CustomId" required:"true"`
	ForceLink bool   `json:"ForceLink"`
}

// UnlinkCustomIDRequest ends it. An id that is there must be the linked one.
type UnlinkCustomIDRequest struct {
	CustomId string `json:"CustomId"`
}

// LinkServerCustomIdRequest and UnlinkServerCustomIdRequest are the same for an
// id that the game's server chose.
type LinkServerCustomIdRequest struct {
	PlatformId     string `json:"PlatformId" required:"true"`
	ServerCustomId string `json:"ServerCustomId" required:"true"`
	ForceLink      bool   `json:"ForceLink"`
}

// UnlinkServerCustomIdRequest ends it; see LinkServerCustomIdRequest.
type UnlinkServerCustomIdRequest struct {
	PlatformId     string `json:"PlatformId" required:"true"`
	ServerCustomId string `json:"ServerCustomId" required:"true"`
}

// LinkOpenIdConnectRequest links the caller's account with an identity of an
// OpenID Connect provider; an account has at most one of each connection.
type LinkOpenIdConnectRequest struct {
	ConnectionId string      `json:"ConnectionId" required:"true"`
	IdToken      secret.Text `json:"IdToken" required:"true"`
	ForceLink    bool        `json:"ForceLink"`
}

// UnlinkOpenIdConnectRequest ends it.
type UnlinkOpenIdConnectRequest struct {
	ConnectionId string `json:"ConnectionId" required:"true"`
}

// Refusals of links.

func errAlreadyLinked() error {
	return call.Refuse("AccountAlreadyLinked", "The account is already linked")
}

func errNotLinked() error { return call.Refuse("AccountNotLinked", "The account is not linked") }

func errIDNotLinked() error {
	return call.Refuse("CustomIdNotLinked", "The id is not linked to the account")
}

// Names of the refusal of an identity that another player has.
const (
	claimedAccount    = "LinkedAccountAlreadyClaimed"
	claimedIdentifier = "LinkedIdentifierAlreadyClaimed"
)

// link is one identity on its way to an account.
type link struct {
	player  string
	name    account.Name
	force   bool   // take it from another player
	claimed string // the refusal where that is not wanted
	add     func(a *account.Account) error
	drop    func(a *account.Account) // how another player loses it
}

// link gives an account an identity, and takes it from another one, in one
// transaction.
func (s *Service) link(ctx context.Context, t *title.Title, l link) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		owner, err := account.Owner(tx, t.ID, l.name)
		if err != nil {
			return err
		}
		if owner == l.player {
			owner = ""
		}
		// The account itself first: what it may not do needs no look at another.
		a, err := account.Get(tx, t.ID, l.player)
		if err == nil && a == nil {
			err = account.NotFound()
		}
		if err == nil {
			err = l.add(a)
		}
		if err == nil && owner != "" {
			err = s.take(tx, t, owner, l)
		}
		if err == nil {
			_, err = account.Change(tx, t.ID, l.player, demands(t), l.add)
		}
		return answerTo(err)
	})
}

// take drops an identity from its owner, if the caller wants that and the owner
// is not banned: a ban must not be shaken off by signing in as somebody else.
func (s *Service) take(tx store.Tx, t *title.Title, owner string, l link) error {
	now := s.clock().UnixMilli()
	_, err := account.Change(tx, t.ID, owner, demands(t), func(a *account.Account) error {
		switch {
		case a.BannedUntil > now:
			return call.Refuse("AccountLinkedToABannedPlayer", "The identity is linked to a banned player")
		case !l.force:
			return call.Refuse(l.claimed, "The identity is linked to another player")
		}
		l.drop(a)
		return nil
	})
	return err
}

func (s *Service) linkStreaming(ctx context.Context, c *call.Call, r *LinkStreamingPlatformRequest) (any, error) {
	return nil, s.linkStreamingOf(ctx, c, c.Player, r.AccessToken, r.ForceLink, claimedAccount)
}

func (s *Service) linkStreamingByServer(ctx context.Context, c *call.Call, r *LinkStreamingAccountRequest) (any, error) {
	return nil, s.linkStreamingOf(ctx, c, clean(r.PlatformId), r.AccessToken, r.ForceLink, claimedIdentifier)
}

func (s *Service) linkStreamingOf(ctx context.Context, c *call.Call, player string, token secret.Text, force bool, claimed string) error {
	id, err := s.streamingUser(ctx, c.Title, token)
	if err != nil {
		return err
	}
	return s.link(ctx, c.Title, link{
		player: player, name: account.StreamingName(id.UserID), force: force, claimed: claimed,
		add: func(a *account.Account) error {
			if a.StreamingID != "" {
				return errAlreadyLinked()
			}
			a.StreamingID, a.StreamingName = id.UserID, id.Login
			return nil
		},
		drop: dropStreaming,
	})
}

func dropStreaming(a *account.Account) { a.StreamingID, a.StreamingName = "", "" }

func (s *Service) unlinkStreaming(ctx context.Context, c *call.Call, r *UnlinkStreamingPlatformRequest) (any, error) {
	return nil, s.unlinkStreamingOf(ctx, c, c.Player, r.AccessToken)
}

func (s *Service) unlinkStreamingByServer(ctx context.Context, c *call.Call, r *UnlinkStreamingAccountRequest) (any, error) {
	return nil, s.unlinkStreamingOf(ctx, c, clean(r.PlatformId), r.AccessToken)
}

func (s *Service) unlinkStreamingOf(ctx context.Context, c *call.Call, player string, token secret.Text) error {
	of := ""
	if token != "" {
		id, err := s.streamingUser(ctx, c.Title, token)
		if err != nil {
			return err
		}
		of = id.UserID
	} else if c.Title.StreamingClientID == "" || s.opt.Streaming == nil {
		return errNotConfigured()
	}
	_, err := s.change(ctx, c.Title, player, func(a *account.Account) error {
		if a.StreamingID == "" || of != "" && of != a.StreamingID {
			return errNotLinked()
		}
		dropStreaming(a)
		return nil
	})
	return err
}

func (s *Service) linkCustomID(ctx context.Context, c *call.Call, r *LinkCustomIDRequest) (any, error) {
	f := &faults{}
	f.identity("CustomId", r.CustomId)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return nil, s.link(ctx, c.Title, link{
		player: c.Player, name: account.CustomIDName(r.CustomId), force: r.ForceLink, claimed: claimedIdentifier,
		add:  func(a *account.Account) error { a.CustomID = r.CustomId; return nil },
		drop: func(a *account.Account) { a.CustomID = "" },
	})
}

func (s *Service) unlinkCustomID(ctx context.Context, c *call.Call, r *UnlinkCustomIDRequest) (any, error) {
	_, err := s.change(ctx, c.Title, c.Player, func(a *account.Account) error {
		return dropID(&a.CustomID, r.CustomId)
	})
	return nil, err
}

// dropID empties an id of an account; one that the caller names must be it.
func dropID(has *string, named string) error {
	switch {
	case *has == "":
		return errNotLinked()
	case named != "" && named != *has:
		return errIDNotLinked()
	}
	*has = ""
	return nil
}

func (s *Service) linkServerCustomID(ctx context.Context, c *call.Call, r *LinkServerCustomIdRequest) (any, error) {
	f := &faults{}
	f.identity("ServerCustomId", r.ServerCustomId)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return nil, s.link(ctx, c.Title, link{
		player: clean(r.PlatformId), name: account.ServerCustomIDName(r.ServerCustomId), force: r.ForceLink, claimed: claimedIdentifier,
		add:  func(a *account.Account) error { a.ServerCustomID = r.ServerCustomId; return nil },
		drop: func(a *account.Account) { a.ServerCustomID = "" },
	})
}

func (s *Service) unlinkServerCustomID(ctx context.Context, c *call.Call, r *UnlinkServerCustomIdRequest) (any, error) {
	_, err := s.change(ctx, c.Title, clean(r.PlatformId), func(a *account.Account) error {
		return dropID(&a.ServerCustomID, r.ServerCustomId)
	})
	return nil, err
}

func (s *Service) linkOpenID(ctx context.Context, c *call.Call, r *LinkOpenIdConnectRequest) (any, error) {
	id, err := s.openIDUser(ctx, c.Title, r.ConnectionId, r.IdToken)
	if err != nil {
		return nil, err
	}
	return nil, s.link(ctx, c.Title, link{
		player: c.Player, name: account.OpenIDName(id), force: r.ForceLink, claimed: claimedIdentifier,
		add: func(a *account.Account) error {
			for _, o := range a.OpenIDs {
				if o.Connection == id.Connection || account.OpenIDName(o) == account.OpenIDName(id) {
					return errAlreadyLinked()
				}
			}
			a.OpenIDs = append(a.OpenIDs, id)
			return nil
		},
		drop: func(a *account.Account) {
			a.OpenIDs = slices.DeleteFunc(a.OpenIDs, func(o account.OpenID) bool { return account.OpenIDName(o) == account.OpenIDName(id) })
		},
	})
}

func (s *Service) unlinkOpenID(ctx context.Context, c *call.Call, r *UnlinkOpenIdConnectRequest) (any, error) {
	_, err := s.change(ctx, c.Title, c.Player, func(a *account.Account) error {
		n := len(a.OpenIDs)
		a.OpenIDs = slices.DeleteFunc(a.OpenIDs, func(o account.OpenID) bool { return o.Connection == r.ConnectionId })
		if len(a.OpenIDs) == n {
			return errNotLinked()
		}
		return nil
	})
	return nil, err
}
