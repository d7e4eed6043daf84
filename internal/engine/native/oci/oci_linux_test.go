package oci

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ludgate/internal/engine/native/stage1"
)

// What runtimes really say.
func TestComplaints(t *testing.T) {
	for _, tc := range []struct {
		reason, want string
		wish         bool
	}{
		{`runc create failed: unable to start container process: exec: "nothing": executable file not found in $PATH`, `executable file "nothing" not found in $PATH`, true},
		{`runc create failed: unable to start container process: exec: "/no/such": stat /no/such: no such file or directory`, `exec "/no/such": no such file or directory`, true},
		{`runc create failed: unable to start container process: exec: "/bin/plain": permission denied`, `exec "/bin/plain": permission denied`, true},
		{`runc create failed: unable to start container process: error during container init: mkdir /etc/passwd: not a directory`, "", true},
		{"executable file `nothing` not found in $PATH: No such file or directory", `executable file "nothing" not found in $PATH`, true},
		{"executable file `/no/such` not found: No such file or directory", `exec "/no/such": no such file or directory`, true},
		{"open executable: Permission denied", "open executable: Permission denied", true},
		{"chdir `/etc/passwd`: Not a directory", "", true},
		{"runc create failed: unable to apply cgroup configuration: no space left on device", "", false},
		{"cgroups in hybrid mode not supported, drop all controllers from cgroupv2", "", false},
	} {
		got, wish := wishOf(tc.reason)
		if wish != tc.wish || tc.want != "" && got != tc.want {
			t.Errorf("%s\ngot %q %t, want %q %t", tc.reason, got, wish, tc.want, tc.wish)
		}
	}
}

func TestExplainReadsTheLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "runtime.log")
	text := `{"level":"warning","msg":"nothing much"}` + "\nnot json\n" +
		`{"level":"error","msg":"first"}` + "\n" + `{"level":"error","msg":"no space left on device"}` + "\n"
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var failure *stage1.Failure
	if err := explain("/usr/bin/runc", log, errors.New("exit status 1")); !errors.As(err, &failure) || failure.Wish || err.Error() != "runc: no space left on device" {
		t.Errorf("got %v", err)
	}
	if err := explain("/usr/bin/runc", log+"-absent", errors.New("exit status 1")); err.Error() != "runc: exit status 1" {
		t.Errorf("got %v", err)
	}
}
