package data

import "github.com/go-json-experiment/json/jsontext"

// UserDataPermission says who may read a key of a player's data.
type UserDataPermission string

// Permissions.
const (
	Private UserDataPermission = "Private" // the player and the title's servers
	Public  UserDataPermission = "Public"  // other players, too
)

// UserDataRecord is one key of a player's data (P-2.UserDataRecord).
type UserDataRecord struct {
	Value       string             `json:"Value"`
	LastUpdated string             `json:"LastUpdated"`
	Permission  UserDataPermission `json:"Permission"`
}

// GetUserDataRequest asks for user data. Nil Keys are all keys. With
// IfChangedFromDataVersion nothing is sent unless the version is greater.
type GetUserDataRequest struct {
	PlatformId               string   `json:"PlatformId"`
	Keys                     []string `json:"Keys"`
	IfChangedFromDataVersion *uint32  `json:"IfChangedFromDataVersion"`
}

// GetUserDataResult is user data by key. PlatformId is sent to servers only.
type GetUserDataResult struct {
	PlatformId  string                    `json:"PlatformId,omitzero"`
	DataVersion uint32                    `json:"DataVersion"`
	Data        map[string]UserDataRecord `json:"Data"`
}

// UpdateUserDataRequest writes and removes keys. A null value removes its key;
// so does a place in KeysToRemove. Permission is that of the keys written.
type UpdateUserDataRequest struct {
	PlatformId   string             `json:"PlatformId"`
	Data         map[string]*string `json:"Data"`
	KeysToRemove []string           `json:"KeysToRemove"`
	Permission   UserDataPermission `json:"Permission"`
}

// UpdateUserDataResult is the version that an update made.
type UpdateUserDataResult struct {
	DataVersion uint32 `json:"DataVersion"`
}

// StatisticAggregationMethod says what a write does with the value before it.
type StatisticAggregationMethod string

// Aggregation methods.
const (
	Last StatisticAggregationMethod = "Last"
	Min  StatisticAggregationMethod = "Min"
	Max  StatisticAggregationMethod = "Max"
	Sum  StatisticAggregationMethod = "Sum"
)

// StatisticResetIntervalOption says when a statistic's next version begins: at
// the full hour, midnight, Monday's midnight or the first of the month, in UTC.
type StatisticResetIntervalOption string

// Reset intervals.
const (
	Never StatisticResetIntervalOption = "Never"
	Hour  StatisticResetIntervalOption = "Hour"
	Day   StatisticResetIntervalOption = "Day"
	Week  StatisticResetIntervalOption = "Week"
	Month StatisticResetIntervalOption = "Month"
)

// StatisticValue is a player's value of a statistic (P-2.StatisticValue).
type StatisticValue struct {
	StatisticName string `json:"StatisticName"`
	Value         int32  `json:"Value"`
	Version       uint32 `json:"Version"`
}

// StatisticNameVersion names one version of a statistic.
type StatisticNameVersion struct {
	StatisticName string `json:"StatisticName"`
	Version       uint32 `json:"Version"`
}

// GetPlayerStatisticsRequest asks for values. StatisticNameVersions counts only
// where StatisticNames is absent; without both it is every current value.
type GetPlayerStatisticsRequest struct {
	PlatformId            string                 `json:"PlatformId"`
	StatisticNames        []string               `json:"StatisticNames"`
	StatisticNameVersions []StatisticNameVersion `json:"StatisticNameVersions"`
}

// GetPlayerStatisticsResult is values by name. PlatformId is sent to servers only.
type GetPlayerStatisticsResult struct {
	PlatformId string           `json:"PlatformId,omitzero"`
	Statistics []StatisticValue `json:"Statistics"`
}

// StatisticUpdate writes one value. Version is the one the writer believes
// current; nil is whichever is.
type StatisticUpdate struct {
	StatisticName string  `json:"StatisticName"`
	Value         int32   `json:"Value"`
	Version       *uint32 `json:"Version"`
}

// UpdatePlayerStatisticsRequest writes values. ForceUpdate (of servers) sets
// them, whatever the aggregation method.
type UpdatePlayerStatisticsRequest struct {
	PlatformId  string            `json:"PlatformId"`
	ForceUpdate bool              `json:"ForceUpdate"`
	Statistics  []StatisticUpdate `json:"Statistics" required:"true"`
}

// DefinitionRequest makes or changes a statistic's definition; absent members
// are Last and Never in a new one, and stay as they are in another.
type DefinitionRequest struct {
	StatisticName         string                       `json:"StatisticName" required:"true"`
	AggregationMethod     StatisticAggregationMethod   `json:"AggregationMethod"`
	VersionChangeInterval StatisticResetIntervalOption `json:"VersionChangeInterval"`
}

// PlayerStatisticDefinition is a statistic of a title.
type PlayerStatisticDefinition struct {
	StatisticName         string                       `json:"StatisticName"`
	CurrentVersion        uint32                       `json:"CurrentVersion"`
	AggregationMethod     StatisticAggregationMethod   `json:"AggregationMethod"`
	VersionChangeInterval StatisticResetIntervalOption `json:"VersionChangeInterval"`
}

// DefinitionResult is one definition.
type DefinitionResult struct {
	Statistic PlayerStatisticDefinition `json:"Statistic"`
}

// DefinitionsResult is every definition of a title, by name.
type DefinitionsResult struct {
	Statistics []PlayerStatisticDefinition `json:"Statistics"`
}

// StatisticNameRequest names a statistic.
type StatisticNameRequest struct {
	StatisticName string `json:"StatisticName" required:"true"`
}

// StatisticVersionStatus says whether a version takes values.
type StatisticVersionStatus string

// States of a version.
const (
	Active   StatisticVersionStatus = "Active"
	Snapshot StatisticVersionStatus = "Snapshot" // closed; its values stay as they are
)

// PlayerStatisticVersion is the life of one version. The scheduled times are
// those that a reset interval sets.
type PlayerStatisticVersion struct {
	StatisticName             string                 `json:"StatisticName"`
	Version                   uint32                 `json:"Version"`
	ScheduledActivationTime   string                 `json:"ScheduledActivationTime,omitzero"`
	ActivationTime            string                 `json:"ActivationTime"`
	ScheduledDeactivationTime string                 `json:"ScheduledDeactivationTime,omitzero"`
	DeactivationTime          string                 `json:"DeactivationTime,omitzero"`
	Status                    StatisticVersionStatus `json:"Status"`
}

// VersionResult is one version.
type VersionResult struct {
	StatisticVersion PlayerStatisticVersion `json:"StatisticVersion"`
}

// VersionsResult is the newest versions of a statistic, oldest first.
type VersionsResult struct {
	StatisticVersions []PlayerStatisticVersion `json:"StatisticVersions"`
}

// ObjectResult is a stored object, as JSON or as a string that holds it.
type ObjectResult struct {
	ObjectName        string         `json:"ObjectName"`
	DataObject        jsontext.Value `json:"DataObject,omitzero"`
	EscapedDataObject string         `json:"EscapedDataObject,omitzero"`
}

// SetObject writes or deletes one object.
type SetObject struct {
	ObjectName        string         `json:"ObjectName"`
	DataObject        jsontext.Value `json:"DataObject"`
	EscapedDataObject *string        `json:"EscapedDataObject"`
	DeleteObject      bool           `json:"DeleteObject"`
}

// OperationTypes says what became of an object.
type OperationTypes string

// What can become of an object.
const (
	Created OperationTypes = "Created"
	Updated OperationTypes = "Updated"
	Deleted OperationTypes = "Deleted"
	None    OperationTypes = "None" // it was so already
)

// SetObjectInfo says what became of one object and, for None, why.
type SetObjectInfo struct {
	ObjectName      string         `json:"ObjectName"`
	SetResult       OperationTypes `json:"SetResult"`
	OperationReason string         `json:"OperationReason,omitzero"`
}
