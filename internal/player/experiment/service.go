package experiment

import (
	"context"
	"embed"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this part.
var Area = store.Area{Name: "player-experiment", FS: files, Dir: "sql/migrations"}

var (
	statements    = store.Statements(files, "sql")
	allStmt       = statements.Get("all")
	titleStmt     = statements.Get("title")
	putStmt       = statements.Get("put")
	removeStmt    = statements.Get("remove")
	clearStmt     = statements.Get("clear")
	exposuresStmt = statements.Get("exposures")
	exposedStmt   = statements.Get("exposed")
	forgetStmt    = statements.Get("forget")
	forgetAllStmt = statements.Get("forget_all")
)

// emptyTreatment is what a player of no experiment gets.
var emptyTreatment = TreatmentAssignment{Variants: []string{}, Variables: []Variable{}}

// topic is signalled when definitions change.
const topic = "experiments"

// pruneAfter is how old an exposure to an experiment that is over, or that this
// node does not know, must be to be dropped: another node may know it better.
const pruneAfter = int64(time.Hour / time.Millisecond)

// Service keeps experiments and says what players get. It is safe for concurrent
// use.
type Service struct {
	gate  *call.Gate
	plans atomic.Pointer[map[string]*plan] // by title; those with nothing started are not there
	mu    sync.Mutex                       // one reload at a time
	stop  func()
}

// Open reads the definitions of all titles and follows them until Close.
func Open(ctx context.Context, g *call.Gate) (*Service, error) {
	s := &Service{gate: g}
	stop, err := store.Follow(ctx, g.Store(), topic, s.reload, func(err error) {
		g.Log().Warn("experiments cannot be read; trying again", "error", err)
	})
	if err != nil {
		return nil, fmt.Errorf("read experiments: %w", err)
	}
	s.stop = stop
	return s, nil
}

// Close stops following the store.
func (s *Service) Close() { s.stop() }

// reload reads all definitions.
func (s *Service) reload(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	titles := map[string]*definitions{}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		clear(titles)
		return tx.Query(allStmt, func(r store.Row) error {
			d := titles[r.Text(0)]
			if d == nil {
				d = &definitions{}
				titles[r.Text(0)] = d
			}
			return d.add(r.Text(1), r.Text(2))
		})
	})
	if err != nil {
		return err
	}
	plans, now := map[string]*plan{}, s.gate.Clock()().UnixMilli()
	for title, d := range titles {
		if p := newPlan(d, now); p != nil {
			plans[title] = p
		}
	}
	s.plans.Store(&plans)
	return nil
}

// plan gives the plan of a title that has a running experiment, else nil.
func (s *Service) plan(title string, now int64) *plan {
	p := (*s.plans.Load())[title]
	if len(p.running(now)) == 0 {
		return nil
	}
	return p
}

// Running reports whether a title has a running experiment, so that a caller
// knows whether Assign needs a transaction that writes.
func (s *Service) Running(title string, now time.Time) bool {
	return s.plan(title, now.UnixMilli()) != nil
}

// Assign gives a player what it gets of all running experiments, and stores what
// it gets for the first time. It needs a transaction of Write; where the title
// has no running experiment, tx is not touched and may be nil.
func (s *Service) Assign(tx store.Tx, title, player string, now time.Time) (TreatmentAssignment, error) {
	at := now.UnixMilli()
	p := s.plan(title, at)
	if p == nil {
		return emptyTreatment, nil
	}
	who := ""
	if p.testers {
		a, err := account.Get(tx, title, player)
		if err != nil {
			return emptyTreatment, err
		}
		if a != nil {
			who = a.Account
		}
	}
	have, err := exposures(tx, title, player)
	if err != nil {
		return emptyTreatment, err
	}
	got, fresh := p.assign(player, who, have, at)
	if len(fresh) > 0 {
		if err := expose(tx, title, player, append(p.prune(have, at), fresh...)); err != nil {
			return emptyTreatment, err
		}
	}
	return got.treatment(p), nil
}

// Variants lists the ids of the variants that a player has been given by
// experiments that run, for its profile. It exposes nobody, so it may be behind
// the next sign-in. It reads only.
func (s *Service) Variants(tx store.Tx, title, player string, now time.Time) ([]string, error) {
	at := now.UnixMilli()
	p := s.plan(title, at)
	if p == nil {
		return nil, nil
	}
	have, err := exposures(tx, title, player)
	if err != nil || len(have) == 0 {
		return nil, err
	}
	got, fresh := p.assign(player, "", have, at)
	for _, x := range fresh {
		delete(got, p.byID[x.Experiment])
	}
	return got.ids(p), nil
}

// prune drops exposures that mean nothing any more.
func (p *plan) prune(have []Exposure, now int64) []Exposure {
	var out []Exposure
	for _, x := range have {
		e := p.byID[x.Experiment]
		if e != nil && !e.stopped(now) || now-x.At < pruneAfter {
			out = append(out, x)
		}
	}
	return out
}

// exposures reads what a player was exposed to, the oldest first.
func exposures(tx store.Tx, title, player string) (list []Exposure, err error) {
	_, err = store.QueryOne(tx, exposuresStmt, func(r store.Row) error {
		return json.Unmarshal([]byte(r.Text(0)), &list)
	}, title, player)
	return list, err
}

// expose stores what a player was exposed to.
func expose(tx store.Tx, title, player string, list []Exposure) error {
	doc, err := json.Marshal(list)
	if err != nil {
		return err
	}
	_, err = tx.Exec(exposedStmt, title, player, string(doc))
	return err
}

// Delete forgets what a player was exposed to.
func (s *Service) Delete(tx store.Tx, title, player string) error {
	_, err := tx.Exec(forgetStmt, title, player)
	return err
}

// DeleteTitle removes a title's definitions, and what any player was exposed to.
func (s *Service) DeleteTitle(tx store.Tx, title string) error {
	_, err := tx.Exec(forgetAllStmt, title)
	if err == nil {
		_, err = tx.Exec(clearStmt, title)
	}
	tx.Notify(topic)
	return err
}

// Export gives what is stored about a player; nil when there is nothing.
func (s *Service) Export(tx store.Tx, title, player string) (*Dump, error) {
	list, err := exposures(tx, title, player)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &Dump{list}, nil
}

// Import stores what Export gave about a player of whom nothing is stored. It
// fails with InvalidParams on what Export cannot have given. Experiments that the
// title does not have are kept for a while and mean nothing.
func (s *Service) Import(tx store.Tx, title, player string, d *Dump) error {
	if d == nil || len(d.Exposures) == 0 {
		return nil
	}
	f := &call.Faults{}
	if len(d.Exposures) > 3*maxExperiments {
		f.Add("Exposures", fmt.Sprintf("There may be at most %d.", 3*maxExperiments))
	}
	seen := map[string]bool{}
	for _, x := range d.Exposures {
		if !ludgate.IsGUID(x.Experiment) || !ludgate.IsGUID(x.Variant) || x.At < 0 || x.At > account.Forever || seen[x.Experiment] {
			f.Add("Exposures", "Each must name an experiment, none twice, a variant and a time.")
			break
		}
		seen[x.Experiment] = true
	}
	if err := f.Err(); err != nil {
		return err
	}
	return expose(tx, title, player, d.Exposures)
}
