package experiment

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
	"ludgate/internal/ticket"
)

// TestLife is an experiment from its definition to its end, as operators and
// players see it.
func TestLife(t *testing.T) {
	f := newFixture(t)
	ann := f.player(here)
	bearer := ticket.Bearer{Title: here, Player: ann.ID, Account: ann.Account}
	session := f.tickets.Session(bearer)
	entity, _ := f.tickets.Entity(bearer, ticket.TitlePlayerAccount)
	ask := func(header, proof string, body obj) (variants, variables []any) {
		t.Helper()
		out, code := f.post("GetTreatmentAssignment", header, proof, body)
		if code != "" {
			t.Fatal(out)
		}
		a := out["TreatmentAssignment"].(map[string]any)
		return a["Variants"].([]any), a["Variables"].([]any)
	}
	none := func(when string) {
		t.Helper()
		if v, x := ask("X-EntityToken", entity, obj{}); len(v)+len(x) != 0 {
			t.Errorf("%s: %v %v", when, v, x)
		}
	}
	none("no experiment")
	id := f.ok("CreateExperiment", half)["ExperimentId"].(string)
	none("not started")
	if e := f.get(id); e["State"] != "New" || e["Name"] != "jump" || e["StartDate"] != "2026-03-01T00:00:00Z" || e["EndDate"] != nil {
		t.Errorf("new: %v", e)
	}
	f.refused("StopExperiment", obj{"ExperimentId": id}, "ExperimentationExperimentNeverStarted")
	f.ok("StartExperiment", obj{"ExperimentId": id})
	f.refused("StartExperiment", obj{"ExperimentId": id}, "ExperimentationExperimentRunning")
	f.refused("DeleteExperiment", obj{"ExperimentId": id}, "ExperimentationExperimentRunning")
	e := f.get(id)
	if e["State"] != "Started" || e["StartDate"] != "2026-03-04T05:06:07Z" {
		t.Errorf("started: %v", e)
	}
	first, variables := ask("X-EntityToken", entity, obj{})
	if len(first) != 1 || len(variables) != 1 {
		t.Fatalf("%v %v", first, variables)
	}
	for _, v := range e["Variants"].([]any) {
		if v := v.(map[string]any); v["Id"] == first[0] && !reflect.DeepEqual(v["Variables"], variables) {
			t.Errorf("variables %v of %v", variables, v)
		}
	}
	for who, proof := range map[string][2]string{"X-Authorization": {session, ""}, "X-EntityToken": {entity, ann.Account}, "X-SecretKey": {f.secrets[here], ann.ID}} {
		body := obj{}
		switch who {
		case "X-EntityToken":
			body["Entity"] = obj{"Id": proof[1], "Type": "title_player_account"}
		case "X-SecretKey":
			body["Entity"] = obj{"Id": proof[1], "Type": "master_player_account"}
		}
		if again, _ := ask(who, proof[0], body); !reflect.DeepEqual(again, first) {
			t.Errorf("%s: %v, before %v", who, again, first)
		}
	}
	var profile []string
	err := f.store.Read(t.Context(), func(tx store.Tx) (err error) {
		profile, err = f.service.Variants(tx, here, ann.ID, f.clock.now())
		return err
	})
	if err != nil || len(profile) != 1 || profile[0] != first[0] {
		t.Errorf("profile: %v %v", profile, err)
	}
	f.ok("StopExperiment", obj{"ExperimentId": id})
	none("stopped")
	if e := f.get(id); e["State"] != "Stopped" || e["EndDate"] != "2026-03-04T05:06:07Z" {
		t.Errorf("stopped: %v", e)
	}
	for _, name := range []string{"StartExperiment", "StopExperiment"} {
		f.refused(name, obj{"ExperimentId": id}, "ExperimentationExperimentStopped")
	}
	f.refused("UpdateExperiment", half.with(obj{"Id": id}), "ExperimentationExperimentStopped")
	f.ok("DeleteExperiment", obj{"ExperimentId": id})
	for _, name := range []string{"StartExperiment", "StopExperiment", "DeleteExperiment"} {
		f.refused(name, obj{"ExperimentId": id}, "ExperimentationExperimentNotFound")
	}
}

// TestProofs: operators' calls take a server's proof, and players ask about
// themselves only.
func TestProofs(t *testing.T) {
	f := newFixture(t)
	ann, ben := f.player(here), f.player(here)
	bearer := ticket.Bearer{Title: here, Player: ann.ID, Account: ann.Account}
	player, _ := f.tickets.Entity(bearer, ticket.TitlePlayerAccount)
	server, _ := f.tickets.Entity(ticket.Bearer{Title: here}, ticket.TitleEntity)
	for _, r := range f.service.Routes()[:11] {
		name := strings.TrimPrefix(r.Path, "/Experimentation/")
		for header, proof := range map[string]string{"X-Authorization": f.tickets.Session(bearer), "X-EntityToken": player, "X-SecretKey": "wrong"} {
			body := half.with(obj{"Id": "x", "ExperimentId": "x", "ExclusionGroupId": "x"})
			if out, code := f.post(name, header, proof, body); code != "NotAuthorized" {
				t.Errorf("%s with %s: %v", name, header, out)
			}
		}
		if _, code := f.post(name, "", "", obj{}); code != "NotAuthenticated" {
			t.Errorf("%s without proof: %s", name, code)
		}
	}
	if out, code := f.post("GetExperiments", "X-EntityToken", server, obj{}); code != "" {
		t.Errorf("a title entity token: %v", out)
	}
	for _, tc := range []struct {
		header, proof string
		entity        any
		want          string
	}{
		{"X-EntityToken", player, obj{"Id": ann.ID, "Type": "master_player_account"}, ""},
		{"X-EntityToken", player, obj{"Id": ben.ID, "Type": "master_player_account"}, "NotAuthorized"},
		{"X-EntityToken", player, obj{"Id": ben.Account, "Type": "title_player_account"}, "NotAuthorized"},
		{"X-EntityToken", player, obj{"Id": here, "Type": "title"}, "NotAuthorized"},
		{"X-EntityToken", server, obj{"Id": ben.ID, "Type": "master_player_account"}, ""},
		{"X-EntityToken", server, obj{"Id": "0000000000000000", "Type": "master_player_account"}, "AccountNotFound"},
		{"X-EntityToken", server, obj{"Id": ben.Account, "Type": "title_player_account"}, "InvalidParams"},
		{"X-SecretKey", f.secrets[here], nil, "InvalidParams"},
		{"X-SecretKey", f.secrets[there], obj{"Id": ben.ID, "Type": "master_player_account"}, "AccountNotFound"},
	} {
		if out, code := f.post("GetTreatmentAssignment", tc.header, tc.proof, obj{"Entity": tc.entity}); code != tc.want {
			t.Errorf("%s %v: %v, want %q", tc.header, tc.entity, out, tc.want)
		}
	}
}

func TestWhatADefinitionMaySay(t *testing.T) {
	f := newFixture(t)
	long := strings.Repeat("ü", maxName+1)
	many := func(n int) (all []obj) {
		for i := range n {
			all = append(all, variant(fmt.Sprint(i), 1))
		}
		return all
	}
	variables := func(n int) []string { return slices.Repeat([]string{"n", "v"}, n) }
	with := func(k string, v any) obj { return obj{"Variants": []obj{variant("a", 100).with(obj{k: v})}} }
	for name, tc := range map[string]struct {
		more obj
		want string
	}{
		"as it is":              {obj{}, ""},
		"longest name":          {obj{"Name": long[:2*maxName]}, ""},
		"no dates":              {obj{"StartDate": nil}, ""},
		"minimum date":          {obj{"StartDate": "0001-01-01T00:00:00Z"}, ""},
		"most variants":         {obj{"Variants": many(maxVariants)}, ""},
		"not everybody":         {obj{"Variants": []obj{variant("a", 1)}}, ""},
		"vendor's other fields": {obj{"ExperimentType": "Active", "SegmentId": "", "CustomTags": obj{"a": "b"}}, ""},

		"no name":                 {obj{"Name": nil}, "InvalidParams"},
		"long name":               {obj{"Name": long}, "InvalidParams"},
		"long description":        {obj{"Description": strings.Repeat("x", maxDescription+1)}, "InvalidParams"},
		"segment":                 {obj{"SegmentId": "payers"}, "InvalidParams"},
		"snapshot":                {obj{"ExperimentType": "Snapshot"}, "InvalidParams"},
		"many testers":            {obj{"TitlePlayerAccountTestIds": slices.Repeat([]string{"A"}, maxTesters+1)}, "InvalidParams"},
		"long tester":             {obj{"TitlePlayerAccountTestIds": []string{strings.Repeat("A", 33)}}, "InvalidParams"},
		"no variants":             {obj{"Variants": []obj{}}, "InvalidParams"},
		"start that is no date":   {obj{"StartDate": "tomorrow"}, "ExperimentationInvalidStartDate"},
		"end that is no date":     {obj{"EndDate": "2026-13-01T00:00:00Z"}, "ExperimentationInvalidEndDate"},
		"end before start":        {obj{"EndDate": "2026-03-01T00:00:00Z"}, "ExperimentationInvalidDuration"},
		"many variants":           {obj{"Variants": many(maxVariants + 1)}, "ExperimentationInvalidVariantConfiguration"},
		"unnamed variant":         {with("Name", ""), "ExperimentationInvalidVariantConfiguration"},
		"two of a name":           {obj{"Variants": []obj{variant("a", 1), variant("a", 1)}}, "ExperimentationInvalidVariantConfiguration"},
		"override":                {with("TitleDataOverrideLabel", "x"), "ExperimentationInvalidVariantConfiguration"},
		"more than all":           {obj{"Variants": []obj{variant("a", 51), variant("b", 50)}}, "ExperimentationInvalidVariantConfiguration"},
		"nobody":                  {with("TrafficPercentage", 0), "ExperimentationInvalidVariantConfiguration"},
		"less than nobody":        {obj{"Variants": []obj{variant("a", -1), variant("b", 50)}}, "ExperimentationInvalidVariantConfiguration"},
		"huge":                    {with("TrafficPercentage", math.MaxInt32), "ExperimentationInvalidVariantConfiguration"},
		"two controls":            {obj{"Variants": []obj{variant("a", 50).with(obj{"IsControl": true}), variant("control", 50)}}, "ExperimentationInvalidVariantConfiguration"},
		"unnamed variable":        {obj{"Variants": []obj{variant("a", 100, "", "x")}}, "ExperimentationInvalidVariableConfiguration"},
		"blank around a variable": {obj{"Variants": []obj{variant("a", 100, " n", "x")}}, "ExperimentationInvalidVariableConfiguration"},
		"long value":              {obj{"Variants": []obj{variant("a", 100, "n", strings.Repeat("x", maxValue+1))}}, "ExperimentationInvalidVariableConfiguration"},
		"two variables of a name": {obj{"Variants": []obj{variant("a", 100, variables(2)...)}}, "ExperimentationInvalidVariableConfiguration"},
		"many variables":          {obj{"Variants": []obj{variant("a", 100, variables(maxVariables+1)...)}}, "ExperimentationInvalidVariableConfiguration"},
		"unknown group":           {obj{"ExclusionGroupId": "x", "ExclusionGroupTrafficAllocation": 10}, "ExperimentationExclusionGroupNotFound"},
		"traffic without a group": {obj{"ExclusionGroupTrafficAllocation": 10}, "ExperimentationExclusionGroupInvalidTrafficAllocation"},
	} {
		if out, code := f.admin("CreateExperiment", half.with(tc.more)); code != tc.want {
			t.Errorf("%s: got %v, want %q", name, out, tc.want)
		}
	}
}

func TestExperimentsAreLimited(t *testing.T) {
	f := newFixture(t)
	for range maxExperiments {
		f.ok("CreateExperiment", half)
	}
	f.refused("CreateExperiment", half, "ExperimentationMaxExperimentsReached")
}

func TestUpdate(t *testing.T) {
	f := newFixture(t)
	id := f.ok("CreateExperiment", half)["ExperimentId"].(string)
	before := f.get(id)
	ids := func(e obj) (out []any) {
		for _, v := range e["Variants"].([]any) {
			out = append(out, v.(map[string]any)["Id"])
		}
		return out
	}
	// New: everything may change; a variant keeps its id by name.
	f.ok("UpdateExperiment", half.with(obj{"Id": id, "Name": "leap", "Variants": []obj{variant("high", 30, "height", "3"), variant("low", 30)}}))
	e := f.get(id)
	if e["Name"] != "leap" || ids(e)[0] != ids(before)[1] || ids(e)[1] == ids(before)[0] {
		t.Errorf("%v, before %v", e, before)
	}
	f.refused("UpdateExperiment", half.with(obj{"Id": id, "Variants": []obj{variant("a", 1).with(obj{"Id": "made-up"})}}), "ExperimentationInvalidVariantConfiguration")
	f.refused("UpdateExperiment", half.with(obj{"Id": "x"}), "ExperimentationExperimentNotFound")

	f.ok("StartExperiment", obj{"ExperimentId": id})
	running := half.with(obj{"Id": id, "StartDate": nil, "Variants": []obj{variant("high", 90, "height", "3"), variant("low", 10)}})
	f.ok("UpdateExperiment", running.with(obj{"Description": "more of it", "EndDate": "2026-03-05T00:00:00Z"}))
	if e := f.get(id); e["Description"] != "more of it" || e["EndDate"] != "2026-03-05T00:00:00Z" || e["StartDate"] != "2026-03-04T05:06:07Z" {
		t.Errorf("%v", e)
	}
	for name, more := range map[string]obj{
		"variables": {"Variants": []obj{variant("high", 50, "height", "9"), variant("low", 50)}},
		"variants":  {"Variants": []obj{variant("high", 50, "height", "3")}},
		"another":   {"Variants": []obj{variant("high", 50, "height", "3"), variant("new", 50)}},
		"start":     {"StartDate": "2026-03-04T05:06:08Z"},
		"group":     {"ExclusionGroupId": "x", "ExclusionGroupTrafficAllocation": 1},
	} {
		t.Log(name)
		f.refused("UpdateExperiment", running.with(more), "ExperimentationExperimentRunning")
	}
	f.refused("UpdateExperiment", running.with(obj{"EndDate": "2026-03-04T05:06:07Z"}), "ExperimentationInvalidEndDate")
	// Its end comes by itself.
	player := f.player(here).ID
	if got := f.assign(here, player); len(got.Variants) != 1 {
		t.Errorf("%v", got)
	}
	f.clock.advance(24 * time.Hour)
	if got := f.assign(here, player); len(got.Variants) != 0 {
		t.Errorf("after its end: %v", got)
	}
	if e := f.get(id); e["State"] != "Stopped" {
		t.Errorf("after its end: %v", e)
	}
	f.refused("UpdateExperiment", running.with(obj{"EndDate": "2027-01-01T00:00:00Z"}), "ExperimentationExperimentStopped")
}

func TestStartsLater(t *testing.T) {
	f := newFixture(t)
	f.create(half.with(obj{"StartDate": "2026-03-04T06:00:00Z"}))
	if got := f.assign(here, "P"); len(got.Variants) != 0 {
		t.Errorf("before its start: %v", got)
	}
	f.clock.advance(time.Hour)
	if got := f.assign(here, "P"); len(got.Variants) != 1 {
		t.Errorf("after its start: %v", got)
	}
	past := f.ok("CreateExperiment", half.with(obj{"EndDate": "2026-03-02T00:00:00Z"}))["ExperimentId"]
	f.refused("StartExperiment", obj{"ExperimentId": past}, "ExperimentationInvalidEndDate")
}

// TestNothingRunsNothingCosts: without a transaction there is nothing to read.
func TestNothingRunsNothingCosts(t *testing.T) {
	f := newFixture(t)
	f.ok("CreateExperiment", half)
	if got, err := f.service.Assign(nil, here, "P", f.clock.now()); err != nil || got.Variants == nil || got.Variables == nil || len(got.Variants) != 0 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := f.service.Variants(nil, here, "P", f.clock.now()); err != nil || got != nil {
		t.Errorf("%v %v", got, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = f.service.Assign(nil, here, "P", f.clock.now()) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTitlesAreApart: nothing of one title shows in another.
func TestTitlesAreApart(t *testing.T) {
	f := newFixture(t)
	f.create(half)
	if got := f.assign(there, "P"); len(got.Variants) != 0 {
		t.Errorf("%v", got)
	}
	out, _ := f.post("GetExperiments", "X-SecretKey", f.secrets[there], obj{})
	if len(out["Experiments"].([]any)) != 0 {
		t.Errorf("%v", out)
	}
}

func TestSticky(t *testing.T) {
	f := newFixture(t)
	id := f.create(half)
	before := map[string]string{}
	for i := range 200 {
		player := fmt.Sprint("P", i)
		before[player] = f.assign(here, player).Variants[0]
	}
	f.ok("UpdateExperiment", half.with(obj{"Id": id, "StartDate": nil, "Variants": []obj{variant("control", 1, "height", "1"), variant("high", 0, "height", "2")}}))
	for player, v := range before {
		if got := f.assign(here, player).Variants; len(got) != 1 || got[0] != v {
			t.Fatalf("%s had %s, has %v", player, v, got)
		}
	}
	in := 0
	for i := range 500 {
		in += len(f.assign(here, fmt.Sprint("Q", i)).Variants)
	}
	if in > 25 {
		t.Errorf("%d of 500 new players, want about 5", in)
	}
}

// TestConcurrentFirstExposures: many sign-ins of one player at once, some by
// another node, while the percentages change: all hear the same in the end.
func TestConcurrentFirstExposures(t *testing.T) {
	f := newFixture(t)
	id := f.create(half)
	other := must(Open(t.Context(), f.gate))(t) // another node
	defer other.Close()
	const players, callers = 20, 8
	var mu sync.Mutex
	heard := map[string]map[string]bool{}
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			node := []*Service{f.service, other}[c%2]
			for i := range players {
				player := fmt.Sprint("P", i)
				var got TreatmentAssignment
				err := f.store.Write(t.Context(), func(tx store.Tx) (err error) {
					got, err = node.Assign(tx, here, player, f.clock.now())
					return err
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				if heard[player] == nil {
					heard[player] = map[string]bool{}
				}
				heard[player][fmt.Sprint(got)] = true
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for i := range 5 {
			f.ok("UpdateExperiment", half.with(obj{"Id": id, "StartDate": nil, "Variants": []obj{variant("control", 20*i, "height", "1"), variant("high", 100-20*i, "height", "2")}}))
		}
	})
	wg.Wait()
	for player, all := range heard {
		if len(all) != 1 {
			t.Errorf("%s heard %v", player, all)
		}
	}
}

// TestOtherNodesFollow: a definition made on one node runs on the other.
func TestOtherNodesFollow(t *testing.T) {
	f := newFixture(t)
	other := must(Open(t.Context(), f.gate))(t)
	defer other.Close()
	f.create(half)
	for range 500 {
		if other.Running(here, f.clock.now()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the other node does not know the experiment")
}

func TestVariablesOfSeveral(t *testing.T) {
	f := newFixture(t)
	f.create(obj{"Name": "a", "Variants": []obj{variant("x", 100, "speed", "1", "hat", "red")}})
	f.clock.advance(time.Second)
	f.create(obj{"Name": "b", "Variants": []obj{variant("y", 100, "speed", "2", "coat", "blue")}})
	got := f.assign(here, "P")
	want := []Variable{{"speed", "1"}, {"hat", "red"}, {"coat", "blue"}}
	if len(got.Variants) != 2 || !reflect.DeepEqual(got.Variables, want) {
		t.Errorf("%v", got)
	}
}

func TestDeleteExportImport(t *testing.T) {
	f := newFixture(t)
	f.create(half)
	in := func(fn func(tx store.Tx) error) {
		t.Helper()
		if err := f.store.Write(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	got := f.assign(here, "P")
	var dump, gone *Dump
	in(func(tx store.Tx) (err error) { dump, err = f.service.Export(tx, here, "P"); return err })
	if dump == nil || len(dump.Exposures) != 1 || dump.Exposures[0].Variant != got.Variants[0] {
		t.Fatalf("%+v", dump)
	}
	in(func(tx store.Tx) error { return f.service.Delete(tx, here, "P") })
	in(func(tx store.Tx) (err error) { gone, err = f.service.Export(tx, here, "P"); return err })
	if gone != nil {
		t.Errorf("after deletion: %+v", gone)
	}
	// An import decides, not the dice.
	other := f.get(dump.Exposures[0].Experiment)["Variants"].([]any)
	for _, v := range other {
		if id := v.(map[string]any)["Id"].(string); id != got.Variants[0] {
			dump.Exposures[0].Variant = id
		}
	}
	in(func(tx store.Tx) error { return f.service.Import(tx, here, "P", dump) })
	if again := f.assign(here, "P"); again.Variants[0] != dump.Exposures[0].Variant {
		t.Errorf("imported %v, got %v", dump, again)
	}
	x := dump.Exposures[0]
	for name, bad := range map[string][]Exposure{
		"no id":   {{"x", x.Variant, 1}},
		"variant": {{x.Experiment, "", 1}},
		"time":    {{x.Experiment, x.Variant, -1}},
		"late":    {{x.Experiment, x.Variant, account.Forever + 1}},
		"twice":   {x, x},
		"many":    make([]Exposure, 3*maxExperiments+1),
	} {
		err := f.store.Write(t.Context(), func(tx store.Tx) error { return f.service.Import(tx, here, "Q", &Dump{bad}) })
		if err == nil {
			t.Errorf("%s is imported", name)
		}
	}
	in(func(tx store.Tx) error { return f.service.DeleteTitle(tx, here) })
	in(func(tx store.Tx) (err error) { gone, err = f.service.Export(tx, here, "P"); return err })
	if gone != nil || len(f.ok("GetExperiments", obj{})["Experiments"].([]any)) != 0 {
		t.Error("something of the title is left")
	}
}

// TestOldExposuresAreDropped: the row of a player does not grow for ever.
func TestOldExposuresAreDropped(t *testing.T) {
	f := newFixture(t)
	for range 5 {
		id := f.create(half)
		f.assign(here, "P")
		f.clock.advance(2 * time.Hour)
		f.ok("StopExperiment", obj{"ExperimentId": id})
		f.ok("DeleteExperiment", obj{"ExperimentId": id})
	}
	f.create(half)
	f.assign(here, "P")
	var dump *Dump
	_ = f.store.Read(t.Context(), func(tx store.Tx) (err error) { dump, err = f.service.Export(tx, here, "P"); return err })
	if len(dump.Exposures) != 1 {
		t.Errorf("%+v", dump)
	}
}
