package native

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/bridge"
	"ludgate/internal/engine/native/cgroup"
	_ "ludgate/internal/engine/native/entry" // makes this binary able to become a container
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/sealed"
	"ludgate/internal/engine/pod"
	"ludgate/internal/image"
)

// Runtime runs containers on this machine. It is a [pod.Runtime] and a
// [pod.ExitNotifier].
type Runtime struct {
	dir, runDir string
	runBase     string // what holds runDir, when it is the default
	id          string // 8 hexadecimal digits of this installation
	images      image.Puller
	clock       func() time.Time
	log         *slog.Logger
	rootless    bool
	uplink      bool // groups of an ordinary user reach the outside
	limits      bool // control groups work
	limitSwap   bool
	noFile      uint64
	lock        *os.File
	self        *os.File        // the sealed binary
	network     *bridge.Network // nil for an ordinary user

	launcher func() launcher // waits until it is known

	mu        sync.Mutex
	groups    map[string]*group
	hosts     map[int]string // numbers in the subnet -> group key
	next      int            // where to look for a free number
	present   map[string]*image.Image
	spare     *hatchling // nil while there is none
	refilling bool
	noted     map[string]bool // warnings given already
	closed    bool
	watches   sync.WaitGroup
	closing   context.Context // ends with Close
	cancel    context.CancelFunc
}

var (
	_ pod.Runtime      = (*Runtime)(nil)
	_ pod.ExitNotifier = (*Runtime)(nil)
)

// New opens the engine's directories and finds out what works on this machine.
// It fails with *engine.Unavailable when containers cannot be run here.
func New(ctx context.Context, o Options) (_ *Runtime, err error) {
	r := &Runtime{
		images: o.Images, clock: o.Clock, log: o.Log, rootless: os.Geteuid() != 0,
		groups: map[string]*group{}, hosts: map[int]string{}, present: map[string]*image.Image{}, noted: map[string]bool{},
	}
	if r.clock == nil {
		r.clock = time.Now
	}
	if r.log == nil {
		r.log = slog.Default()
	}
	r.closing, r.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			r.release()
		}
	}()
	if err := r.open(o); err != nil {
		return nil, err
	}
	if err := r.probe(ctx, cmp.Or(o.Launcher, LauncherAuto)); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spare == nil { // the check of an installed runtime may have asked for one
		r.refill(0)
	}
	return r, nil
}

// open makes and locks the directories.
func (r *Runtime) open(o Options) error {
	if o.Dir == "" || o.Images == nil {
		return errors.New("native engine: a directory and an image store are needed")
	}
	var err error
	if r.dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	if err := os.MkdirAll(layout.Groups(r.dir), 0o700); err != nil {
		return fmt.Errorf("native engine: %w", err)
	}
	if r.lock, err = os.OpenFile(filepath.Join(r.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("native engine: %w", err)
	}
	err = unix.Flock(int(r.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return fmt.Errorf("native engine: %s is used by another Ludgate", r.dir)
	}
	if err != nil {
		return fmt.Errorf("native engine: lock %s: %w", r.dir, err)
	}

	sum := sha256.Sum256([]byte(r.dir))
	r.id = hex.EncodeToString(sum[:4])
	if r.runDir, r.runBase, err = runDir(o.RunDir, r.id); err != nil {
		return fmt.Errorf("native engine: %w", err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	r.noFile = limit.Max
	if r.self, err = sealed.Self(); err != nil {
		return fmt.Errorf("native engine: %w", err)
	}
	if !r.rootless {
		if r.network, err = bridge.Open(filepath.Join(r.dir, "network.json"), r.id); err != nil {
			return fmt.Errorf("native engine: %w", err)
		}
	}
	return nil
}

// runDir makes the directory of sockets. Whoever could write there could take a
// shim's place: so it must be ours alone. base is what holds it by default.
func runDir(wanted, id string) (dir, base string, err error) {
	if wanted == "" {
		base = "/run/ludgate"
		if os.Geteuid() != 0 {
			base = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ludgate")
			if !filepath.IsAbs(base) {
				base = filepath.Join(os.TempDir(), fmt.Sprintf("ludgate-%d", os.Geteuid()))
			}
		}
		if err := os.MkdirAll(base, 0o700); err != nil {
			return "", "", err
		}
		if err := ours(base); err != nil {
			return "", "", err
		}
		wanted = filepath.Join(base, id)
	}
	if dir, err = filepath.Abs(wanted); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	return dir, base, ours(dir)
}

func ours(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	sys := st.Sys().(*syscall.Stat_t)
	if !st.IsDir() || int(sys.Uid) != os.Geteuid() || st.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s must be a directory that only user %d can use (mode 0700)", dir, os.Geteuid())
	}
	return nil
}

// Name is "native".
func (r *Runtime) Name() string { return "native" }

// cgroup is the path of a group's control groups.
func (r *Runtime) cgroup(key string) string {
	return filepath.Join(cgroup.Top, r.id, key)
}

// Pull makes the image present.
func (r *Runtime) Pull(ctx context.Context, reference string, logins []engine.Login) (pod.Image, error) {
	converted := make([]image.Login, len(logins))
	for i, l := range logins {
		converted[i] = image.Login(l)
	}
	img, err := r.images.Pull(ctx, reference, converted)
	var pull *image.PullError
	if errors.As(err, &pull) {
		return pod.Image{}, &pod.PullError{Image: reference, Permanent: pull.Permanent, Err: pull.Err}
	}
	if err != nil {
		return pod.Image{}, &pod.PullError{Image: reference, Err: err}
	}
	r.mu.Lock()
	r.present[img.Digest] = img
	r.mu.Unlock()
	return pod.Image{Reference: reference, Digest: img.Digest, Cached: img.Cached}, nil
}

// image finds what Pull has made present.
func (r *Runtime) image(ctx context.Context, img pod.Image) (*image.Image, error) {
	r.mu.Lock()
	found := r.present[img.Digest]
	r.mu.Unlock()
	if found != nil {
		return found, nil
	}
	again, err := r.Pull(ctx, img.Reference, nil)
	if err != nil {
		return nil, err
	}
	if img.Digest != "" && again.Digest != img.Digest {
		return nil, fmt.Errorf("image %s is not present any more as %s", img.Reference, img.Digest)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.present[again.Digest], nil
}

// once logs a warning the first time it comes up.
func (r *Runtime) once(message string, args ...any) {
	r.mu.Lock()
	told := r.noted[message]
	r.noted[message] = true
	r.mu.Unlock()
	if !told {
		r.log.Warn(message, args...)
	}
}

// Close lets go of sockets, listeners and locks. Containers keep running, for
// the next Runtime to adopt; when there are none, the bridge goes too.
func (r *Runtime) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	groups := make([]*group, 0, len(r.groups))
	for _, g := range r.groups {
		groups = append(groups, g)
	}
	r.mu.Unlock()

	r.cancel()
	r.launcher() // ends the check of installed runtimes
	for _, g := range groups {
		g.ports.Close()
	}
	r.watches.Wait()
	r.mu.Lock()
	if r.spare != nil {
		r.spare.drop()
		r.spare = nil
	}
	r.mu.Unlock()
	var err error
	if len(groups) == 0 && r.empty() {
		if r.network != nil {
			err = r.network.Remove()
		}
		if r.limits {
			cgroup.RemoveEmpty(filepath.Join(cgroup.Top, r.id))
			cgroup.RemoveEmpty(cgroup.Top)
		}
		os.Remove(r.runDir)
		if r.runBase != "" {
			os.Remove(r.runBase) // unless somebody else has one there
		}
	}
	r.release()
	return err
}

// empty reports whether no group is on disk: Close may come before Adopt.
func (r *Runtime) empty() bool {
	entries, err := os.ReadDir(layout.Groups(r.dir))
	return err == nil && len(entries) == 0
}

func (r *Runtime) release() {
	r.cancel()
	for _, f := range []*os.File{r.self, r.lock} {
		if f != nil {
			f.Close()
		}
	}
}
