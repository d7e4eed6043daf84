package password

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// quiet is a log that nobody reads.
var quiet = slog.New(slog.DiscardHandler)

func (h *Hasher) helperPID() int {
	h.helper.mu.Lock()
	defer h.helper.mu.Unlock()
	if h.helper.proc == nil {
		return 0
	}
	return h.helper.proc.cmd.Process.Pid
}

// niceOf reads the niceness of every thread of a process.
func niceOf(t *testing.T, pid int) []int {
	t.Helper()
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(stats) == 0 {
		t.Fatalf("no threads of %d (%v)", pid, err)
	}
	var nices []int
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		n, err := strconv.Atoi(fields[16])
		if err != nil {
			t.Fatal(err)
		}
		nices = append(nices, n)
	}
	return nices
}

func mustHash(t *testing.T, h *Hasher) {
	t.Helper()
	phc, err := h.Hash(t.Context(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Verify(t.Context(), phc, "secret"); err != nil || !ok {
		t.Fatalf("verify: %v %v", ok, err)
	}
}

func TestHelperIsNicedAndTheServerIsNot(t *testing.T) {
	own := niceOf(t, os.Getpid())[0] // 0, unless somebody started the tests with another
	h := newHasher(t, Options{})
	if pid := h.helperPID(); pid != 0 {
		t.Errorf("helper %d runs before the first password", pid)
	}
	mustHash(t, h)
	pid := h.helperPID()
	if pid == 0 {
		t.Fatal("no helper")
	}
	for _, n := range niceOf(t, pid) {
		if n != 19 {
			t.Errorf("a thread of the helper has nice %d", n)
		}
	}
	time.Sleep(10 * time.Millisecond) // the thread that started it ends by itself
	for _, n := range niceOf(t, os.Getpid()) {
		if n != own {
			t.Errorf("a thread of the server has nice %d, want %d", n, own)
		}
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || strings.Contains(string(env), "PATH=") {
		t.Errorf("the helper has the server's environment: %q %v", env, err)
	}
}

func TestHelperDiesAndComesBack(t *testing.T) {
	h := newHasher(t, Options{Workers: 2, Log: quiet})
	mustHash(t, h)
	first := h.helperPID()
	h.helper.mu.Lock()
	h.helper.started = h.helper.started.Add(-time.Minute) // it has lived long
	h.helper.mu.Unlock()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { mustHash(t, h) }) // some of them are under way when it dies
	}
	time.Sleep(30 * time.Millisecond)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	mustHash(t, h)
	if second := h.helperPID(); second == 0 || second == first {
		t.Errorf("helper %d after %d was killed", second, first)
	}
}

func TestHelperThatKeepsDyingIsLeftAlone(t *testing.T) {
	h := newHasher(t, Options{Params: cheap, Log: quiet})
	mustHash(t, h)
	if err := syscall.Kill(h.helperPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for h.helperPID() != 0 {
		mustHash(t, h)
	}
	mustHash(t, h) // hashed here
	if pid := h.helperPID(); pid != 0 {
		t.Errorf("helper %d started again at once", pid)
	}
}

func TestHelperThatCannotStart(t *testing.T) {
	// The process may open no further file, so no pipe to a helper.
	h := newHasher(t, Options{Params: cheap, Log: quiet})
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: old.Max}); err != nil {
		t.Skipf("cannot lower the limit of open files: %v", err)
	}
	phc, err := h.Hash(t.Context(), "secret")
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if err != nil || !strings.HasPrefix(phc, "$argon2id$") || h.helperPID() != 0 {
		t.Errorf("%s %v, helper %d", phc, err, h.helperPID())
	}
}

func TestCloseEndsTheHelper(t *testing.T) {
	h := newHasher(t, Options{Params: cheap})
	mustHash(t, h)
	pid := h.helperPID()
	h.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("helper %d is still there: %v", pid, err)
	}
}

// TestHelperOutlivesSignalsButNotTheServer kills a server that has a helper.
func TestHelperOutlivesSignalsButNotTheServer(t *testing.T) {
	if os.Getenv("PASSWORD_TEST_SERVER") != "" {
		h := New(Options{Params: cheap})
		mustHash(t, h)
		fmt.Printf("helper %d\n", h.helperPID())
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "PASSWORD_TEST_SERVER=1")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for sc := bufio.NewScanner(out); pid == 0 && sc.Scan(); {
		_, _ = fmt.Sscanf(sc.Text(), "helper %d", &pid)
	}
	if pid == 0 {
		t.Fatal("the server reported no helper")
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("a signal ended the helper: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 100 {
		if gone(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("helper %d outlived its server", pid)
}

// gone reports whether a process has ended; a zombie that nobody reaps has.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}
