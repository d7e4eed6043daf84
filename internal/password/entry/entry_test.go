package entry

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestEntry starts this binary under the helper's name: it must compute nothing
// else, not even run these tests again, and end with its standard input.
func TestEntry(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"ludgate-password", "1"}, Stdin: strings.NewReader("")}
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) != 0 {
		t.Errorf("helper without work: %v, %q", err, out)
	}
	cmd = &exec.Cmd{Path: self, Args: []string{"ludgate-password", "x"}}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "wrong arguments") {
		t.Errorf("helper with wrong arguments: %v, %q", err, out)
	}
	cmd = &exec.Cmd{Path: self, Args: []string{"ludgate-password", "1"}, Stdin: strings.NewReader("not a frame of eighteen bytes")}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "broken frame") {
		t.Errorf("helper with a broken frame: %v, %q", err, out)
	}
}
