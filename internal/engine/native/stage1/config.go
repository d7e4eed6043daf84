package stage1

// Name is argv[0] of the process that becomes a container.
const Name = "ludgate-init"

// File descriptors of the process, besides its standard streams.
const (
	ConfigFD = 3 // JSON of a Config, up to end of file; also the gate
	StatusFD = 4 // JSON of a Failure, or nothing
)

// Config is what the process is told: what an OCI runtime-spec says, as flat and
// resolved as it can be, because reading it is paid for by every start.
type Config struct {
	Root     string // a mount point
	Hostname string
	Cwd      string
	Args     []string
	Env      []string
	Mounts   []Mount
	Devices  []Device
	Readonly []string // paths in /proc and /sys
	Masked   []string // likewise

	UID, GID    uint32
	Groups      []uint32 // supplementary
	Umask       int
	OOMScoreAdj int
	Limits      []Limit
	// Capabilities, as bit masks. Effective is the same as Permitted; there are
	// no inheritable and no ambient ones.
	Bounding, Permitted uint64
	NoNewPrivileges     bool
	// Filter is the seccomp filter: struct sock_filter[], in this machine's byte
	// order. Empty means none.
	Filter []byte
	// Rootless: the namespaces belong to an ordinary user, so device nodes are
	// bound from outside instead of made, and groups cannot be set.
	Rootless bool
}

// Mount is one mount, as in the spec; a bind mount has the type "bind".
type Mount struct {
	Destination, Type, Source string
	Options                   []string
}

// Device is a character device.
type Device struct {
	Path         string // directly in /dev
	Major, Minor uint32
	Mode         uint32
}

// Limit is a resource limit by its number.
type Limit struct {
	Resource   int
	Soft, Hard uint64
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
