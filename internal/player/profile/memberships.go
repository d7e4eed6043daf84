package profile

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	membershipPutStmt       = statements.Get("membership_put")
	membershipOverrideStmt  = statements.Get("membership_override")
	membershipRemoveStmt    = statements.Get("membership_remove")
	membershipCountStmt     = statements.Get("membership_count")
	membershipsStmt         = statements.Get("memberships")
	subscriptionPutStmt     = statements.Get("subscription_put")
	subscriptionsRemoveStmt = statements.Get("subscriptions_remove")
)

// SetPlayerMembershipRequest makes a membership of a player what it says, with
// exactly these subscriptions; an override stays.
type SetPlayerMembershipRequest struct {
	PlatformId           string                `json:"PlatformId" required:"true"`
	MembershipId         string                `json:"MembershipId" required:"true"`
	MembershipExpiration string                `json:"MembershipExpiration"` // "" is the latest of the subscriptions
	Subscriptions        []SubscriptionRequest `json:"Subscriptions"`
}

// SubscriptionRequest is one subscription of it.
type SubscriptionRequest struct {
	SubscriptionId          string                     `json:"SubscriptionId"`
	SubscriptionItemId      string                     `json:"SubscriptionItemId"`
	SubscriptionProvider    string                     `json:"SubscriptionProvider"`
	InitialSubscriptionTime string                     `json:"InitialSubscriptionTime"` // "" is now
	Expiration              string                     `json:"Expiration"`
	Status                  SubscriptionProviderStatus `json:"Status"` // "" is NoError
}

// MembershipRequest names a membership of a player.
type MembershipRequest struct {
	PlatformId   string `json:"PlatformId" required:"true"`
	MembershipId string `json:"MembershipId" required:"true"`
}

// SetMembershipOverrideRequest sets by hand when a membership ends.
type SetMembershipOverrideRequest struct {
	PlatformId     string `json:"PlatformId" required:"true"`
	MembershipId   string `json:"MembershipId" required:"true"`
	ExpirationTime string `json:"ExpirationTime" required:"true"`
}

// check gives the membership of the request.
func (r *SetPlayerMembershipRequest) check(now int64) (membershipRow, error) {
	f := &call.Faults{}
	m := membershipRow{ID: r.MembershipId}
	checkText(f, "MembershipId", r.MembershipId, maxID)
	if len(r.Subscriptions) > maxSubscriptions {
		f.Add("Subscriptions", "A membership has at most 20 subscriptions.")
		return m, f.Err()
	}
	ids := map[string]bool{}
	for _, s := range r.Subscriptions {
		row := s.check(f, now)
		if ids[row.ID] {
			f.Add("SubscriptionId", "Each SubscriptionId comes once.")
		}
		ids[row.ID] = true
		m.Subscriptions = append(m.Subscriptions, row)
		m.Expiration = max(m.Expiration, row.Expiration)
	}
	m.Expiration = checkTime(f, "MembershipExpiration", r.MembershipExpiration, m.Expiration)
	if m.Expiration == 0 {
		f.Required("MembershipExpiration")
	}
	return m, f.Err()
}

func (r SubscriptionRequest) check(f *call.Faults, now int64) subscriptionRow {
	if r.SubscriptionId == "" {
		f.Required("SubscriptionId")
	}
	if r.Expiration == "" {
		f.Required("Expiration")
	}
	checkText(f, "SubscriptionId", r.SubscriptionId, maxID)
	checkText(f, "SubscriptionItemId", r.SubscriptionItemId, maxID)
	checkText(f, "SubscriptionProvider", r.SubscriptionProvider, maxID)
	row := subscriptionRow{
		ID: r.SubscriptionId, Item: r.SubscriptionItemId, Provider: r.SubscriptionProvider, Status: r.Status,
		Initial:    checkTime(f, "InitialSubscriptionTime", r.InitialSubscriptionTime, now),
		Expiration: checkTime(f, "Expiration", r.Expiration, 0),
	}
	if row.Status == "" {
		row.Status = StatusNoError
	}
	if !row.Status.Known() {
		f.Add("Status", "The field Status must be a SubscriptionProviderStatus.")
	}
	return row
}

func (s *Service) setMembership(ctx context.Context, c *call.Call, r *SetPlayerMembershipRequest) (any, error) {
	m, err := r.check(c.Millis())
	if err != nil {
		return nil, err
	}
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		others := int64(0)
		_, err := store.QueryOne(tx, membershipCountStmt, func(r store.Row) error { others = r.Int(0); return nil }, c.Title.ID, r.PlatformId, m.ID)
		if err != nil {
			return err
		}
		if others >= maxMemberships {
			return overLimit("memberships", maxMemberships)
		}
		return m.put(tx, c.Title.ID, r.PlatformId)
	})
}

func (s *Service) removeMembership(ctx context.Context, c *call.Call, r *MembershipRequest) (any, error) {
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		if _, err := tx.Exec(subscriptionsRemoveStmt, c.Title.ID, r.PlatformId, r.MembershipId); err != nil {
			return err
		}
		return oneMembership(tx.Exec(membershipRemoveStmt, c.Title.ID, r.PlatformId, r.MembershipId))
	})
}

func (s *Service) setMembershipOverride(ctx context.Context, c *call.Call, r *SetMembershipOverrideRequest) (any, error) {
	f := &call.Faults{}
	ends := checkTime(f, "ExpirationTime", r.ExpirationTime, 0)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		return oneMembership(tx.Exec(membershipOverrideStmt, c.Title.ID, r.PlatformId, r.MembershipId, ends))
	})
}

func (s *Service) removeMembershipOverride(ctx context.Context, c *call.Call, r *MembershipRequest) (any, error) {
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		return oneMembership(tx.Exec(membershipOverrideStmt, c.Title.ID, r.PlatformId, r.MembershipId, nil))
	})
}

// oneMembership refuses a change that met no membership.
func oneMembership(n int64, err error) error {
	if err == nil && n == 0 {
		f := &call.Faults{}
		f.Add("MembershipId", "The player has no such membership.")
		err = f.Err()
	}
	return err
}

// membershipRow and subscriptionRow are a stored membership.
type membershipRow struct {
	ID            string            `json:"id"`
	Expiration    int64             `json:"expiration"`
	Override      *int64            `json:"override,omitzero"`
	Subscriptions []subscriptionRow `json:"subscriptions,omitzero"`
}

type subscriptionRow struct {
	ID         string                     `json:"id"`
	Item       string                     `json:"item,omitzero"`
	Provider   string                     `json:"provider,omitzero"`
	Initial    int64                      `json:"initial"`
	Expiration int64                      `json:"expiration"`
	Status     SubscriptionProviderStatus `json:"status"`
}

// put stores the membership in place of what was there; an override that is
// stored stays.
func (m membershipRow) put(tx store.Tx, title, player string) error {
	var override any
	if m.Override != nil {
		override = *m.Override
	}
	if _, err := tx.Exec(membershipPutStmt, title, player, m.ID, m.Expiration, override); err != nil {
		return err
	}
	if _, err := tx.Exec(subscriptionsRemoveStmt, title, player, m.ID); err != nil {
		return err
	}
	for _, s := range m.Subscriptions {
		if _, err := tx.Exec(subscriptionPutStmt, title, player, m.ID, s.ID, s.Item, s.Provider, s.Initial, s.Expiration, string(s.Status)); err != nil {
			return err
		}
	}
	return nil
}

func loadMemberships(tx store.Tx, title, player string) ([]membershipRow, error) {
	rows := []membershipRow{}
	err := tx.Query(membershipsStmt, func(r store.Row) error {
		if len(rows) == 0 || rows[len(rows)-1].ID != r.Text(0) {
			m := membershipRow{ID: r.Text(0), Expiration: r.Int(1)}
			if !r.IsNull(2) {
				override := r.Int(2)
				m.Override = &override
			}
			rows = append(rows, m)
		}
		if m := &rows[len(rows)-1]; !r.IsNull(3) {
			m.Subscriptions = append(m.Subscriptions, subscriptionRow{ID: r.Text(3), Item: r.Text(4), Provider: r.Text(5),
				Initial: r.Int(6), Expiration: r.Int(7), Status: SubscriptionProviderStatus(r.Text(8))})
		}
		return nil
	}, title, player)
	return rows, err
}

// shown is a membership as a profile has it at a time.
func (m membershipRow) shown(now int64) MembershipModel {
	out := MembershipModel{
		MembershipId: m.ID, MembershipExpiration: account.Stamp(m.Expiration), IsActive: m.Expiration > now,
		Subscriptions: make([]SubscriptionModel, len(m.Subscriptions)),
	}
	if m.Override != nil {
		out.OverrideIsSet, out.OverrideExpiration, out.IsActive = true, account.Stamp(*m.Override), *m.Override > now
	}
	for i, s := range m.Subscriptions {
		out.Subscriptions[i] = SubscriptionModel{
			SubscriptionId: s.ID, SubscriptionItemId: s.Item, SubscriptionProvider: s.Provider, Status: s.Status,
			InitialSubscriptionTime: account.Stamp(s.Initial), Expiration: account.Stamp(s.Expiration), IsActive: s.Expiration > now,
		}
	}
	return out
}
