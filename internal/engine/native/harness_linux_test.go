package native_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native"
	"ludgate/internal/engine/pod"
	_ "ludgate/internal/hello/entry" // the containers' program is this binary
	"ludgate/internal/image"
)

// hello is the image that nearly all containers of the tests run.
const hello = "ludgate/hello"

// patience is how long a test waits for what must happen in the end.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if os.Args[0] == probePath {
		probeMain()
	}
	if node := os.Getenv(tunVariable); node != "" {
		tunMain(node)
	}
	if dir := os.Getenv(newVariable); dir != "" {
		newMain(dir)
	}
	if dir := os.Getenv(serverVariable); dir != "" {
		serverMain(dir)
	}
	code := m.Run()
	for _, f := range cleanups {
		f()
	}
	os.Exit(code)
}

// launchers runs a test with every launcher that is here: the builtin one, and
// each installed runtime.
func launchers(t *testing.T, test func(*testing.T, *rig)) {
	t.Run("builtin", func(t *testing.T) { test(t, newRig(t, native.LauncherBuiltin, os.Getenv("PATH"))) })
	for _, name := range []string{"crun", "runc"} {
		t.Run(name, func(t *testing.T) { test(t, installed(t, name)) })
	}
}

// installed is a rig that uses one installed runtime.
func installed(t testing.TB, name string) *rig {
	t.Helper()
	command, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	// A PATH with nothing else makes it the one that is found.
	only := t.TempDir()
	if err := os.Symlink(command, filepath.Join(only, name)); err != nil {
		t.Fatal(err)
	}
	return newRig(t, native.LauncherOCI, only)
}

// builtin runs a test with the builtin launcher alone, where another one would
// add nothing.
func builtin(t *testing.T) *rig { return newRig(t, native.LauncherBuiltin, os.Getenv("PATH")) }

// rig is a Runtime for one test, and what it takes to see that nothing is left.
type rig struct {
	test
	*native.Runtime
	dir, runDir string
	images      *puller
	launcher    string
	path        string
	log         *syncBuffer
	closed      bool
}

// test is a test or a benchmark, one step further away than the Runtime: both
// have a Cleanup.
type test struct{ testing.TB }

func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: this is the lane with real containers")
	}
}

var imagesDir string

// rootless is set in the lane of ordinary users.
var rootless = os.Getenv(rootlessVariable) != ""

// store is shared by all tests of the process: the built-in image is made once.
var store = sync.OnceValues(func() (*image.Store, error) {
	dir, err := os.MkdirTemp("", "ludgate-test-images-")
	if err != nil {
		return nil, err
	}
	imagesDir = dir
	cleanups = append(cleanups, func() { os.RemoveAll(dir) })
	return image.Open(dir, image.Options{})
})

func newRig(t testing.TB, launcher, path string) *rig {
	t.Helper()
	if !rootless {
		needRoot(t)
	}
	s, err := store()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{test: test{t}, dir: t.TempDir(), runDir: filepath.Join(t.TempDir(), "run"), launcher: launcher, path: path,
		images: &puller{store: s, made: map[string]*image.Image{}}, log: &syncBuffer{}}
	t.Cleanup(r.end)
	r.open()
	return r
}

func (r *rig) open() {
	r.Helper()
	r.Setenv("PATH", r.path)
	rt, err := openAgain(r)
	if err != nil {
		r.Fatal(err)
	}
	r.Runtime, r.closed = rt, false
}

func openAgain(r *rig) (*native.Runtime, error) {
	return native.New(context.Background(), native.Options{
		Dir: r.dir, RunDir: r.runDir, Images: r.images, Launcher: r.launcher,
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
	})
}

func (r *rig) close() {
	r.Helper()
	if err := r.Runtime.Close(); err != nil {
		r.Errorf("Close: %v", err)
	}
	r.closed = true
}

// end removes all groups and checks that nothing of them is left anywhere.
func (r *rig) end() {
	if r.Runtime == nil {
		return
	}
	if r.closed {
		r.open()
		if _, err := r.Adopt(context.Background()); err != nil {
			r.Errorf("Adopt at the end: %v", err)
		}
	}
	for _, key := range r.keys() {
		if err := r.Cleanup(context.Background(), key); err != nil {
			r.Errorf("Cleanup at the end: %v", err)
		}
	}
	r.close()
	r.nothingLeft()
	if r.Failed() {
		r.Logf("the runtime's log:\n%s", r.log.String())
	}
}

// keys lists the groups on disk.
func (r *rig) keys() (keys []string) {
	entries, err := os.ReadDir(filepath.Join(r.dir, "groups"))
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range entries {
		keys = append(keys, e.Name())
	}
	return keys
}

// nothingLeft looks for leftovers where an administrator would find them.
func (r *rig) nothingLeft() {
	r.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		r.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, r.dir) || strings.Contains(line, r.runDir) {
			r.Errorf("a mount is left: %s", line)
		}
	}
	// An uplink ends by itself when its shim is gone, a moment later.
	left := processesNaming(r.runDir)
	for end := time.Now().Add(10 * time.Second); len(left) > 0 && time.Now().Before(end); left = processesNaming(r.runDir) {
		time.Sleep(5 * time.Millisecond)
	}
	if len(left) > 0 {
		r.Errorf("processes are left: %v", left)
	}
	sum := sha256.Sum256([]byte(r.dir))
	id := hex.EncodeToString(sum[:4]) // others may be at work on this machine
	for _, pattern := range []string{"/sys/fs/cgroup/*/ludgate/" + id, "/sys/fs/cgroup/ludgate/" + id} {
		if groups, err := filepath.Glob(pattern); err != nil || len(groups) > 0 {
			r.Errorf("control groups are left: %v %v", groups, err)
		}
	}
	links, err := net.Interfaces()
	if err != nil {
		r.Fatal(err)
	}
	for _, l := range links {
		if strings.HasPrefix(l.Name, "ludgate"+id) || strings.HasPrefix(l.Name, "lg"+id) {
			r.Errorf("a network interface is left: %s", l.Name)
		}
	}
	if _, err := os.Lstat(r.runDir); err == nil {
		r.Errorf("%s is left", r.runDir)
	}
	if keys := r.keys(); len(keys) > 0 {
		r.Errorf("files of groups are left: %v", keys)
	}
}

// processesNaming lists processes with a word in their command line.
func processesNaming(word string) (found []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), word) {
			found = append(found, path+": "+strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

// group makes a wish with a key of its own.
func (r *rig) group() *engine.Group {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		r.Fatal(err)
	}
	return &engine.Group{Key: hex.EncodeToString(b[:]), Generation: 1, Name: "The Group"}
}

// sandbox makes a group's ground.
func (r *rig) sandbox() *engine.Group {
	r.Helper()
	g := r.group()
	if err := r.Sandbox(r.Context(), g); err != nil {
		r.Fatalf("Sandbox: %v\n%s", err, r.log.String())
	}
	return g
}

var runs atomic.Int64

// container is a wish for one container of the built-in image.
func container(args ...string) *engine.Container {
	c := &engine.Container{Name: "web", Image: hello}
	if len(args) > 0 {
		c.Command = append([]string{"/hello"}, args...)
	}
	return c
}

// start starts a run and gives its name.
func (r *rig) start(g *engine.Group, c *engine.Container) string {
	r.Helper()
	name, err := r.tryStart(g, c)
	if err != nil {
		r.Fatalf("Start %q: %v\n%s", c.Command, err, r.log.String())
	}
	return name
}

func (r *rig) tryStart(g *engine.Group, c *engine.Container) (string, error) {
	r.Helper()
	img, err := r.Pull(r.Context(), c.Image, nil)
	if err != nil {
		r.Fatalf("Pull: %v", err)
	}
	name := fmt.Sprintf("%s-%d", c.Name, runs.Add(1))
	_, err = r.Start(r.Context(), g, c, img, name)
	return name, err
}

// wait waits for a run's end.
func (r *rig) wait(g *engine.Group, run string) pod.Exit {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	exit, err := r.Wait(ctx, g.Key, run)
	if err != nil {
		r.Fatalf("Wait %s: %v\nits log:\n%s\nthe runtime's log:\n%s", run, err, r.logs(g, run), r.log.String())
	}
	return exit
}

// run runs a container to its end and gives what it printed.
func (r *rig) run(g *engine.Group, c *engine.Container) (pod.Exit, string) {
	r.Helper()
	name := r.start(g, c)
	exit := r.wait(g, name)
	return exit, r.logs(g, name)
}

// succeed is run for what must succeed.
func (r *rig) succeed(g *engine.Group, c *engine.Container) string {
	r.Helper()
	exit, text := r.run(g, c)
	if exit.Code != 0 {
		r.Fatalf("%q ended with %+v and printed\n%s", c.Command, exit, text)
	}
	return text
}

func (r *rig) logs(g *engine.Group, run string) string {
	r.Helper()
	rc, err := r.Logs(context.Background(), g.Key, run, engine.LogOptions{})
	if err != nil {
		r.Fatalf("Logs: %v", err)
	}
	defer rc.Close()
	text, err := io.ReadAll(rc)
	if err != nil {
		r.Fatalf("Logs: %v", err)
	}
	return string(text)
}

// untilLog waits until a run has printed a text.
func (r *rig) untilLog(g *engine.Group, run, text string) {
	r.Helper()
	eventually(r.test, func() error {
		if have := r.logs(g, run); !strings.Contains(have, text) {
			return fmt.Errorf("the log has no %q:\n%s", text, have)
		}
		return nil
	})
}

// eventually calls f until it succeeds.
func eventually(t testing.TB, f func() error) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// get fetches a page, trying until somebody listens.
func get(t testing.TB, url string) string {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	var body []byte
	eventually(t, func() error {
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, err = io.ReadAll(resp.Body)
		return err
	})
	return string(body)
}

var addresses atomic.Int32

// address gives a loopback address nobody else uses.
func address() netip.Addr {
	n := addresses.Add(1)
	return netip.AddrFrom4([4]byte{127, byte(80 + os.Getpid()%40), byte(n >> 8), byte(n)})
}

// puller gives images of the store, and images that tests make of directories on
// top of the built-in one.
type puller struct {
	store *image.Store
	mu    sync.Mutex
	made  map[string]*image.Image
}

func (p *puller) Pull(ctx context.Context, reference string, logins []image.Login) (*image.Image, error) {
	p.mu.Lock()
	made := p.made[reference]
	p.mu.Unlock()
	if made != nil {
		return made, nil
	}
	if reference == missing {
		return nil, &image.PullError{Reference: reference, Permanent: true, Err: errors.New("manifest unknown")}
	}
	img, err := p.store.Pull(ctx, reference, logins)
	if err != nil {
		return nil, err
	}
	quick := *img
	quick.Env = append(quick.Env[:len(quick.Env):len(quick.Env)], noSleep)
	return &quick, nil
}

// missing is an image that does not exist.
const missing = "ludgate/missing"

// noSleep keeps programs built with the race detector, as those of containers
// are then, from waiting a second before they end.
const noSleep = "GORACE=atexit_sleep_ms=0"

// image makes an image that adds files to the built-in one. change may alter it.
func (r *rig) image(name string, files map[string]string, change func(layer string, img *image.Image)) {
	r.Helper()
	base, err := r.images.store.Pull(r.Context(), hello, nil)
	if err != nil {
		r.Fatal(err)
	}
	img := *base
	layer := filepath.Join(r.TempDir(), "layer")
	if err := os.Mkdir(layer, 0o755); err != nil {
		r.Fatal(err)
	}
	for path, text := range files {
		path = filepath.Join(layer, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			r.Fatal(err)
		}
	}
	img.Reference, img.Digest = name, "sha256:"+name
	img.Env = append(img.Env[:len(img.Env):len(img.Env)], noSleep)
	img.Layers = append(img.Layers[:len(img.Layers):len(img.Layers)], layer)
	if change != nil {
		change(layer, &img)
	}
	r.images.mu.Lock()
	r.images.made[name] = &img
	r.images.mu.Unlock()
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
