package experiment

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ludgate"
	"ludgate/internal/player/call"
)

// Bounds of definitions. Lengths are in code points.
const (
	maxExperiments = 100 // of a title that are not over, and of those that are
	maxGroups      = 100 // of a title
	maxVariants    = 10
	maxVariables   = 20 // of a variant
	maxTesters     = 100
	maxName        = 100
	maxDescription = 1000
	maxValue       = 1000
)

// Refusals.
func errVariants(format string, args ...any) error {
	return call.Refuse("ExperimentationInvalidVariantConfiguration", format, args...)
}

func errVariables(format string, args ...any) error {
	return call.Refuse("ExperimentationInvalidVariableConfiguration", format, args...)
}

func errNoExperiment() error {
	return call.Refuse("ExperimentationExperimentNotFound", "There is no such experiment.")
}

func errNoGroup() error {
	return call.Refuse("ExperimentationExclusionGroupNotFound", "There is no such exclusion group.")
}

// parse reads the settings of an experiment into a definition that has no id and
// no slots yet.
func (s *Settings) parse() (*definition, error) {
	f := &call.Faults{}
	tooLong := func(member, text string, most int) {
		if utf8.RuneCountInString(text) > most {
			f.Add(member, fmt.Sprintf("The field %s must be a string with a maximum length of %d.", member, most))
		}
	}
	tooLong("Name", s.Name, maxName)
	tooLong("Description", s.Description, maxDescription)
	if s.SegmentId != "" {
		f.Add("SegmentId", "Segments are not supported; leave the field out to look at all players.")
	}
	if s.ExperimentType != "" && s.ExperimentType != Active {
		f.Add("ExperimentType", "Only the type Active is supported.")
	}
	if len(s.TitlePlayerAccountTestIds) > maxTesters {
		f.Add("TitlePlayerAccountTestIds", fmt.Sprintf("There may be at most %d.", maxTesters))
	}
	for _, id := range s.TitlePlayerAccountTestIds {
		if len(id) > 32 {
			f.Add("TitlePlayerAccountTestIds", "An id is too long.")
			break
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	d := &definition{Name: s.Name, Description: s.Description, State: New, Group: s.ExclusionGroupId, Testers: s.TitlePlayerAccountTestIds}
	var ok bool
	if d.Start, ok = parseTime(s.StartDate); !ok {
		return nil, call.Refuse("ExperimentationInvalidStartDate", "The start date is not a date and time in UTC.")
	}
	if d.End, ok = parseTime(s.EndDate); !ok {
		return nil, call.Refuse("ExperimentationInvalidEndDate", "The end date is not a date and time in UTC.")
	}
	if d.End != 0 && d.End <= d.Start {
		return nil, call.Refuse("ExperimentationInvalidDuration", "The end date must be after the start date.")
	}
	variants, err := checkVariants(s.Variants)
	d.Variants = variants
	return d, err
}

// parseTime reads a date and time; none, and the minimum, are 0.
func parseTime(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() > 9999 {
		return 0, false
	}
	return max(0, at.UnixMilli()), true
}

// checkVariants holds variants against the rules and gives a copy.
func checkVariants(all []Variant) ([]Variant, error) {
	if len(all) > maxVariants {
		return nil, errVariants("There may be at most %d variants.", maxVariants)
	}
	names, total, controls := map[string]bool{}, int64(0), 0
	out := slices.Clone(all)
	for i := range out {
		v := &out[i]
		switch {
		case v.Name == "" || utf8.RuneCountInString(v.Name) > maxName || utf8.RuneCountInString(v.Description) > maxDescription:
			return nil, errVariants("Each variant must have a name of at most %d characters, and a description of at most %d.", maxName, maxDescription)
		case names[v.Name]:
			return nil, errVariants("Two variants have one name.")
		case v.TitleDataOverrideLabel != "":
			return nil, errVariants("Title data overrides are not supported; use variables.")
		case v.TrafficPercentage < 0 || v.TrafficPercentage > 100:
			return nil, errVariants("A variant's traffic must be 0 to 100 percent.")
		}
		if v.IsControl {
			controls++
		}
		names[v.Name] = true
		total += v.TrafficPercentage
		if err := checkVariables(v); err != nil {
			return nil, err
		}
	}
	switch {
	case total < 1 || total > 100:
		return nil, errVariants("The traffic of all variants together must be 1 to 100 percent.")
	case controls > 1:
		return nil, errVariants("At most one variant may be the control.")
	}
	return out, nil
}

func checkVariables(v *Variant) error {
	if len(v.Variables) > maxVariables {
		return errVariables("A variant may have at most %d variables.", maxVariables)
	}
	v.Variables = append([]Variable{}, v.Variables...)
	names := map[string]bool{}
	for _, x := range v.Variables {
		switch {
		case x.Name == "" || utf8.RuneCountInString(x.Name) > maxName || strings.TrimSpace(x.Name) != x.Name:
			return errVariables("Each variable must have a name of at most %d characters, without blanks around it.", maxName)
		case utf8.RuneCountInString(x.Value) > maxValue:
			return errVariables("A variable's value must have at most %d characters.", maxValue)
		case names[x.Name]:
			return errVariables("Two variables of a variant have one name.")
		}
		names[x.Name] = true
	}
	return nil
}

// checkGroup holds the name and description of an exclusion group against the
// rules; id is its own, "" for a new one.
func (d *definitions) checkGroup(id, name, description string) error {
	bad := utf8.RuneCountInString(name) > maxName || strings.TrimSpace(name) != name
	for _, g := range d.groups {
		bad = bad || g.ID != id && g.Name == name
	}
	if bad {
		return call.Refuse("ExperimentationExclusionGroupInvalidName", "The name must have at most %d characters, without blanks around it, and be no other group's.", maxName)
	}
	if utf8.RuneCountInString(description) > maxDescription {
		f := &call.Faults{}
		f.Add("Description", fmt.Sprintf("The field Description must be a string with a maximum length of %d.", maxDescription))
		return f.Err()
	}
	return nil
}

// hundred are all hundredths of a group.
var hundred = func() (all []int) {
	for s := range 100 {
		all = append(all, s)
	}
	return all
}()

// place gives an experiment so many hundredths of its group, those it has first.
// share is nil where the caller does not say.
func (d *definitions) place(e *definition, share *int64, now int64) error {
	if e.Group == "" {
		if e.Slots = nil; share != nil && *share != 0 {
			return call.Refuse("ExperimentationExclusionGroupInvalidTrafficAllocation", "Traffic of an exclusion group needs an exclusion group.")
		}
		return nil
	}
	if d.group(e.Group) == nil {
		return errNoGroup()
	}
	if share == nil || *share < 1 || *share > 100 {
		return call.Refuse("ExperimentationExclusionGroupInvalidTrafficAllocation", "An experiment's share of its exclusion group must be 1 to 100 percent.")
	}
	var taken [100]bool
	for _, other := range d.members(e.Group, now) {
		if other.ID != e.ID {
			for _, s := range other.Slots {
				taken[s] = true
			}
		}
	}
	var slots []int
	for _, s := range slices.Concat(e.Slots, hundred) {
		if !taken[s] && len(slots) < int(*share) {
			taken[s] = true
			slots = append(slots, s)
		}
	}
	if len(slots) < int(*share) {
		return call.Refuse("ExperimentationExclusionGroupInsufficientCapacity", "The exclusion group has no room for %d percent.", *share)
	}
	e.Slots = slots
	return nil
}

// identify gives the variants of a definition their ids: those they had in
// before, found by id or else by name, and new ones for the rest.
func (d *definition) identify(before []Variant) error {
	used := map[string]bool{}
	for i := range d.Variants {
		v := &d.Variants[i]
		at := slices.IndexFunc(before, func(b Variant) bool {
			return v.Id == b.Id || v.Id == "" && v.Name == b.Name
		})
		switch {
		case at >= 0:
			v.Id = before[at].Id
		case v.Id != "" && before != nil:
			return errVariants("The experiment has no variant of the id that one has.")
		default:
			v.Id = ludgate.NewGUID()
		}
		if used[v.Id] {
			return errVariants("Two variants have one id.")
		}
		used[v.Id] = true
	}
	return nil
}

// movesNobody reports whether next differs from d only in what leaves everybody
// who is in the experiment where they are, with what they have.
func (d *definition) movesNobody(next *definition) bool {
	if d.Group != next.Group || d.Start != next.Start || len(d.Variants) != len(next.Variants) {
		return false
	}
	for _, v := range next.Variants {
		at := slices.IndexFunc(d.Variants, func(b Variant) bool { return b.Id == v.Id })
		if at < 0 || !slices.Equal(d.Variants[at].Variables, v.Variables) || d.Variants[at].IsControl != v.IsControl {
			return false
		}
	}
	return true
}
