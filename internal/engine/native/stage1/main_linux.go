package stage1

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main sets the container up and becomes its program. It never returns.
func Main() {
	runtime.LockOSThread() // namespaces, capabilities and filters belong to threads
	debug.SetGCPercent(-1) // this lives for a few milliseconds
	unix.CloseOnExec(ConfigFD)
	unix.CloseOnExec(StatusFD)

	err := run()
	var failure *Failure
	if !errors.As(err, &failure) {
		failure = &Failure{Message: err.Error()}
	}
	text, err := json.Marshal(failure)
	if err == nil {
		_, err = unix.Write(StatusFD, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, failure.Message)
	}
	syscall.Exit(1) // os.Exit would wait a second under the race detector
}

// wish marks a failure as the wish's own.
func wish(format string, args ...any) error {
	return &Failure{Wish: true, Message: fmt.Errorf(format, args...).Error()}
}

// run does everything, in the one order that is both possible and safe. It
// returns only when something failed.
func run() error {
	config, err := readConfig()
	if err != nil {
		return err
	}
	if err := resetOOMScore(config.OOMScoreAdj); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	// Only now, inside its own cgroup, may the process make that cgroup the root
	// of a namespace: as a flag of clone it would show the parent's.
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("unshare the cgroup namespace: %w", err)
	}
	// A container must not share the session keyring of whoever started us. Not
	// every kernel has keyrings, and a full quota is no reason to fail.
	_, _ = unix.KeyctlJoinSessionKeyring("_ludgate")

	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	root, err := openRoot(config.Root)
	if err != nil {
		return err
	}
	if err := root.build(config); err != nil {
		return err
	}
	if err := root.enter(); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(config.Hostname)); err != nil {
		return fmt.Errorf("set the host name: %w", err)
	}
	if err := enterDirectory(config.Cwd); err != nil {
		return err
	}
	if err := dropPrivileges(config); err != nil {
		return err
	}
	return execute(config.Args, config.Env)
}

// readConfig waits for the outer half to open the gate.
func readConfig() (*Config, error) {
	pipe := os.NewFile(ConfigFD, "config")
	if pipe == nil {
		return nil, errors.New("started by hand: there is nothing to run")
	}
	defer pipe.Close()
	text, err := io.ReadAll(pipe)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return &config, nil
}

// resetOOMScore makes the container an ordinary candidate of the out-of-memory
// killer: the shim, whose score would be inherited, is a protected one.
func resetOOMScore(score int) error {
	const path = "/proc/self/oom_score_adj"
	want := strconv.Itoa(score)
	if have, err := os.ReadFile(path); err == nil && string(have) == want+"\n" {
		return nil
	}
	err := os.WriteFile(path, []byte(want), 0)
	if err != nil && !errors.Is(err, os.ErrPermission) { // to lower it takes a privilege; then it stays higher
		return fmt.Errorf("set the OOM score: %w", err)
	}
	return nil
}
