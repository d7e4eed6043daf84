package native

import (
	"log/slog"

	"ludgate"
	"ludgate/internal/image"
)

// Launchers that Options can ask for.
const (
	LauncherAuto    = "auto"    // an installed OCI runtime that works, else builtin
	LauncherBuiltin = "builtin" // no other program is involved
	LauncherOCI     = "oci"     // an installed OCI runtime, or nothing
)

// Options configure a Runtime.
type Options struct {
	// Dir keeps what must survive a restart: records, logs, the containers'
	// writable layers. It is made with mode 0700, and belongs to one Runtime at
	// a time. Its file system must be able to carry overlayfs (ext4, xfs,
	// btrfs…; not another overlay).
	Dir string
	// RunDir keeps sockets and what else is gone after a reboot. "" means
	// /run/ludgate/<id> for root and ludgate/<id> in $XDG_RUNTIME_DIR for others,
	// with an id made of Dir.
	RunDir string
	// Images is where images come from.
	Images image.Puller
	// Launcher is one of the constants above; "" means auto.
	Launcher string
	// Clock gives the time of what happens in this process; nil is time.Now.
	// Runs are timed by their shims, in real time.
	Clock ludgate.Clock
	// Log takes what operators should know; nil is slog.Default.
	Log *slog.Logger
}
