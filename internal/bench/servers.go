package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// withServer starts this program as `dev` on an empty data directory and an empty
// store, waits until it is ready, runs fn and ends it.
func (b *run) withServer(ctx context.Context, engine string, fn func(k *work) error) error {
	if b.opt.Store == "" {
		return b.onStore(ctx, engine, "embedded", fn)
	}
	return withSchema(ctx, b.opt.Store, func(store string) error { return b.onStore(ctx, engine, store, fn) })
}

func (b *run) onStore(ctx context.Context, engine, store string, fn func(k *work) error) (err error) {
	dir, err := os.MkdirTemp("", "ludgate-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	platform, err := startPlatform()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, platform.close()) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "dev", "--http", "127.0.0.1:0", "--https", "off", "--data", dir, "--engine", engine, "--log-level", "warn")
	cmd.Env = append(os.Environ(), "LUDGATE_STORE="+store, "LUDGATE_STREAMING_VALIDATE_URL="+platform.validateURL)
	cmd.Stderr = b.opt.Log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		_ = cmd.Wait()                          // its exit status says nothing new
	}()
	host, err := readyHost(out)
	if err != nil {
		return fmt.Errorf("start a server with engine %s: %w", engine, err)
	}
	ready := time.Since(start)
	time.Sleep(200 * time.Millisecond) // what starts in the background has started
	if s, err := readStats(ctx, host); err == nil {
		b.note("engine %s: ready %d ms after start on an empty store, idle memory %.0f MB", engine, ready.Milliseconds(), mega(s.RSSBytes))
	}
	return fn(&work{host: host, title: b.opt.Title, mark: mark(), mint: platform.mint, data: dir, pid: cmd.Process.Pid})
}

// noteMemory says how much memory a server has had at most so far.
func (b *run) noteMemory(k *work, under string) {
	if own, helper := peakMemory(k.pid); own > 0 {
		b.note("memory under %s: at most %.0f MB, and %.0f MB in the helper that hashes", under, mega(own), mega(helper))
	}
}

// readyHost waits for the ready line and gives the host of its http address.
func readyHost(out io.Reader) (string, error) {
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		for _, word := range strings.Fields(sc.Text()) {
			if host, ok := strings.CutPrefix(word, "http=http://"); ok {
				return host, nil
			}
		}
	}
	return "", fmt.Errorf("it ended before it was ready")
}

// titleKey makes a secret key of a title of the server on a data directory, by the
// command that an operator uses.
func titleKey(ctx context.Context, data, title string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, self, "title", "keys", title, "create", "bench-"+mark(), "--data", data).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("make a secret key of title %s: %w", title, err)
	}
	return strings.TrimSpace(string(out)), nil
}
