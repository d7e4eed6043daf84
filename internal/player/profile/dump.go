package profile

import (
	"errors"
	"fmt"
	"slices"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

// Dump is everything this part keeps of a player, for export and import.
type Dump struct {
	Tags        []string        `json:"tags,omitzero"`
	Contacts    []contactRow    `json:"contacts,omitzero"`
	Locations   []locationRow   `json:"locations,omitzero"`
	Memberships []membershipRow `json:"memberships,omitzero"`
	Campaigns   []campaignRow   `json:"campaigns,omitzero"`
	Push        []pushRow       `json:"push,omitzero"`
	Purchases   []purchaseRow   `json:"purchases,omitzero"`
	Values      []valueRow      `json:"values,omitzero"`
	Bans        []*Ban          `json:"bans,omitzero"`
	// Mails is how many confirmations the player caused within a day.
	Mails *mailCount `json:"mails,omitzero"`
}

var deleteBansStmt = statements.Get("delete_bans")

var deleteStmts = []*store.Stmt{
	statements.Get("delete_tags"), statements.Get("delete_contacts"), statements.Get("delete_contact_mails"),
	statements.Get("locations_remove"), statements.Get("delete_subscriptions"), statements.Get("delete_memberships"),
	statements.Get("delete_campaigns"), statements.Get("delete_push"), statements.Get("delete_purchases"),
	statements.Get("delete_values"), deleteBansStmt,
}

// Delete removes all that this part keeps of a player.
func (s *Service) Delete(tx store.Tx, title, player string) error {
	for _, stmt := range deleteStmts {
		n, err := tx.Exec(stmt, title, player)
		if err == nil && n > 0 && stmt == deleteBansStmt {
			err = addressesChanged(tx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Export gives all that this part keeps of a player; nil when that is nothing.
func (s *Service) Export(tx store.Tx, title, player string) (*Dump, error) {
	b := &builder{tx: tx, title: title, player: player}
	d := &Dump{
		Tags: rows(b, loadTags), Contacts: rows(b, loadContacts), Locations: rows(b, loadLocations),
		Memberships: rows(b, loadMemberships), Campaigns: rows(b, loadCampaigns), Push: rows(b, loadPush),
		Purchases: rows(b, loadPurchases), Values: rows(b, loadValues), Bans: rows(b, loadBans),
	}
	if b.err == nil {
		d.Mails, b.err = loadMails(tx, title, player)
	}
	if b.err != nil || d.empty() {
		return nil, b.err
	}
	return d, nil
}

// rows reads one part; nil when it is empty, so that it is left out.
func rows[Row any](b *builder, load func(tx store.Tx, title, player string) ([]Row, error)) []Row {
	if all := list(b, load, func(r Row) Row { return r }); len(all) > 0 {
		return all
	}
	return nil
}

func (d *Dump) empty() bool {
	return len(d.Tags)+len(d.Contacts)+len(d.Locations)+len(d.Memberships)+len(d.Campaigns)+
		len(d.Push)+len(d.Purchases)+len(d.Values)+len(d.Bans) == 0 && d.Mails == nil
}

// Import stores a dump for a player of whom nothing is kept yet and whose account
// is there. What could not have been stored by a call is refused with an error
// that says where.
func (s *Service) Import(tx store.Tx, title, player string, d *Dump) error {
	if d == nil {
		return nil
	}
	if err := d.check(); err != nil {
		return err
	}
	var errs []error
	do := func(_ int64, err error) { errs = append(errs, err) }
	for _, tag := range d.Tags {
		do(tx.Exec(tagAddStmt, title, player, tag))
	}
	for _, r := range d.Contacts {
		if r.Status == Pending { // its token stayed behind
			r.Status = Unverified
		}
		do(0, r.put(tx, title, player))
	}
	for _, r := range d.Locations {
		do(0, insertLocation(tx, title, player, r.LocationModel, r.Seen))
	}
	for _, r := range d.Memberships {
		do(0, r.put(tx, title, player))
	}
	for _, r := range d.Campaigns {
		do(0, r.add(tx, title, player))
	}
	for _, r := range d.Push {
		r.Endpoint = endpoint(title, r.Platform, r.Token)
		do(0, r.put(tx, title, player))
	}
	for _, r := range d.Purchases {
		if added, err := r.add(tx, title, player); err != nil {
			do(0, err)
		} else if !added {
			do(0, fmt.Errorf("receipt %q belongs to another purchase of the title", r.Receipt))
		}
	}
	for _, r := range d.Values {
		do(tx.Exec(valueAddStmt, title, player, r.Currency, r.Total, r.USD))
	}
	for _, b := range d.Bans {
		b.Player = player
		do(0, b.add(tx, title))
	}
	if d.Mails != nil {
		do(0, d.Mails.put(tx, title, player))
	}
	if slices.ContainsFunc(d.Bans, func(b *Ban) bool { return b.Address != "" }) {
		do(0, addressesChanged(tx))
	}
	if len(d.Bans) > 0 {
		do(0, account.SetBannedUntil(tx, title, player, bannedUntil(d.Bans, s.gate.Clock()().UnixMilli())))
	}
	return errors.Join(errs...)
}
