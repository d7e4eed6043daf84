package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/cgroup"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/oci"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/shim"
	"ludgate/internal/engine/native/tun"
)

// launcher is how containers are started: by an installed runtime, or, with "",
// by ourselves.
type launcher struct{ runtime string }

// Kernel that the builtin launcher needs: mounts are made read-only by
// mount_setattr, which came with it.
const kernelMajor, kernelMinor = 5, 12

// unavailable makes the error that tells operators why and what to do.
func unavailable(reason, remedy string) error {
	return &engine.Unavailable{Engine: "native", Reason: reason, Remedy: remedy}
}

// probe finds out what works here and chooses the launcher.
func (r *Runtime) probe(ctx context.Context, want string) error {
	if err := r.probeGround(ctx); err != nil {
		return err
	}
	if r.rootless {
		r.log.Info("limits on processor and memory are not enforced: that takes root")
		if err := tun.Check(); err != nil {
			r.log.Warn("containers reach nothing outside their group: there is no access to TUN devices", "reason", err)
		} else {
			r.uplink = true
		}
	} else {
		if err := cgroup.Prepare(); err != nil {
			r.log.Warn("limits on processor and memory are not enforced: control groups do not work here", "reason", err)
		} else {
			r.limits, r.limitSwap = true, cgroup.SwapIsCounted()
		}
	}
	builtin := probeBuiltin()
	installed := oci.Find()
	if r.rootless {
		installed = nil // they would want a user namespace of their own making
	}
	switch want {
	case LauncherBuiltin:
		r.launcher = func() launcher { return launcher{} }
		return builtin
	case LauncherOCI:
		if r.rootless {
			return unavailable("The oci launcher works for root only.", "Start Ludgate as root, or choose the builtin launcher.")
		}
		command, err := r.vet(ctx, installed)
		if err != nil {
			return unavailable("No installed OCI runtime works: "+err.Error()+".", "Install crun or runc, or choose the builtin launcher.")
		}
		r.launcher = func() launcher { return launcher{command} }
		return nil
	case LauncherAuto:
	default:
		return fmt.Errorf("native engine: launcher %q is none of auto, builtin, oci", want)
	}

	if len(installed) == 0 || builtin != nil {
		command, err := r.vet(ctx, installed)
		if err != nil && builtin != nil {
			return builtin
		}
		r.launcher = func() launcher { return launcher{command} }
		return nil
	}
	// An installed runtime is preferred, but nobody has to wait until it is
	// known whether it works, except the first group.
	found := make(chan launcher, 1)
	go func() {
		command, err := r.vet(r.closing, installed)
		if err != nil && r.closing.Err() == nil {
			r.log.Info("containers are started by the builtin launcher", "reason", err)
		}
		found <- launcher{command}
	}()
	r.launcher = sync.OnceValue(func() launcher { return <-found })
	return nil
}

// probeBuiltin says why the builtin launcher cannot work; nil when it can.
func probeBuiltin() error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	release := unix.ByteSliceToString(name.Release[:])
	if major, minor := kernelVersion(release); major < kernelMajor || major == kernelMajor && minor < kernelMinor {
		return unavailable(fmt.Sprintf("The builtin launcher needs Linux %d.%d or newer, and this is %s.", kernelMajor, kernelMinor, release),
			"Install crun or runc, or a newer kernel.")
	}
	if _, err := defaultFilter(); err != nil {
		return unavailable("The builtin launcher has no system call filter for this machine: "+err.Error()+".", "Install crun or runc.")
	}
	return nil
}

// kernelVersion reads "6.18.44-generic"; 0, 0 when it is something else.
func kernelVersion(release string) (major, minor int) {
	parts := strings.SplitN(release, ".", 3)
	if len(parts) < 2 {
		return 0, 0
	}
	digits := strings.IndexFunc(parts[1]+"x", func(c rune) bool { return c < '0' || c > '9' })
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1][:digits])
	if errMajor != nil || errMinor != nil {
		return 0, 0
	}
	return major, minor
}

// probeGround starts a process as a shim is started and has it do what a shim
// does first: namespaces, /proc, an overlay on our directory.
func (r *Runtime) probeGround(ctx context.Context) error {
	place := layout.Group{Dir: filepath.Join(r.dir, "probe")}
	if err := removeTree(place.Dir); err != nil {
		return fmt.Errorf("native engine: %w", err)
	}
	if err := os.Mkdir(place.Dir, 0o700); err != nil {
		return fmt.Errorf("native engine: %w", err)
	}
	defer func() { _ = removeTree(place.Dir) }() // the next start tries again

	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	probe, err := r.hatch(shim.ProbeName, nil)
	if err != nil {
		return r.explainSpawn(err)
	}
	defer probe.drop()
	answer, err := probe.tell(ctx, &protocol.Setup{Version: protocol.Version, Group: place})
	if err != nil {
		return unavailable("A process in fresh namespaces does not come up: "+err.Error()+".", "Look for what the kernel or a security module logged.")
	}
	if answer.Error == "" {
		return nil
	}
	if strings.Contains(answer.Error, "mount the root file system") {
		return unavailable(fmt.Sprintf("Overlayfs does not work on %s: %s.", r.dir, answer.Error),
			"Put the data directory on ext4, xfs or btrfs (in a container: on a volume), and load the kernel module overlay.")
	}
	return unavailable("Fresh namespaces cannot be used: "+answer.Error+".", r.remedy())
}

// explainSpawn turns a clone that failed into words.
func (r *Runtime) explainSpawn(err error) error {
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EUSERS) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("native engine: %w", err)
	}
	if !r.rootless {
		return unavailable("Root may not make namespaces here: "+err.Error()+".", r.remedy())
	}
	if setting := forbidding("/proc/sys"); setting != "" {
		return unavailable("This system forbids user namespaces to ordinary users: "+setting+".", "Change that setting, or start Ludgate as root.")
	}
	return unavailable("An ordinary user may not make namespaces here: "+err.Error()+".", r.remedy())
}

// forbidding finds the setting below dir that keeps ordinary users from making
// user namespaces; "" when there is none.
func forbidding(dir string) string {
	for _, k := range []struct{ path, forbids string }{
		{"kernel/unprivileged_userns_clone", "0"},
		{"user/max_user_namespaces", "0"},
		{"kernel/apparmor_restrict_unprivileged_userns", "1"},
	} {
		if text, err := os.ReadFile(filepath.Join(dir, k.path)); err == nil && strings.TrimSpace(string(text)) == k.forbids {
			return strings.ReplaceAll(k.path, "/", ".") + " is " + k.forbids
		}
	}
	return ""
}

func (r *Runtime) remedy() string {
	if r.rootless {
		return "Start Ludgate as root, or choose --engine simulated to try everything else."
	}
	return "Run Ludgate on the machine itself or in a privileged container (it needs CAP_SYS_ADMIN), or choose --engine simulated to try everything else."
}

// absent reports whether err means that there is no such file, or that the
// process it tells of ended between opening and reading it.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }
