package profile

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	campaignAddStmt = statements.Get("campaign_add")
	campaignsStmt   = statements.Get("campaigns")
)

// AddCampaignAttributionRequest says which campaign of an attribution network
// brought a player. The same attribution counts once.
type AddCampaignAttributionRequest struct {
	PlatformId   string `json:"PlatformId" required:"true"`
	Platform     string `json:"Platform" required:"true"` // the attribution network
	CampaignId   string `json:"CampaignId" required:"true"`
	AttributedAt string `json:"AttributedAt"` // "" is now
}

func (s *Service) addCampaign(ctx context.Context, c *call.Call, r *AddCampaignAttributionRequest) (any, error) {
	f := &call.Faults{}
	checkText(f, "Platform", r.Platform, maxID)
	checkText(f, "CampaignId", r.CampaignId, maxID)
	row := campaignRow{Attributed: checkTime(f, "AttributedAt", r.AttributedAt, c.Millis()), Platform: r.Platform, Campaign: r.CampaignId}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		if err := row.add(tx, c.Title.ID, r.PlatformId); err != nil {
			return err
		}
		rows, err := loadCampaigns(tx, c.Title.ID, r.PlatformId)
		if err == nil && len(rows) > maxCampaigns {
			err = overLimit("campaign attributions", maxCampaigns)
		}
		return err
	})
}

// campaignRow is a stored attribution.
type campaignRow struct {
	Attributed int64  `json:"attributed"`
	Platform   string `json:"platform"`
	Campaign   string `json:"campaign"`
}

func (r campaignRow) add(tx store.Tx, title, player string) error {
	_, err := tx.Exec(campaignAddStmt, title, player, r.Attributed, r.Platform, r.Campaign)
	return err
}

func loadCampaigns(tx store.Tx, title, player string) ([]campaignRow, error) {
	rows := []campaignRow{}
	err := tx.Query(campaignsStmt, func(r store.Row) error {
		rows = append(rows, campaignRow{r.Int(0), r.Text(1), r.Text(2)})
		return nil
	}, title, player)
	return rows, err
}

// shown is an attribution as a profile has it.
func (r campaignRow) shown() AdCampaignAttributionModel {
	return AdCampaignAttributionModel{Platform: r.Platform, CampaignId: r.Campaign, AttributedAt: account.Stamp(r.Attributed)}
}
