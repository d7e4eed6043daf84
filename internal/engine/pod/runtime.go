package pod

import (
	"context"
	"io"
	"time"

	"ludgate/internal/engine"
)

// Runtime is a container-level engine: it runs one container at a time and the
// group's shared ground (network, address, log files). [Supervisor] turns it
// into an [engine.Engine]. It is safe for concurrent use; calls for one group
// come one after the other except Wait, Logs and Kill.
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
	// the group and fit for a file name ("<container>-<n>"). Failures that are
	// the wish's own (program not found, bad user) are *StartError.
	Start(ctx context.Context, g *engine.Group, c *engine.Container, img Image, run string) (time.Time, error)

	// Wait blocks until the run has ended. ErrLost when the run is unknown.
	Wait(ctx context.Context, key, run string) (Exit, error)

	// Kill sends SIGTERM, waits grace, sends SIGKILL, and returns when the run
	// has ended. An unknown or ended run is a success.
	Kill(ctx context.Context, key, run string, grace time.Duration) error

	// Discard frees what an ended run held, but not its log.
	Discard(ctx context.Context, key, run string) error

	// Logs reads what a run printed. current is the run asked for; logs of
	// older runs are kept as far as the engine's limits allow.
	Logs(ctx context.Context, key, run string, opt engine.LogOptions) (io.ReadCloser, error)

	// Cleanup ends what still runs and removes the group's ground, logs
	// included. Absent is a success.
	Cleanup(ctx context.Context, key string) error

	// Close lets go of this process's handles; containers keep running.
	Close() error
}

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

// ErrLost: the runtime does not know the run.
type lostError struct{}

func (lostError) Error() string { return "pod: run is unknown" }

// ErrLost is returned by Wait for a run nobody knows any more.
var ErrLost error = lostError{}

// PullError is a failed pull. Permanent means trying again cannot help until
// the wish changes (image or tag does not exist, access denied, bad reference).
type PullError struct {
	Image     string
	Permanent bool
	Err       error // the registry's own words
}

func (e *PullError) Error() string { return `Failed to pull image "` + e.Image + `": ` + e.Err.Error() }
func (e *PullError) Unwrap() error { return e.Err }

// StartError is a run that could not start for a reason of the wish.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }
