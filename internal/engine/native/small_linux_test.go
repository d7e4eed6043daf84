package native

import (
	"os"
	"path/filepath"
	"testing"

	"ludgate/internal/engine"
)

func TestKernelVersion(t *testing.T) {
	for release, want := range map[string][2]int{
		"6.18.44-fc-v657": {6, 18}, "5.4.0-1-generic": {5, 4}, "6.1-rc1": {6, 1}, "7.0": {7, 0}, "rubbish": {0, 0}, "": {0, 0}, "x.y": {0, 0},
	} {
		if major, minor := kernelVersion(release); major != want[0] || minor != want[1] {
			t.Errorf("%q: got %d.%d, want %d.%d", release, major, minor, want[0], want[1])
		}
	}
}

func TestHostname(t *testing.T) {
	for name, want := range map[string]string{
		"My Group": "my-group", "a_b.c": "a-b-c", "-x-": "x", "": "f00d", "___": "f00d", "Ünïcode": "n-code",
		"0123456789012345678901234567890123456789012345678901234567890123456789": "012345678901234567890123456789012345678901234567890123456789012",
	} {
		if got := hostname(&engine.Group{Key: "f00d", Name: name}); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestReachableNameServers(t *testing.T) {
	for _, tc := range []struct {
		conf, want string
		ok         bool
	}{
		{"nameserver 10.0.0.2\nsearch example.test\noptions ndots:2\n", "nameserver 10.0.0.2\nsearch example.test\noptions ndots:2\n", true},
		{"# stub\nnameserver 127.0.0.53\noptions edns0\n", "options edns0\n", false},
		{"nameserver 127.0.0.1\nnameserver ::1\nnameserver fd00::1\n", "nameserver fd00::1\n", true},
		{"nameserver\nnameserver not-an-address\n; x\n\n", "", false},
	} {
		got, ok := reachable([]byte(tc.conf))
		if got != tc.want || ok != tc.ok {
			t.Errorf("%q: got %q %t, want %q %t", tc.conf, got, ok, tc.want, tc.ok)
		}
	}
}

func TestStopSignal(t *testing.T) {
	for name, want := range map[string]int{"": 0, "SIGTERM": 15, "QUIT": 3, "9": 9, "SIGRTMIN+3": 0, "0": 0, "65": 0, "nonsense": 0} {
		if got := stopSignal(name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}

func TestForbiddingSetting(t *testing.T) {
	for _, tc := range []struct{ path, text, want string }{
		{"kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone is 0"},
		{"kernel/unprivileged_userns_clone", "1\n", ""},
		{"user/max_user_namespaces", "0\n", "user.max_user_namespaces is 0"},
		{"kernel/apparmor_restrict_unprivileged_userns", "1\n", "kernel.apparmor_restrict_unprivileged_userns is 1"},
		{"kernel/apparmor_restrict_unprivileged_userns", "0\n", ""},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, tc.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(tc.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := forbidding(dir); got != tc.want {
			t.Errorf("%s %q: got %q, want %q", tc.path, tc.text, got, tc.want)
		}
	}
}

func FuzzReachable(f *testing.F) {
	f.Add([]byte("nameserver 10.0.0.2\nsearch x\n"))
	f.Fuzz(func(t *testing.T, conf []byte) {
		text, ok := reachable(conf)
		if again, okAgain := reachable([]byte(text)); again != text || okAgain != ok {
			t.Errorf("%q became %q, and that %q", conf, text, again)
		}
	})
}
