package rootfs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// image makes a root with these files.
func image(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var databases = map[string]string{
	"etc/passwd": "root:x:0:0:root:/root:/bin/sh\n# comment:x:7:7::/:\nweb:x:33:34:Web:/var/www:/bin/false\nshort:x:9\nodd:x:12x:1::/:/\n" +
		"big:x:99999999999:1::/:/\nrel:x:50:50::home:/bin/sh\n",
	"etc/group": "root:x:0:\nstaff:x:50:web,root\nwww:x:34:web\nhuge:x:4294967296:web\naudio:x:29:web\n",
}

func TestLookup(t *testing.T) {
	full, bare := image(t, databases), image(t, nil)
	for _, tc := range []struct {
		root, user string
		want       User
	}{
		{full, "", User{0, 0, []uint32{50}, "/root"}},
		{full, "root", User{0, 0, []uint32{50}, "/root"}},
		{full, "web", User{33, 34, []uint32{50, 29}, "/var/www"}},
		{full, "33", User{33, 34, []uint32{50, 29}, "/var/www"}},
		{full, "033", User{33, 34, []uint32{50, 29}, "/var/www"}},
		{full, "web:staff", User{33, 50, nil, "/var/www"}},
		{full, "web:", User{33, 34, []uint32{50, 29}, "/var/www"}},
		{full, ":staff", User{0, 50, nil, "/root"}},
		{full, "1000", User{1000, 0, nil, "/"}},
		{full, "1000:1001", User{1000, 1001, nil, "/"}},
		{full, "2147483647", User{2147483647, 0, nil, "/"}},
		{full, "rel", User{50, 50, nil, "/"}},
		{bare, "", User{0, 0, nil, "/"}},
		{bare, "5:6", User{5, 6, nil, "/"}},
	} {
		got, err := Lookup(tc.root, tc.user)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q: got %+v, %v, want %+v", tc.user, got, err, tc.want)
		}
	}
}

func TestLookupRefuses(t *testing.T) {
	full, bare := image(t, databases), image(t, nil)
	for _, tc := range []struct{ root, user, says string }{
		{full, "nobody", `no user "nobody"`},
		{bare, "web", `no user "web"`},
		{full, "web:nogroup", `no group "nogroup"`},
		{full, "2147483648", "above"},
		{full, "4294967296", "above"},
		{full, "99999999999999999999999", "above"},
		{full, "1:4294967295", "above"},
		{full, "-1", "no user"},
		{full, "+0", "no user"},
		{full, "0x0", "no user"},
		{full, "odd", "where an id belongs"},
		{full, "big", "above"},
		{full, "short", "no user"},
	} {
		got, err := Lookup(tc.root, tc.user)
		var ue *ImageError
		if !errors.As(err, &ue) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: got %+v, %v, want an error with %q", tc.user, got, err, tc.says)
		}
	}
}

// What an image may put in place of its user database.
func TestLookupIsNotFooled(t *testing.T) {
	outside := image(t, map[string]string{"passwd": "evil:x:0:0::/:/\n"})
	t.Run("a link out of the root", func(t *testing.T) {
		root := image(t, map[string]string{"etc/other": ""})
		if err := os.Symlink(filepath.Join(outside, "passwd"), filepath.Join(root, "etc/passwd")); err != nil {
			t.Fatal(err)
		}
		if got, err := Lookup(root, "evil"); err == nil {
			t.Errorf("found %+v outside the root", got)
		}
	})
	t.Run("a link up and out", func(t *testing.T) {
		root := image(t, map[string]string{"etc/other": ""})
		up := strings.Repeat("../", 40) + filepath.Join(outside, "passwd")
		if err := os.Symlink(up, filepath.Join(root, "etc/passwd")); err != nil {
			t.Fatal(err)
		}
		if got, err := Lookup(root, "evil"); err == nil {
			t.Errorf("found %+v outside the root", got)
		}
	})
	t.Run("a link inside is fine", func(t *testing.T) {
		root := image(t, map[string]string{"usr/lib/passwd": "web:x:5:5::/:/\n", "etc/other": ""})
		if err := os.Symlink("/usr/lib/passwd", filepath.Join(root, "etc/passwd")); err != nil {
			t.Fatal(err)
		}
		if got, err := Lookup(root, "web"); err != nil || got.UID != 5 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a pipe", func(t *testing.T) {
		root := image(t, map[string]string{"etc/other": ""})
		if err := unix.Mkfifo(filepath.Join(root, "etc/passwd"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Lookup(root, "web"); err == nil || !strings.Contains(err.Error(), "ordinary file") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an endless database", func(t *testing.T) {
		root := image(t, map[string]string{"etc/passwd": strings.Repeat("a:x:1:1::/:/\n", maxDatabase/10) + "late:x:5:5::/:/\n"})
		if got, err := Lookup(root, "late"); err == nil {
			t.Errorf("read beyond the limit: %+v", got)
		}
	})
}

func FuzzLookup(f *testing.F) {
	root := image(f, databases)
	for _, user := range []string{"", "web", "33:staff", "9999999999", ":", "a:b:c"} {
		f.Add(user)
	}
	f.Fuzz(func(t *testing.T, user string) {
		got, err := Lookup(root, user)
		if err == nil && (got.UID > maxID || got.GID > maxID || !strings.HasPrefix(got.Home, "/")) {
			t.Errorf("%q: %+v", user, got)
		}
	})
}
