package player

import (
	"context"
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
func (s *Service) loggedIn(ctx context.Context, n *wire.Naming, in *signedIn, info *GetPlayerCombinedInfoRequestParams) (*LoginResult, error) {
	treatment, err := s.assign(ctx, in.Title, in.ID, s.clock())
	if err != nil {
		return nil, err
	}
	payload, err := s.signInInfo(ctx, n, in, info)
	if err != nil {
		return nil, err
	}
	b := bearer(in.Account, in.provider)
	return &LoginResult{
		SessionTicket:       s.opt.Tickets.Session(b),
		PlatformId:          in.ID,
		NewlyCreated:        in.created,
		LastLoginTime:       account.Stamp(in.PreviousLogin),
		InfoResultPayload:   payload,
		EntityToken:         s.prove(b, ticket.TitlePlayerAccount).response(n),
		TreatmentAssignment: treatment,
	}, nil
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
