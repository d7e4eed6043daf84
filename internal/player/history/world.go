package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// choices is how many names of each space the callers of a world share. Few, so
// that they meet.
const choices = 3

// Server answers calls; a [Caller] does.
type Server interface {
	// Do makes a call with a ticket and gives its answer, and the ticket of who
	// signed in by it. It fails where the call was not sent, or was answered in a
	// way that no server may.
	Do(ctx context.Context, o Op, ticket string) (Answer, string, error)
}

// World is names that a group of callers fights over, and the record of it. It
// is safe for concurrent use.
type World struct {
	name  string
	began time.Time

	mu      sync.Mutex
	rng     *rand.Rand
	players []player // who is known to have been there; a deleted one may still be
	history []porcupine.Operation
	lost    []int // whose answers were, and whose end is not known yet
	serial  int
	words   []string // passwords that were set, or at least sent, last
}

// player is what a caller remembers of an account.
type player struct {
	id, ticket string
}

// mostKnown is how many accounts and passwords a world remembers; it forgets the
// oldest.
const mostKnown = 6

// NewWorld makes a world; its name is part of all its names, and the seed
// decides which calls are made.
func NewWorld(name string, seed uint64) *World {
	return &World{name: name, began: time.Now(), rng: rand.New(rand.NewPCG(seed, 0))}
}

// StreamingIDs are the ids of the streaming users of a world.
func StreamingIDs(name string) []string {
	var ids []string
	for i := range choices {
		ids = append(ids, name+fmt.Sprint(i))
	}
	return ids
}

// now is the time of the record.
func (w *World) now() int64 { return int64(time.Since(w.began)) }

// value picks one of the names of a space.
func (w *World) value(s Space) string {
	name := fmt.Sprintf("%s%d", w.name, w.rng.IntN(choices))
	switch s {
	case Email:
		return name + "@example.com"
	case Username:
		return "user" + name
	case DisplayName:
		return "display " + name
	case CustomID:
		return "custom " + name
	}
	return name
}

// word is a password that no account has yet.
func (w *World) word() string {
	w.serial++
	word := fmt.Sprintf("password %d", w.serial)
	w.words = append(w.words, word)
	if len(w.words) > mostKnown {
		w.words = w.words[1:]
	}
	return word
}

// guess is a password that an account may have.
func (w *World) guess() string {
	if len(w.words) == 0 {
		return "password"
	}
	return w.words[w.rng.IntN(len(w.words))]
}

// Next picks a call and the ticket it is made with.
func (w *World) Next() (Op, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.rng.IntN(100); len(w.players) == 0 || n < 32 {
		switch n = n % 32; {
		case n < 7:
			o := Op{Kind: Register, Password: w.word()}
			o.Names[Email] = w.value(Email)
			if w.rng.IntN(4) > 0 {
				o.Names[Username] = w.value(Username)
			}
			if w.rng.IntN(2) == 0 {
				o.Names[DisplayName] = w.value(DisplayName)
			}
			return o, ""
		case n < 14:
			return Op{Kind: SignInCustom, Value: w.value(CustomID), Force: w.rng.IntN(3) > 0}, ""
		case n < 21:
			return Op{Kind: SignInStreaming, Value: w.value(StreamingID), Force: w.rng.IntN(3) > 0}, ""
		case n < 23:
			return Op{Kind: SignInUsername, Value: w.value(Username), Password: w.guess()}, ""
		case n < 25:
			return Op{Kind: SignInEmail, Value: w.value(Email), Password: w.guess()}, ""
		}
		s := []Space{Email, Username, DisplayName}[w.rng.IntN(3)]
		return Op{Kind: Find, Space: s, Value: w.value(s)}, ""
	}
	p := w.players[w.rng.IntN(len(w.players))]
	o := Op{ID: p.id}
	switch n := w.rng.IntN(68); {
	case n < 9:
		o.Kind, o.Value, o.Force = LinkCustom, w.value(CustomID), w.rng.IntN(2) == 0
	case n < 18:
		o.Kind, o.Value, o.Force = LinkStreaming, w.value(StreamingID), w.rng.IntN(2) == 0
	case n < 23:
		o.Kind = UnlinkCustom
	case n < 29:
		o.Kind = UnlinkStreaming
	case n < 37:
		o.Kind, o.Value = Rename, w.value(DisplayName)
	case n < 40:
		o.Kind, o.Password = AddPassword, w.word()
		o.Names[Email], o.Names[Username] = w.value(Email), w.value(Username)
	case n < 50:
		o.Kind = Own
	case n < 55:
		o.Kind, p.ticket = Delete, ""
	default:
		o.Kind, p.ticket, o.Coins = Pay, "", 1+w.rng.IntN(9)
		if w.rng.IntN(2) == 0 {
			o.Coins = -o.Coins
		}
	}
	return o, p.ticket
}

// Run makes calls, most at most, until the server is gone or stop is closed.
func (w *World) Run(ctx context.Context, client int, c Server, most int, stop <-chan struct{}) error {
	for range most {
		select {
		case <-stop:
			return nil
		default:
		}
		o, ticket := w.Next()
		lost, err := w.do(ctx, client, c, o, ticket)
		if lost || errors.Is(err, errNotSent) {
			return nil
		}
		if errors.Is(err, errBusy) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Look reads all that can be known: the owner of every name, and the account of
// every player who was known last.
func (w *World) Look(ctx context.Context, c Server) error {
	for i := range choices {
		at := fmt.Sprintf("%s%d", w.name, i)
		for _, o := range []Op{
			{Kind: Find, Space: Email, Value: at + "@example.com"}, {Kind: Find, Space: Username, Value: "user" + at},
			{Kind: Find, Space: DisplayName, Value: "display " + at},
			{Kind: SignInCustom, Value: "custom " + at}, {Kind: SignInStreaming, Value: at},
		} {
			if _, err := w.do(ctx, 0, c, o, ""); err != nil {
				return err
			}
		}
	}
	for _, p := range slices.Clone(w.players) {
		for _, o := range []Op{{Kind: Own, ID: p.id}, {Kind: Pay, ID: p.id, Coins: 1}} {
			if _, err := w.do(ctx, 0, c, o, p.ticket); err != nil {
				return err
			}
		}
	}
	return nil
}

// do makes a call and records it.
func (w *World) do(ctx context.Context, client int, c Server, o Op, ticket string) (lost bool, err error) {
	call := w.now()
	a, newTicket, err := c.Do(ctx, o, ticket)
	end := w.now()
	if err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.Lost {
		if !o.writes() {
			return true, nil
		}
		end = math.MaxInt64
		w.lost = append(w.lost, len(w.history))
	}
	w.history = append(w.history, porcupine.Operation{ClientId: client, Input: o, Call: call, Output: a, Return: end})
	if newTicket != "" || a.Error == "NotAuthenticated" || a.Error == "AccountNotFound" {
		w.players = slices.DeleteFunc(w.players, func(p player) bool { return p.id == a.ID || p.id == o.ID })
	}
	if newTicket != "" {
		w.players = append(w.players, player{a.ID, newTicket})
		if len(w.players) > mostKnown {
			w.players = w.players[1:]
		}
	}
	return a.Lost, nil
}

// Dead says that the servers which got the calls whose answers were lost are
// gone, with all that they did: what has not happened by now never will.
func (w *World) Dead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	for _, i := range w.lost {
		w.history[i].Return = now
	}
	w.lost = nil
}

// History is the record so far.
func (w *World) History() []porcupine.Operation {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.history)
}
