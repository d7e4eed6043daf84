package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
)

// plan is what one title's sign-ins need of its definitions. It is never changed.
type plan struct {
	started []*definition // in the order of their start
	byID    map[string]*definition
	testers bool // some experiment names some
}

// newPlan makes a plan; nil where nothing was started that is not over.
func newPlan(d *definitions, now int64) *plan {
	p := &plan{byID: map[string]*definition{}}
	for _, e := range d.experiments {
		p.byID[e.ID] = e
		if e.State == Started && !e.stopped(now) {
			p.started = append(p.started, e)
			p.testers = p.testers || len(e.Testers) > 0
		}
	}
	if len(p.started) == 0 {
		return nil
	}
	slices.SortFunc(p.started, func(a, b *definition) int {
		if a.Start != b.Start {
			return int(max(-1, min(1, a.Start-b.Start)))
		}
		return strings.Compare(a.ID, b.ID)
	})
	return p
}

// running lists the experiments that run now.
func (p *plan) running(now int64) []*definition {
	if p == nil {
		return nil
	}
	var out []*definition
	for _, e := range p.started {
		if e.running(now) {
			out = append(out, e)
		}
	}
	return out
}

// assigned is what a player gets: the variant of each experiment it is in.
type assigned map[*definition]*Variant

// assign gives a player its variants. have is what it was exposed to before,
// which stays; fresh is what comes to it now. account is its title player
// account, for experiments with testers.
func (p *plan) assign(player, account string, have []Exposure, now int64) (out assigned, fresh []Exposure) {
	running := p.running(now)
	out, groups := assigned{}, map[string]bool{}
	enter := func(e *definition, v *Variant) {
		out[e] = v
		if e.Group != "" {
			groups[e.Group] = true
		}
	}
	exposed := map[string]bool{}
	for _, x := range have {
		exposed[x.Experiment] = true
		e := p.byID[x.Experiment]
		if e == nil || !e.running(now) || groups[e.Group] {
			continue
		}
		if v := e.variant(x.Variant); v != nil {
			enter(e, v)
		}
	}
	for _, testers := range []bool{true, false} { // those who test come in before the dice are thrown
		for _, e := range running {
			if exposed[e.ID] || groups[e.Group] || testers != slices.Contains(e.Testers, account) {
				continue
			}
			if v := e.draw(player, testers); v != nil {
				enter(e, v)
				fresh = append(fresh, Exposure{e.ID, v.Id, now})
			}
		}
	}
	return out, fresh
}

// variant finds a variant; nil when there is none.
func (d *definition) variant(id string) *Variant {
	for i := range d.Variants {
		if d.Variants[i].Id == id {
			return &d.Variants[i]
		}
	}
	return nil
}

// parts is how finely percentages are divided.
const parts = 10_000

// draw gives the variant that a player gets when it first meets the experiment;
// nil for none. A tester always gets one.
func (d *definition) draw(player string, tester bool) *Variant {
	if d.Group != "" && !tester && !slices.Contains(d.Slots, int(bucket(d.Group, player, 100))) {
		return nil
	}
	all := uint64(parts)
	if tester {
		all = 0
		for i := range d.Variants {
			all += uint64(d.Variants[i].TrafficPercentage) * parts / 100
		}
	}
	at := bucket(d.ID, player, all)
	for i := range d.Variants {
		share := uint64(d.Variants[i].TrafficPercentage) * parts / 100
		if at < share {
			return &d.Variants[i]
		}
		at -= share
	}
	return nil
}

// bucket spreads players evenly over n numbers, differently for every salt.
func bucket(salt, player string, n uint64) uint64 {
	sum := sha256.Sum256([]byte(salt + "\x00" + player))
	return binary.BigEndian.Uint64(sum[:8]) % n
}

// ids are the ids of the variants, in the order in which experiments started.
func (a assigned) ids(p *plan) []string {
	ids := []string{}
	for _, e := range p.started {
		if v := a[e]; v != nil {
			ids = append(ids, v.Id)
		}
	}
	return ids
}

// treatment is what a player is told. Of two variables of one name that of the
// experiment counts which started first.
func (a assigned) treatment(p *plan) TreatmentAssignment {
	t := TreatmentAssignment{Variants: a.ids(p), Variables: []Variable{}}
	names := map[string]bool{}
	for _, e := range p.started {
		v := a[e]
		if v == nil {
			continue
		}
		for _, x := range v.Variables {
			if !names[x.Name] {
				names[x.Name] = true
				t.Variables = append(t.Variables, x)
			}
		}
	}
	return t
}
