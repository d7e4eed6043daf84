package native_test

import (
	"strings"
	"testing"
)

func TestRunsAContainer(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		if got := r.succeed(g, container("print", "hello", "there")); got != "hello there\n" {
			t.Errorf("printed %q", got)
		}
		exit, _ := r.run(g, container("exit", "7"))
		if exit.Code != 7 || exit.Signal != 0 || exit.OOMKilled || exit.At.IsZero() {
			t.Errorf("got %+v", exit)
		}
		if text := r.succeed(g, container("cat", "/proc/self/status")); !strings.Contains(text, "Seccomp:\t2") {
			t.Errorf("no filter:\n%s", text)
		}
	})
}
