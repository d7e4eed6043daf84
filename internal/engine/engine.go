// Package engine says what a container engine is: the pod-level interface that
// the container group service drives, and the records both sides share.
//
// An engine takes a whole group ([Group], the wish) and makes it so; what it saw
// comes back as [Status], never what it hoped. The service knows no more than
// this package. Implementations:
//
//   - engine/native: real containers on this Linux machine, nothing installed;
//   - engine/simulated: runs nothing, says so, chosen by name only.
//
// Both are container-level runtimes under engine/pod, the supervisor that does
// init order, restart policy, back-off and events. Every implementation passes
// the suite in engine/enginetest. Engines use only the neutral words of the
// contract and know nothing of HTTP or the store.
package engine

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"time"

	"ludgate"
)

// Errors an engine returns. Anything else is a fault of the engine.
var (
	// ErrUnknownGroup: the engine has no group of that key.
	ErrUnknownGroup = errors.New("engine: unknown group")
	// ErrUnknownContainer: the group has no container of that name.
	ErrUnknownContainer = errors.New("engine: unknown container")
)

// Engine runs groups. It is safe for concurrent use.
type Engine interface {
	// Name is the word of the --engine setting: native, simulated, …
	Name() string

	// Ensure makes the group as wished, in the background; it returns as soon
	// as the wish is accepted. It may be called again with the same or a newer
	// generation, also after a crash of either side: containers whose
	// definition did not change are not touched, the others are replaced. An
	// older generation than the one known is ignored.
	Ensure(ctx context.Context, g *Group) error

	// Remove ends every container of the group (SIGTERM, grace, SIGKILL) and
	// frees all that it held. It returns when that is done; an unknown group is
	// a success.
	Remove(ctx context.Context, key string) error

	// Observe says what the engine knows of a group now.
	Observe(ctx context.Context, key string) (*Status, error)

	// Keys lists the groups the engine holds, adopted ones included, so that
	// one without a stored wish can be removed.
	Keys(ctx context.Context) ([]string, error)

	// Changes gives the keys of groups whose Status may have changed. It is a
	// hint: keys may be lost when the reader is slow, or come twice.
	Changes() <-chan string

	// Logs reads what a container of the group printed, oldest first.
	Logs(ctx context.Context, key, container string, opt LogOptions) (io.ReadCloser, error)

	// Close lets go of the engine's own resources. Containers keep running
	// where the engine can adopt them again.
	Close() error
}

// Group is the wish: everything an engine needs to run one container group.
type Group struct {
	Key           string // stable for the life of the group; [0-9a-f]{1,32}, fit for file names
	Generation    int64  // grows with every change of the wish
	Name          string // the group's name, for host names and messages
	RestartPolicy ludgate.RestartPolicy
	Init          []Container // run one after the other, each to exit 0, before Containers
	Containers    []Container
	Publish       []Publish     // what is reachable from outside the group
	Address       netip.Addr    // where published ports listen; invalid when nothing is published
	Timeout       time.Duration // after this long without every container started once, Status.Fault is set; 0 = 30 min
	Logins        []Login       // registry credentials
	Hosts         []HostAddress // extra lines of /etc/hosts
}

// Container is the wish for one container.
type Container struct {
	Name    string
	Image   string
	Command []string // replaces the image's ENTRYPOINT and CMD when not empty
	Env     []EnvVar
	Ports   []Port
	// CPU is in cores, memory in bytes. A limit of 0 means the request is the
	// limit; a request of 0 as well means no limit.
	CPURequest, CPULimit       float64
	MemoryRequest, MemoryLimit int64
}

// EnvVar is one environment variable of a container.
type EnvVar struct {
	Name, Value string
	Secret      bool // never logged, never in an event
}

// Port is a port a container listens on.
type Port struct {
	Port     uint16
	Protocol ludgate.Protocol
}

// Publish is a port of the group that is reachable at Group.Address.
type Publish struct {
	Port     uint16
	Protocol ludgate.Protocol
}

// Login is a user name and password for one registry host.
type Login struct {
	Server, Username, Password string
}

// HostAddress is one line of /etc/hosts.
type HostAddress struct {
	Address netip.Addr
	Names   []string
}

// Status is what an engine observed of a group.
type Status struct {
	Generation int64 // the newest wish that the engine has taken up
	Init       []ContainerStatus
	Containers []ContainerStatus
	Events     []Event // of the group as a whole
	// Started is true once every container of this generation has started (or
	// also finished) at least once: the operation succeeded.
	Started bool
	// Fault is set when the wish cannot be met, with a code of the contract's
	// surface ("InaccessibleImage") and the reason in words; the engine keeps
	// trying unless Permanent.
	Fault *Fault
	// Simulated is true when nothing really runs.
	Simulated bool
}

// Fault is why a group does not come up.
type Fault struct {
	Code, Message string
	Permanent     bool
}

// ContainerStatus is what an engine observed of one container.
type ContainerStatus struct {
	Name         string
	Current      *State // nil before the engine looked at the container
	Previous     *State // the run before, if there was one
	RestartCount int
	Events       []Event
	ImageDigest  string // "sha256:…" of the image that runs, once known
}

// State is one run of a container, or the waiting before it.
type State struct {
	State        ludgate.ContainerState
	DetailStatus string // "", "Completed", "Error", "CrashLoopBackOff: Back-off restarting failed", …
	StartTime    time.Time
	FinishTime   time.Time // zero unless Terminated
	ExitCode     int       // 128+n for a signal n; only when Terminated
	OOMKilled    bool
}

// Event is something that happened, with repeats counted.
type Event struct {
	Name, Message string
	Type          ludgate.EventType
	Count         int
	First, Last   time.Time
}

// LogOptions choose what Logs gives.
type LogOptions struct {
	Tail       int  // last n lines; 0 = all that is kept
	Timestamps bool // prefix each line with its RFC 3339 time (nanoseconds, UTC) and a blank
	Previous   bool // of the run before the current one
}

// Unavailable is an engine error at start: why this engine cannot work on this
// machine and what would help. It is shown to operators and, as a CloudError, to
// callers.
type Unavailable struct {
	Engine string
	Reason string // one sentence: what is missing
	Remedy string // one sentence: how to get it
}

// Error gives reason and remedy.
func (u *Unavailable) Error() string {
	return "the " + u.Engine + " engine cannot run here: " + u.Reason + " " + u.Remedy
}
