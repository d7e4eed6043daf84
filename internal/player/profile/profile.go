package profile

import (
	"context"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
)

// GetPlayerProfileRequest asks for a player's profile.
type GetPlayerProfileRequest struct {
	PlatformId         string                        `json:"PlatformId"` // "" is the caller
	ProfileConstraints *PlayerProfileViewConstraints `json:"ProfileConstraints"`
}

// ServerGetPlayerProfileRequest is the same for servers, who are no player.
type ServerGetPlayerProfileRequest struct {
	PlatformId         string                        `json:"PlatformId" required:"true"`
	ProfileConstraints *PlayerProfileViewConstraints `json:"ProfileConstraints"`
}

// GetPlayerProfileResult is the answer to either.
type GetPlayerProfileResult struct {
	PlayerProfile *PlayerProfileModel `json:"PlayerProfile"`
}

func (s *Service) getProfile(ctx context.Context, c *call.Call, r *GetPlayerProfileRequest) (any, error) {
	if err := CheckConstraints(c.Title, r.ProfileConstraints); err != nil {
		return nil, err
	}
	player := r.PlatformId
	if player == "" {
		player = c.Player
	}
	return s.readProfile(ctx, c, player, r.ProfileConstraints)
}

func (s *Service) serverGetProfile(ctx context.Context, c *call.Call, r *ServerGetPlayerProfileRequest) (any, error) {
	return s.readProfile(ctx, c, r.PlatformId, r.ProfileConstraints)
}

func (s *Service) readProfile(ctx context.Context, c *call.Call, player string, show *PlayerProfileViewConstraints) (any, error) {
	out := &GetPlayerProfileResult{}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		a, err := account.Get(tx, c.Title.ID, player)
		if err != nil {
			return err
		}
		if a == nil {
			return call.Refuse("PlayerNotInGame", "Player not in game")
		}
		out.PlayerProfile, err = s.Profile(tx, c.Title, a, show)
		return err
	})
	return out, err
}

// flags names what the constraints show.
func (c *PlayerProfileViewConstraints) flags() map[string]bool {
	return map[string]bool{
		"ShowAvatarUrl":                     c.ShowAvatarUrl,
		"ShowBannedUntil":                   c.ShowBannedUntil,
		"ShowCampaignAttributions":          c.ShowCampaignAttributions,
		"ShowContactEmailAddresses":         c.ShowContactEmailAddresses,
		"ShowCreated":                       c.ShowCreated,
		"ShowDisplayName":                   c.ShowDisplayName,
		"ShowExperimentVariants":            c.ShowExperimentVariants,
		"ShowLastLogin":                     c.ShowLastLogin,
		"ShowLinkedAccounts":                c.ShowLinkedAccounts,
		"ShowLocations":                     c.ShowLocations,
		"ShowMemberships":                   c.ShowMemberships,
		"ShowOrigination":                   c.ShowOrigination,
		"ShowPushNotificationRegistrations": c.ShowPushNotificationRegistrations,
		"ShowStatistics":                    c.ShowStatistics,
		"ShowTags":                          c.ShowTags,
		"ShowTotalValueToDateInUsd":         c.ShowTotalValueToDateInUsd,
		"ShowValuesToDate":                  c.ShowValuesToDate,
	}
}

// CheckConstraints refuses constraints of a client that show more than the title
// lets clients see (P-7.RequestViewConstraintParamsNotAllowed); nil is the
// display name, which needs no permission.
func CheckConstraints(t *title.Title, c *PlayerProfileViewConstraints) error {
	if c == nil || *c == (PlayerProfileViewConstraints{}) {
		return nil
	}
	allowed, refused := map[string]bool{}, false
	for flag, wanted := range c.flags() {
		if t.Constraint(flag) {
			allowed[flag] = true
		} else if wanted {
			refused = true
		}
	}
	if !refused {
		return nil
	}
	text, err := json.Marshal(allowed, json.Deterministic(true))
	if err != nil {
		return err
	}
	return call.Refuse("RequestViewConstraintParamsNotAllowed", "Invalid view constraints. Allowed for this title: %s", text)
}

// Profile builds the profile of an account with what the constraints show; nil
// shows the display name. What is not shown is not read.
func (s *Service) Profile(tx store.Tx, t *title.Title, a *account.Account, c *PlayerProfileViewConstraints) (*PlayerProfileModel, error) {
	if c == nil {
		c = &PlayerProfileViewConstraints{ShowDisplayName: true}
	}
	now := s.gate.Clock()().UnixMilli()
	p := &PlayerProfileModel{PublisherId: t.Publisher(), TitleId: t.ID, PlayerId: a.ID}
	p.fromAccount(a, c, now)
	b := builder{tx: tx, title: a.Title, player: a.ID}
	if c.ShowTags {
		p.Tags = list(&b, loadTags, func(tag string) TagModel { return TagModel{namespace(a.Title) + tag} })
	}
	if c.ShowContactEmailAddresses {
		p.ContactEmailAddresses = list(&b, loadContacts, contactRow.shown)
	}
	if c.ShowLocations {
		p.Locations = list(&b, loadLocations, func(r locationRow) LocationModel { return r.LocationModel })
	}
	if c.ShowMemberships {
		p.Memberships = list(&b, loadMemberships, func(m membershipRow) MembershipModel { return m.shown(now) })
	}
	if c.ShowCampaignAttributions {
		p.AdCampaignAttributions = list(&b, loadCampaigns, campaignRow.shown)
	}
	if c.ShowPushNotificationRegistrations {
		p.PushNotificationRegistrations = list(&b, loadPush, pushRow.shown)
	}
	if c.ShowTotalValueToDateInUsd || c.ShowValuesToDate {
		rows := list(&b, loadValues, func(r valueRow) valueRow { return r })
		if c.ShowTotalValueToDateInUsd {
			usd, _ := sumValues(rows)
			p.TotalValueToDateInUSD = &usd
		}
		if c.ShowValuesToDate {
			p.ValuesToDate = shownValues(rows)
		}
	}
	if c.ShowExperimentVariants && s.opt.Variants != nil {
		p.ExperimentVariants = list(&b, s.opt.Variants, func(name string) string { return name })
	}
	if c.ShowStatistics && s.opt.Statistics != nil {
		p.Statistics = list(&b, s.opt.Statistics, func(m StatisticModel) StatisticModel { return m })
	}
	return p, b.err
}

// builder reads the parts of one player's profile until one fails.
type builder struct {
	tx            store.Tx
	title, player string
	err           error
}

// list reads one part and turns its rows into records; never nil, so that a part
// that was asked for shows when it is empty.
func list[Row, Model any](b *builder, load func(tx store.Tx, title, player string) ([]Row, error), show func(Row) Model) []Model {
	if b.err != nil {
		return nil
	}
	rows, err := load(b.tx, b.title, b.player)
	b.err = err
	models := make([]Model, len(rows))
	for i, r := range rows {
		models[i] = show(r)
	}
	return models
}

// fromAccount fills in what the account itself says.
func (p *PlayerProfileModel) fromAccount(a *account.Account, c *PlayerProfileViewConstraints, now int64) {
	if c.ShowDisplayName {
		p.DisplayName = a.DisplayName
	}
	if c.ShowAvatarUrl {
		p.AvatarUrl = a.AvatarURL
	}
	if c.ShowCreated {
		p.Created = account.Stamp(a.Created)
	}
	if c.ShowLastLogin {
		p.LastLogin = account.Stamp(a.LastLogin)
	}
	if c.ShowOrigination {
		p.Origination = provider(a.Origination)
	}
	if c.ShowBannedUntil && a.BannedUntil > now {
		p.BannedUntil = account.Stamp(a.BannedUntil)
	}
	if c.ShowLinkedAccounts {
		p.LinkedAccounts = linked(a)
	}
}

// provider is where a player who came in a way has its first identity from.
func provider(o account.UserOrigination) LoginIdentityProvider {
	switch o {
	case account.Organic:
		return ProviderPlatform
	case account.StreamingPlatform:
		return ProviderStreaming
	case account.CustomID:
		return ProviderCustom
	case account.ServerCustomID:
		return ProviderCustomServer
	case account.OpenIDConnect:
		return ProviderOpenIDConnect
	default:
		return ProviderUnknown
	}
}

// linked lists the identities of an account.
func linked(a *account.Account) []LinkedPlatformAccountModel {
	all := []LinkedPlatformAccountModel{}
	if a.Username != "" || a.Email != "" {
		all = append(all, LinkedPlatformAccountModel{Platform: ProviderPlatform, PlatformUserId: a.ID, Username: a.Username, Email: a.Email})
	}
	if a.StreamingID != "" {
		all = append(all, LinkedPlatformAccountModel{Platform: ProviderStreaming, PlatformUserId: a.StreamingID, Username: a.StreamingName})
	}
	if a.CustomID != "" {
		all = append(all, LinkedPlatformAccountModel{Platform: ProviderCustom, PlatformUserId: a.CustomID})
	}
	if a.ServerCustomID != "" {
		all = append(all, LinkedPlatformAccountModel{Platform: ProviderCustomServer, PlatformUserId: a.ServerCustomID})
	}
	for _, o := range a.OpenIDs {
		all = append(all, LinkedPlatformAccountModel{Platform: ProviderOpenIDConnect, PlatformUserId: o.Subject})
	}
	return all
}
