package pod

import (
	"context"
	"errors"
	"io"
	"time"

	"ludgate/internal/engine"
)

// Runtime is a container-level engine: it runs one container at a time and the
// group's shared ground (network, address, log files). [Supervisor] turns it
// into an [engine.Engine]. It is safe for concurrent use; calls for one group
// come one after the other except Wait, Logs and Kill (Pull belongs to no
// group). A context that ends must end the call soon.
type Runtime interface {
	// Name is the engine's name.
	Name() string

	// Adopt says what still exists from before this process: every group's
	// key and its containers, running or ended. Called once, before all else.
	Adopt(ctx context.Context) ([]Adopted, error)

	// Sandbox makes the group's shared ground (network namespace, address with
	// its published ports, directories) or brings it to the new wish. It is
	// idempotent.
	Sandbox(ctx context.Context, g *engine.Group) error

	// Pull makes the image present and says which it is. It is quick when the
	// image is there already. Failures are *PullError.
	Pull(ctx context.Context, image string, logins []engine.Login) (Image, error)

	// Start creates and starts one run of a container. run is unique within
	// the group, opaque to the runtime and fit for a file name (at most 96 of
	// [a-z0-9-]). Failures that are the wish's own (program not found, bad
	// user) are *StartError. After a failure the supervisor calls Kill and
	// Discard for the run, whatever came of it.
	Start(ctx context.Context, g *engine.Group, c *engine.Container, img Image, run string) (time.Time, error)

	// Wait blocks until the run has ended. ErrLost when the run is unknown.
	Wait(ctx context.Context, key, run string) (Exit, error)

	// Kill sends SIGTERM, waits grace, sends SIGKILL, and returns when the run
	// has ended. An unknown or ended run is a success.
	Kill(ctx context.Context, key, run string, grace time.Duration) error

	// Discard frees what an ended run held, but not its log. Until then Adopt
	// tells of the run and how it ended. An unknown run is a success.
	Discard(ctx context.Context, key, run string) error

	// Logs reads what that one run printed; opt.Previous is already resolved
	// and always false here. Logs of older runs are kept as far as the engine's
	// limits allow; ErrLost when nothing is left of it.
	Logs(ctx context.Context, key, run string, opt engine.LogOptions) (io.ReadCloser, error)

	// Cleanup ends what still runs and removes the group's ground, logs
	// included. Absent is a success.
	Cleanup(ctx context.Context, key string) error

	// Close lets go of this process's handles; containers keep running.
	Close() error
}

// ExitNotifier is what a Runtime may have besides, so that no goroutine has to
// wait in [Runtime.Wait] for every run. NotifyExit calls f once, never from
// within NotifyExit itself, when the run has ended, or with ErrLost when it is
// unknown. f does not block.
type ExitNotifier interface {
	NotifyExit(key, run string, f func(Exit, error))
}

// Traits is what sets a Runtime apart from one that really runs containers
// which outlive the server. A Runtime without them has the zero Traits.
type Traits struct {
	// Simulated: nothing really runs; every Status says so.
	Simulated bool
	// Volatile: runs end with this process. What was running before a restart
	// of the server is started afresh, which is neither an exit nor a restart
	// of the container; what had ended for good stays ended.
	Volatile bool
}

// Traited is a Runtime that has Traits.
type Traited interface{ Traits() Traits }

// Image is an image that is present.
type Image struct {
	Reference string // as asked for
	Digest    string // "sha256:…" of the manifest
	Cached    bool   // it was present already
}

// Adopted is one group found at start.
type Adopted struct {
	Key  string
	Runs []AdoptedRun
}

// AdoptedRun is one run found at start.
type AdoptedRun struct {
	Run     string
	Started time.Time
	Exit    *Exit // nil while it runs
}

// Exit is how a run ended.
type Exit struct {
	Code      int // 128+n for a signal n
	Signal    int // 0 when it exited by itself
	OOMKilled bool
	At        time.Time
	Err       string // set when the platform lost or ended it, in words
}

// ErrLost is returned by Wait (and may be by Logs) for a run nobody knows any
// more.
var ErrLost = errors.New("pod: run is unknown")

// PullError is a failed pull. Permanent means trying again cannot help until
// the wish changes (image or tag does not exist, access denied, bad reference).
type PullError struct {
	Image     string
	Permanent bool
	Err       error // the registry's own words
}

// Error names the image and gives the registry's words; it is the message of
// the container's Failed event.
func (e *PullError) Error() string { return `Failed to pull image "` + e.Image + `": ` + e.Err.Error() }

// Unwrap gives the cause.
func (e *PullError) Unwrap() error { return e.Err }

// StartError is a run that could not start for a reason of the wish.
type StartError struct{ Err error }

// Error gives the reason alone; it becomes part of an event.
func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Err }
