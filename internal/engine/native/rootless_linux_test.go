package native_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native"
	"ludgate/internal/engine/pod"
	"ludgate/internal/image"
)

const (
	// rootlessVariable makes this binary run the tests of ordinary users.
	rootlessVariable = "LUDGATE_TEST_NATIVE_ROOTLESS"
	// tunVariable makes it give such a user access to TUN devices first, which
	// is the rule on most distributions. Its value is where to make the node.
	tunVariable = "LUDGATE_TEST_NATIVE_TUN"
	// outsideVariable is a web page outside the machine.
	outsideVariable = "LUDGATE_TEST_NATIVE_OUTSIDE"
)

const nobody = 65534

// TestRootlessLane runs the tests of ordinary users as one: as user nobody when
// it is root that runs it.
func TestRootlessLane(t *testing.T) {
	for _, tun := range []bool{false, true} {
		t.Run(fmt.Sprintf("tun=%t", tun), func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe", "-test.run=^TestRootless[^L]", "-test.v=true", "-test.timeout=5m")
			cmd.Dir = t.TempDir()
			cmd.Env = []string{rootlessVariable + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + cmd.Dir, noSleep}
			asNobody(t, cmd)
			if tun {
				if os.Geteuid() != 0 {
					t.Skip("needs root, to give a user access to TUN devices")
				}
				const here, there = "198.51.100.1", "198.51.100.2"
				otherMachine(t, here, there)
				cmd.Env = append(cmd.Env, tunVariable+"="+filepath.Join(cmd.Dir, "tun"), outsideVariable+"=http://"+there+":8080/")
				// Not nobody yet, but in a mount namespace of its own.
				cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if tun && strings.Contains(string(out), "SKIP: TestRootlessUplink") {
				t.Errorf("the uplink was not tested:\n%s", out)
			}
		})
	}
}

// asNobody makes cmd run as nobody, in a directory that is nobody's.
func asNobody(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	for dir := cmd.Dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(cmd.Dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// tunMain puts a node that everybody may use in place of /dev/net/tun, in this
// process's mount namespace, and goes on as nobody.
func tunMain(node string) {
	must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	unix.Umask(0)
	must(unix.Mknod(node, unix.S_IFCHR|0o666, int(unix.Mkdev(10, 200))))
	must(unix.Mount(node, "/dev/net/tun", "", unix.MS_BIND, ""))
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), tunVariable+"=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	must(cmd.Run())
	os.Exit(0)
}

// ordinary is a rig for an ordinary user.
func ordinary(t *testing.T) *rig {
	t.Helper()
	if !rootless {
		t.Skip("run by TestRootlessLane")
	}
	return newRig(t, native.LauncherAuto, os.Getenv("PATH"))
}

func TestRootlessContainer(t *testing.T) {
	r := ordinary(t)
	g := r.sandbox()
	if got := r.succeed(g, container("print", "hello")); got != "hello\n" {
		t.Errorf("printed %q", got)
	}
	if exit, _ := r.run(g, container("exit", "7")); exit.Code != 7 {
		t.Errorf("got %+v", exit)
	}
	status := r.succeed(g, container("cat", "/proc/self/status"))
	for _, want := range []string{"Uid:\t0\t", "Gid:\t0\t", "Seccomp:\t2", "CapBnd:\t00000000a80425fb", "CapEff:\t00000000a80425fb", "Pid:\t1\n"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
	if got := r.succeed(g, container("run", "write /tmp/x mine && cat /tmp/x && cat /etc/hostname && write /dev/null x")); got != "mine\nthe-group\n" {
		t.Errorf("got %q", got)
	}
	_, err := r.tryStart(g, &engine.Container{Name: "web", Image: hello, Command: []string{"nothing"}})
	var start *pod.StartError
	if !errors.As(err, &start) || err.Error() != `executable file "nothing" not found in $PATH` {
		t.Errorf("got %v", err)
	}
	run := r.start(g, container("sleep", "1000"))
	if err := r.Kill(t.Context(), g.Key, run, 0); err != nil {
		t.Fatal(err)
	}
	if exit := r.wait(g, run); exit.Code != 137 {
		t.Errorf("got %+v", exit)
	}
}

func TestRootlessUserIsRefused(t *testing.T) {
	r := ordinary(t)
	r.image("web", map[string]string{"etc/passwd": "web:x:33:33::/:/\n"}, func(_ string, img *image.Image) { img.User = "web" })
	g := r.sandbox()
	c := container("exit", "0")
	c.Image = "web"
	_, err := r.tryStart(g, c)
	var start *pod.StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "33:33") {
		t.Errorf("got %v", err)
	}
}

func TestRootlessPublishedPort(t *testing.T) {
	r := ordinary(t)
	g := r.group()
	g.Address, g.Publish = address(), []engine.Publish{{Port: 8080}}
	if err := r.Sandbox(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	r.start(g, container("serve", "--port", "8080"))
	if got := get(t, fmt.Sprintf("http://%s:8080/", g.Address)); !strings.HasPrefix(got, "Hello") {
		t.Errorf("got %q", got)
	}
	// Inside, every port may be listened on.
	run := r.start(g, container("serve", "--port", "80"))
	r.untilLog(g, run, "listening")
	if got := r.succeed(g, container("fetch", "http://127.0.0.1/")); !strings.HasPrefix(got, "Hello") {
		t.Errorf("got %q", got)
	}
}

func TestRootlessOutlivesTheServer(t *testing.T) {
	r := ordinary(t)
	r.close()
	g := r.group()
	g.Address, g.Publish = address(), []engine.Publish{{Port: 8080}}
	kill := r.server(t, serverJob{Group: *g, Containers: map[string]engine.Container{
		"page-1": *container("serve", "--port", "8080"),
		"end-1":  *container("run", "sleep 0.3 && exit 42"),
	}})
	url := fmt.Sprintf("http://%s:8080/health", g.Address)
	get(t, url)
	if resp, err := http.Post(url+"?status=418", "", nil); err != nil {
		t.Fatal(err)
	} else {
		resp.Body.Close()
	}
	kill()
	r.adopt(t, g.Key)
	if exit := r.wait(g, "end-1"); exit.Code != 42 {
		t.Errorf("got %+v", exit)
	}
	if err := r.Sandbox(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 418 {
		t.Errorf("status %d: the container was restarted", resp.StatusCode)
	}
}

func TestRootlessShimIsKilled(t *testing.T) {
	r := ordinary(t)
	g := r.sandbox()
	run := r.start(g, container("serve", "--port", "8080"))
	r.untilLog(g, run, "listening")
	if err := syscall.Kill(shimPID(t, r, g.Key), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit := r.wait(g, run); exit.Code != 137 || exit.Err == "" {
		t.Errorf("got %+v", exit)
	}
	if err := r.Discard(t.Context(), g.Key, run); err != nil {
		t.Error(err)
	}
	if got := r.succeed(g, container("print", "again")); got != "again\n" {
		t.Errorf("got %q", got)
	}
}

// What a container leaves without permissions for its owner goes all the same.
func TestRootlessCleanup(t *testing.T) {
	r := ordinary(t)
	r.probeImage("probe")
	g := r.sandbox()
	r.succeed(g, r.probe("probe", "lock-away"))
	if err := r.Cleanup(t.Context(), g.Key); err != nil {
		t.Error(err)
	}
	g = r.sandbox()
	r.succeed(g, r.probe("probe", "lock-away"))
	pid := shimPID(t, r, g.Key)
	r.close()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.adopt(t, g.Key)
	if err := r.Cleanup(t.Context(), g.Key); err != nil {
		t.Errorf("without the shim: %v", err)
	}
}

func TestRootlessBreakOut(t *testing.T) {
	r := ordinary(t)
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
}

func TestRootlessUplink(t *testing.T) {
	r := ordinary(t)
	g := r.sandbox()
	url := os.Getenv(outsideVariable)
	if url == "" {
		if exit, text := r.run(g, container("fetch", "http://198.51.100.2:8080/")); exit.Code == 0 {
			t.Errorf("reached something without a network: %s", text)
		}
		if !strings.Contains(r.log.String(), "containers reach nothing outside their group") {
			t.Errorf("that was not said:\n%s", r.log.String())
		}
		t.Skip("there is no access to TUN devices")
	}
	if got := r.succeed(g, container("fetch", url)); got != "from outside" {
		t.Errorf("got %q", got)
	}
	if got := r.succeed(g, container("cat", "/etc/resolv.conf")); got != "nameserver 192.168.127.1\n" {
		t.Errorf("resolv.conf: %q", got)
	}
	// The machine's own loopback is not the container's.
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	r.probeImage("probe")
	if exit, text := r.run(g, r.probe("probe", "dial", page.Listener.Addr().String())); exit.Code == 0 {
		t.Errorf("reached the machine's loopback: %s", text)
	}
}
