package data

import (
	"context"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// Limiter decides how often a client may update its player's data; a
// *throttle.Counters does.
type Limiter interface {
	// Allow counts one update of a player. ok is false for one too many;
	// retryAfter is then how long to stay away.
	Allow(key string, now time.Time) (ok bool, retryAfter time.Duration)
}

// Profiles shows profiles; a *profile.Service does.
type Profiles interface {
	Profile(tx store.Tx, t *title.Title, a *account.Account, c *profile.PlayerProfileViewConstraints) (*profile.PlayerProfileModel, error)
}

// Options of a Service.
type Options struct {
	// Profiles shows the profiles in leaderboards; required.
	Profiles Profiles
	// Limiter bounds how often clients update user data; nil: no bound.
	Limiter Limiter
}

// New makes a Service behind a gate.
func New(g *call.Gate, o Options) *Service { return &Service{gate: g, opt: o, marks: newMarkCache()} }

// Routes are the calls of this package.
func (s *Service) Routes() []wire.Route {
	g := s.gate
	routes := []wire.Route{
		call.Post(g, call.Session, "/Client/GetUserData", s.getOwnData(clientData)),
		large(call.Post(g, call.Session, "/Client/UpdateUserData", s.updateOwnData)),
		call.Post(g, call.Session, "/Client/GetUserReadOnlyData", s.getOwnData(readOnlyData)),

		call.Post(g, call.Session, "/Client/GetPlayerStatistics", s.getOwnStatistics),
		call.Post(g, call.Session, "/Client/UpdatePlayerStatistics", s.updateOwnStatistics),
		call.Post(g, call.Session, "/Client/GetPlayerStatisticVersions", s.getVersions),
		call.Post(g, call.Secret, "/Server/GetPlayerStatistics", s.getStatistics),
		call.Post(g, call.Secret, "/Server/UpdatePlayerStatistics", s.updatePlayerStatistics),
		call.Post(g, call.Secret, "/Server/GetPlayerStatisticVersions", s.getVersions),
		call.Post(g, call.Secret, "/Admin/GetPlayerStatisticVersions", s.getVersions),
		call.Post(g, call.Secret, "/Admin/ResetUserStatistics", s.resetStatistics),
		call.Post(g, call.Secret, "/Admin/CreatePlayerStatisticDefinition", s.createDefinition),
		call.Post(g, call.Secret, "/Admin/UpdatePlayerStatisticDefinition", s.updateDefinition),
		call.Post(g, call.Secret, "/Admin/GetPlayerStatisticDefinitions", s.getDefinitions),
		call.Post(g, call.Secret, "/Admin/IncrementPlayerStatisticVersion", s.incrementVersion),

		call.Post(g, call.Session, "/Client/GetLeaderboard", s.getLeaderboard),
		call.Post(g, call.Secret, "/Server/GetLeaderboard", s.getLeaderboard),
		call.Post(g, call.Session, "/Client/GetLeaderboardAroundPlayer", s.getLeaderboardAround),
		call.Post(g, call.Secret, "/Server/GetLeaderboardAroundUser", s.getLeaderboardAround),

		call.Post(g, call.Entity, "/Object/GetObjects", s.getObjects),
		call.Post(g, call.Entity, "/Object/SetObjects", s.setObjects),

		call.Post(g, call.Session, "/Client/WritePlayerEvent", s.writePlayerEvent),
		call.Post(g, call.Secret, "/Server/WritePlayerEvent", s.writePlayerEvent),
		call.Post(g, call.Session, "/Client/WriteTitleEvent", s.writeTitleEvent),
		call.Post(g, call.Secret, "/Server/WriteTitleEvent", s.writeTitleEvent),
		call.Post(g, call.Secret, "/Server/GetPlayerEvents", s.getPlayerEvents),
		call.Post(g, call.Secret, "/Server/GetTitleEvents", s.getTitleEvents),
		call.Post(g, call.Session, "/Client/ReportDeviceInfo", s.reportDevice),
		call.Post(g, call.Secret, "/Server/GetPlayerDeviceInfo", s.getDevice),
		call.Post(g, call.Session, "/Client/GetTime", s.getTime),
		call.Post(g, call.Secret, "/Server/GetTime", s.getTime),
	}
	for _, side := range []string{"/Server/", "/Admin/"} {
		for name, k := range map[string]kind{"UserData": clientData, "UserReadOnlyData": readOnlyData, "UserInternalData": internalData} {
			routes = append(routes,
				call.Post(g, call.Secret, side+"Get"+name, s.getData(k)),
				large(call.Post(g, call.Secret, side+"Update"+name, s.updateData(k))))
		}
	}
	return routes
}

// large lets a call bring ten of the largest values.
func large(r wire.Route) wire.Route {
	r.MaxBody = maxBodyUserData
	return r
}

// whom gives the player that a request is about: the one it names, or on calls
// of clients that name none, the caller.
func whom(c *call.Call, named string) (string, error) {
	if named == "" && c.Player == "" {
		f := &call.Faults{}
		f.Required("PlatformId")
		return "", f.Err()
	}
	if named == "" {
		return c.Player, nil
	}
	return named, nil
}

// exists refuses a request about a player that the title does not have.
func exists(tx store.Tx, c *call.Call, player string) error {
	if !plain(player) {
		return account.NotFound()
	}
	return account.Require(tx, c.Title.ID, player)
}

// GetTimeRequest asks for the time.
type GetTimeRequest struct{}

// GetTimeResult is the server's time.
type GetTimeResult struct {
	Time string `json:"Time"`
}

func (s *Service) getTime(_ context.Context, c *call.Call, _ *GetTimeRequest) (any, error) {
	return &GetTimeResult{Time: account.StampTime(c.Now)}, nil
}

func (s *Service) writePlayerEvent(ctx context.Context, c *call.Call, r *WriteEventRequest) (any, error) {
	player := c.Player
	if c.Server() {
		var err error
		if player, err = whom(c, r.PlatformId); err != nil {
			return nil, err
		}
	}
	return s.log(ctx, c, player, r)
}

func (s *Service) writeTitleEvent(ctx context.Context, c *call.Call, r *WriteEventRequest) (any, error) {
	return s.log(ctx, c, "", r)
}

func (s *Service) getPlayerEvents(ctx context.Context, c *call.Call, r *GetEventsRequest) (any, error) {
	player, err := whom(c, r.PlatformId)
	if err != nil {
		return nil, err
	}
	return s.events(ctx, c, player, r)
}

func (s *Service) getTitleEvents(ctx context.Context, c *call.Call, r *GetEventsRequest) (any, error) {
	return s.events(ctx, c, "", r)
}
