package player

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/data"
	"ludgate/internal/player/economy"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// GetPlayerCombinedInfoRequest asks for what is known of a player.
type GetPlayerCombinedInfoRequest struct {
	InfoRequestParameters *GetPlayerCombinedInfoRequestParams `json:"InfoRequestParameters" required:"true"`
	PlatformId            string                              `json:"PlatformId"`
}

// GetPlayerCombinedInfoResult is the answer to it.
type GetPlayerCombinedInfoResult struct {
	PlatformId        string                              `json:"PlatformId"`
	InfoResultPayload *GetPlayerCombinedInfoResultPayload `json:"InfoResultPayload"`
}

// combinedRoutes are the calls that ask for combined info without a sign-in.
func (s *Service) combinedRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Session, "/Client/GetPlayerCombinedInfo", s.getCombinedInfo),
		call.Post(s.gate, call.Secret, "/Server/GetPlayerCombinedInfo", s.getCombinedInfo),
	}
}

func (s *Service) getCombinedInfo(ctx context.Context, c *call.Call, r *GetPlayerCombinedInfoRequest) (any, error) {
	want := subject{title: c.Title, viewer: owner}
	id := r.PlatformId
	switch {
	case c.Server() && id == "":
		f := call.Faults{}
		f.Required("PlatformId")
		return nil, f.Err()
	case c.Server():
		want.viewer = server
	case id == "" || id == c.Player:
		id = c.Player
	default:
		want.viewer = other
	}
	if want.viewer != server {
		if err := checkConstraints(c.Title, r.InfoRequestParameters); err != nil {
			return nil, err
		}
	}
	out := &GetPlayerCombinedInfoResult{PlatformId: id}
	defs, err := s.economy.Definitions(ctx, c.Title.ID)
	if err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, func(tx store.Tx) error {
		a, err := account.Get(tx, c.Title.ID, id)
		if err != nil {
			return err
		}
		if a == nil {
			return account.NotFound()
		}
		want.Account = a
		out.InfoResultPayload, err = s.loadInfo(tx, c.Naming, defs, want, r.InfoRequestParameters)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Who asks for combined info.
type viewer uint8

const (
	owner viewer = iota
	other        // another player: nothing that is private
	server
)

// subject is whom combined info is about.
type subject struct {
	*account.Account
	title  *title.Title
	viewer viewer
	fresh  bool // made by the sign-in that asks: there is no profile yet
}

// signInInfo is what a sign-in asks for; nil when it asks for nothing.
func (s *Service) signInInfo(ctx context.Context, n *wire.Naming, in *signedIn, p *GetPlayerCombinedInfoRequestParams) (*GetPlayerCombinedInfoResultPayload, error) {
	if p == nil {
		return nil, nil
	}
	defs, err := s.economy.Definitions(ctx, in.title.ID)
	if err != nil {
		return nil, err
	}
	var out *GetPlayerCombinedInfoResultPayload
	err = s.store.Read(ctx, func(tx store.Tx) (err error) {
		out, err = s.loadInfo(tx, n, defs, subject{Account: in.Account, title: in.title, fresh: in.created}, p)
		return err
	})
	return out, err
}

// loadInfo reads what p asks for (P-2.GetPlayerCombinedInfoRequestParams), all of
// one moment. What is not asked for is not read.
func (s *Service) loadInfo(tx store.Tx, n *wire.Naming, defs *economy.Definitions, who subject, p *GetPlayerCombinedInfoRequestParams) (*GetPlayerCombinedInfoResultPayload, error) {
	now := s.clock().UnixMilli()
	titleID, id := who.Title, who.ID
	out := &GetPlayerCombinedInfoResultPayload{
		AccountInfo:          accountInfo(n, who.Account, now),
		CharacterInventories: []economy.CharacterInventory{},
		UserInventory:        []economy.ItemInstance{},
	}
	if who.viewer == other {
		out.AccountInfo.hidePrivate()
	}
	known, err := s.data.Load(tx, titleID, id, data.Want{
		Statistics: p.GetPlayerStatistics, StatisticNames: p.PlayerStatisticNames,
		UserData: p.GetUserData, UserDataKeys: p.UserDataKeys,
		ReadOnlyData: p.GetUserReadOnlyData, ReadOnlyDataKeys: p.UserReadOnlyDataKeys,
		Public: who.viewer == other,
	})
	if err != nil {
		return nil, err
	}
	out.PlayerStatistics, out.UserData, out.UserReadOnlyData = known.Statistics, known.UserData, known.ReadOnlyData
	out.UserDataVersion, out.UserReadOnlyDataVersion = known.UserDataVersion, known.ReadOnlyDataVersion
	if p.GetPlayerProfile && !who.fresh {
		if out.PlayerProfile, err = s.profile.Profile(tx, who.title, who.Account, p.ProfileConstraints); err != nil {
			return nil, err
		}
	}
	if p.GetTitleData {
		if out.TitleData, err = title.Data(tx, titleID, false, p.TitleDataKeys); err != nil {
			return nil, err
		}
	}
	return out, s.loadEconomy(tx, defs, who, p, out, now)
}

// loadEconomy reads what p asks for of a player's possessions, which other
// players do not see.
func (s *Service) loadEconomy(tx store.Tx, defs *economy.Definitions, who subject, p *GetPlayerCombinedInfoRequestParams, out *GetPlayerCombinedInfoResultPayload, now int64) (err error) {
	titleID, id := who.Title, who.ID
	var characters []economy.CharacterResult
	if p.GetCharacterList || p.GetCharacterInventories {
		if characters, err = s.economy.LoadCharacters(tx, titleID, id); err != nil {
			return err
		}
	}
	if p.GetCharacterList {
		out.CharacterList = characters
	}
	if who.viewer == other {
		return nil
	}
	if p.GetUserInventory {
		if out.UserInventory, err = s.economy.LoadInventory(tx, titleID, id, now); err != nil {
			return err
		}
	}
	if p.GetCharacterInventories {
		if out.CharacterInventories, err = s.economy.LoadCharacterInventories(tx, titleID, id, characters, now); err != nil {
			return err
		}
	}
	if p.GetUserVirtualCurrency {
		out.UserVirtualCurrency, out.UserVirtualCurrencyRechargeTimes, err = s.economy.LoadCurrency(tx, defs, id, who.Created, now)
	}
	return err
}
