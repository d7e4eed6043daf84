package player

import (
	"strings"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// What a reply says differs a little between namings, beyond words: some clients
// know a deprecated member of entity keys, and expect user names in lower case.

// username spells a user name as a naming's clients expect it.
func username(n *wire.Naming, name string) string {
	if n.Player.FoldUsernames {
		return strings.ToLower(name)
	}
	return name
}

func (p entityProof) response(n *wire.Naming) EntityTokenResponse {
	return EntityTokenResponse{EntityToken: p.token, TokenExpiration: p.expires, Entity: call.KeyOf(n, p.id, p.typ)}
}

// registered is the reply to a registration.
func (s *Service) registered(n *wire.Naming, a *account.Account) *RegisterPlatformUserResult {
	b := bearer(a, ticket.ByPassword)
	return &RegisterPlatformUserResult{
		SessionTicket: s.opt.Tickets.Session(b),
		PlatformId:    a.ID,
		Username:      username(n, a.Username),
		EntityToken:   s.prove(b, ticket.TitlePlayerAccount).response(n),
	}
}

// loggedIn is the reply to a sign-in.
func (s *Service) loggedIn(n *wire.Naming, in *signedIn, info *GetPlayerCombinedInfoRequestParams) *LoginResult {
	b := bearer(in.Account, in.provider)
	return &LoginResult{
		SessionTicket:       s.opt.Tickets.Session(b),
		PlatformId:          in.ID,
		NewlyCreated:        in.created,
		LastLoginTime:       account.Stamp(in.PreviousLogin),
		InfoResultPayload:   combinedInfo(n, in, info),
		EntityToken:         s.prove(b, ticket.TitlePlayerAccount).response(n),
		TreatmentAssignment: TreatmentAssignment{Variants: []string{}, Variables: []Variable{}},
	}
}

// combinedInfo is what info asks for; nil when nothing was asked.
func combinedInfo(n *wire.Naming, in *signedIn, info *GetPlayerCombinedInfoRequestParams) *GetPlayerCombinedInfoResultPayload {
	if info == nil {
		return nil
	}
	p := &GetPlayerCombinedInfoResultPayload{
		AccountInfo:          accountInfo(n, in.Account, in.LastLogin),
		CharacterInventories: emptyList{},
		UserInventory:        emptyList{},
	}
	if info.GetCharacterList {
		p.CharacterList = emptyList{}
	}
	if info.GetPlayerProfile && !in.created {
		p.PlayerProfile = profile(in, info.ProfileConstraints)
	}
	if info.GetPlayerStatistics {
		p.PlayerStatistics = emptyList{}
	}
	if info.GetTitleData {
		p.TitleData = emptyMap{}
	}
	if info.GetUserData {
		p.UserData = emptyMap{}
	}
	if info.GetUserReadOnlyData {
		p.UserReadOnlyData = emptyMap{}
	}
	if info.GetUserVirtualCurrency {
		p.UserVirtualCurrency, p.UserVirtualCurrencyRechargeTimes = emptyMap{}, emptyMap{}
	}
	return p
}

// accountInfo is an account as its owner sees it now.
func (s *Service) accountInfo(c *call.Call, a *account.Account) UserAccountInfo {
	return accountInfo(c.Naming, a, c.Millis())
}

func accountInfo(n *wire.Naming, a *account.Account, now int64) UserAccountInfo {
	created := account.Stamp(a.Created)
	info := UserAccountInfo{
		PlatformId:  a.ID,
		Created:     created,
		Username:    username(n, a.Username),
		PrivateInfo: &UserPrivateAccountInfo{Email: a.Email},
		TitleInfo: UserTitleInfo{
			DisplayName:        a.DisplayName,
			AvatarUrl:          a.AvatarURL,
			Origination:        a.Origination,
			Created:            created,
			FirstLogin:         created,
			LastLogin:          account.Stamp(a.LastLogin),
			IsBanned:           a.BannedUntil > now,
			TitlePlayerAccount: call.KeyOf(n, a.Account, ticket.TitlePlayerAccount),
		},
	}
	if a.StreamingID != "" {
		info.StreamingInfo = &UserStreamingInfo{StreamingId: a.StreamingID, StreamingUserName: a.StreamingName}
	}
	if a.CustomID != "" {
		info.CustomIdInfo = &UserCustomIdInfo{a.CustomID}
	}
	if a.ServerCustomID != "" {
		info.ServerCustomIdInfo = &UserServerCustomIdInfo{a.ServerCustomID}
	}
	for _, o := range a.OpenIDs {
		info.OpenIdInfo = append(info.OpenIdInfo, UserOpenIdInfo{ConnectionId: o.Connection, Issuer: o.Issuer, Subject: o.Subject})
	}
	return info
}

// profile is an account as others may see it, its display name unless the
// constraints leave it out.
func profile(in *signedIn, c *PlayerProfileViewConstraints) *PlayerProfileModel {
	p := &PlayerProfileModel{PublisherId: in.title.Publisher(), TitleId: in.title.ID, PlayerId: in.ID}
	if c == nil || c.ShowDisplayName {
		p.DisplayName = in.DisplayName
	}
	return p
}
