package oci

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	runc "github.com/containerd/go-runc"
	specs "github.com/opencontainers/runtime-spec/specs-go"

	"ludgate/internal/engine/native/launch"
	"ludgate/internal/engine/native/stage1"
)

// names of the runtimes we look for, the fastest first.
var names = []string{"crun", "runc", "runsc", "kata-runtime"}

// Find lists the absolute paths of the installed runtimes, in order of
// preference.
func Find() []string {
	var found []string
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			found = append(found, path)
		}
	}
	return found
}

// Runtime is an installed runtime with a directory for its state.
type Runtime struct {
	Command string // absolute path
	Root    string // what it keeps of its containers
	// Spawn starts the runtime inside the container's control group, where it
	// JoinsGroups; it is nil where there is no such group.
	Spawn launch.Spawn
	// Filter is the spec's system call filter as the kernel wants it. crun takes
	// it as it is; compiling it again is most of its work. Others compile the
	// spec's.
	Filter []byte
	// Release is called when the runtime is through with its work and before the
	// container's program begins; it may be nil.
	Release func() error
}

// JoinsGroups reports whether the runtime can be started inside a control group
// that somebody else has made, so that the container begins there. Others make
// the group from the spec and move the container into it, which is slow: see
// [cgroup.Group.Spawn].
func (r *Runtime) JoinsGroups() bool { return filepath.Base(r.Command) == "crun" }

// Start runs a container called id, from a bundle directory that has a mounted
// root file system and gets the spec written to it. It gives the container's
// first process, which becomes a child of whoever reaps orphans, and when it
// began. Failures of the wish are *stage1.Failure with Wish set.
func (r *Runtime) Start(ctx context.Context, id, bundle string, spec *specs.Spec, stdin, stdout, stderr *os.File) (*os.Process, time.Time, error) {
	if r.Filter != nil && spec.Linux.Seccomp != nil {
		annotated := *spec
		annotated.Annotations = maps.Clone(spec.Annotations)
		if annotated.Annotations == nil {
			annotated.Annotations = map[string]string{}
		}
		annotated.Annotations["run.oci.seccomp_bpf_data"] = base64.StdEncoding.EncodeToString(r.Filter)
		spec = &annotated
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, time.Time{}, err
	}
	if err := os.WriteFile(filepath.Join(bundle, "config.json"), text, 0o600); err != nil {
		return nil, time.Time{}, err
	}
	if err := os.MkdirAll(r.Root, 0o700); err != nil {
		return nil, time.Time{}, err
	}
	log := filepath.Join(bundle, "runtime.log")
	pidFile := filepath.Join(bundle, "pid")
	if err := r.create(ctx, id, bundle, log, pidFile, stdin, stdout, stderr); err != nil {
		r.Delete(ctx, id)
		return nil, time.Time{}, explain(r.Command, log, err)
	}
	process, err := created(pidFile)
	if err != nil {
		r.Delete(ctx, id)
		return nil, time.Time{}, err
	}
	err = unprotect(process.Pid, spec)
	if err == nil && r.Release != nil {
		err = r.Release()
	}
	if err == nil {
		if err = r.cli(log).Start(ctx, id); err == nil {
			return process, time.Now(), nil
		}
		err = explain(r.Command, log, err)
	}
	_ = process.Kill()
	_, _ = process.Wait()
	r.Delete(ctx, id)
	return nil, time.Time{}, err
}

func (r *Runtime) cli(log string) *runc.Runc {
	return &runc.Runc{Command: r.Command, Root: r.Root, Log: log, LogFormat: runc.JSON, ExtraArgs: r.options()}
}

// options are what the runtime is told with every command.
func (r *Runtime) options() []string {
	if r.Spawn == nil || !r.JoinsGroups() {
		return nil
	}
	return []string{"--cgroup-manager", "disabled"} // it is in the right group already
}

// create has the runtime make the container. go-runc has no way to say in which
// control group the runtime itself is to run.
func (r *Runtime) create(ctx context.Context, id, bundle, log, pidFile string, stdin, stdout, stderr *os.File) error {
	args := append([]string{"--root", r.Root, "--log", log, "--log-format", "json"}, r.options()...)
	cmd := exec.CommandContext(ctx, r.Command, append(args, "create", "--bundle", bundle, "--pid-file", pidFile, id)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	spawn := launch.Plain
	if r.Spawn != nil {
		spawn = r.Spawn
	}
	if err := spawn(cmd.SysProcAttr, cmd.Start); err != nil {
		return err
	}
	return cmd.Wait()
}

// created finds the process that create made; it waits until start.
func created(pidFile string) (*os.Process, error) {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("the runtime's pid file: %w", err)
	}
	return os.FindProcess(pid)
}

// unprotect gives the waiting process the OOM score of the spec. Some versions of
// crun do not when it is 0, and the container would have the shim's own, which
// makes it the last that the kernel kills.
func unprotect(pid int, spec *specs.Spec) error {
	if spec.Process.OOMScoreAdj == nil {
		return nil
	}
	err := os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), strconv.AppendInt(nil, int64(*spec.Process.OOMScoreAdj), 10), 0)
	if errors.Is(err, os.ErrPermission) { // only to lower it takes a privilege
		return nil
	}
	return err
}

// Delete removes what the runtime keeps of a container, its control group
// included, and ends it if it still runs. An unknown container is a success.
func (r *Runtime) Delete(ctx context.Context, id string) error {
	err := r.cli("").Delete(ctx, id, &runc.DeleteOpts{Force: true})
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		return nil
	}
	return err
}

// explain puts a runtime's complaint into our words where it is about the wish.
func explain(command, log string, err error) error {
	name := filepath.Base(command)
	reason := lastError(log)
	if reason == "" {
		return fmt.Errorf("%s: %w", name, err)
	}
	if wish, ok := wishOf(reason); ok {
		return &stage1.Failure{Wish: true, Message: wish}
	}
	return &stage1.Failure{Message: name + ": " + reason}
}

// wishOf recognises complaints that are about the container's definition. Each
// runtime has its own words:
//
//	runc: … exec: "x": executable file not found in $PATH
//	runc: … exec: "/x": stat /x: no such file or directory
//	runc: … exec: "/x": permission denied
//	crun: executable file `x` not found in $PATH: No such file or directory
//	crun: open executable: Permission denied
//	runc: … mkdir /etc/passwd: not a directory
//	crun: chdir `/etc/passwd`: Not a directory
func wishOf(reason string) (string, bool) {
	_, rest, ok := strings.Cut(reason, `exec: "`)
	if ok { // runc
		program, why, _ := strings.Cut(rest, `": `)
		if strings.Contains(why, "executable file not found in $PATH") {
			return fmt.Sprintf("executable file %q not found in $PATH", program), true
		}
		if _, last, ok := strings.Cut(why, ": "); ok { // stat /x: …
			why = last
		}
		return fmt.Sprintf("exec %q: %s", program, why), true
	}
	if _, rest, ok := strings.Cut(reason, "executable file `"); ok { // crun
		program, why, _ := strings.Cut(rest, "` ")
		if strings.Contains(program, "/") {
			_, why, _ = strings.Cut(why, ": ")
			return fmt.Sprintf("exec %q: %s", program, strings.ToLower(why)), true
		}
		return fmt.Sprintf("executable file %q not found in $PATH", program), true
	}
	for _, words := range []string{"open executable", "exec format error", "Exec format error", "chdir", "not a directory", "Not a directory"} {
		if strings.Contains(reason, words) {
			return reason, true
		}
	}
	return "", false
}

// lastError is the last error in a runtime's log; "" when there is none.
func lastError(log string) string {
	f, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	found := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var entry struct{ Level, Msg string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Level == "error" {
			found = entry.Msg
		}
	}
	return found
}

// ErrNone says that no runtime is installed.
var ErrNone = errors.New("none of " + strings.Join(names, ", ") + " is in PATH")
