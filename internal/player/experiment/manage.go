package experiment

import (
	"context"
	"errors"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// change lets fn change the definitions of a title and shows them here at once.
func (s *Service) change(ctx context.Context, c *call.Call, fn func(tx store.Tx, d *definitions) error) error {
	err := s.gate.Store().Write(ctx, func(tx store.Tx) error {
		d, err := load(tx, c.Title.ID)
		if err == nil {
			err = fn(tx, d)
		}
		if err == nil {
			tx.Notify(topic)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.reload(context.WithoutCancel(ctx)); err != nil {
		s.gate.Log().Warn("experiments were changed but cannot be read; the change shows when they can", "error", err)
	}
	return nil
}

func (s *Service) create(ctx context.Context, c *call.Call, r *CreateExperimentRequest) (any, error) {
	next, err := r.parse()
	if err == nil {
		err = next.identify(nil)
	}
	if err != nil {
		return nil, err
	}
	next.ID, next.Created = ludgate.NewGUID(), c.Millis()
	err = s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		open, over := 0, 0
		for _, e := range d.experiments {
			if e.stopped(c.Millis()) {
				over++
			} else {
				open++
			}
		}
		if open >= maxExperiments || over >= maxExperiments {
			return call.Refuse("ExperimentationMaxExperimentsReached", "The title has as many experiments as it may have; delete some.")
		}
		if err := d.place(next, r.ExclusionGroupTrafficAllocation, c.Millis()); err != nil {
			return err
		}
		return put(tx, c.Title.ID, kindExperiment, next.ID, next)
	})
	return CreateExperimentResult{next.ID}, err
}

func (s *Service) update(ctx context.Context, c *call.Call, r *UpdateExperimentRequest) (any, error) {
	parsed, err := r.parse()
	if err != nil {
		return nil, err
	}
	now := c.Millis()
	return nil, s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		old := d.experiment(r.Id)
		if old == nil {
			return errNoExperiment()
		}
		if old.stopped(now) {
			return errStopped()
		}
		next := *parsed
		next.Variants = append([]Variant(nil), parsed.Variants...) // this may run again
		next.ID, next.Created, next.State, next.Slots = old.ID, old.Created, old.State, old.Slots
		if err := next.identify(old.Variants); err != nil {
			return err
		}
		if old.Group != next.Group {
			next.Slots = nil
		}
		if old.State == Started {
			if next.Start == 0 {
				next.Start = old.Start
			}
			switch {
			case !old.movesNobody(&next):
				return call.Refuse("ExperimentationExperimentRunning", "The experiment was started; only its name, description, end date, percentages and testers can be changed.")
			case next.End != 0 && next.End <= max(now, next.Start):
				return call.Refuse("ExperimentationInvalidEndDate", "The end date must be in the future; stop the experiment to end it now.")
			}
		}
		if err := d.place(&next, r.ExclusionGroupTrafficAllocation, now); err != nil {
			return err
		}
		return put(tx, c.Title.ID, kindExperiment, next.ID, &next)
	})
}

func errStopped() error {
	return call.Refuse("ExperimentationExperimentStopped", "The experiment is over.")
}

func (s *Service) start(ctx context.Context, c *call.Call, r *ExperimentRequest) (any, error) {
	now := c.Millis()
	return nil, s.changeOne(ctx, c, r.ExperimentId, func(e *definition) error {
		switch {
		case e.stopped(now):
			return errStopped()
		case e.State == Started:
			return call.Refuse("ExperimentationExperimentRunning", "The experiment was started already.")
		case e.End != 0 && e.End <= now:
			return call.Refuse("ExperimentationInvalidEndDate", "The end date is over.")
		}
		e.State, e.Start = Started, max(e.Start, now)
		return nil
	})
}

func (s *Service) end(ctx context.Context, c *call.Call, r *ExperimentRequest) (any, error) {
	now := c.Millis()
	return nil, s.changeOne(ctx, c, r.ExperimentId, func(e *definition) error {
		switch {
		case e.stopped(now):
			return errStopped()
		case e.State == New:
			return call.Refuse("ExperimentationExperimentNeverStarted", "The experiment was never started.")
		}
		e.State, e.End = Stopped, now
		return nil
	})
}

// changeOne changes one experiment.
func (s *Service) changeOne(ctx context.Context, c *call.Call, id string, fn func(e *definition) error) error {
	return s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		e := d.experiment(id)
		if e == nil {
			return errNoExperiment()
		}
		if err := fn(e); err != nil {
			return err
		}
		return put(tx, c.Title.ID, kindExperiment, e.ID, e)
	})
}

func (s *Service) remove(ctx context.Context, c *call.Call, r *ExperimentRequest) (any, error) {
	return nil, s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		e := d.experiment(r.ExperimentId)
		switch {
		case e == nil:
			return errNoExperiment()
		case e.State == Started && !e.stopped(c.Millis()):
			return call.Refuse("ExperimentationExperimentRunning", "The experiment was started; stop it first.")
		}
		_, err := tx.Exec(removeStmt, c.Title.ID, kindExperiment, e.ID)
		return err
	})
}

func (s *Service) list(ctx context.Context, c *call.Call, _ *ListRequest) (any, error) {
	out := GetExperimentsResult{Experiments: []Experiment{}}
	d, err := s.definitions(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, e := range d.experiments {
		out.Experiments = append(out.Experiments, e.record(c.Millis()))
	}
	return out, nil
}

func (s *Service) definitions(ctx context.Context, c *call.Call) (d *definitions, err error) {
	err = s.gate.Store().Read(ctx, func(tx store.Tx) error { d, err = load(tx, c.Title.ID); return err })
	return d, err
}

func (s *Service) createGroup(ctx context.Context, c *call.Call, r *CreateExclusionGroupRequest) (any, error) {
	g := &group{ID: ludgate.NewGUID(), Created: c.Millis(), Name: r.Name, Description: r.Description}
	err := s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		if len(d.groups) >= maxGroups {
			return call.Refuse("ExperimentationMaxExperimentsReached", "The title has as many exclusion groups as it may have; delete some.")
		}
		if err := d.checkGroup("", g.Name, g.Description); err != nil {
			return err
		}
		return put(tx, c.Title.ID, kindGroup, g.ID, g)
	})
	return CreateExclusionGroupResult{g.ID}, err
}

func (s *Service) updateGroup(ctx context.Context, c *call.Call, r *UpdateExclusionGroupRequest) (any, error) {
	return nil, s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		g := d.group(r.ExclusionGroupId)
		if g == nil {
			return errNoGroup()
		}
		if err := d.checkGroup(g.ID, r.Name, r.Description); err != nil {
			return err
		}
		g.Name, g.Description = r.Name, r.Description
		return put(tx, c.Title.ID, kindGroup, g.ID, g)
	})
}

func (s *Service) removeGroup(ctx context.Context, c *call.Call, r *ExclusionGroupRequest) (any, error) {
	return nil, s.change(ctx, c, func(tx store.Tx, d *definitions) error {
		g := d.group(r.ExclusionGroupId)
		switch {
		case g == nil:
			return errNoGroup()
		case len(d.members(g.ID, c.Millis())) > 0:
			return call.Refuse("ExperimentationExclusionGroupCannotDelete", "Experiments that are not over are in the exclusion group.")
		}
		_, err := tx.Exec(removeStmt, c.Title.ID, kindGroup, g.ID)
		return err
	})
}

func (s *Service) listGroups(ctx context.Context, c *call.Call, _ *ListRequest) (any, error) {
	out := GetExclusionGroupsResult{ExclusionGroups: []ExperimentExclusionGroup{}}
	d, err := s.definitions(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, g := range d.groups {
		out.ExclusionGroups = append(out.ExclusionGroups, ExperimentExclusionGroup{g.ID, g.Name, g.Description})
	}
	return out, nil
}

func (s *Service) groupTraffic(ctx context.Context, c *call.Call, r *ExclusionGroupRequest) (any, error) {
	d, err := s.definitions(ctx, c)
	if err != nil {
		return nil, err
	}
	if d.group(r.ExclusionGroupId) == nil {
		return nil, errNoGroup()
	}
	out := GetExclusionGroupTrafficResult{TrafficAllocations: []ExclusionGroupTrafficAllocation{}}
	for _, e := range d.members(r.ExclusionGroupId, c.Millis()) {
		out.TrafficAllocations = append(out.TrafficAllocations, ExclusionGroupTrafficAllocation{e.ID, int64(len(e.Slots))})
	}
	return out, nil
}

// errFresh ends a Read that found something to store.
var errFresh = errors.New("experiment: a first exposure")

// treatment gives what a player gets, with a write only at its first exposure.
func (s *Service) treatment(ctx context.Context, c *call.Call, player string) (t TreatmentAssignment, err error) {
	if !s.Running(c.Title.ID, c.Now) {
		return emptyTreatment, nil
	}
	err = s.gate.Store().Read(ctx, func(tx store.Tx) error {
		t, err = s.Assign(readOnly{tx}, c.Title.ID, player, c.Now)
		return err
	})
	if errors.Is(err, errFresh) {
		err = s.gate.Store().Write(ctx, func(tx store.Tx) error {
			t, err = s.Assign(tx, c.Title.ID, player, c.Now)
			return err
		})
	}
	return t, err
}

// readOnly is a transaction of a Read, in which what would be stored is told by
// errFresh.
type readOnly struct{ store.Tx }

// Exec stores nothing.
func (readOnly) Exec(*store.Stmt, ...any) (int64, error) { return 0, errFresh }
