package native_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/image"
)

// probePath is where this binary lies in images for tests, besides /hello; run
// as that, it does what no image should be able to.
const probePath = "/probe"

// probes are the programs that it has.
var probes = map[string]func([]string){
	"stubborn": func([]string) {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("deaf")
		time.Sleep(time.Hour)
	},
	"attempt": func(args []string) { attempt(args) },
	"udp-echo": func(args []string) {
		c, err := net.ListenPacket("udp", ":"+args[0])
		must(err)
		fmt.Println("listening")
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			must(err)
			_, err = c.WriteTo([]byte("echo "+string(buf[:n])), from)
			must(err)
		}
	},
	"dial": func(args []string) {
		c, err := net.DialTimeout("tcp", args[0], time.Second)
		must(err)
		c.Close()
	},
	"ask": func(args []string) {
		c, err := net.Dial("unix", args[0])
		must(err)
		_, err = c.Write([]byte(`{"Op":"hello"}` + "\n"))
		must(err)
		_, err = io.Copy(os.Stdout, c)
		must(err)
	},
	"lock-away": func([]string) {
		must(os.MkdirAll("/locked/inner", 0o755))
		must(os.WriteFile("/locked/inner/file", nil, 0))
		must(os.Chmod("/locked/inner", 0))
		must(os.Chmod("/locked", 0))
	},
	"processes": func([]string) {
		found, err := filepath.Glob("/proc/[0-9]*")
		must(err)
		fmt.Println(len(found))
	},
}

// askAs says hello to a shim's socket as some user, in another process.
func askAs(uid int, socket string) (string, error) {
	cmd := exec.Command("/proc/self/exe", "ask", socket)
	cmd.Args[0] = probePath
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must ends the probe when something failed.
func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// probeMain runs when this binary is the program of a container.
func probeMain() {
	if len(os.Args) < 2 || probes[os.Args[1]] == nil {
		fmt.Println("no such probe")
		os.Exit(2)
	}
	probes[os.Args[1]](os.Args[2:])
	os.Exit(0)
}

// probeImage makes an image with the probe.
func (r *rig) probeImage(name string) {
	r.Helper()
	base, err := r.images.store.Pull(r.Context(), hello, nil)
	if err != nil {
		r.Fatal(err)
	}
	r.image(name, nil, func(layer string, _ *image.Image) {
		in, err := os.Open(filepath.Join(base.Layers[0], "hello"))
		if err != nil {
			r.Fatal(err)
		}
		defer in.Close()
		out, err := os.OpenFile(filepath.Join(layer, probePath), os.O_CREATE|os.O_WRONLY, 0o755)
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		if _, err := io.Copy(out, in); err != nil {
			r.Fatal(err)
		}
	})
}

// probe is a container that runs one.
func (r *rig) probe(image string, args ...string) *engine.Container {
	return &engine.Container{Name: "probe", Image: image, Command: append([]string{probePath}, args...)}
}
