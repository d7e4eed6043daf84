package economy

import (
	"context"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// Service keeps the economies of titles. It is safe for concurrent use.
type Service struct {
	gate  *call.Gate
	st    store.Store
	cache *cache
}

// New makes a Service on the gate's store, which has the schema of Area.
func New(g *call.Gate) *Service {
	return &Service{gate: g, st: g.Store(), cache: newCache(g.Store())}
}

// Definitions gives what a title says about its economy, from memory unless it
// has changed. It must not be called inside a transaction.
func (s *Service) Definitions(ctx context.Context, titleID string) (*Definitions, error) {
	return s.cache.get(ctx, titleID)
}

// write runs fn in a transaction with the title's definitions.
func (s *Service) write(ctx context.Context, title string, fn func(store.Tx, *Definitions) error) error {
	d, err := s.cache.get(ctx, title)
	if err != nil {
		return err
	}
	return s.st.Write(ctx, func(tx store.Tx) error { return fn(tx, d) })
}

// subject is a player, or one of its characters, that a call names.
type subject struct {
	title, player string
	character     string // "" for the player
}

var characterGetStmt = statements.Get("character_get")

// find makes sure that the subject exists.
func (s subject) find(tx store.Tx) (holder, error) {
	h := holder{title: s.title, player: s.player, character: s.character}
	if !isText(s.player) {
		return h, account.NotFound()
	}
	a, err := account.Get(tx, s.title, s.player)
	if err != nil {
		return h, err
	}
	if a == nil {
		return h, account.NotFound()
	}
	h.created = a.Created
	if s.character == "" {
		return h, nil
	}
	if !isText(s.character) {
		return h, errNoCharacter()
	}
	found, err := store.QueryOne(tx, characterGetStmt, func(r store.Row) error { h.created = r.Int(0); return nil }, s.title, s.player, s.character)
	if err == nil && !found {
		err = errNoCharacter()
	}
	return h, err
}

// findItem finds an item that the subject has now.
func (s subject) findItem(tx store.Tx, id string, now int64, absent func() error) (*item, error) {
	h, err := s.find(tx)
	if err != nil {
		return nil, err
	}
	return h.findItem(tx, id, now, absent)
}
