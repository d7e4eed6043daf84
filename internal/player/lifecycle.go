package player

import (
	"context"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/wire"
)

// DeletePlayerRequest names the player to remove.
type DeletePlayerRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
}

// DeleteMasterPlayerAccountRequest likewise. MetaData is the caller's own note
// and goes to the log.
type DeleteMasterPlayerAccountRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	MetaData   string `json:"MetaData"`
}

// DeleteMasterPlayerAccountResult says what was removed and where. An account
// belongs to one title.
type DeleteMasterPlayerAccountResult struct {
	JobReceiptId string   `json:"JobReceiptId"`
	TitleIds     []string `json:"TitleIds"`
}

// maxMetaData bounds the note of a deletion in bytes.
const maxMetaData = 1024

// lifecycleRoutes are the calls that remove players.
func (s *Service) lifecycleRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Secret, "/Server/DeletePlayer", s.deletePlayer),
		call.Post(s.gate, call.Secret, "/Admin/DeletePlayer", s.deletePlayer),
		call.Post(s.gate, call.Secret, "/Admin/DeleteMasterPlayerAccount", s.deleteMasterPlayer),
	}
}

// deletePlayer removes a player with all that is theirs; their proofs are no
// longer good.
func (s *Service) deletePlayer(ctx context.Context, c *call.Call, r *DeletePlayerRequest) (any, error) {
	if err := s.whole.Remove(ctx, c.Title.ID, clean(r.PlatformId)); err != nil {
		return nil, err
	}
	s.gate.Log().InfoContext(ctx, "player deleted", "title", c.Title.ID, "player", r.PlatformId)
	return nil, nil
}

// deleteMasterPlayer does the same, at once: when it answers, the job that the
// receipt stands for is done.
func (s *Service) deleteMasterPlayer(ctx context.Context, c *call.Call, r *DeleteMasterPlayerAccountRequest) (any, error) {
	if len(r.MetaData) > maxMetaData {
		f := call.Faults{}
		f.Add("MetaData", "The field MetaData must be a string with a maximum length of 1024.")
		return nil, f.Err()
	}
	if err := s.whole.Remove(ctx, c.Title.ID, clean(r.PlatformId)); err != nil {
		return nil, err
	}
	receipt := ludgate.NewGUID()
	s.gate.Log().InfoContext(ctx, "player deleted", "title", c.Title.ID, "player", r.PlatformId, "receipt", receipt, "metaData", r.MetaData)
	return &DeleteMasterPlayerAccountResult{JobReceiptId: receipt, TitleIds: []string{c.Title.ID}}, nil
}
