package data

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/profile"
	"ludgate/internal/store"
)

// GetLeaderboardRequest asks for a part of a leaderboard. Version counts only
// with UseSpecificVersion; without it the version is the current one.
type GetLeaderboardRequest struct {
	StatisticName      string                                `json:"StatisticName" required:"true"`
	StartPosition      int32                                 `json:"StartPosition"`
	MaxResultsCount    int32                                 `json:"MaxResultsCount"`
	UseSpecificVersion bool                                  `json:"UseSpecificVersion"`
	Version            *int32                                `json:"Version"`
	ProfileConstraints *profile.PlayerProfileViewConstraints `json:"ProfileConstraints"`
}

// GetLeaderboardAroundRequest asks for the part of a leaderboard around a player.
type GetLeaderboardAroundRequest struct {
	StatisticName      string                                `json:"StatisticName" required:"true"`
	PlatformId         string                                `json:"PlatformId"`
	MaxResultsCount    int32                                 `json:"MaxResultsCount"`
	UseSpecificVersion bool                                  `json:"UseSpecificVersion"`
	Version            *int32                                `json:"Version"`
	ProfileConstraints *profile.PlayerProfileViewConstraints `json:"ProfileConstraints"`
}

// LeaderboardResult is a part of a leaderboard. NextReset is when a reset interval
// ends its version.
type LeaderboardResult struct {
	Leaderboard []PlayerLeaderboardEntry `json:"Leaderboard"`
	NextReset   string                   `json:"NextReset,omitzero"`
	Version     int32                    `json:"Version"`
}

// PlayerLeaderboardEntry is one place of a leaderboard; positions count from 0.
type PlayerLeaderboardEntry struct {
	PlatformId  string                      `json:"PlatformId"`
	DisplayName string                      `json:"DisplayName,omitzero"`
	StatValue   int32                       `json:"StatValue"`
	Position    int32                       `json:"Position"`
	Profile     *profile.PlayerProfileModel `json:"Profile,omitzero"`
}

func (s *Service) getLeaderboard(ctx context.Context, c *call.Call, r *GetLeaderboardRequest) (any, error) {
	f := &call.Faults{}
	n := results(f, r.MaxResultsCount)
	if r.StartPosition < 0 {
		f.Add("StartPosition", "The field StartPosition must not be negative.")
	}
	find, err := finderOf(f, c, r.StatisticName, r.UseSpecificVersion, r.Version, r.ProfileConstraints)
	if err != nil {
		return nil, err
	}
	e := s.entries(c, r.ProfileConstraints)
	return e.result, s.page(ctx, e, find, int(r.StartPosition), n)
}

func (s *Service) getLeaderboardAround(ctx context.Context, c *call.Call, r *GetLeaderboardAroundRequest) (any, error) {
	player, err := whom(c, r.PlatformId)
	if err != nil {
		return nil, err
	}
	f := &call.Faults{}
	n := results(f, r.MaxResultsCount)
	find, err := finderOf(f, c, r.StatisticName, r.UseSpecificVersion, r.Version, r.ProfileConstraints)
	if err != nil {
		return nil, err
	}
	e := s.entries(c, r.ProfileConstraints)
	return e.result, s.around(ctx, e, func(tx store.Tx) (board, int64, error) {
		if err := exists(tx, c, player); err != nil {
			return board{}, 0, err
		}
		return find(tx)
	}, player, n)
}

// finderOf checks what the requests have in common.
func finderOf(f *call.Faults, c *call.Call, name string, specific bool, version *int32, show *profile.PlayerProfileViewConstraints) (finder, error) {
	v := int32(0)
	if specific {
		if version == nil {
			f.Required("Version")
		} else {
			v = *version
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := checkStatisticName(name); err != nil {
		return nil, err
	}
	if !c.Server() {
		if err := profile.CheckConstraints(c.Title, show); err != nil {
			return nil, err
		}
	}
	return func(tx store.Tx) (board, int64, error) {
		return boardOf(tx, c.Title.ID, name, specific, v, c.Millis())
	}, nil
}

// entries is a part of a leaderboard on its way to the wire.
type entries struct {
	*Service
	call   *call.Call
	show   *profile.PlayerProfileViewConstraints
	board  board
	result *LeaderboardResult
}

func (s *Service) entries(c *call.Call, show *profile.PlayerProfileViewConstraints) *entries {
	if show == nil {
		show = &profile.PlayerProfileViewConstraints{ShowDisplayName: true}
	}
	return &entries{Service: s, call: c, show: show, result: &LeaderboardResult{}}
}

// begin is the start of an answer, and of another when a transaction runs again.
func (e *entries) begin(tx store.Tx, find finder) error {
	b, reset, err := find(tx)
	e.board = b
	*e.result = LeaderboardResult{Version: int32(b.version), Leaderboard: []PlayerLeaderboardEntry{}}
	if reset != 0 {
		e.result.NextReset = account.Stamp(reset)
	}
	return err
}

// add appends places that follow each other, the first at a position.
func (e *entries) add(tx store.Tx, position int64, places []place) error {
	names, err := displayNames(tx, e.board.title, places)
	if err != nil {
		return err
	}
	for i, p := range places {
		entry := PlayerLeaderboardEntry{PlatformId: p.player, DisplayName: names[p.player],
			StatValue: int32(-p.negative), Position: int32(position) + int32(i)}
		if entry.Profile, err = e.profile(tx, p.player, names[p.player]); err != nil {
			return err
		}
		e.result.Leaderboard = append(e.result.Leaderboard, entry)
	}
	return nil
}

// profile is what the constraints show of a player. The usual ones, the display
// name or nothing, need no further read.
func (e *entries) profile(tx store.Tx, player, name string) (*profile.PlayerProfileModel, error) {
	t := e.call.Title
	beyond := *e.show
	beyond.ShowDisplayName = false
	if beyond == (profile.PlayerProfileViewConstraints{}) {
		p := &profile.PlayerProfileModel{PublisherId: t.Publisher(), TitleId: t.ID, PlayerId: player}
		if e.show.ShowDisplayName {
			p.DisplayName = name
		}
		return p, nil
	}
	a, err := account.Get(tx, t.ID, player)
	if err != nil || a == nil {
		return nil, err
	}
	return e.opt.Profiles.Profile(tx, t, a, e.show)
}
