package data

import (
	"context"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// handler is the function of a call.
type handler[Req any] = func(context.Context, *call.Call, *Req) (any, error)

// getOwnData reads data for a client: all keys of its own player, the public ones
// of another.
func (s *Service) getOwnData(k kind) handler[GetUserDataRequest] {
	return func(ctx context.Context, c *call.Call, r *GetUserDataRequest) (any, error) {
		player, err := whom(c, r.PlatformId)
		if err != nil {
			return nil, err
		}
		return s.readKeys(ctx, c, k, player, player != c.Player, r)
	}
}

// getData reads data for a server.
func (s *Service) getData(k kind) handler[GetUserDataRequest] {
	return func(ctx context.Context, c *call.Call, r *GetUserDataRequest) (any, error) {
		player, err := whom(c, r.PlatformId)
		if err != nil {
			return nil, err
		}
		out, err := s.readKeys(ctx, c, k, player, false, r)
		if err != nil {
			return nil, err
		}
		out.PlatformId = player
		return out, nil
	}
}

func (s *Service) readKeys(ctx context.Context, c *call.Call, k kind, player string, public bool, r *GetUserDataRequest) (*GetUserDataResult, error) {
	keys, err := wanted("Keys", r.Keys)
	if err != nil {
		return nil, err
	}
	out := &GetUserDataResult{}
	err = s.gate.Store().Read(ctx, func(tx store.Tx) error {
		if player != c.Player {
			if err := exists(tx, c, player); err != nil {
				return err
			}
		}
		h, err := loadHead(tx, c.Title.ID, player, k)
		if err != nil {
			return err
		}
		out.DataVersion, out.Data = uint32(h.version), map[string]UserDataRecord{}
		if h.entries == 0 || r.IfChangedFromDataVersion != nil && h.version <= int64(*r.IfChangedFromDataVersion) {
			return nil
		}
		out.Data, err = readData(tx, c.Title.ID, player, k, h.entries, keys, public)
		return err
	})
	return out, err
}

// updateOwnData writes data for a client, to its own player.
func (s *Service) updateOwnData(ctx context.Context, c *call.Call, r *UpdateUserDataRequest) (any, error) {
	change, err := r.check(maxClientKeys)
	if err != nil {
		return nil, err
	}
	if s.opt.Limiter != nil {
		if ok, wait := s.opt.Limiter.Allow(c.Title.ID+"/"+c.Player, c.Now); !ok {
			return nil, ludgate.Errorf(ludgate.Throttled, "DataUpdateRateExceeded", "The data of the player is updated too often").After(wait)
		}
	}
	return s.writeKeys(ctx, c, clientData, c.Player, change)
}

// updateData writes data for a server.
func (s *Service) updateData(k kind) handler[UpdateUserDataRequest] {
	return func(ctx context.Context, c *call.Call, r *UpdateUserDataRequest) (any, error) {
		player, err := whom(c, r.PlatformId)
		if err != nil {
			return nil, err
		}
		if k == internalData {
			r.Permission = "" // nobody but servers reads it
		}
		change, err := r.check(maxKeys)
		if err != nil {
			return nil, err
		}
		return s.writeKeys(ctx, c, k, player, change)
	}
}

func (s *Service) writeKeys(ctx context.Context, c *call.Call, k kind, player string, ch *change) (any, error) {
	out := &UpdateUserDataResult{}
	err := s.gate.Store().Write(ctx, func(tx store.Tx) error {
		err := exists(tx, c, player)
		if err == nil {
			out.DataVersion, err = updateData(tx, c.Title.ID, player, k, ch, c.Millis())
		}
		return err
	})
	return out, err
}
