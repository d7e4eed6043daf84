//go:build linux

package image

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestBuiltin(t *testing.T) {
	// Directories of the layer must be open to all users of a container,
	// whatever the server's umask is.
	defer unix.Umask(unix.Umask(0o077))
	root := t.TempDir()
	s := openStore(t, root, quick)
	img := mustPull(t, s, "ludgate/hello")
	if img.Cached || !slices.Equal(img.Entrypoint, []string{"/hello"}) || !slices.Equal(img.Cmd, []string{"serve"}) || len(img.Env) != 1 || !strings.HasPrefix(img.Env[0], "PATH=") || len(img.Layers) != 1 {
		t.Errorf("first: %+v", img)
	}
	for path, want := range map[string]string{
		"": "drwxr-xr-x", "hello": "-rwxr-xr-x", "tmp": "dtrwxrwxrwx", "etc": "drwxr-xr-x", "etc/passwd": "-rw-r--r--",
		"etc/group": "-rw-r--r--", "proc": "drwxr-xr-x", "sys": "drwxr-xr-x", "dev": "drwxr-xr-x",
	} {
		info, err := os.Stat(filepath.Join(img.Layers[0], path))
		if err != nil || info.Mode().String() != want {
			t.Errorf("/%s: %v, %v; want %s", path, info.Mode(), err, want)
		}
	}
	passwd, err := os.ReadFile(filepath.Join(img.Layers[0], "etc/passwd"))
	if err != nil || !strings.Contains(string(passwd), "root:x:0:0:") || !strings.Contains(string(passwd), "nobody:x:65534:65534:") {
		t.Errorf("passwd: %q, %v", passwd, err)
	}
	exe, err := os.Stat("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.Stat(filepath.Join(img.Layers[0], "hello"))
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(exe, copied) || copied.Size() != exe.Size() {
		t.Errorf("/hello is no copy of the running binary: %d bytes, it has %d", copied.Size(), exe.Size())
	}

	again := openStore(t, root, quick)
	for _, s := range []*Store{s, again} {
		for _, ref := range []string{"ludgate/hello", "ludgate/hello:latest", "ludgate/hello:2", "docker.io/ludgate/hello", "index.docker.io/ludgate/hello:x", "ludgate/hello@" + img.Digest} {
			second := mustPull(t, s, ref)
			if !second.Cached || second.Reference != ref || second.Digest != img.Digest || !slices.Equal(second.Layers, img.Layers) {
				t.Errorf("%s: %+v", ref, second)
			}
		}
	}
	if err := s.Prepare(context.Background()); err != nil {
		t.Error(err)
	}
	infos, err := s.List(context.Background())
	if err != nil || len(infos) != 1 || infos[0].Reference != "index.docker.io/ludgate/hello:latest" {
		t.Errorf("List: %v, %v", infos, err)
	}
	var e *PullError
	if _, err := s.Pull(context.Background(), "ludgate/hello@sha256:"+strings.Repeat("0", 64), nil); !errors.As(err, &e) || !e.Permanent || !strings.Contains(err.Error(), img.Digest) {
		t.Errorf("another digest: %v", err)
	}
}

// TestBuiltinRuns runs the program in its image alone: all that it needs, also
// of a dynamically linked binary, must be there.
func TestBuiltinRuns(t *testing.T) {
	needRoot(t)
	s := openStore(t, t.TempDir(), quick)
	img := mustPull(t, s, "ludgate/hello")
	run := func(args ...string) (string, int) {
		cmd := &exec.Cmd{Path: "/hello", Args: append([]string{"/hello"}, args...), Dir: "/", Env: img.Env,
			SysProcAttr: &syscall.SysProcAttr{Chroot: img.Layers[0], Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}}
		out, _ := cmd.Output() // the race detector complains on standard error that /proc is missing
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run("print", "from", "inside"); out != "from inside\n" || code != 0 {
		t.Errorf("print gave %q, %d", out, code)
	}
	if out, code := run("run", "cat /etc/group && exit 7"); !strings.HasPrefix(out, "root:x:0:") || code != 7 {
		t.Errorf("run gave %q, %d", out, code)
	}
}

func TestBuiltinIsMadeOnce(t *testing.T) {
	s := openStore(t, t.TempDir(), quick)
	var all sync.WaitGroup
	var mu sync.Mutex
	fresh := 0
	for range 10 {
		all.Go(func() {
			img, err := s.Pull(context.Background(), Builtin, nil)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if !img.Cached {
				fresh++
			}
		})
	}
	all.Wait()
	if fresh != 1 {
		t.Errorf("it was made %d times", fresh)
	}
}

// TestBuiltinOfAnotherBinary: a new version of the program gets an image of its
// own, and the old one goes when nobody uses it.
func TestBuiltinOfAnotherBinary(t *testing.T) {
	now := time.Now()
	opt := quick
	opt.Clock = func() time.Time { return now }
	root := t.TempDir()
	old := mustPull(t, openStore(t, root, opt), Builtin)

	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	opt.Program = writeFileOf(t, "newer", append(exe, "appended"...))
	s := openStore(t, root, opt)
	s.mounted = func() (*usage, error) { return &usage{}, nil } // whatever runs on this machine
	img := mustPull(t, s, Builtin)
	if img.Cached || img.Digest == old.Digest || img.Layers[0] == old.Layers[0] {
		t.Errorf("image of another binary: %+v, the old one: %+v", img, old)
	}
	if _, err := os.Stat(old.Layers[0]); err != nil {
		t.Errorf("the old layer: %v", err)
	}
	now = now.Add(time.Hour)
	mustPull(t, s, Builtin)
	s.lock.Close() // the other store of this test is "another process" now
	alone, err := Open(root, opt)
	if err != nil {
		t.Fatal(err)
	}
	alone.Close()
	if _, err := os.Stat(img.Layers[0]); err != nil {
		t.Errorf("the new layer: %v", err)
	}
}

// TestBuiltinRepairsItself: its files are not forced to disk, so after a power
// cut they may be short.
func TestBuiltinRepairsItself(t *testing.T) {
	root := t.TempDir()
	s, err := Open(root, quick)
	if err != nil {
		t.Fatal(err)
	}
	img := mustPull(t, s, Builtin)
	s.Close()
	if err := os.Truncate(filepath.Join(img.Layers[0], "hello"), 100); err != nil {
		t.Fatal(err)
	}
	again := mustPull(t, openStore(t, root, quick), Builtin)
	info, err := os.Stat(filepath.Join(again.Layers[0], "hello"))
	if err != nil || info.Size() == 100 || again.Cached {
		t.Errorf("after truncation: %+v, %d bytes, %v", again, info.Size(), err)
	}
}

// TestProgramWithoutBuildID: such a binary is known by its content.
func TestProgramWithoutBuildID(t *testing.T) {
	bin, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close()
	note := bin.Section(".note.go.buildid")
	if note == nil {
		t.Skip("this test binary has no build id itself")
	}
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	copy(exe[note.Offset+12:], "XX") // not Go's any more
	digests := map[string]bool{}
	for _, tail := range []string{"a", "a", "b"} {
		p, err := openProgram(writeFileOf(t, "x", append(exe, tail...)))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.identity) != 64 {
			t.Errorf("identity %q, want a digest", p.identity)
		}
		digests[p.digest()] = true
		p.Close()
	}
	if len(digests) != 2 {
		t.Errorf("%d digests for two contents", len(digests))
	}
}

func TestProgramThatIsNone(t *testing.T) {
	opt := quick
	for name, program := range map[string]string{
		"absent":    filepath.Join(t.TempDir(), "x"),
		"directory": t.TempDir(),
		"text":      writeFileOf(t, "x", []byte("#!/bin/sh\n")),
	} {
		opt.Program = program
		if e := pullError(t, openStore(t, t.TempDir(), opt), Builtin); e.Permanent {
			t.Errorf("%s: %v is permanent", name, e)
		}
	}
}

// TestOrdinaryUser runs the store as nobody: other marks of deletion, no owners,
// directories without permission to write.
func TestOrdinaryUser(t *testing.T) {
	if os.Getenv("LUDGATE_TEST_IMAGE_USER") == "" && privileged() {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("/proc/self/exe"); err != nil {
			t.Skip(err)
		}
		tmp, err := os.MkdirTemp("", "ludgate-image-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(tmp) })
		if err := os.Chown(tmp, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{exe, "-test.run=^TestOrdinaryUser$|^TestUnpack|^TestLayer|^TestExtended|^TestBuiltin$|^TestListAndRemove$", "-test.v"},
			Dir: "/", Env: append(os.Environ(), "LUDGATE_TEST_IMAGE_USER=1", "TMPDIR="+tmp, "HOME="+tmp),
			SysProcAttr: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("as nobody: %v\n%s", err, out)
		}
		if !strings.Contains(string(out), "--- PASS: TestOrdinaryUser") {
			t.Errorf("as nobody nothing was tested:\n%s", out)
		}
		return
	}
	s := openStore(t, t.TempDir(), quick)
	if !s.UserXattr() {
		t.Fatal("the store takes itself for root's")
	}
	img := whiteoutLayers(t)
	closed := tarOf(t,
		entry{name: "readonly/", mode: 0o555}, entry{name: "readonly/sub/", mode: 0o500}, entry{name: "readonly/sub/f", body: "x", mode: 0o400, uid: 5},
		entry{name: "none/", mode: 0o001})
	img.add(t, closed, digestOf(closed))
	over := tarOf(t, file("readonly/g", "y"), file("closed/c", "z"))
	img.add(t, over, digestOf(over))
	layers, err := install(t, s, img)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, layers[1]), `drwx--x--x closed
-rw-r--r-- closed/b "8"
Dc--------- gone
Dc--------- gonedir
-rw-r--r-- kept2 ""
drwxr-xr-x opaque
-rw-r--r-- opaque/new "n"
drwxr-xr-x own
drwxr-xr-x replaced
-rw-r--r-- replaced/new "n"
drwxr-xr-x replacedbefore
-rw-r--r-- replacedbefore/new "n"
`; got != want {
		t.Errorf("second layer:\n%swant:\n%s", got, want)
	}
	for _, dir := range []string{"opaque", "replaced", "replacedbefore"} {
		buf := make([]byte, 8)
		if n, err := unix.Lgetxattr(filepath.Join(layers[1], dir), "user.overlay.opaque", buf); err != nil || string(buf[:n]) != "y" {
			t.Errorf("%s is not opaque: %q, %v", dir, buf, err)
		}
	}
	for path, want := range map[string]string{
		layers[2] + "/readonly":       "dr-xr-xr-x",
		layers[2] + "/readonly/sub":   "dr-x------",
		layers[2] + "/readonly/sub/f": "-r--------",
		layers[2] + "/none":           "d--------x",
		layers[3] + "/readonly":       "dr-xr-xr-x", // nothing describes it here
		layers[3] + "/readonly/g":     "-rw-r--r--",
		layers[3] + "/closed":         "drwx--x--x",
	} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().String() != want {
			t.Errorf("%s: %v, %v; want %s", strings.TrimPrefix(path, s.dir), info, err, want)
		}
	}
	// It must be possible to get rid of all that.
	s.mounted = func() (*usage, error) { return &usage{}, nil }
	for _, f := range listDir(t, filepath.Join(s.dir, "images")) {
		if err := os.Remove(filepath.Join(s.dir, "images", f)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.collect(); err != nil {
		t.Fatal(err)
	}
	if left := listDir(t, filepath.Join(s.dir, "layers")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
