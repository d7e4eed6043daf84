package ludgate

// ProvisioningState is the outcome of the last operation on a container group
// (contract 2, section 3). Only Succeeded, Failed and Canceled are terminal.
type ProvisioningState string

// Provisioning states that Ludgate writes.
const (
	ProvisioningPending   ProvisioningState = "Pending"
	ProvisioningCreating  ProvisioningState = "Creating"
	ProvisioningDeleting  ProvisioningState = "Deleting"
	ProvisioningSucceeded ProvisioningState = "Succeeded"
	ProvisioningFailed    ProvisioningState = "Failed"
)

// Terminal reports whether pollers may stop at s.
func (s ProvisioningState) Terminal() bool {
	return s == ProvisioningSucceeded || s == ProvisioningFailed || s == "Canceled"
}

// GroupState is the state in a container group's instance view.
type GroupState string

// Group states that Ludgate writes.
const (
	GroupPending   GroupState = "Pending"
	GroupRunning   GroupState = "Running"
	GroupSucceeded GroupState = "Succeeded"
	GroupFailed    GroupState = "Failed"
	GroupStopped   GroupState = "Stopped"
)

// ContainerState is the state of one container's current or previous run.
type ContainerState string

// Container states.
const (
	ContainerWaiting    ContainerState = "Waiting"
	ContainerRunning    ContainerState = "Running"
	ContainerTerminated ContainerState = "Terminated"
)

// RestartPolicy says when a container that ended is started again (contract 2,
// ContainerGroupRestartPolicy). The zero value means Always.
type RestartPolicy string

// Restart policies.
const (
	RestartAlways    RestartPolicy = "Always"
	RestartOnFailure RestartPolicy = "OnFailure"
	RestartNever     RestartPolicy = "Never"
)

// Protocol is a transport protocol of a port (contract 2,
// ContainerGroupNetworkProtocol). The zero value means TCP.
type Protocol string

// Protocols.
const (
	TCP Protocol = "TCP"
	UDP Protocol = "UDP"
)

// EventType is the type of an Event: Normal or Warning.
type EventType string

// Event types.
const (
	EventNormal  EventType = "Normal"
	EventWarning EventType = "Warning"
)
