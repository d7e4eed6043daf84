package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

// Kinds of definitions.
const (
	kindExperiment = "experiment"
	kindGroup      = "group"
)

// definition is a stored experiment. Times are milliseconds since 1970, 0 for
// none.
type definition struct {
	ID          string          `json:"id"`
	Created     int64           `json:"created"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	State       ExperimentState `json:"state"`
	Start       int64           `json:"start,omitzero"`
	End         int64           `json:"end,omitzero"`
	Group       string          `json:"group,omitzero"`
	// Slots are the hundredths of the group's players that are the experiment's.
	// They stay when other experiments come and go.
	Slots    []int     `json:"slots,omitzero"`
	Testers  []string  `json:"testers,omitzero"` // title player accounts
	Variants []Variant `json:"variants"`
}

// group is a stored exclusion group.
type group struct {
	ID          string `json:"id"`
	Created     int64  `json:"created"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// stopped reports whether the experiment is over.
func (d *definition) stopped(now int64) bool {
	return d.State == Stopped || d.State == Started && d.End != 0 && now >= d.End
}

// running reports whether players get its variants now.
func (d *definition) running(now int64) bool {
	return d.State == Started && now >= d.Start && !d.stopped(now)
}

// record is the definition as the wire shows it.
func (d *definition) record(now int64) Experiment {
	e := Experiment{Id: d.ID, State: d.State, Settings: Settings{
		Name: d.Name, Description: d.Description, StartDate: account.Stamp(d.Start), ExclusionGroupId: d.Group,
		ExperimentType: Active, TitlePlayerAccountTestIds: d.Testers, Variants: d.Variants,
	}}
	if d.stopped(now) {
		e.State = Stopped
	}
	if d.End != 0 {
		e.EndDate = account.Stamp(d.End)
	}
	if d.Group != "" {
		share := int64(len(d.Slots))
		e.ExclusionGroupTrafficAllocation = &share
	}
	return e
}

// definitions are all that one title has, the oldest first.
type definitions struct {
	experiments []*definition
	groups      []*group
}

// load reads the definitions of a title.
func load(tx store.Tx, title string) (*definitions, error) {
	d := &definitions{}
	err := tx.Query(titleStmt, func(r store.Row) error { return d.add(r.Text(0), r.Text(1)) }, title)
	d.sort()
	return d, err
}

// add reads one row.
func (d *definitions) add(kind, doc string) error {
	var err error
	switch kind {
	case kindExperiment:
		e := &definition{}
		err = json.Unmarshal([]byte(doc), e)
		d.experiments = append(d.experiments, e)
	case kindGroup:
		g := &group{}
		err = json.Unmarshal([]byte(doc), g)
		d.groups = append(d.groups, g)
	default:
		err = fmt.Errorf("a definition of kind %q", kind)
	}
	if err != nil {
		return fmt.Errorf("read a stored experiment: %w", err)
	}
	return nil
}

func (d *definitions) sort() {
	age := func(at, other int64, id, otherID string) int {
		if at != other {
			return int(max(-1, min(1, at-other)))
		}
		return strings.Compare(id, otherID)
	}
	slices.SortFunc(d.experiments, func(a, b *definition) int { return age(a.Created, b.Created, a.ID, b.ID) })
	slices.SortFunc(d.groups, func(a, b *group) int { return age(a.Created, b.Created, a.ID, b.ID) })
}

// experiment finds an experiment; nil when there is none.
func (d *definitions) experiment(id string) *definition {
	for _, e := range d.experiments {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// group finds an exclusion group; nil when there is none.
func (d *definitions) group(id string) *group {
	for _, g := range d.groups {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// members are the experiments of a group that are not over.
func (d *definitions) members(group string, now int64) []*definition {
	var out []*definition
	for _, e := range d.experiments {
		if e.Group == group && !e.stopped(now) {
			out = append(out, e)
		}
	}
	return out
}

// put stores an experiment or a group.
func put(tx store.Tx, title, kind, id string, v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = tx.Exec(putStmt, title, kind, id, string(doc))
	return err
}
