package profile

import (
	"context"
	"time"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// BanUsersRequest bans players.
type BanUsersRequest struct {
	Bans []BanRequest `json:"Bans" required:"true"`
}

// BanRequest is one ban.
type BanRequest struct {
	PlatformId      string `json:"PlatformId"`
	DurationInHours uint32 `json:"DurationInHours"` // 0 is for ever
	IPAddress       string `json:"IPAddress"`
	Reason          string `json:"Reason"`
}

// UpdateBansRequest changes bans.
type UpdateBansRequest struct {
	Bans []UpdateBanRequest `json:"Bans" required:"true"`
}

// UpdateBanRequest changes one ban; what is absent stays.
type UpdateBanRequest struct {
	BanId     string  `json:"BanId"`
	Active    *bool   `json:"Active"`
	Expires   *string `json:"Expires"`
	Permanent bool    `json:"Permanent"`
	IPAddress *string `json:"IPAddress"` // "" takes the address away
	Reason    *string `json:"Reason"`
}

// RevokeBansRequest ends bans.
type RevokeBansRequest struct {
	BanIds []string `json:"BanIds" required:"true"`
}

// UserBansRequest names a player whose bans are listed or ended.
type UserBansRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
}

// BansResult are the bans that a call made, changed, ended or listed.
type BansResult struct {
	BanData []BanInfo `json:"BanData"`
}

// BanInfo is a ban as its title sees it.
type BanInfo struct {
	PlatformId string `json:"PlatformId"`
	BanId      string `json:"BanId"`
	IPAddress  string `json:"IPAddress,omitzero"`
	Created    string `json:"Created"`
	Expires    string `json:"Expires"`
	Reason     string `json:"Reason,omitzero"`
	Active     bool   `json:"Active"` // in force now
}

// check gives the ban of the request.
func (r BanRequest) check(f *call.Faults, now int64) *Ban {
	b := &Ban{ID: ludgate.NewPlayerID(), Player: r.PlatformId, Created: now, Expires: account.Forever, Reason: r.Reason, Active: true}
	if r.PlatformId == "" {
		f.Required("PlatformId")
	}
	if r.DurationInHours > 0 {
		b.Expires = min(now+int64(r.DurationInHours)*time.Hour.Milliseconds(), account.Forever)
	}
	b.Address = checkAddress(f, "IPAddress", r.IPAddress)
	checkText(f, "Reason", r.Reason, maxReason)
	return b
}

func (s *Service) banUsers(ctx context.Context, c *call.Call, r *BanUsersRequest) (any, error) {
	f := &call.Faults{}
	checkBatch(f, "Bans", len(r.Bans))
	bans := make([]*Ban, 0, min(len(r.Bans), maxBansPerCall))
	for _, b := range r.Bans[:cap(bans)] {
		bans = append(bans, b.check(f, c.Millis()))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return s.changeBans(ctx, c, func(tx store.Tx) ([]*Ban, error) {
		for _, b := range bans {
			if err := requireUser(tx, c.Title.ID, b.Player); err != nil {
				return nil, err
			}
			have, err := loadBans(tx, c.Title.ID, b.Player)
			if err != nil {
				return nil, err
			}
			if len(have) >= maxBans {
				return nil, overLimit("bans", maxBans)
			}
			if err := b.add(tx, c.Title.ID); err != nil {
				return nil, err
			}
		}
		return bans, nil
	})
}

func (s *Service) updateBans(ctx context.Context, c *call.Call, r *UpdateBansRequest) (any, error) {
	f := &call.Faults{}
	checkBatch(f, "Bans", len(r.Bans))
	changes := make([]func(*Ban), 0, min(len(r.Bans), maxBansPerCall))
	for _, b := range r.Bans[:cap(changes)] {
		changes = append(changes, b.check(f))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return s.changeBans(ctx, c, func(tx store.Tx) ([]*Ban, error) {
		var changed []*Ban
		for i, change := range changes {
			b, err := getBan(tx, c.Title.ID, r.Bans[i].BanId)
			if err != nil {
				return nil, err
			}
			if b == nil {
				f := &call.Faults{}
				f.Add("BanId", "The title has no ban "+r.Bans[i].BanId+".")
				return nil, f.Err()
			}
			change(b)
			if err := b.update(tx, c.Title.ID); err != nil {
				return nil, err
			}
			changed = append(changed, b)
		}
		return changed, nil
	})
}

// check gives what the request changes of its ban.
func (r UpdateBanRequest) check(f *call.Faults) func(*Ban) {
	expires, address := int64(0), ""
	if r.BanId == "" || len(r.BanId) > maxID {
		f.Required("BanId")
	}
	if r.Expires != nil {
		expires = checkTime(f, "Expires", *r.Expires, 0)
		if r.Permanent {
			f.Add("Expires", "A ban is permanent or expires, not both.")
		}
	}
	if r.IPAddress != nil {
		address = checkAddress(f, "IPAddress", *r.IPAddress)
	}
	if r.Reason != nil {
		checkText(f, "Reason", *r.Reason, maxReason)
	}
	return func(b *Ban) {
		if r.Active != nil {
			b.Active = *r.Active
		}
		if r.Permanent {
			b.Expires = account.Forever
		} else if expires != 0 {
			b.Expires = expires
		}
		if r.IPAddress != nil {
			b.Address = address
		}
		if r.Reason != nil {
			b.Reason = *r.Reason
		}
	}
}

func (s *Service) revokeBans(ctx context.Context, c *call.Call, r *RevokeBansRequest) (any, error) {
	f := &call.Faults{}
	checkBatch(f, "BanIds", len(r.BanIds))
	for _, id := range r.BanIds {
		checkText(f, "BanIds", id, maxID)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return s.changeBans(ctx, c, func(tx store.Tx) ([]*Ban, error) {
		var all []*Ban
		for _, id := range r.BanIds {
			b, err := getBan(tx, c.Title.ID, id)
			if err != nil {
				return nil, err
			}
			if b != nil {
				all = append(all, b)
			}
		}
		return revoke(tx, c, all)
	})
}

func (s *Service) revokeAllBans(ctx context.Context, c *call.Call, r *UserBansRequest) (any, error) {
	return s.changeBans(ctx, c, func(tx store.Tx) ([]*Ban, error) {
		if err := requireUser(tx, c.Title.ID, r.PlatformId); err != nil {
			return nil, err
		}
		all, err := loadBans(tx, c.Title.ID, r.PlatformId)
		if err != nil {
			return nil, err
		}
		return revoke(tx, c, all)
	})
}

// revoke ends those of the bans that are in force, and gives them.
func revoke(tx store.Tx, c *call.Call, bans []*Ban) ([]*Ban, error) {
	var ended []*Ban
	for _, b := range bans {
		if !b.inForce(c.Millis()) {
			continue
		}
		b.Active = false
		if err := b.update(tx, c.Title.ID); err != nil {
			return nil, err
		}
		ended = append(ended, b)
	}
	return ended, nil
}

func (s *Service) getBans(ctx context.Context, c *call.Call, r *UserBansRequest) (any, error) {
	var bans []*Ban
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		err := requireUser(tx, c.Title.ID, r.PlatformId)
		if err == nil {
			bans, err = loadBans(tx, c.Title.ID, r.PlatformId)
		}
		return err
	})
	return bansResult(bans, c.Millis()), err
}

// changeBans runs a change of bans, and sees to it that the accounts of the
// players say until when they are banned and that who is banned is signed out,
// all in one transaction. This node knows who is signed out, and which addresses are
// banned, before it answers.
func (s *Service) changeBans(ctx context.Context, c *call.Call, change func(store.Tx) ([]*Ban, error)) (any, error) {
	var bans []*Ban
	out, moved := false, false // somebody was signed out; a ban of an address changed
	err := s.gate.Store().Write(ctx, func(tx store.Tx) (err error) {
		out, moved = false, false
		if bans, err = change(tx); err != nil {
			return err
		}
		done := map[string]bool{}
		for _, b := range bans {
			moved = moved || b.Address != "" || b.stored != ""
			if done[b.Player] {
				continue
			}
			done[b.Player] = true
			banned, err := s.mark(tx, c.Title.ID, b.Player, c.Now)
			if err != nil {
				return err
			}
			out = out || banned
		}
		if moved {
			return addressesChanged(tx)
		}
		return nil
	})
	if err == nil && moved {
		if err := s.addresses.load(ctx); err != nil {
			s.gate.Log().WarnContext(ctx, "bans of addresses cannot be read now; they take effect within seconds", "error", err)
		}
	}
	if err == nil && out && s.opt.Revoker != nil {
		if err := s.opt.Revoker.Refresh(ctx); err != nil {
			// The ban stands, and the node hears of the revocations by itself.
			s.gate.Log().WarnContext(ctx, "revocations cannot be read now; they take effect within seconds", "error", err)
		}
	}
	return bansResult(bans, c.Millis()), err
}

// mark writes into a player's account until when its own bans last, and signs it
// out if one is in force, which it reports.
func (s *Service) mark(tx store.Tx, title, player string, now time.Time) (bool, error) {
	bans, err := loadBans(tx, title, player)
	if err != nil {
		return false, err
	}
	until := bannedUntil(bans, now.UnixMilli())
	if err := account.SetBannedUntil(tx, title, player, until); err != nil {
		return false, err
	}
	if until == 0 || s.opt.Revoker == nil {
		return until != 0, nil
	}
	return true, s.opt.Revoker.Revoke(tx, title, player, now)
}

func checkBatch(f *call.Faults, member string, n int) {
	if n > maxBansPerCall {
		f.Add(member, "The field "+member+" has at most 100 elements.")
	}
}

// requireUser is account.Require with the error that calls about bans have.
func requireUser(tx store.Tx, title, player string) error {
	found, err := account.Exists(tx, title, player)
	if err == nil && !found {
		f := &call.Faults{}
		f.Add("PlatformId", "The title has no player "+player+".")
		err = f.As("UserisNotValid", "User is not valid")
	}
	return err
}

func bansResult(bans []*Ban, now int64) *BansResult {
	out := &BansResult{BanData: make([]BanInfo, len(bans))}
	for i, b := range bans {
		out.BanData[i] = b.shown(now)
	}
	return out
}
