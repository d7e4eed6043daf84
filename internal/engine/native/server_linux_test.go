package native_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native"
	"ludgate/internal/image"
)

// serverVariable makes this binary a server that is there to be killed. Its
// value is a serverJob.
const serverVariable = "LUDGATE_TEST_NATIVE_SERVER"

// serverJob is what such a server does: open a Runtime, make a group, start
// containers, say "ready", and wait.
type serverJob struct {
	Dir, RunDir, Images, Launcher string
	Group                         engine.Group
	Containers                    map[string]engine.Container // by the name of the run
}

var cleanups []func()

func serverMain(text string) {
	var job serverJob
	fail := func(err error) {
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	fail(json.Unmarshal([]byte(text), &job))
	images, err := image.Open(job.Images, image.Options{})
	fail(err)
	ctx := context.Background()
	r, err := native.New(ctx, native.Options{
		Dir: job.Dir, RunDir: job.RunDir, Images: images, Launcher: job.Launcher,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	fail(err)
	_, err = r.Adopt(ctx)
	fail(err)
	fail(r.Sandbox(ctx, &job.Group))
	for run, c := range job.Containers {
		c.Env = append(c.Env, engine.EnvVar{Name: "GORACE", Value: "atexit_sleep_ms=0"})
		img, err := r.Pull(ctx, c.Image, nil)
		fail(err)
		_, err = r.Start(ctx, &job.Group, &c, img, run)
		fail(err)
	}
	fmt.Println("ready")
	time.Sleep(time.Hour)
}

// server runs a job in another process and gives a function that kills it.
func (r *rig) server(t *testing.T, job serverJob) (kill func()) {
	t.Helper()
	job.Dir, job.RunDir, job.Launcher, job.Images = r.dir, r.runDir, r.launcher, imagesDir
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), serverVariable+"="+string(text))
	cmd.Stderr = r.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	line, _ := bufio.NewReader(out).ReadString('\n')
	if strings.TrimSpace(line) != "ready" {
		kill()
		t.Fatalf("the server did not come up: %s\n%s", line, r.log.String())
	}
	return kill
}
