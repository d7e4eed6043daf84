package native_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/pod"
	"ludgate/internal/image"
)

// attempts are what a container with root must not succeed in. Each gives nil
// when it did.
var attempts = map[string]func() error{
	"write to /proc/sysrq-trigger": func() error { return os.WriteFile("/proc/sysrq-trigger", []byte("h"), 0) },
	"write to /proc/sys":           func() error { return os.WriteFile("/proc/sys/kernel/core_pattern", []byte("|/probe"), 0) },
	"write to /sys":                func() error { return os.WriteFile("/sys/kernel/uevent_helper", []byte("/probe"), 0) },
	"write to /proc/irq": func() error {
		return os.WriteFile("/proc/irq/default_smp_affinity", []byte("1"), 0)
	},
	"read /proc/kcore":          func() error { return content("/proc/kcore") },
	"read /proc/keys":           func() error { return content("/proc/keys") },
	"read /proc/timer_list":     func() error { return content("/proc/timer_list") },
	"read /proc/interrupts":     func() error { return content("/proc/interrupts") },
	"list /sys/firmware":        func() error { return content("/sys/firmware") },
	"uncover a hidden file":     func() error { return unix.Unmount("/proc/kcore", 0) },
	"mount a tmpfs":             func() error { return unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "") },
	"mount a proc":              func() error { return unix.Mount("proc", "/tmp", "proc", 0, "") },
	"remount / shared":          func() error { return unix.Mount("", "/", "", unix.MS_SHARED, "") },
	"make /proc/sys writable":   func() error { return unix.Mount("", "/proc/sys", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"fsopen":                    func() error { _, err := unix.Fsopen("tmpfs", 0); return err },
	"open_tree":                 func() error { _, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE); return err },
	"pivot_root":                func() error { return unix.PivotRoot(".", ".") },
	"unshare a user namespace":  func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"unshare a mount namespace": func() error { return unix.Unshare(unix.CLONE_NEWNS) },
	"setns to itself": func() error {
		f, err := os.Open("/proc/self/ns/net")
		if err != nil {
			return err
		}
		return unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
	},
	"make and open a disk": func() error {
		for _, dev := range []uint64{unix.Mkdev(254, 0), unix.Mkdev(8, 0), unix.Mkdev(259, 0)} {
			os.Remove("/disk")
			if err := unix.Mknod("/disk", unix.S_IFBLK|0o600, int(dev)); err != nil {
				continue
			}
			if err := content("/disk"); err == nil || errors.Is(err, unix.ENXIO) { // ENXIO: allowed, but no such disk
				return nil
			}
		}
		return unix.EPERM
	},
	"make and open /dev/mem": func() error {
		if err := unix.Mknod("/mem", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1))); err != nil {
			return err
		}
		return content("/mem")
	},
	"make and open /dev/kmsg": func() error {
		if err := unix.Mknod("/kmsg", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 11))); err != nil {
			return err
		}
		return content("/kmsg")
	},
	"read the kernel's log": func() error { _, err := unix.Klogctl(3, make([]byte, 100)); return err },
	"load a module": func() error {
		_, _, errno := unix.Syscall(unix.SYS_INIT_MODULE, 0, 0, 0)
		return onlyPermission(errno)
	},
	"load a BPF program": func() error {
		_, _, errno := unix.Syscall(unix.SYS_BPF, 0, 0, 0)
		return onlyPermission(errno)
	},
	"kexec": func() error {
		_, _, errno := unix.Syscall6(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0, 0, 0)
		return onlyPermission(errno)
	},
	"open by handle": func() error {
		_, err := unix.OpenByHandleAt(unix.AT_FDCWD, unix.NewFileHandle(1, make([]byte, 8)), 0)
		var errno unix.Errno
		errors.As(err, &errno)
		return onlyPermission(errno)
	},
	"keyctl": func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false); return err },
	"perf_event_open": func() error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{}, 0, -1, -1, 0)
		return onlyPermissionErr(err)
	},
	"userfaultfd":       func() error { _, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, 0, 0, 0); return onlyPermission(errno) },
	"set the time":      func() error { return unix.Settimeofday(&unix.Timeval{Sec: 1}) },
	"set the host name": func() error { return unix.Sethostname([]byte("owned")) },
	"reboot":            func() error { return unix.Reboot(unix.LINUX_REBOOT_CMD_CAD_OFF) },
	"swap": func() error {
		_, _, errno := unix.Syscall(unix.SYS_SWAPOFF, uintptr(unsafe.Pointer(&[]byte("/x\x00")[0])), 0, 0)
		return onlyPermission(errno)
	},
	"a vsock socket": func() error { _, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); return err },
	"raise a limit":  func() error { return raiseLimit() },
	"write to control groups": func() error {
		for _, path := range []string{"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/tasks"} {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				continue
			}
			if _, err := f.Write([]byte("1")); err == nil {
				fmt.Println(path)
				return nil
			}
		}
		return unix.EROFS
	},
	"set a release agent": func() error { return os.WriteFile("/sys/fs/cgroup/memory/release_agent", []byte("/probe"), 0) },
	"change the network": func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		lo, err := unix.NewIfreq("lo")
		if err != nil {
			return err
		}
		return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
	},
	"see a process of the machine": func() error {
		found, err := filepath.Glob("/proc/[0-9]*")
		if err != nil || len(found) != 1 {
			return nil
		}
		return errors.New("only its own")
	},
	"reach another root": func() error {
		// Its own, through /proc; the machine's has this test's directory.
		st, err := os.Stat("/proc/1/root/usr/lib")
		if err != nil {
			return err
		}
		return fmt.Errorf("only its own: %v", st.Mode().IsDir())
	},
	"climb out of the root with chroot": func() error {
		if err := os.Mkdir("/jail", 0o755); err != nil {
			return err
		}
		up, err := os.Open("/")
		if err != nil {
			return err
		}
		if err := unix.Chroot("/jail"); err != nil {
			return err
		}
		if err := up.Chdir(); err != nil {
			return err
		}
		for range 50 {
			if err := os.Chdir(".."); err != nil {
				return err
			}
		}
		if err := unix.Chroot("."); err != nil {
			return err
		}
		if _, err := os.Stat("/probe"); err == nil {
			return errors.New("back in its own root")
		}
		return nil
	},
	"an inherited descriptor": func() error {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for _, e := range entries {
			n, err := strconv.Atoi(e.Name())
			if err != nil || n <= 2 {
				continue
			}
			to, err := os.Readlink("/proc/self/fd/" + e.Name())
			// What this very program has open: its poller and the directory.
			// (And what the Go runtime looks at to learn its share of processors.)
			if err != nil || strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/proc/") || strings.HasPrefix(to, "/sys/fs/cgroup/") {
				continue
			}
			fmt.Println(e.Name(), "is", to)
			return nil
		}
		return errors.New("only its own")
	},
	"overwrite its program file": func() error {
		f, err := os.OpenFile("/proc/1/exe", os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return nil
	},
	"a capability too many": func() error {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return err
		}
		if field(string(status), "CapBnd:") != "00000000a80425fb" || field(string(status), "CapInh:") != "0000000000000000" {
			return nil
		}
		return errors.New("only the usual ones")
	},
	"an abstract socket of the machine": func() error {
		c, err := net.Dial("unix", "@ludgate-breakout")
		if err != nil {
			return err
		}
		return c.Close()
	},
	"System V memory of the machine": func() error {
		id, err := unix.SysvShmGet(0x1dead, 0, 0)
		if err != nil {
			return err
		}
		return fmt.Errorf("segment %d: %w", id, nil)
	},
}

func content(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if names, err := f.Readdirnames(1); err == nil && len(names) > 0 {
		return nil
	}
	n, err := f.Read(make([]byte, 16))
	if n > 0 {
		return nil
	}
	return fmt.Errorf("empty: %w", err)
}

// onlyPermission counts everything but a refusal as a success: another error
// means that the kernel has looked at the call.
func onlyPermission(errno unix.Errno) error {
	if errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS {
		return errno
	}
	return nil
}

func onlyPermissionErr(err error) error {
	var errno unix.Errno
	errors.As(err, &errno)
	return onlyPermission(errno)
}

func raiseLimit() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	l.Max++
	return syscall.Setrlimit(unix.RLIMIT_NOFILE, (*syscall.Rlimit)(&l))
}

// attempt is the probe that makes one of them.
func attempt(args []string) {
	try := attempts[args[0]]
	if try == nil {
		fmt.Println("no such attempt")
		os.Exit(2)
	}
	if err := try(); err != nil {
		fmt.Printf("failed: %v\n", err)
		os.Exit(0)
	}
	fmt.Println("succeeded")
	os.Exit(1)
}

func TestBreakOut(t *testing.T) {
	// What only somebody on the machine could reach.
	outside, err := net.Listen("unix", "@ludgate-breakout")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	segment, err := unix.SysvShmGet(0x1dead, 4096, unix.IPC_CREAT|0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.SysvShmCtl(segment, unix.IPC_RMID, nil)

	launchers(t, func(t *testing.T, r *rig) {
		r.probeImage("probe")
		g := r.sandbox()
		for name := range attempts {
			t.Run(name, func(t *testing.T) {
				exit, text := r.run(g, r.probe("probe", "attempt", name))
				if exit.Code != 0 {
					t.Errorf("%+v: %s", exit, text)
				}
			})
		}
		// The group is in order, and so is the machine.
		if got := r.succeed(g, container("print", "fine")); got != "fine\n" {
			t.Errorf("got %q", got)
		}
	})
}

// An image whose mount points are links that lead out, or into /proc.
func TestImageWithTraps(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		outside := filepath.Join(t.TempDir(), "outside")
		if err := os.Mkdir(outside, 0o777); err != nil {
			t.Fatal(err)
		}
		trap := func(name, link, to string) {
			r.image(name, nil, func(layer string, img *image.Image) {
				path := filepath.Join(layer, link)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(to, path); err != nil {
					t.Fatal(err)
				}
			})
		}
		g := r.sandbox()
		start := func(name string) error {
			c := container("cat", "/etc/hosts")
			c.Image = name
			run, err := r.tryStart(g, c)
			if err == nil {
				r.wait(g, run)
			}
			if err := errors.Join(r.Kill(t.Context(), g.Key, run, 0), r.Discard(t.Context(), g.Key, run)); err != nil {
				t.Error(err)
			}
			return err
		}
		// In place of kernel file systems: refused.
		for _, at := range []string{"proc", "sys", "dev"} {
			trap("link-"+at, at, outside)
			var refused *pod.StartError
			if err := start("link-" + at); !errors.As(err, &refused) {
				t.Errorf("an image with a link for /%s: %v", at, err)
			}
		}
		// In place of files that are bound in: followed inside, never outside.
		for name, to := range map[string]string{
			"absolute": filepath.Join(outside, "hosts"), "up": strings.Repeat("../", 30) + filepath.Join(outside, "hosts"),
			"proc": "/proc/self/environ", "dangling": "/nowhere/at/all",
		} {
			trap("hosts-"+name, "etc/hosts", to)
			_ = start("hosts-" + name) // starting or refusing are both right
		}
		trap("etc-outside", "etc", outside)
		_ = start("etc-outside")
		left, err := os.ReadDir(outside)
		if err != nil || len(left) > 0 {
			t.Errorf("something was written outside: %v %v", left, err)
		}
		if got := r.succeed(g, container("print", "fine")); got != "fine\n" {
			t.Errorf("got %q", got)
		}
	})
}

// The socket of a shim is for the user that Ludgate runs as.
func TestShimsSocketIsPrivate(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	for path, mode := range map[string]os.FileMode{
		r.runDir: 0o700, filepath.Join(r.runDir, g.Key): 0o700, filepath.Join(r.runDir, g.Key, "shim.sock"): 0o600,
		filepath.Join(r.dir, "groups"): 0o700, filepath.Join(r.dir, "groups", g.Key): 0o700,
	} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want %v", path, st.Mode(), err, mode)
		}
	}
	// Even when its directory is opened, another user is turned away.
	for dir := filepath.Join(r.runDir, g.Key); dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(r.runDir, g.Key, "shim.sock")
	if err := os.Chmod(socket, 0o666); err != nil {
		t.Fatal(err)
	}
	if answer, err := askAs(65534, socket); err == nil && strings.Contains(answer, "Hello") {
		t.Errorf("another user got an answer: %s", answer)
	}
	if answer, err := askAs(0, socket); err != nil || !strings.Contains(answer, "Hello") {
		t.Errorf("root got %q, %v", answer, err)
	}
}
