package operator

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"ludgate"
	"ludgate/internal/player/bulk"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

// Service answers operators. It is safe for concurrent use.
type Service struct {
	gate   *call.Gate
	titles *title.Registry
	bulk   *bulk.Bulk
}

// New makes a Service.
func New(g *call.Gate, b *bulk.Bulk) *Service {
	return &Service{gate: g, titles: g.Titles(), bulk: b}
}

// Routes are the calls.
func (s *Service) Routes() []wire.Route {
	return []wire.Route{
		post("titles/list", s.list),
		post("titles/add", s.add),
		post("titles/show", s.show),
		post("titles/set", s.set),
		post("titles/delete", s.delete),
		post("keys/list", s.keys),
		post("keys/create", s.createKey),
		post("keys/disable", s.switchKey(true)),
		post("keys/enable", s.switchKey(false)),
		post("keys/delete", s.deleteKey),
		post("pair/create", s.createPair),
		post("pair/delete", s.deletePair),
		post("shared/create", s.createShared),
		post("shared/disable", s.switchShared(true)),
		post("shared/enable", s.switchShared(false)),
		post("shared/delete", s.deleteShared),
		post("players/count", s.count),
		post("players/delete", s.deletePlayer),
		{Surface: wire.Own, Method: http.MethodPost, Path: Path("players/export"), Handler: s.export},
		{Surface: wire.Own, Method: http.MethodPost, Path: Path("players/import/{title}"), MaxBody: bulk.MaxBytes, Handler: s.importPlayers},
	}
}

// Path is where a call is served.
func Path(name string) string { return "/control/" + name }

// post makes a route of a function.
func post[Req any](name string, fn func(ctx context.Context, r *Req) (any, error)) wire.Route {
	return wire.Route{Surface: wire.Own, Method: http.MethodPost, Path: Path(name), Handler: func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		req := new(Req)
		if err := r.Decode(req); err != nil {
			return nil, err
		}
		out, err := fn(ctx, req)
		if err != nil {
			return nil, refusal(err)
		}
		if out == nil {
			out = struct{}{}
		}
		return wire.OK(out), nil
	}}
}

// refusal gives the registry's errors the shape of refusals; they are sentences
// already.
func refusal(err error) error {
	var setting *title.SettingError
	for _, e := range []struct {
		is   bool
		kind ludgate.Kind
		code string
	}{
		{errors.Is(err, title.ErrNotFound), ludgate.NotFound, "TitleNotFound"},
		{errors.Is(err, title.ErrExists), ludgate.Conflict, "TitleExists"},
		{errors.Is(err, title.ErrDeclared), ludgate.Conflict, "TitleDeclared"},
		{errors.As(err, &setting), ludgate.Invalid, "InvalidSetting"},
	} {
		if e.is {
			return ludgate.Errorf(e.kind, e.code, "%v", err)
		}
	}
	return err
}

// known gives a title that exists.
func (s *Service) known(id string) (*title.Title, error) {
	id, err := cleanID(id)
	if err != nil {
		return nil, err
	}
	t, ok := s.titles.Get(id)
	if !ok {
		return nil, title.ErrNotFound
	}
	return t, nil
}

func cleanID(id string) (string, error) {
	clean, err := title.CleanID(id)
	if err != nil {
		return "", ludgate.Errorf(ludgate.Invalid, "InvalidTitleId", "%v", err)
	}
	return clean, nil
}

// seen is a title as operators see it.
func seen(t *title.Title) Title {
	source := FromStore
	switch {
	case t.Declared:
		source = FromFile
	case t.Version == 0:
		source = FromUse
	}
	return Title{ID: t.ID, Source: source, Publisher: t.Publisher(), Settings: t.Settings.Masked()}
}

func (s *Service) list(context.Context, *struct{}) (any, error) {
	out := Titles{Titles: []Title{}}
	for _, t := range s.titles.List() {
		out.Titles = append(out.Titles, seen(t))
	}
	return out, nil
}

func (s *Service) show(ctx context.Context, r *TitleRequest) (any, error) {
	t, err := s.known(r.ID)
	if err != nil {
		return nil, err
	}
	out := seen(t)
	n, err := s.bulk.Count(ctx, t.ID)
	out.Players = &n
	return out, err
}

func (s *Service) add(ctx context.Context, r *SetRequest) (any, error) {
	settings := title.Settings{}
	if err := apply(&settings, r.Settings); err != nil {
		return nil, err
	}
	id, err := cleanID(r.ID)
	if err != nil {
		return nil, err
	}
	if err := s.titles.Add(ctx, id, settings); err != nil {
		return nil, err
	}
	return s.changed(ctx, id, "title added", "settings", slices.Sorted(maps.Keys(r.Settings)))
}

func (s *Service) set(ctx context.Context, r *SetRequest) (any, error) {
	id, err := cleanID(r.ID)
	if err != nil {
		return nil, err
	}
	if len(r.Settings) == 0 {
		return nil, ludgate.Errorf(ludgate.Invalid, "InvalidSetting", "no setting is given")
	}
	if err := s.titles.UpdateSettings(ctx, id, func(to *title.Settings) error { return apply(to, r.Settings) }); err != nil {
		return nil, err
	}
	return s.changed(ctx, id, "title changed", "settings", slices.Sorted(maps.Keys(r.Settings)))
}

// changed logs a change and gives the title as it is now.
func (s *Service) changed(ctx context.Context, id, what string, more ...any) (any, error) {
	s.gate.Log().InfoContext(ctx, what, append([]any{"title", id}, more...)...)
	t, err := s.known(id)
	if err != nil {
		return nil, err
	}
	return seen(t), nil
}

// apply sets settings from texts, in the order of their keys.
func apply(to *title.Settings, texts map[string][]string) error {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if err := to.Set(key, texts[key]); err != nil {
			return &title.SettingError{Reason: err}
		}
	}
	return nil
}

// deleteStep is how many players one call of delete removes at most.
const deleteStep = 1000

// delete removes a title and all its players, a part at a time. First it closes
// the title for new players; a deletion that is not finished leaves it so.
func (s *Service) delete(ctx context.Context, r *TitleRequest) (any, error) {
	id, err := cleanID(r.ID)
	if err != nil {
		return nil, err
	}
	t, exists := s.titles.Get(id)
	stored := exists && !t.Declared && t.Version > 0
	switch {
	case exists && t.Declared:
		return nil, title.ErrDeclared
	case stored && !t.CreationDisabled:
		err := s.titles.UpdateSettings(ctx, id, func(to *title.Settings) error { to.CreationDisabled = true; return nil })
		if err != nil {
			return nil, err
		}
	}
	out := Deleted{}
	if out.Players, err = s.bulk.Purge(ctx, id, deleteStep); err != nil || out.Players == deleteStep {
		return out, err
	}
	if err := s.bulk.ForgetTitle(ctx, id); err != nil {
		return nil, err
	}
	if stored {
		if err := s.titles.Delete(ctx, id); err != nil {
			return nil, err
		}
		// Who was on the way in when the title was closed.
		late, err := s.bulk.Purge(ctx, id, deleteStep)
		if err != nil {
			return nil, err
		}
		out.Players += late
	} else if out.Players == 0 {
		return nil, title.ErrNotFound
	}
	out.Done = true
	s.gate.Log().InfoContext(ctx, "title deleted", "title", id)
	return out, nil
}
