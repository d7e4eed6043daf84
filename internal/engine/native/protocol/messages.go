package protocol

import (
	"net/netip"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"ludgate/internal/engine/native/layout"
)

// Version of the messages.
const Version = 1

// MaxMessage bounds one message in bytes; a start carries the container's
// environment.
const MaxMessage = 8 << 20

// Setup is what a shim is told when it gets its group, on a pipe. Until then it
// waits; if the pipe ends instead, the shim does too.
type Setup struct {
	Version int
	Group   layout.Group
	// Filter is the seccomp filter of the group's containers, compiled; an
	// installed runtime that cannot take it compiles that of the spec.
	Filter []byte
}

// Ready is what a shim says once, on a pipe, when it listens or has given up.
type Ready struct {
	Error string `json:",omitempty"`
	// Notes are things that do not work here, in words, for the log.
	Notes []string `json:",omitempty"`
}

// Op is the name of a call.
type Op string

// Calls.
const (
	OpHello    Op = "hello"    // -> Hello
	OpStart    Op = "start"    // Start -> Started, or Failure
	OpKill     Op = "kill"     // Run, Grace -> when the run has ended
	OpDiscard  Op = "discard"  // Run -> when all it held is free
	OpWatch    Op = "watch"    // -> Run, once for each; Snapshot; Run for each change
	OpConnect  Op = "connect"  // Connect -> a connected socket
	OpShutdown Op = "shutdown" // -> when every run has ended and is free; the shim ends
)

// Request is a call.
type Request struct {
	Op      Op
	Run     string        `json:",omitempty"`
	Grace   time.Duration `json:",omitempty"`
	Start   *Start        `json:",omitempty"`
	Connect *Connect      `json:",omitempty"`
}

// Start is a run to be started.
type Start struct {
	Run, Container string
	Layers         []string // of the image, lowest first
	User           string   // as in an image's configuration
	// Spec is what the container is to be. Root, Process.User and the variable
	// HOME are the shim's to fill in, and CgroupsPath is "" where there are no
	// limits.
	Spec *specs.Spec
	// Runtime is the path of the installed OCI runtime to use; "" means the
	// builtin launcher.
	Runtime string
	// StopSignal is what Kill sends first; 0 means SIGTERM.
	StopSignal int
}

// Connect asks for a socket inside the group, connected to the first of these
// addresses that answers.
type Connect struct {
	Network   string // tcp or udp
	Addresses []netip.AddrPort
}

// Hello is the shim's introduction.
type Hello struct {
	Version int
	PID     int // inside the shim's own process namespace
}

// Reply is the answer to a call.
type Reply struct {
	Failure  *Failure          `json:",omitempty"`
	Hello    *Hello            `json:",omitempty"`
	Started  time.Time         `json:",omitzero"`
	Run      *layout.RunRecord `json:",omitempty"`
	Snapshot bool              `json:",omitempty"` // all runs there are have been told
}

// Failure is a call that failed.
type Failure struct {
	Wish    bool // the run's definition or image is at fault
	Message string
}

// Error gives the message.
func (f *Failure) Error() string { return f.Message }
