package data

import (
	"context"
	"math"
	"sync"
	"time"

	"ludgate/internal/store"
)

// A position in a leaderboard is how many stand before it, and an index cannot
// tell that without walking past them. So a board that somebody looks into deeply
// gets marks: who stands at every thousandth place. A deep page, or the place of
// a player, is then found by walking from the nearest mark.
//
// Marks are made by one walk over the index and used for markAge or, where that
// walk is long, for twenty times as long as it took. In that time places move by
// a few; nobody is left out or there twice, since the walk from a mark follows
// the index as it is.

const (
	markEvery = 1_000
	markAge   = 10 * time.Second
	maxBoards = 64 // whose marks are kept
)

// board is one leaderboard.
type board struct {
	title, name string
	version     int64
}

// place is where a value stands in the order of a board.
type place struct {
	negative, updated int64
	player            string
}

// top is before every place.
var top = place{negative: math.MinInt64}

// before reports whether p stands higher on a board than q.
func (p place) before(q place) bool {
	if p.negative != q.negative {
		return p.negative < q.negative
	}
	if p.updated != q.updated {
		return p.updated < q.updated
	}
	return p.player < q.player
}

// markCache keeps the marks of boards.
type markCache struct {
	// walk is taken by who walks: one at a time, so that walks over many boards
	// leave the other connections to shorter reads.
	walk chan struct{}

	mu     sync.Mutex
	boards map[board]*boardMarks
}

func newMarkCache() markCache {
	return markCache{walk: make(chan struct{}, 1), boards: map[board]*boardMarks{}}
}

// boardMarks are the marks of one board: all[i] stands at (i+1)*markEvery.
type boardMarks struct {
	mu     sync.Mutex
	ready  bool
	all    []place
	expire time.Time
}

// of gives the entry of a board and makes room for it.
func (c *markCache) of(b board) *boardMarks {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.boards[b]
	if m == nil {
		for old := range c.boards {
			if len(c.boards) < maxBoards {
				break
			}
			delete(c.boards, old)
		}
		m = &boardMarks{}
		c.boards[b] = m
	}
	return m
}

func (m *boardMarks) get(now time.Time) (all []place, ready, fresh bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all, m.ready, m.ready && now.Before(m.expire)
}

// marksOf gives the marks of a board. One caller makes them; while one does, others
// go on with those before, or wait where there are none. It must not be called
// inside a transaction: the walk needs one of its own.
func (s *Service) marksOf(ctx context.Context, b board) ([]place, error) {
	m := s.marks.of(b)
	all, ready, fresh := m.get(s.now())
	if fresh {
		return all, nil
	}
	select {
	case s.marks.walk <- struct{}{}:
	default:
		if ready {
			return all, nil
		}
		select {
		case s.marks.walk <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-s.marks.walk }()
	if all, _, fresh := m.get(s.now()); fresh { // made while this one waited
		return all, nil
	}
	began := time.Now()
	all, err := s.walk(ctx, b)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all, m.ready, m.expire = all, true, s.now().Add(max(markAge, 20*time.Since(began)))
	return all, nil
}

// walk finds the marks of a board.
func (s *Service) walk(ctx context.Context, b board) ([]place, error) {
	var all []place
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		all = nil
		from := top
		for {
			found, err := placesFrom(tx, b, from, markEvery, 1)
			if err != nil || len(found) == 0 {
				return err
			}
			from = found[0]
			all = append(all, from)
		}
	})
	return all, err
}
