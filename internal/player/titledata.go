package player

import (
	"context"
	"unicode/utf8"

	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// Limits of title data.
const (
	maxTitleKeys  = 1000
	maxTitleKey   = 256       // bytes
	maxTitleValue = 1_000_000 // bytes
	maxTitleBody  = 8 << 20   // a value, escaped at worst
)

// GetTitleDataRequest asks for what a title tells; Keys nil asks for all of it.
type GetTitleDataRequest struct {
	Keys          []string `json:"Keys"`
	OverrideLabel string   `json:"OverrideLabel"`
}

// GetTitleDataResult is the answer to it.
type GetTitleDataResult struct {
	Data map[string]string `json:"Data"`
}

// SetTitleDataRequest sets one value; null removes it.
type SetTitleDataRequest struct {
	Key   string  `json:"Key" required:"true"`
	Value *string `json:"Value"`
}

// titleDataRoutes are the calls about what a title tells its players and its
// servers.
func (s *Service) titleDataRoutes() []wire.Route {
	g := s.gate
	public, internal := s.getTitleData(false), s.getTitleData(true)
	setPublic, setInternal := s.setTitleData(false), s.setTitleData(true)
	routes := []wire.Route{
		call.Post(g, call.Session, "/Client/GetTitleData", public),
		call.Post(g, call.Secret, "/Server/GetTitleData", public),
		call.Post(g, call.Secret, "/Admin/GetTitleData", public),
		call.Post(g, call.Secret, "/Server/GetTitleInternalData", internal),
		call.Post(g, call.Secret, "/Admin/GetTitleInternalData", internal),
	}
	for _, r := range []wire.Route{
		call.Post(g, call.Secret, "/Server/SetTitleData", setPublic),
		call.Post(g, call.Secret, "/Admin/SetTitleData", setPublic),
		call.Post(g, call.Secret, "/Server/SetTitleInternalData", setInternal),
		call.Post(g, call.Secret, "/Admin/SetTitleInternalData", setInternal),
	} {
		r.MaxBody = maxTitleBody
		routes = append(routes, r)
	}
	return routes
}

func (s *Service) getTitleData(internal bool) func(context.Context, *call.Call, *GetTitleDataRequest) (any, error) {
	return func(ctx context.Context, c *call.Call, r *GetTitleDataRequest) (any, error) {
		if r.OverrideLabel != "" {
			f := call.Faults{}
			f.Add("OverrideLabel", "Title data has no overrides here; leave the field out.")
			return nil, f.Err()
		}
		if len(r.Keys) > maxTitleKeys {
			return nil, call.Refuse("TooManyKeys", "Too many keys: %d are asked for, at most %d can be", len(r.Keys), maxTitleKeys)
		}
		out := &GetTitleDataResult{}
		err := s.store.Read(ctx, func(tx store.Tx) (err error) {
			out.Data, err = title.Data(tx, c.Title.ID, internal, r.Keys)
			return err
		})
		return out, err
	}
}

func (s *Service) setTitleData(internal bool) func(context.Context, *call.Call, *SetTitleDataRequest) (any, error) {
	return func(ctx context.Context, c *call.Call, r *SetTitleDataRequest) (any, error) {
		switch {
		case len(r.Key) > maxTitleKey:
			return nil, call.Refuse("KeyLengthExceeded", "The key has %d bytes, at most %d are possible", len(r.Key), maxTitleKey)
		case r.Value != nil && len(*r.Value) > maxTitleValue:
			return nil, call.Refuse("DataLengthExceeded", "The value has %d bytes, at most %d are possible", len(*r.Value), maxTitleValue)
		case !utf8.ValidString(r.Key):
			return nil, call.Refuse("InvalidParams", "Invalid input parameters")
		}
		return nil, s.store.Write(ctx, func(tx store.Tx) error {
			if r.Value == nil {
				return title.DeleteData(tx, c.Title.ID, internal, r.Key)
			}
			others, err := title.SetData(tx, c.Title.ID, internal, r.Key, *r.Value)
			if err == nil && others >= maxTitleKeys {
				err = call.Refuse("TooManyKeys", "The title has %d keys, as many as it can have", others)
			}
			return err
		})
	}
}
