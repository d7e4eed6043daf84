package pod

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ludgate/internal/engine"
)

// stateVersion is the form of the state file. A file of another form counts as
// absent: runs are then known from their names alone.
const stateVersion = 1

// groupState is what outlives the process. It holds no wish and no secret.
type groupState struct {
	Version    int
	Generation int64
	Started    bool
	Floor      int64
	NextRun    int64
	Init       []memberState
	Containers []memberState
	Events     []engine.Event
}

type memberState struct {
	Name      string
	Sum       string
	Run, Prev *runState
	Tries     int
	Restarts  int
	Strikes   int
	Started   bool
	NotBefore time.Time
	Waiting   engine.State
	Digest    string
	Events    []engine.Event
}

type runState struct {
	ID     string
	State  engine.State
	Ended  bool
	Failed bool
	Kept   bool
}

// encodeState writes what is to be kept. g.mu is held.
func (g *group) encodeState() ([]byte, error) {
	list := func(members []*member) []memberState {
		out := make([]memberState, 0, len(members))
		for _, m := range members {
			out = append(out, memberState{
				Name: m.name, Sum: m.sum, Run: m.run.keep(), Prev: m.prev.keep(),
				Tries: m.tries, Restarts: m.restarts, Strikes: m.strikes, Started: m.started,
				NotBefore: m.notBefore, Waiting: m.waiting, Digest: m.digest, Events: m.events,
			})
		}
		return out
	}
	return json.Marshal(groupState{
		Version: stateVersion, Generation: g.generation, Started: g.started, Floor: g.floor, NextRun: g.nextRun,
		Init: list(g.init), Containers: list(g.normal), Events: g.events,
	})
}

func (r *run) keep() *runState {
	if r == nil {
		return nil
	}
	return &runState{ID: r.id, State: r.state, Ended: r.ended, Failed: r.failed, Kept: r.kept}
}

func decodeState(data []byte) (*groupState, error) {
	var s groupState
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if s.Version != stateVersion {
		return nil, fmt.Errorf("state file of form %d, not %d", s.Version, stateVersion)
	}
	return &s, nil
}

// restore makes the group's facts from what was kept.
func (g *group) restore(s *groupState) {
	g.generation, g.started, g.floor, g.nextRun = s.Generation, s.Started, s.Floor, max(s.NextRun, 1)
	g.events = s.Events
	list := func(states []memberState, isInit bool) []*member {
		out := make([]*member, 0, len(states))
		for _, k := range states {
			out = append(out, &member{
				name: k.Name, init: isInit, sum: k.Sum, run: k.Run.restore(), prev: k.Prev.restore(),
				tries: k.Tries, restarts: k.Restarts, strikes: k.Strikes, started: k.Started, attempted: k.Tries > 0,
				notBefore: k.NotBefore, waiting: k.Waiting, digest: k.Digest, events: k.Events,
			})
		}
		return slices.Clip(out)
	}
	g.init, g.normal = list(s.Init, true), list(s.Containers, false)
}

func (k *runState) restore() *run {
	if k == nil {
		return nil
	}
	r := &run{id: k.ID, state: k.State, ended: k.Ended, failed: k.Failed, kept: k.Kept}
	_, r.n, r.sum, _ = parseRun(k.ID)
	return r
}
