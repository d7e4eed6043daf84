package stage1

import specs "github.com/opencontainers/runtime-spec/specs-go"

// Name is argv[0] of the process that becomes a container.
const Name = "ludgate-init"

// File descriptors of the process, besides its standard streams.
const (
	ConfigFD = 3 // JSON of a Config, up to end of file; also the gate
	StatusFD = 4 // JSON of a Failure, or nothing
)

// Config is what the process is told.
type Config struct {
	// Spec is an OCI runtime-spec. Root.Path is a mount point, Process.User is
	// numeric, and Linux.Seccomp is not read: see Filter.
	Spec *specs.Spec
	// Filter is the seccomp filter: struct sock_filter[], in this machine's byte
	// order. Empty means none.
	Filter []byte
	// Rootless: the namespaces belong to an ordinary user, so device nodes are
	// bound from outside instead of made, and groups cannot be set.
	Rootless bool
}

// Failure is why a container did not start.
type Failure struct {
	// Wish: the container's definition or its image is at fault (program not
	// found, working directory is a file); trying again cannot help.
	Wish    bool
	Message string
}

// Error gives the message.
func (f *Failure) Error() string { return f.Message }
