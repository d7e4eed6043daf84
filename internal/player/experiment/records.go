package experiment

import "ludgate/internal/player/call"

// TreatmentAssignment is what a player gets of all running experiments. Both
// lists are always there.
type TreatmentAssignment struct {
	Variants  []string   `json:"Variants"` // ids
	Variables []Variable `json:"Variables"`
}

// Variable is one variable of a variant.
type Variable struct {
	Name  string `json:"Name"`
	Value string `json:"Value,omitzero"`
}

// Variant is one of the things that an experiment compares.
type Variant struct {
	Id                     string     `json:"Id,omitzero"` // given by the service
	Name                   string     `json:"Name"`
	Description            string     `json:"Description,omitzero"`
	IsControl              bool       `json:"IsControl"`
	TrafficPercentage      int64      `json:"TrafficPercentage"` // of the experiment's players
	TitleDataOverrideLabel string     `json:"TitleDataOverrideLabel,omitzero"`
	Variables              []Variable `json:"Variables"`
}

// ExperimentState is where an experiment is in its life.
type ExperimentState string

// States.
const (
	New     ExperimentState = "New"     // nobody is in it yet
	Started ExperimentState = "Started" // it runs from its start date on
	Stopped ExperimentState = "Stopped" // by a call or its end date, for good
)

// ExperimentType says which players are looked at.
type ExperimentType string

// Active experiments look at every player when it signs in; there is no other
// type here.
const Active ExperimentType = "Active"

// Settings are what an operator says about an experiment.
type Settings struct {
	Name                            string         `json:"Name" required:"true"`
	Description                     string         `json:"Description,omitzero"`
	StartDate                       string         `json:"StartDate"` // absent: when it is started
	EndDate                         string         `json:"EndDate,omitzero"`
	ExclusionGroupId                string         `json:"ExclusionGroupId,omitzero"`
	ExclusionGroupTrafficAllocation *int64         `json:"ExclusionGroupTrafficAllocation,omitzero"`
	ExperimentType                  ExperimentType `json:"ExperimentType,omitzero"`
	SegmentId                       string         `json:"SegmentId,omitzero"`
	TitlePlayerAccountTestIds       []string       `json:"TitlePlayerAccountTestIds,omitzero"`
	Variants                        []Variant      `json:"Variants" required:"true"`
}

// Experiment is one experiment as operators see it.
type Experiment struct {
	Id string `json:"Id"`
	Settings
	State ExperimentState `json:"State"`
}

// CreateExperimentRequest makes an experiment.
type CreateExperimentRequest struct{ Settings }

// CreateExperimentResult names it.
type CreateExperimentResult struct {
	ExperimentId string `json:"ExperimentId"`
}

// UpdateExperimentRequest changes an experiment: all of it while it is new, else
// what moves nobody who is in it.
type UpdateExperimentRequest struct {
	Id string `json:"Id" required:"true"`
	Settings
}

// ExperimentRequest names an experiment to start, stop or delete.
type ExperimentRequest struct {
	ExperimentId string `json:"ExperimentId" required:"true"`
}

// ListRequest asks for all experiments or exclusion groups.
type ListRequest struct{}

// GetExperimentsResult lists a title's experiments, the oldest first.
type GetExperimentsResult struct {
	Experiments []Experiment `json:"Experiments"`
}

// CreateExclusionGroupRequest makes an exclusion group.
type CreateExclusionGroupRequest struct {
	Name        string `json:"Name" required:"true"`
	Description string `json:"Description"`
}

// CreateExclusionGroupResult names it.
type CreateExclusionGroupResult struct {
	ExclusionGroupId string `json:"ExclusionGroupId"`
}

// UpdateExclusionGroupRequest changes what people call an exclusion group.
type UpdateExclusionGroupRequest struct {
	ExclusionGroupId string `json:"ExclusionGroupId" required:"true"`
	Name             string `json:"Name" required:"true"`
	Description      string `json:"Description"`
}

// ExclusionGroupRequest names an exclusion group.
type ExclusionGroupRequest struct {
	ExclusionGroupId string `json:"ExclusionGroupId" required:"true"`
}

// ExperimentExclusionGroup is one exclusion group.
type ExperimentExclusionGroup struct {
	ExclusionGroupId string `json:"ExclusionGroupId"`
	Name             string `json:"Name"`
	Description      string `json:"Description,omitzero"`
}

// GetExclusionGroupsResult lists a title's exclusion groups, the oldest first.
type GetExclusionGroupsResult struct {
	ExclusionGroups []ExperimentExclusionGroup `json:"ExclusionGroups"`
}

// ExclusionGroupTrafficAllocation is how much of a group one experiment has.
type ExclusionGroupTrafficAllocation struct {
	ExperimentId      string `json:"ExperimentId"`
	TrafficAllocation int64  `json:"TrafficAllocation"` // percent
}

// GetExclusionGroupTrafficResult lists those that are not stopped.
type GetExclusionGroupTrafficResult struct {
	TrafficAllocations []ExclusionGroupTrafficAllocation `json:"TrafficAllocations"`
}

// GetTreatmentAssignmentRequest asks what a player gets. Without an Entity it is
// the caller.
type GetTreatmentAssignmentRequest struct {
	Entity *call.EntityKey `json:"Entity"`
}

// GetTreatmentAssignmentResult is the answer.
type GetTreatmentAssignmentResult struct {
	TreatmentAssignment TreatmentAssignment `json:"TreatmentAssignment"`
}

// Dump is what is stored about one player, for export and import.
type Dump struct {
	Exposures []Exposure `json:"Exposures,omitzero"`
}

// Exposure is one variant that a player got.
type Exposure struct {
	Experiment string `json:"Experiment"`
	Variant    string `json:"Variant"`
	At         int64  `json:"At"` // milliseconds since 1970
}
