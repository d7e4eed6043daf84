package profile

import (
	"context"
	"net/url"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// UpdateAvatarUrlRequest sets the caller's avatar; an empty URL takes it away.
type UpdateAvatarUrlRequest struct {
	ImageUrl *string `json:"ImageUrl" required:"true"`
}

// ServerUpdateAvatarUrlRequest sets the avatar of any player.
type ServerUpdateAvatarUrlRequest struct {
	PlatformId string  `json:"PlatformId" required:"true"`
	ImageUrl   *string `json:"ImageUrl" required:"true"`
}

func (s *Service) updateAvatar(ctx context.Context, c *call.Call, r *UpdateAvatarUrlRequest) (any, error) {
	return nil, s.setAvatar(ctx, c, c.Player, *r.ImageUrl)
}

func (s *Service) serverUpdateAvatar(ctx context.Context, c *call.Call, r *ServerUpdateAvatarUrlRequest) (any, error) {
	return nil, s.setAvatar(ctx, c, r.PlatformId, *r.ImageUrl)
}

func (s *Service) setAvatar(ctx context.Context, c *call.Call, player, image string) error {
	f := &call.Faults{}
	checkText(f, "ImageUrl", image, maxURL)
	if image != "" && !isWebURL(image) {
		f.Add("ImageUrl", "The field ImageUrl must be an http or https URL.")
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.gate.Store().Write(ctx, func(tx store.Tx) error { return account.SetAvatarURL(tx, c.Title.ID, player, image) })
}

// isWebURL reports whether other players' clients can fetch an image from there.
// A URL with a user's password in it would be shown to everybody.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
}
