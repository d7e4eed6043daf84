package experiment

import (
	"context"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// Routes are the calls of this part. All but the last are for operators, with a
// secret key of the title or its entity token.
func (s *Service) Routes() []wire.Route {
	return []wire.Route{
		operators(s, "CreateExperiment", s.create),
		operators(s, "UpdateExperiment", s.update),
		operators(s, "StartExperiment", s.start),
		operators(s, "StopExperiment", s.end),
		operators(s, "DeleteExperiment", s.remove),
		operators(s, "GetExperiments", s.list),
		operators(s, "CreateExclusionGroup", s.createGroup),
		operators(s, "UpdateExclusionGroup", s.updateGroup),
		operators(s, "DeleteExclusionGroup", s.removeGroup),
		operators(s, "GetExclusionGroups", s.listGroups),
		operators(s, "GetExclusionGroupTraffic", s.groupTraffic),
		call.Post(s.gate, call.Any, "/Experimentation/GetTreatmentAssignment", s.getTreatmentAssignment),
	}
}

// operators makes a route for a title's servers and operators.
func operators[Req any](s *Service, name string, fn func(context.Context, *call.Call, *Req) (any, error)) wire.Route {
	return call.Post(s.gate, call.Any, "/Experimentation/"+name, func(ctx context.Context, c *call.Call, r *Req) (any, error) {
		if !c.Server() {
			return nil, errNotAuthorized()
		}
		return fn(ctx, c, r)
	})
}

func errNotAuthorized() error {
	return ludgate.Errorf(ludgate.Unauthenticated, "NotAuthorized", "Not authorized")
}

// getTreatmentAssignment gives a player what it gets. A player may ask about
// itself, a server about any player by the id of its master player account.
func (s *Service) getTreatmentAssignment(ctx context.Context, c *call.Call, r *GetTreatmentAssignmentRequest) (any, error) {
	player := c.Player
	if r.Entity != nil || c.Server() {
		var err error
		if player, err = s.entity(ctx, c, r.Entity); err != nil {
			return nil, err
		}
	}
	t, err := s.treatment(ctx, c, player)
	if err != nil {
		return nil, err
	}
	return GetTreatmentAssignmentResult{t}, nil
}

// entity finds the player that an entity key names.
func (s *Service) entity(ctx context.Context, c *call.Call, key *call.EntityKey) (string, error) {
	f := &call.Faults{}
	if key == nil {
		f.Required("Entity")
		return "", f.Err()
	}
	kind := ticket.EntityType(key.Kind())
	if !c.Server() {
		if kind == ticket.TitlePlayerAccount && key.Id == c.Account || kind == ticket.MasterPlayerAccount && key.Id == c.Player {
			return c.Player, nil
		}
		return "", errNotAuthorized()
	}
	if kind != ticket.MasterPlayerAccount {
		f.Add("Entity", "A server names a player by its master_player_account.")
		return "", f.Err()
	}
	return key.Id, s.gate.Store().Read(ctx, func(tx store.Tx) error { return account.Require(tx, c.Title.ID, key.Id) })
}
