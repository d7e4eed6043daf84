package containergroup

import (
	"ludgate"
	"ludgate/internal/wire"
)

// ContainerGroupReply is a group as replies give it: what was accepted, with the
// read-only members of the contract.
type ContainerGroupReply struct {
	ID         string                        `json:"id"`
	Name       string                        `json:"name"`
	Type       string                        `json:"type"`
	Location   string                        `json:"location"`
	Tags       map[string]string             `json:"tags"`
	Zones      []string                      `json:"zones,omitzero"`
	SystemData SystemData                    `json:"systemData"`
	Properties ContainerGroupReplyProperties `json:"properties"`
}

// ContainerGroupReplyProperties is the inner part of a reply.
type ContainerGroupReplyProperties struct {
	ProvisioningState        ludgate.ProvisioningState `json:"provisioningState"`
	IsCreatedFromStandbyPool bool                      `json:"isCreatedFromStandbyPool"`
	Containers               []ContainerReply          `json:"containers"`
	InitContainers           []InitContainerReply      `json:"initContainers"`
	InstanceView             *InstanceView             `json:"instanceView,omitzero"`

	GroupSettings
	IPAddress *IPAddressReply `json:"ipAddress,omitzero"` // in place of the settings' own
}

// IPAddressReply is an address with its public name.
type IPAddressReply struct {
	IPAddress
	FQDN string `json:"fqdn,omitzero"`
}

// ContainerReply is a container with what was observed of it.
type ContainerReply struct {
	Name       string                   `json:"name"`
	Properties ContainerReplyProperties `json:"properties"`
}

// ContainerReplyProperties is the inner part of a ContainerReply.
type ContainerReplyProperties struct {
	ContainerProperties
	InstanceView *ContainerInstanceView `json:"instanceView,omitzero"`
}

// InitContainerReply is an init container with what was observed of it.
type InitContainerReply struct {
	Name       string                       `json:"name"`
	Properties InitContainerReplyProperties `json:"properties"`
}

// InitContainerReplyProperties is the inner part of an InitContainerReply.
type InitContainerReplyProperties struct {
	InitContainerProperties
	InstanceView *ContainerInstanceView `json:"instanceView,omitzero"`
}

// InstanceView is what was observed of a group as a whole.
type InstanceView struct {
	Events []Event            `json:"events"`
	State  ludgate.GroupState `json:"state"`
}

// ContainerInstanceView is what was observed of a container or init container.
type ContainerInstanceView struct {
	RestartCount  int             `json:"restartCount"`
	CurrentState  *ContainerState `json:"currentState,omitzero"`
	PreviousState *ContainerState `json:"previousState,omitzero"`
	Events        []Event         `json:"events"`
}

// ContainerState is one run of a container, or the waiting before it. Times are
// RFC 3339, UTC, to the millisecond; StartTime stands while Waiting, too, because
// clients insist on it.
type ContainerState struct {
	State        ludgate.ContainerState `json:"state"`
	StartTime    string                 `json:"startTime,omitzero"`
	ExitCode     *int                   `json:"exitCode,omitzero"`
	FinishTime   string                 `json:"finishTime,omitzero"`
	DetailStatus string                 `json:"detailStatus"`
}

// Event is something that happened. Times are RFC 3339, UTC, to the second.
type Event struct {
	Count          int               `json:"count"`
	FirstTimestamp string            `json:"firstTimestamp"`
	LastTimestamp  string            `json:"lastTimestamp"`
	Name           string            `json:"name"`
	Message        string            `json:"message"`
	Type           ludgate.EventType `json:"type"`
}

// SystemData says who made and last changed a group, and when.
type SystemData struct {
	CreatedAt          string `json:"createdAt"`
	CreatedBy          string `json:"createdBy"`
	CreatedByType      string `json:"createdByType"`
	LastModifiedAt     string `json:"lastModifiedAt"`
	LastModifiedBy     string `json:"lastModifiedBy"`
	LastModifiedByType string `json:"lastModifiedByType"`
}

// List is a page of groups; NextLink is absolute and absent on the last page.
type List struct {
	Value    []ContainerGroupReply `json:"value"`
	NextLink string                `json:"nextLink,omitzero"`
}

// Logs is what a container printed.
type Logs struct {
	Content string `json:"content"`
}

// OperationStatus is the state of an operation in polling replies.
type OperationStatus string

// States of operations; all but InProgress are final.
const (
	InProgress OperationStatus = "InProgress"
	Succeeded  OperationStatus = "Succeeded"
	Failed     OperationStatus = "Failed"
	Canceled   OperationStatus = "Canceled"
)

// Operation is what a poller reads. ID is the resource's, Name the operation's.
type Operation struct {
	ID         string               `json:"id"`
	Name       string               `json:"name"`
	Status     OperationStatus      `json:"status"`
	StartTime  string               `json:"startTime"`
	EndTime    string               `json:"endTime,omitzero"`
	Error      *wire.CloudErrorBody `json:"error,omitzero"`
	Properties OperationProperties  `json:"properties"`
}

// OperationProperties carries the containers' events as they come.
type OperationProperties struct {
	Events []Event `json:"events"`
}
