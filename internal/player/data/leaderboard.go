package data

import (
	"context"
	"math"
	"slices"
	"sort"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	boardFromStmt   = statements.Get("board_from")
	boardBeforeStmt = statements.Get("board_before")
	boardCountStmt  = statements.Get("board_count")

	displayNamesStmt = statements.Get("display_names")
)

// placesFrom gives at most n places of a board, beginning skip places after the
// first that is not before from.
func placesFrom(tx store.Tx, b board, from place, skip, n int) ([]place, error) {
	return queryPlaces(tx, boardFromStmt, b.title, b.name, b.version, from.negative, from.updated, from.player, int64(n), int64(skip))
}

// placesBefore gives the n places before one, nearest first.
func placesBefore(tx store.Tx, b board, p place, n int) ([]place, error) {
	return queryPlaces(tx, boardBeforeStmt, b.title, b.name, b.version, p.negative, p.updated, p.player, int64(n))
}

func queryPlaces(tx store.Tx, stmt *store.Stmt, args ...any) ([]place, error) {
	var found []place
	err := tx.Query(stmt, func(r store.Row) error {
		found = append(found, place{player: r.Text(0), negative: r.Int(1), updated: r.Int(2)})
		return nil
	}, args...)
	return found, err
}

// countBetween counts the places from one up to another, at most most of them.
func countBetween(tx store.Tx, b board, from, to place, most int64) (int64, error) {
	n := int64(0)
	_, err := store.QueryOne(tx, boardCountStmt, func(r store.Row) error { n = r.Int(0); return nil },
		b.title, b.name, b.version, from.negative, from.updated, from.player, to.negative, to.updated, to.player, most)
	return n, err
}

// placeOf gives where a player's value of one version of a statistic stands.
func placeOf(tx store.Tx, title, player, name string, version int64) (place, bool, error) {
	p := place{player: player}
	found, err := store.QueryOne(tx, statisticPlaceStmt, func(r store.Row) error {
		p.negative, p.updated = r.Int(0), r.Int(1)
		return nil
	}, title, player, name, version)
	return p, found, err
}

// boardOf finds the board that a request means, and when its version ends by the
// statistic's reset interval (0: it does not, or has).
func boardOf(tx store.Tx, title, name string, specific bool, version int32, now int64) (b board, reset int64, err error) {
	d, err := findDefinition(tx, title, name)
	if err != nil {
		return b, 0, err
	}
	b = board{title: title, name: name}
	if d != nil {
		b.version, _ = d.at(now)
		reset = d.next(now)
	}
	if !specific {
		return b, reset, nil
	}
	if version < 0 || int64(version) > b.version {
		return b, 0, call.Refuse("LeaderboardVersionNotAvailable", "The leaderboard has no version %d", version)
	}
	if int64(version) < b.version {
		reset = 0
	}
	b.version = int64(version)
	return b, reset, nil
}

// finder finds the board of a request, and when its version is reset (0: never).
type finder func(store.Tx) (board, int64, error)

// page reads n places of a board from a position on.
func (s *Service) page(ctx context.Context, e *entries, find finder, start, n int) error {
	read := func(marks []place) func(store.Tx) error {
		return func(tx store.Tx) error {
			if err := e.begin(tx, find); err != nil {
				return err
			}
			from, skip := top, start
			if i := min(start/markEvery, len(marks)); i > 0 {
				from, skip = marks[i-1], start-i*markEvery
			}
			if skip > 2*markEvery { // there are no marks yet, or the board ends before
				return nil
			}
			places, err := placesFrom(tx, e.board, from, skip, n)
			if err != nil {
				return err
			}
			return e.add(tx, int64(start), places)
		}
	}
	if err := s.gate.Store().Read(ctx, read(nil)); err != nil || start <= 2*markEvery {
		return err
	}
	marks, err := s.marksOf(ctx, e.board)
	if err != nil {
		return err
	}
	return s.gate.Store().Read(ctx, read(marks))
}

// around reads n places of a board with a player in their middle, as far as the
// board's ends allow. A player who is not on the board has no places around.
func (s *Service) around(ctx context.Context, e *entries, find finder, player string, n int) error {
	deep := false
	read := func(marks []place) func(store.Tx) error {
		return func(tx store.Tx) error {
			deep = false
			if err := e.begin(tx, find); err != nil {
				return err
			}
			at, found, err := placeOf(tx, e.board.title, player, e.board.name, e.board.version)
			if err != nil || !found {
				return err
			}
			from, base, most := top, int64(0), int64(markEvery+1)
			if marks != nil {
				most = math.MaxInt32
			}
			if i := sort.Search(len(marks), func(i int) bool { return !marks[i].before(at) }); i > 0 {
				from, base = marks[i-1], int64(i)*markEvery
			}
			n0, err := countBetween(tx, e.board, from, at, most)
			if err != nil {
				return err
			}
			if deep = n0 == most; deep {
				return nil
			}
			return e.fill(tx, at, base+n0, n)
		}
	}
	if err := s.gate.Store().Read(ctx, read(nil)); err != nil || !deep {
		return err
	}
	marks, err := s.marksOf(ctx, e.board)
	if err != nil {
		return err
	}
	if marks == nil {
		marks = []place{} // the board was emptied meanwhile
	}
	return s.gate.Store().Read(ctx, read(marks))
}

// fill reads the n places around one that stands at a position.
func (e *entries) fill(tx store.Tx, at place, rank int64, n int) error {
	before, err := placesBefore(tx, e.board, at, n-1)
	if err != nil {
		return err
	}
	after, err := placesFrom(tx, e.board, at, 0, n)
	if err != nil {
		return err
	}
	take := min(len(before), max((n-1)/2, n-len(after)))
	before = before[:take]
	slices.Reverse(before)
	return e.add(tx, rank-int64(take), append(before, after[:min(len(after), n-take)]...))
}

// displayNames gives the display names of the players of places, by player.
func displayNames(tx store.Tx, title string, places []place) (map[string]string, error) {
	names := map[string]string{}
	if len(places) == 0 {
		return names, nil
	}
	players := make([]string, len(places))
	for i, p := range places {
		players[i] = p.player
	}
	list, err := nameList(players)
	if err != nil {
		return nil, err
	}
	return names, tx.Query(displayNamesStmt, func(r store.Row) error {
		names[r.Text(0)] = r.Text(1)
		return nil
	}, title, list)
}
