package data

import (
	"context"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

func (s *Service) getOwnStatistics(ctx context.Context, c *call.Call, r *GetPlayerStatisticsRequest) (any, error) {
	return s.readValues(ctx, c, c.Player, r)
}

func (s *Service) getStatistics(ctx context.Context, c *call.Call, r *GetPlayerStatisticsRequest) (any, error) {
	player, err := whom(c, r.PlatformId)
	if err != nil {
		return nil, err
	}
	out, err := s.readValues(ctx, c, player, r)
	if err != nil {
		return nil, err
	}
	out.PlatformId = player
	return out, nil
}

func (s *Service) readValues(ctx context.Context, c *call.Call, player string, r *GetPlayerStatisticsRequest) (*GetPlayerStatisticsResult, error) {
	names, err := wanted("StatisticNames", r.StatisticNames)
	if err != nil {
		return nil, err
	}
	if len(r.StatisticNameVersions) > maxStatistics {
		f := &call.Faults{}
		f.Add("StatisticNameVersions", "The list is too long.")
		return nil, f.Err()
	}
	out := &GetPlayerStatisticsResult{}
	err = s.gate.Store().Read(ctx, func(tx store.Tx) (err error) {
		if player != c.Player {
			if err := exists(tx, c, player); err != nil {
				return err
			}
		}
		if names == nil && r.StatisticNameVersions != nil {
			out.Statistics, err = readVersions(tx, c.Title.ID, player, r.StatisticNameVersions)
			return err
		}
		out.Statistics, err = readStatistics(tx, c.Title.ID, player, names, c.Millis())
		return err
	})
	return out, err
}

func (s *Service) updateOwnStatistics(ctx context.Context, c *call.Call, r *UpdatePlayerStatisticsRequest) (any, error) {
	if !c.Title.AllowClientStatistics {
		return nil, call.Refuse("APINotEnabledForGameClientAccess", "Clients of the title may not post statistics")
	}
	r.ForceUpdate = false // is for servers
	return s.writeValues(ctx, c, c.Player, r)
}

func (s *Service) updatePlayerStatistics(ctx context.Context, c *call.Call, r *UpdatePlayerStatisticsRequest) (any, error) {
	player, err := whom(c, r.PlatformId)
	if err != nil {
		return nil, err
	}
	return s.writeValues(ctx, c, player, r)
}

func (s *Service) writeValues(ctx context.Context, c *call.Call, player string, r *UpdatePlayerStatisticsRequest) (any, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return nil, s.gate.Store().Write(ctx, func(tx store.Tx) error {
		if err := exists(tx, c, player); err != nil {
			return err
		}
		return updateStatistics(tx, c.Title.ID, player, r.Statistics, r.ForceUpdate, c.Millis())
	})
}

func (s *Service) resetStatistics(ctx context.Context, c *call.Call, r *PlayerRequest) (any, error) {
	return nil, s.gate.Store().Write(ctx, func(tx store.Tx) error {
		if err := exists(tx, c, r.PlatformId); err != nil {
			return err
		}
		_, err := tx.Exec(deleteStatisticsStmt, c.Title.ID, r.PlatformId)
		return err
	})
}

func (s *Service) createDefinition(ctx context.Context, c *call.Call, r *DefinitionRequest) (any, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.AggregationMethod == "" {
		r.AggregationMethod = Last
	}
	if r.VersionChangeInterval == "" {
		r.VersionChangeInterval = Never
	}
	return s.changeDefinition(ctx, c, func(tx store.Tx) (*definition, error) {
		return define(tx, c.Title.ID, r.StatisticName, r.AggregationMethod, r.VersionChangeInterval, c.Millis())
	})
}

func (s *Service) updateDefinition(ctx context.Context, c *call.Call, r *DefinitionRequest) (any, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return s.changeDefinition(ctx, c, func(tx store.Tx) (*definition, error) {
		return redefine(tx, c.Title.ID, r, c.Millis())
	})
}

func (s *Service) changeDefinition(ctx context.Context, c *call.Call, fn func(store.Tx) (*definition, error)) (any, error) {
	out := &DefinitionResult{}
	err := s.gate.Store().Write(ctx, func(tx store.Tx) error {
		d, err := fn(tx)
		if err == nil {
			out.Statistic = d.record(c.Millis())
		}
		return err
	})
	return out, err
}

// GetDefinitionsRequest asks for every definition.
type GetDefinitionsRequest struct{}

func (s *Service) getDefinitions(ctx context.Context, c *call.Call, _ *GetDefinitionsRequest) (any, error) {
	out := &DefinitionsResult{}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) (err error) {
		out.Statistics, err = definitions(tx, c.Title.ID, c.Millis())
		return err
	})
	return out, err
}

func (s *Service) incrementVersion(ctx context.Context, c *call.Call, r *StatisticNameRequest) (any, error) {
	if err := checkStatisticName(r.StatisticName); err != nil {
		return nil, err
	}
	out := &VersionResult{}
	err := s.gate.Store().Write(ctx, func(tx store.Tx) error {
		if _, err := nextVersion(tx, c.Title.ID, r.StatisticName, c.Millis()); err != nil {
			return err
		}
		all, err := versions(tx, c.Title.ID, r.StatisticName, c.Millis())
		if err == nil {
			out.StatisticVersion = all[len(all)-1]
		}
		return err
	})
	return out, err
}

func (s *Service) getVersions(ctx context.Context, c *call.Call, r *StatisticNameRequest) (any, error) {
	if err := checkStatisticName(r.StatisticName); err != nil {
		return nil, err
	}
	out := &VersionsResult{}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) (err error) {
		out.StatisticVersions, err = versions(tx, c.Title.ID, r.StatisticName, c.Millis())
		return err
	})
	return out, err
}
