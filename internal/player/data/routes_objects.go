package data

import (
	"context"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
)

// GetObjectsRequest asks for an entity's objects, each as a string that holds
// JSON where EscapeObject is set.
type GetObjectsRequest struct {
	Entity       *call.EntityKey `json:"Entity" required:"true"`
	EscapeObject bool            `json:"EscapeObject"`
}

// GetObjectsResult is an entity's objects by name.
type GetObjectsResult struct {
	Entity         call.EntityKey          `json:"Entity"`
	ProfileVersion int32                   `json:"ProfileVersion"`
	Objects        map[string]ObjectResult `json:"Objects"`
}

// SetObjectsRequest writes objects of an entity whose profile has the expected
// version, where one is expected.
type SetObjectsRequest struct {
	Entity                 *call.EntityKey `json:"Entity" required:"true"`
	ExpectedProfileVersion *int32          `json:"ExpectedProfileVersion"`
	Objects                []SetObject     `json:"Objects" required:"true"`
}

// SetObjectsResult says what became of each object, and the version after that.
type SetObjectsResult struct {
	ProfileVersion int32           `json:"ProfileVersion"`
	SetResults     []SetObjectInfo `json:"SetResults"`
}

// owner gives whose objects an entity's are, "" for the title's, and the entity's
// type. A player's token
// reaches the player's own entity. A title's reaches the title and, by
// PlatformId, its players. An account lives in one title here, so a player's two
// entities are one profile.
func owner(tx store.Tx, c *call.Call, e *call.EntityKey) (string, ticket.EntityType, error) {
	kind := e.Kind()
	if !c.Server() {
		if own := c.Claims.ID(c.Entity); e.Id == own && (kind == "" || kind == string(c.Entity)) {
			return c.Player, c.Entity, exists(tx, c, c.Player)
		}
		return "", "", errOwner()
	}
	switch {
	case kind == string(ticket.TitleEntity) && e.Id == c.Title.ID:
		return "", ticket.TitleEntity, nil
	case kind == string(ticket.MasterPlayerAccount):
		return e.Id, ticket.MasterPlayerAccount, exists(tx, c, e.Id)
	}
	return "", "", errOwner()
}

func errOwner() error {
	return ludgate.Errorf(ludgate.Unauthenticated, "NotAuthorized", "The token does not reach this entity")
}

func (s *Service) getObjects(ctx context.Context, c *call.Call, r *GetObjectsRequest) (any, error) {
	out := &GetObjectsResult{}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		player, kind, err := owner(tx, c, r.Entity)
		if err == nil {
			out.Entity = call.KeyOf(c.Naming, r.Entity.Id, kind)
			out.Objects, out.ProfileVersion, err = readObjects(tx, c.Title.ID, player, r.EscapeObject)
		}
		return err
	})
	return out, err
}

func (s *Service) setObjects(ctx context.Context, c *call.Call, r *SetObjectsRequest) (any, error) {
	settings, err := checkObjects(r.Objects)
	if err != nil {
		return nil, err
	}
	out := &SetObjectsResult{}
	err = s.gate.Store().Write(ctx, func(tx store.Tx) error {
		player, _, err := owner(tx, c, r.Entity)
		if err == nil {
			out.ProfileVersion, out.SetResults, err = writeObjects(tx, c.Title.ID, player, r.ExpectedProfileVersion, settings, c.Millis())
		}
		return err
	})
	return out, err
}
