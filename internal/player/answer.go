package player

import (
	"strings"

	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// What a reply says differs a little between namings, beyond words: some clients
// know a deprecated member of entity keys, and expect user names in lower case.

// entityKey writes an entity key as a naming's clients know it.
func entityKey(n *wire.Naming, id string, typ ticket.EntityType) EntityKey {
	k := EntityKey{Id: id, Type: string(typ)}
	if n.Player.TypeString {
		k.TypeString = k.Type
	}
	return k
}

// username spells a user name as a naming's clients expect it.
func username(n *wire.Naming, name string) string {
	if n.Player.FoldUsernames {
		return strings.ToLower(name)
	}
	return name
}

func (p entityProof) response(n *wire.Naming) EntityTokenResponse {
	return EntityTokenResponse{EntityToken: p.token, TokenExpiration: p.expires, Entity: entityKey(n, p.id, p.typ)}
}

// registered is the reply to a registration.
func (s *Service) registered(n *wire.Naming, a *account) *RegisterPlatformUserResult {
	return &RegisterPlatformUserResult{
		SessionTicket: s.opt.Tickets.Session(a.bearer()),
		PlatformId:    a.id,
		Username:      username(n, a.username),
		EntityToken:   s.prove(a.bearer(), ticket.TitlePlayerAccount).response(n),
	}
}

// loggedIn is the reply to a sign-in.
func (s *Service) loggedIn(n *wire.Naming, in *signedIn, info *GetPlayerCombinedInfoRequestParams) *LoginResult {
	return &LoginResult{
		SessionTicket:       s.opt.Tickets.Session(in.bearer()),
		PlatformId:          in.id,
		NewlyCreated:        in.created,
		LastLoginTime:       stamp(in.previousLogin),
		InfoResultPayload:   combinedInfo(n, in, info),
		EntityToken:         s.prove(in.bearer(), ticket.TitlePlayerAccount).response(n),
		TreatmentAssignment: TreatmentAssignment{Variants: []string{}, Variables: []Variable{}},
	}
}

// combinedInfo is what info asks for; nil when nothing was asked.
func combinedInfo(n *wire.Naming, in *signedIn, info *GetPlayerCombinedInfoRequestParams) *GetPlayerCombinedInfoResultPayload {
	if info == nil {
		return nil
	}
	p := &GetPlayerCombinedInfoResultPayload{
		AccountInfo:          accountInfo(n, in.account),
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

// accountInfo is an account as its owner sees it.
func accountInfo(n *wire.Naming, a *account) UserAccountInfo {
	created := stamp(a.created)
	info := UserAccountInfo{
		PlatformId:  a.id,
		Created:     created,
		Username:    username(n, a.username),
		PrivateInfo: UserPrivateAccountInfo{Email: a.email},
		TitleInfo: UserTitleInfo{
			DisplayName:        a.displayName,
			Origination:        a.origination,
			Created:            created,
			FirstLogin:         created,
			LastLogin:          stamp(a.lastLogin),
			TitlePlayerAccount: entityKey(n, a.account, ticket.TitlePlayerAccount),
		},
	}
	if a.streamingID != "" {
		info.StreamingInfo = &UserStreamingInfo{StreamingId: a.streamingID, StreamingUserName: a.streamingName}
	}
	return info
}

// profile is an account as others may see it, its display name unless the
// constraints leave it out.
func profile(in *signedIn, c *PlayerProfileViewConstraints) *PlayerProfileModel {
	p := &PlayerProfileModel{PublisherId: in.title.publisher(), TitleId: in.title.ID, PlayerId: in.id}
	if c == nil || c.ShowDisplayName {
		p.DisplayName = in.displayName
	}
	return p
}
