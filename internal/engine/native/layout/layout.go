// Package layout says where the native engine keeps things, and reads and
// writes its small record files. Server and shim share it.
//
//	<dir>/                          kept over restarts and reboots, 0700
//	    lock                        held by the server that owns the directory
//	    network.json                bridge and subnet of this installation
//	    groups/<key>/
//	        group.json              GroupRecord
//	        shim.json               ShimRecord of the newest shim
//	        shim.log                what the shim had to complain about
//	        etc/                    hosts, hostname, resolv.conf of its containers
//	        logs/<container>/<run>.log, <run>.log.1
//	        runs/<run>/
//	            run.json            RunRecord
//	            root/ upper/ work/  the overlay of the run
//	<runDir>/                       gone after a reboot, 0700
//	    <key>/shim.sock             the shim's socket
//	    <key>/oci/                  state of an installed OCI runtime
package layout

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Group is one group's places.
type Group struct {
	Dir    string // <dir>/groups/<key>
	RunDir string // <runDir>/<key>
}

// Groups is the directory of all groups below dir.
func Groups(dir string) string { return filepath.Join(dir, "groups") }

// NewGroup gives the places of a group.
func NewGroup(dir, runDir, key string) Group {
	return Group{Dir: filepath.Join(Groups(dir), key), RunDir: filepath.Join(runDir, key)}
}

// Places in a group.
func (g Group) Record() string         { return filepath.Join(g.Dir, "group.json") }
func (g Group) Shim() string           { return filepath.Join(g.Dir, "shim.json") }
func (g Group) ShimLog() string        { return filepath.Join(g.Dir, "shim.log") }
func (g Group) Etc(file string) string { return filepath.Join(g.Dir, "etc", file) }
func (g Group) Logs() string           { return filepath.Join(g.Dir, "logs") }
func (g Group) Runs() string           { return filepath.Join(g.Dir, "runs") }
func (g Group) Run(run string) Run     { return Run{Dir: filepath.Join(g.Runs(), run)} }
func (g Group) OCI() string            { return filepath.Join(g.RunDir, "oci") }

// SocketName is the shim's socket in RunDir.
const SocketName = "shim.sock"

// Run is one run's places.
type Run struct{ Dir string }

// Places of a run.
func (r Run) Record() string { return filepath.Join(r.Dir, "run.json") }
func (r Run) Root() string   { return filepath.Join(r.Dir, "root") }
func (r Run) Upper() string  { return filepath.Join(r.Dir, "upper") }
func (r Run) Work() string   { return filepath.Join(r.Dir, "work") }

// GroupRecord is what must be known of a group to go on with it. It is on disk
// before anything of the group exists.
type GroupRecord struct {
	Key string `json:"key"`
	// Host is the group's number in the installation's subnet; its address and
	// the name of its network interface follow from it. 0 means none.
	Host int `json:"host,omitempty"`
}

// ShimRecord finds a shim that no longer answers.
type ShimRecord struct {
	PID     int    `json:"pid"`     // as the server saw it
	Started uint64 `json:"started"` // clock ticks after boot; makes the pid unique
	Boot    string `json:"boot"`    // boot id of the kernel
}

// RunRecord is a run's beginning and, once it is over, its end.
type RunRecord struct {
	Run       string    `json:"run"`
	Container string    `json:"container"`
	Started   time.Time `json:"started,omitzero"`
	Exit      *Exit     `json:"exit,omitempty"`
}

// Exit is how a run ended.
type Exit struct {
	Code      int       `json:"code"`             // 128+n for signal n
	Signal    int       `json:"signal,omitempty"` // 0 when it exited by itself
	OOMKilled bool      `json:"oomKilled,omitempty"`
	At        time.Time `json:"at"`
	Err       string    `json:"err,omitempty"` // set when the platform lost or ended it
}

// consistsOf reports whether s has 1 to max bytes, all of them of allowed. It is
// no regular expression because every process that becomes a container would
// have to compile that first.
func consistsOf(s string, max int, allowed string) bool {
	return s != "" && len(s) <= max && strings.Trim(s, allowed) == ""
}

// CheckKey and CheckRun refuse names that are not fit for file names: they
// become paths.
func CheckKey(key string) error {
	if !consistsOf(key, 32, "0123456789abcdef") {
		return fmt.Errorf("group key %q is not 1 to 32 hexadecimal digits", key)
	}
	return nil
}

// CheckRun refuses names of runs, and of containers, that are not fit for file
// names.
func CheckRun(run string) error {
	if !consistsOf(run, 96, "abcdefghijklmnopqrstuvwxyz0123456789-") {
		return fmt.Errorf("name %q is not 1 to 96 of a-z, 0-9 and -", run)
	}
	return nil
}

// maxRecord bounds what Read takes; records are a few hundred bytes.
const maxRecord = 1 << 20

// Read fills v from a record file. It fails with fs.ErrNotExist when there is
// none.
func Read(path string, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return err
	} else if st.Size() > maxRecord {
		return fmt.Errorf("%s is too large for a record", path)
	}
	if err := json.NewDecoder(f).Decode(v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// Write puts v into a record file, whole or not at all. With durable it is on
// disk when Write returns.
func Write(path string, v any, durable bool) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".record-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once renamed
	_, err = f.Write(append(text, '\n'))
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if !durable {
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// ReadRuns lists the runs that have a record, oldest first. Records that cannot
// be read are left out and reported.
func (g Group) ReadRuns() ([]RunRecord, error) {
	entries, err := os.ReadDir(g.Runs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var runs []RunRecord
	var faults []error
	for _, e := range entries {
		var r RunRecord
		err := Read(g.Run(e.Name()).Record(), &r)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it never started
		case err != nil:
			faults = append(faults, err)
		default:
			runs = append(runs, r)
		}
	}
	return runs, errors.Join(faults...)
}
