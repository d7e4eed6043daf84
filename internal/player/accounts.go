package player

import (
	"context"
	"fmt"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// GetAccountInfoRequest names an account: by the first member that is there, or
// the caller's own.
type GetAccountInfoRequest struct {
	PlatformId       string `json:"PlatformId"`
	Username         string `json:"Username"`
	Email            string `json:"Email"`
	TitleDisplayName string `json:"TitleDisplayName"`
}

// GetAccountInfoResult is the answer to it.
type GetAccountInfoResult struct {
	AccountInfo UserAccountInfo `json:"AccountInfo"`
}

// GetUserAccountInfoRequest names an account.
type GetUserAccountInfoRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
}

// GetUserAccountInfoResult is the answer to it.
type GetUserAccountInfoResult struct {
	UserInfo UserAccountInfo `json:"UserInfo"`
}

// UpdateUserTitleDisplayNameRequest changes the caller's display name.
type UpdateUserTitleDisplayNameRequest struct {
	DisplayName string `json:"DisplayName" required:"true"`
}

// UpdateDisplayNameOfPlayerRequest changes that of a player.
type UpdateDisplayNameOfPlayerRequest struct {
	PlatformId  string `json:"PlatformId" required:"true"`
	DisplayName string `json:"DisplayName" required:"true"`
}

// UpdateUserTitleDisplayNameResult is the answer to both.
type UpdateUserTitleDisplayNameResult struct {
	DisplayName string `json:"DisplayName"`
}

// GetPlatformIDsRequest asks who the players of identities on the streaming
// platform are.
type GetPlatformIDsRequest struct {
	StreamingIds []string `json:"StreamingIds" required:"true"`
}

// GetPlatformIDsResult is the answer to it, one pair for each identity in the
// order of the request.
type GetPlatformIDsResult struct {
	Data []StreamingIdPair `json:"Data"`
}

// StreamingIdPair is an identity on the streaming platform and the player who has
// it, if there is one.
type StreamingIdPair struct {
	PlatformId  string `json:"PlatformId,omitzero"`
	StreamingId string `json:"StreamingId"`
}

// maxStreamingIDs is how many identities one call may ask about.
const maxStreamingIDs = 25

// accountRoutes are the calls about accounts.
func (s *Service) accountRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Session, "/Client/GetAccountInfo", s.getAccountInfo),
		call.Post(s.gate, call.Secret, "/Server/GetUserAccountInfo", s.getUserAccountInfo),
		call.Post(s.gate, call.Secret, "/Admin/GetUserAccountInfo", s.findUserAccountInfo),
		call.Post(s.gate, call.Session, "/Client/UpdateUserTitleDisplayName", s.updateOwnDisplayName),
		call.Post(s.gate, call.Secret, "/Admin/UpdateUserTitleDisplayName", s.updateDisplayName),
		call.Post(s.gate, call.Session, "/Client/GetPlatformIDsFromStreamingIDs", s.getPlatformIDs),
		call.Post(s.gate, call.Secret, "/Server/GetPlatformIDsFromStreamingIDs", s.getPlatformIDs),
		call.Post(s.gate, call.Session, "/Client/AddUsernamePassword", s.addUsernamePassword),
	}
}

// find gives the account that a request names, or self's; it fails with
// AccountNotFound.
func (s *Service) find(ctx context.Context, t *title.Title, r *GetAccountInfoRequest, self string) (a *account.Account, err error) {
	var name account.Name
	id, possible := self, true
	switch {
	case r.PlatformId != "":
		id = clean(r.PlatformId)
	case r.Username != "":
		name, possible = account.UsernameName(clip(r.Username, maxName)), len(account.CheckUsername(r.Username)) == 0
	case r.Email != "":
		name, possible = account.EmailName(clip(r.Email, maxName)), len(account.CheckEmail(r.Email)) == 0
	case r.TitleDisplayName != "":
		name, possible = account.DisplayName(clip(r.TitleDisplayName, maxName)), len(account.CheckDisplayName(r.TitleDisplayName)) == 0
	}
	if !possible {
		return nil, account.NotFound()
	}
	err = s.store.Read(ctx, func(tx store.Tx) error {
		id := id
		if name.Space != "" {
			if id, err = account.Owner(tx, t.ID, name); err != nil {
				return err
			}
		}
		a, err = account.Get(tx, t.ID, id)
		return err
	})
	if err == nil && a == nil {
		err = account.NotFound()
	}
	return a, err
}

func (s *Service) getAccountInfo(ctx context.Context, c *call.Call, r *GetAccountInfoRequest) (any, error) {
	a, err := s.find(ctx, c.Title, r, c.Player)
	if err != nil {
		return nil, err
	}
	info := s.accountInfo(c, a)
	if a.ID != c.Player {
		info.hidePrivate()
	}
	return &GetAccountInfoResult{AccountInfo: info}, nil
}

// hidePrivate takes out what another player must not know: the address, and what
// one could sign in with.
func (i *UserAccountInfo) hidePrivate() {
	i.PrivateInfo, i.CustomIdInfo, i.ServerCustomIdInfo, i.OpenIdInfo = nil, nil, nil, nil
}

func (s *Service) getUserAccountInfo(ctx context.Context, c *call.Call, r *GetUserAccountInfoRequest) (any, error) {
	return s.findUserAccountInfo(ctx, c, &GetAccountInfoRequest{PlatformId: r.PlatformId})
}

func (s *Service) findUserAccountInfo(ctx context.Context, c *call.Call, r *GetAccountInfoRequest) (any, error) {
	if *r == (GetAccountInfoRequest{}) {
		f := &faults{}
		f.Required("PlatformId")
		return nil, f.Err()
	}
	a, err := s.find(ctx, c.Title, r, "")
	if err != nil {
		return nil, err
	}
	return &GetUserAccountInfoResult{UserInfo: s.accountInfo(c, a)}, nil
}

// checkDisplayName asks the title's filter about a display name
// (P-7.ProfaneDisplayName, P-7.InvalidPartnerResponse).
func (s *Service) checkDisplayName(ctx context.Context, t *title.Title, name string) error {
	if s.opt.DisplayNames == nil {
		return nil
	}
	return s.opt.DisplayNames(ctx, t, name)
}

func (s *Service) updateOwnDisplayName(ctx context.Context, c *call.Call, r *UpdateUserTitleDisplayNameRequest) (any, error) {
	return s.setDisplayName(ctx, c, c.Player, r.DisplayName)
}

func (s *Service) updateDisplayName(ctx context.Context, c *call.Call, r *UpdateDisplayNameOfPlayerRequest) (any, error) {
	return s.setDisplayName(ctx, c, clean(r.PlatformId), r.DisplayName)
}

func (s *Service) setDisplayName(ctx context.Context, c *call.Call, player, name string) (any, error) {
	f := &faults{}
	f.AddAll("DisplayName", account.CheckDisplayName(name))
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := s.checkDisplayName(ctx, c.Title, name); err != nil {
		return nil, err
	}
	err := s.store.Write(ctx, func(tx store.Tx) error {
		_, err := account.Change(tx, c.Title.ID, player, demands(c.Title), func(a *account.Account) error {
			a.DisplayName = name
			return nil
		})
		return err
	})
	if isTaken(err) {
		return nil, call.Refuse("NameNotAvailable", "Name not available")
	}
	if err != nil {
		return nil, err
	}
	return &UpdateUserTitleDisplayNameResult{DisplayName: name}, nil
}

func (s *Service) getPlatformIDs(ctx context.Context, c *call.Call, r *GetPlatformIDsRequest) (any, error) {
	if len(r.StreamingIds) > maxStreamingIDs {
		f := &faults{}
		f.Add("StreamingIds", fmt.Sprintf("The field StreamingIds must be an array with a maximum length of %d.", maxStreamingIDs))
		return nil, f.Err()
	}
	out := &GetPlatformIDsResult{Data: make([]StreamingIdPair, len(r.StreamingIds))}
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		for i, id := range r.StreamingIds {
			out.Data[i] = StreamingIdPair{StreamingId: id}
			if id = clean(id); id == "" {
				continue
			}
			if out.Data[i].PlatformId, err = account.Owner(tx, c.Title.ID, account.StreamingName(id)); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
