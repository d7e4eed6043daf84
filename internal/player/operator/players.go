package operator

import (
	"context"
	"net/http"
	"strconv"

	"ludgate"
	"ludgate/internal/player/bulk"
	"ludgate/internal/wire"
)

func (s *Service) count(ctx context.Context, r *TitleRequest) (any, error) {
	t, err := s.known(r.ID)
	if err != nil {
		return nil, err
	}
	n, err := s.bulk.Count(ctx, t.ID)
	return Count{n}, err
}

func (s *Service) deletePlayer(ctx context.Context, r *PlayerRequest) (any, error) {
	t, err := s.known(r.ID)
	if err != nil {
		return nil, err
	}
	if err := s.bulk.Remove(ctx, t.ID, r.Player); err != nil {
		if ludgate.IsCode(err, "AccountNotFound") {
			err = ludgate.Errorf(ludgate.NotFound, "PlayerNotFound", "title %s has no player %q", t.ID, r.Player)
		}
		return nil, err
	}
	s.gate.Log().InfoContext(ctx, "player deleted", "title", t.ID, "player", r.Player)
	return nil, nil
}

// export gives one page of players as JSON lines.
func (s *Service) export(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	req := ExportRequest{}
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	t, err := s.known(req.ID)
	if err != nil {
		return nil, refusal(err)
	}
	page, err := s.bulk.Export(ctx, t.ID, req.After)
	if err != nil {
		return nil, err
	}
	reply := &wire.Reply{Body: page.Lines, Header: http.Header{"Content-Type": {"application/jsonl; charset=utf-8"}}}
	return reply.Set(HeaderCount, strconv.Itoa(page.Count)).Set(HeaderLast, page.Last), nil
}

// importPlayers stores a batch of JSON lines: the body, which says that it is no
// JSON by having no content type. Query: first is the number of its first line;
// skip and dryrun are bulk.ImportOptions.
func (s *Service) importPlayers(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	t, err := s.known(r.Param("title"))
	if err != nil {
		return nil, refusal(err)
	}
	o := bulk.ImportOptions{First: 1}
	if text, ok := r.Query("first"); ok {
		if o.First, err = strconv.Atoi(text); err != nil || o.First < 1 {
			return nil, ludgate.Errorf(ludgate.Invalid, "InvalidQuery", "first must be the number of a line")
		}
	}
	_, o.Skip = r.Query("skip")
	_, o.DryRun = r.Query("dryrun")
	report, err := s.bulk.Import(ctx, t.ID, r.Body, o)
	if err != nil {
		return nil, err
	}
	return wire.OK(report), nil
}
