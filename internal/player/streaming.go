package player

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/streaming"
	"ludgate/internal/ticket"
)

// StreamingLoginRequest signs a player in with a streaming platform's token.
type StreamingLoginRequest struct {
	TitleId          string      `json:"TitleId"`
	AccessToken      secret.Text `json:"AccessToken"`
	CreateAccount    bool        `json:"CreateAccount"`
	EncryptedRequest secret.Text `json:"EncryptedRequest"`
	PlayerSecret     secret.Text `json:"PlayerSecret"`
	SignInOptions
}

// ServerStreamingLoginRequest is the same, made by a game server that knows, or
// believes to know, which player it is.
type ServerStreamingLoginRequest struct {
	PlatformId    string      `json:"PlatformId" required:"true"`
	AccessToken   secret.Text `json:"AccessToken" required:"true"`
	CreateAccount bool        `json:"CreateAccount"`
	PlayerSecret  secret.Text `json:"PlayerSecret"`
	SignInOptions
}

// signInStreaming signs a player in with a streaming platform's token
// (P-4.LoginWithStreamingPlatform).
func (s *Service) signInStreaming(ctx context.Context, c *call.Call, r *StreamingLoginRequest) (any, error) {
	if err := checkSignIn(c, &faults{}, r.PlayerSecret, &r.SignInOptions); err != nil {
		return nil, err
	}
	id, err := s.streamingUser(ctx, c.Title, r.AccessToken)
	if err != nil {
		return nil, err
	}
	v := streamingVisit(id, &r.SignInOptions)
	v.create, v.secret = r.CreateAccount, r.PlayerSecret
	return s.signIn(ctx, c, v)
}

// signInStreamingByServer is signInStreaming for a server. The token must be that
// of the player whom the request names. Where the token belongs to nobody, an
// account is made only if the request names nobody either.
func (s *Service) signInStreamingByServer(ctx context.Context, c *call.Call, r *ServerStreamingLoginRequest) (any, error) {
	if err := checkSignIn(c, &faults{}, r.PlayerSecret, &r.SignInOptions); err != nil {
		return nil, err
	}
	id, err := s.streamingUser(ctx, c.Title, r.AccessToken)
	if err != nil {
		return nil, err
	}
	v := streamingVisit(id, &r.SignInOptions)
	v.create, v.secret = r.CreateAccount, r.PlayerSecret
	v.also = func(_ store.Tx, a *account.Account) error {
		if a.ID != r.PlatformId {
			return account.NotFound()
		}
		return nil
	}
	if v.create {
		err = s.store.Read(ctx, func(tx store.Tx) error {
			named, err := account.Exists(tx, c.Title.ID, clean(r.PlatformId))
			v.create = !named
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return s.signIn(ctx, c, v)
}

func streamingVisit(id streaming.Identity, o *SignInOptions) *visit {
	return &visit{
		name: account.StreamingName(id.UserID), provider: ticket.ByStreaming, options: o,
		fresh: account.Account{Origination: account.StreamingPlatform, StreamingID: id.UserID, StreamingName: id.Login},
	}
}

// streamingUser asks the streaming platform whose token this is
// (P-7.FeatureNotConfiguredForTitle, P-7.InvalidStreamingPlatformToken).
func (s *Service) streamingUser(ctx context.Context, t *title.Title, token secret.Text) (streaming.Identity, error) {
	if t.StreamingClientID == "" || s.opt.Streaming == nil {
		return streaming.Identity{}, errNotConfigured()
	}
	return s.opt.Streaming.Validate(ctx, token.Reveal(), t.StreamingClientID)
}

func errNotConfigured() error {
	return call.Refuse("FeatureNotConfiguredForTitle", "The feature is not configured for this title")
}
