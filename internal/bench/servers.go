package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// withServer starts this program as `dev` on an empty data directory, waits
// until it is ready, runs fn with its address and ends it.
func (b *run) withServer(ctx context.Context, engine string, fn func(host string) error) error {
	dir, err := os.MkdirTemp("", "ludgate-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "dev", "--http", "127.0.0.1:0", "--https", "off", "--data", dir, "--engine", engine, "--log-level", "warn")
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
		b.notes = append(b.notes, fmt.Sprintf("engine %s: ready %d ms after start on an empty store, idle memory %.0f MB", engine, ready.Milliseconds(), float64(s.RSSBytes)/(1<<20)))
	}
	return fn(host)
}

// readyHost waits for the ready line and gives the host of its http address.
func readyHost(out interface{ Read([]byte) (int, error) }) (string, error) {
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
