package player

import (
	"context"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/data"
	"ludgate/internal/player/economy"
	"ludgate/internal/player/experiment"
	"ludgate/internal/player/part"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/recovery"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/throttle"
)

// Areas are the schemas of the player service.
func Areas() []store.Area {
	return []store.Area{account.Area, title.Area, data.Area, economy.Area, profile.Area, experiment.Area, revocation.Area, recovery.Area}
}

// mostUpdating is how many players' updates of their data are counted at once.
const mostUpdating = 100_000

// parts are the parts of the service that have packages of their own.
type parts struct {
	data       *data.Service
	economy    *economy.Service
	profile    *profile.Service
	experiment *experiment.Service
	recovery   *recovery.Service
}

// openParts opens the parts.
func (s *Service) openParts(ctx context.Context) (err error) {
	if s.experiment, err = experiment.Open(ctx, s.gate); err != nil {
		return err
	}
	s.economy = economy.New(s.gate)
	o := s.opt.Profile
	o.Variants = func(tx store.Tx, titleID, player string) ([]string, error) {
		return s.experiment.Variants(tx, titleID, player, s.clock())
	}
	o.Statistics = func(tx store.Tx, titleID, player string) ([]profile.StatisticModel, error) {
		return s.data.Statistics(tx, titleID, player)
	}
	if s.profile, err = profile.Open(ctx, s.gate, o); err != nil {
		s.experiment.Close()
		return err
	}
	s.recovery = recovery.New(s.gate, recovery.Options{
		Passwords: s.opt.Passwords, Mailer: o.Mailer, Revoker: o.Revoker, Guesses: s.opt.Guesses, PublicURL: o.PublicURL,
	})
	s.data = data.New(s.gate, data.Options{
		Limiter: throttle.NewCounters(mostUpdating, throttle.DataUpdates...), Profiles: s.profile,
	})
	return nil
}

// Close stops what runs in the background.
func (s *Service) Close() {
	s.profile.Close()
	s.experiment.Close()
}

// Parts are the parts as deletion, export and import of players see them.
func (s *Service) Parts() []part.Part {
	return []part.Part{
		part.Of("data", s.data), part.Of("economy", s.economy), part.Of("profile", s.profile), part.Of("experiment", s.experiment),
		part.Of("recovery", s.recovery),
	}
}

// assign gives a player what it gets of the title's experiments
// (P-2.LoginResult.TreatmentAssignment).
func (s *Service) assign(ctx context.Context, titleID, player string, now time.Time) (out TreatmentAssignment, err error) {
	if !s.experiment.Running(titleID, now) {
		return s.experiment.Assign(nil, titleID, player, now)
	}
	err = s.store.Write(ctx, func(tx store.Tx) (err error) {
		out, err = s.experiment.Assign(tx, titleID, player, now)
		return err
	})
	return out, err
}
