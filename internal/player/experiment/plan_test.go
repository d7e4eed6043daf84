package experiment

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"ludgate"
	"ludgate/internal/store"
)

// made makes a running experiment with variants of those percentages.
func made(group string, slots []int, percentages ...int64) *definition {
	d := &definition{ID: ludgate.NewGUID(), State: Started, Start: 1, Group: group, Slots: slots}
	for i, p := range percentages {
		d.Variants = append(d.Variants, Variant{Id: fmt.Sprint(d.ID, i), TrafficPercentage: p})
	}
	return d
}

func slots(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// within reports whether a count of n is what a share would give, give or take
// five standard deviations: once in two million times it is not.
func within(count, n int, share float64) bool {
	return math.Abs(float64(count)-float64(n)*share) <= 5*math.Sqrt(float64(n)*share*(1-share))+1
}

const players = 100_000

// playerID is an id as players have them: they grow with time.
func playerID(i int) string { return fmt.Sprintf("%010X%06X", 0x65_4321_0000+i/3, i*7919&0xffffff) }

func TestAllocation(t *testing.T) {
	a, b := made("", nil, 10, 20, 50), made("", nil, 50, 50)
	p := newPlan(&definitions{experiments: []*definition{a, b}}, 10)
	counts, both := map[string]int{}, 0
	for i := range players {
		got, fresh := p.assign(playerID(i), "", nil, 10)
		if len(fresh) != len(got) {
			t.Fatal("a first exposure is not told")
		}
		for _, v := range got {
			counts[v.Id]++
		}
		if got[a] == &a.Variants[2] && got[b] == &b.Variants[0] {
			both++
		}
	}
	for _, d := range []*definition{a, b} {
		for _, v := range d.Variants {
			if !within(counts[v.Id], players, float64(v.TrafficPercentage)/100) {
				t.Errorf("%d of %d players for %d percent", counts[v.Id], players, v.TrafficPercentage)
			}
		}
	}
	if !within(both, players, 0.25) { // experiments do not sort players alike
		t.Errorf("%d of %d players are in the halves of both experiments", both, players)
	}
}

func TestExclusion(t *testing.T) {
	a, b, free := made("g", slots(0, 30), 50, 50), made("g", slots(30, 50), 100), made("", nil, 100)
	p := newPlan(&definitions{experiments: []*definition{a, b, free}}, 10)
	counts := map[*definition]int{}
	for i := range players {
		got, _ := p.assign(playerID(i), "", nil, 10)
		for d := range got {
			counts[d]++
		}
		if got[a] != nil && got[b] != nil {
			t.Fatal("a player is in two experiments of a group")
		}
	}
	for d, share := range map[*definition]float64{a: 0.3, b: 0.2} {
		if !within(counts[d], players, share) {
			t.Errorf("%d of %d players for %v", counts[d], players, share)
		}
	}
	if counts[free] != players {
		t.Error("an experiment outside the group has not everybody")
	}
}

// TestExclusionWhileSharesMove: whoever is in an experiment stays there and
// comes into no other of its group, although its hundredth is another's now.
func TestExclusionWhileSharesMove(t *testing.T) {
	a, b := made("g", slots(0, 60), 100), made("g", slots(60, 80), 100)
	p := newPlan(&definitions{experiments: []*definition{a, b}}, 10)
	was := map[string][]Exposure{}
	for i := range 10_000 {
		_, was[playerID(i)] = p.assign(playerID(i), "", nil, 10)
	}
	a.Slots, b.Slots = slots(0, 10), slots(10, 100)
	for id, have := range was {
		got, fresh := p.assign(id, "", have, 20)
		switch {
		case len(got) > 1:
			t.Fatal("a player is in two experiments of a group")
		case len(have) == 1 && (len(fresh) > 0 || got[p.byID[have[0].Experiment]] == nil):
			t.Fatal("a player was moved")
		case len(have) == 0 && got[b] == nil: // slots 80 to 99 are b's now
			t.Fatal("a player that is free does not come in")
		}
	}
	// Two nodes of which one did not know an experiment yet: the earlier counts.
	got, _ := p.assign("P", "", []Exposure{{b.ID, b.Variants[0].Id, 5}, {a.ID, a.Variants[0].Id, 6}}, 20)
	if got[b] == nil || got[a] != nil {
		t.Error("not the earlier exposure of two counts")
	}
	// When it is over, its players are free.
	a.State = Stopped
	q := newPlan(&definitions{experiments: []*definition{a, b}}, 30)
	b.Slots = slots(0, 100)
	for id, have := range was {
		if got, _ := q.assign(id, "", have, 30); got[b] == nil {
			t.Fatal("a player of an experiment that is over is not free")
		}
	}
}

func TestTesters(t *testing.T) {
	a, b := made("g", slots(0, 1), 1, 0), made("g", slots(1, 2), 1)
	a.Start, b.Start = 1, 2
	a.Testers, b.Testers = []string{"ann"}, []string{"ann", "ben"}
	p := newPlan(&definitions{experiments: []*definition{a, b}}, 10)
	if got, _ := p.assign("P1", "ann", nil, 10); got[a] == nil || got[b] != nil {
		t.Errorf("ann: %v", got)
	}
	if got, _ := p.assign("P2", "ben", nil, 10); got[b] == nil || got[a] != nil {
		t.Errorf("ben: %v", got)
	}
}

func TestGroups(t *testing.T) {
	f := newFixture(t)
	g := f.ok("CreateExclusionGroup", obj{"Name": "jumps", "Description": "one at a time"})["ExclusionGroupId"].(string)
	f.refused("CreateExclusionGroup", obj{"Name": "jumps"}, "ExperimentationExclusionGroupInvalidName")
	f.refused("CreateExclusionGroup", obj{"Name": " jumps"}, "ExperimentationExclusionGroupInvalidName")
	f.refused("CreateExclusionGroup", obj{}, "InvalidParams")
	in := func(share any) obj {
		return half.with(obj{"ExclusionGroupId": g, "ExclusionGroupTrafficAllocation": share})
	}
	for _, share := range []any{nil, 0, 101, -1} {
		f.refused("CreateExperiment", in(share), "ExperimentationExclusionGroupInvalidTrafficAllocation")
	}
	a := f.create(in(60))
	f.refused("CreateExperiment", in(41), "ExperimentationExclusionGroupInsufficientCapacity")
	b := f.create(in(40))
	traffic := func() map[string]float64 {
		out := map[string]float64{}
		for _, x := range f.ok("GetExclusionGroupTraffic", obj{"ExclusionGroupId": g})["TrafficAllocations"].([]any) {
			x := x.(map[string]any)
			out[x["ExperimentId"].(string)] = x["TrafficAllocation"].(float64)
		}
		return out
	}
	if got := traffic(); len(got) != 2 || got[a] != 60 || got[b] != 40 {
		t.Errorf("%v", got)
	}
	f.refused("UpdateExperiment", in(61).with(obj{"Id": a, "StartDate": nil}), "ExperimentationExclusionGroupInsufficientCapacity")
	f.ok("UpdateExperiment", in(50).with(obj{"Id": a, "StartDate": nil}))
	f.ok("UpdateExperiment", in(50).with(obj{"Id": b, "StartDate": nil}))
	if e := f.get(b); e["ExclusionGroupTrafficAllocation"] != 50.0 || e["ExclusionGroupId"] != g {
		t.Errorf("%v", e)
	}
	for i := range 300 { // everybody is in exactly one
		if got := f.assign(here, fmt.Sprint("P", i)); len(got.Variants) != 1 {
			t.Fatalf("%v", got)
		}
	}
	f.ok("UpdateExclusionGroup", obj{"ExclusionGroupId": g, "Name": "leaps"})
	list := f.ok("GetExclusionGroups", obj{})["ExclusionGroups"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["Name"] != "leaps" || list[0].(map[string]any)["Description"] != nil {
		t.Errorf("%v", list)
	}
	f.refused("DeleteExclusionGroup", obj{"ExclusionGroupId": g}, "ExperimentationExclusionGroupCannotDelete")
	f.ok("StopExperiment", obj{"ExperimentId": a})
	f.ok("CreateExperiment", in(50)) // its share is free again
	f.refused("CreateExperiment", in(1), "ExperimentationExclusionGroupInsufficientCapacity")
	for _, e := range f.ok("GetExperiments", obj{})["Experiments"].([]any) {
		if e := e.(map[string]any); e["State"] == "Started" {
			f.ok("StopExperiment", obj{"ExperimentId": e["Id"]})
		} else if e["State"] == "New" {
			f.ok("DeleteExperiment", obj{"ExperimentId": e["Id"]})
		}
	}
	f.ok("DeleteExclusionGroup", obj{"ExclusionGroupId": g})
	for _, name := range []string{"DeleteExclusionGroup", "UpdateExclusionGroup", "GetExclusionGroupTraffic"} {
		f.refused(name, obj{"ExclusionGroupId": g, "Name": "x"}, "ExperimentationExclusionGroupNotFound")
	}
}

// TestConcurrentDefinitions: of experiments that are made at once for one group,
// those that fit are made, and no hundredth is given twice.
func TestConcurrentDefinitions(t *testing.T) {
	f := newFixture(t)
	g := f.ok("CreateExclusionGroup", obj{"Name": "g"})["ExclusionGroupId"].(string)
	var wg sync.WaitGroup
	var made atomic.Int32
	for range 12 {
		wg.Go(func() {
			_, code := f.admin("CreateExperiment", half.with(obj{"ExclusionGroupId": g, "ExclusionGroupTrafficAllocation": 20}))
			switch code {
			case "":
				made.Add(1)
			case "ExperimentationExclusionGroupInsufficientCapacity":
			default:
				t.Error(code)
			}
		})
	}
	wg.Wait()
	given := map[int]bool{}
	err := f.store.Read(t.Context(), func(tx store.Tx) error {
		d, err := load(tx, here)
		for _, e := range d.experiments {
			for _, s := range e.Slots {
				if given[s] {
					t.Errorf("hundredth %d is given twice", s)
				}
				given[s] = true
			}
		}
		return err
	})
	if err != nil || made.Load() != 5 || len(given) != 100 {
		t.Errorf("%d experiments have %d hundredths (%v)", made.Load(), len(given), err)
	}
}

func BenchmarkAssign(b *testing.B) {
	d := &definitions{}
	for range 5 {
		d.experiments = append(d.experiments, made("", nil, 50, 50))
	}
	p := newPlan(d, 10)
	_, have := p.assign("P", "", nil, 10)
	b.ReportAllocs()
	for b.Loop() {
		p.assign("P", "", have, 20)
	}
}
