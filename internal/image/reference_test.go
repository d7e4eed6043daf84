package image

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	tests := []struct {
		in, canonical string // canonical "": refused
		http          bool
	}{
		{"nginx", "index.docker.io/library/nginx:latest", false},
		{"nginx:1.25", "index.docker.io/library/nginx:1.25", false},
		{"docker.io/library/nginx", "index.docker.io/library/nginx:latest", false},
		{"team/tool", "index.docker.io/team/tool:latest", false},
		{"registry.example/a/b/c:1", "registry.example/a/b/c:1", false},
		{"registry.example:5000/a@" + digest, "registry.example:5000/a@" + digest, false},
		{"a/b:1@" + digest, "index.docker.io/a/b@" + digest, false},
		{"localhost:5000/a", "localhost:5000/a:latest", true},
		{"localhost/a", "localhost/a:latest", true},
		{"127.0.0.1:5000/a:1", "127.0.0.1:5000/a:1", true},
		{"127.7.7.7:5000/a:1", "127.7.7.7:5000/a:1", true},
		{"[::1]:5000/a:1", "[::1]:5000/a:1", true},
		{"10.0.0.1:5000/a:1", "10.0.0.1:5000/a:1", true}, // the library's choice; the transport refuses
		{"ludgate/hello", "index.docker.io/ludgate/hello:latest", false},
		{"ludgate/hello:9", "index.docker.io/ludgate/hello:latest", false},
		{"registry.example/ludgate/hello:9", "registry.example/ludgate/hello:9", false},
		{"", "", false},
		{" nginx", "", false},
		{"nginx ", "", false},
		{"NGINX", "", false},
		{"nginx:", "", false},
		{"nginx:a:b", "", false},
		{"nginx:-x", "", false},
		{"nginx@sha256:abc", "", false},
		{"nginx@" + strings.Repeat("a", 64), "", false},
		{"../../etc/passwd", "", false},
		{"a//b", "", false},
		{"a/../b", "", false},
		{"a/.b", "", false},
		{"registry..example/a", "", false},
		{"-.example/a", "", false},
		{"registry.example:/a", "", false},
		{"user@registry.example/a", "", false},
		{"http://registry.example/a", "", false},
		{"registry.example/a?b=c", "", false},
		{"nginx\n", "", false},
		{"nginx\x00", "", false},
		{strings.Repeat("a", 2000), "", false},
		{"a/" + strings.Repeat("b", 300), "", false},
	}
	for _, tt := range tests {
		ref, err := parse(tt.in)
		if tt.canonical == "" {
			if err == nil {
				t.Errorf("parse(%q) = %s, want an error", tt.in, ref)
			}
			continue
		}
		if err != nil {
			t.Errorf("parse(%q): %v", tt.in, err)
			continue
		}
		if got := canonical(ref); got != tt.canonical {
			t.Errorf("parse(%q) = %s, want %s", tt.in, got, tt.canonical)
		}
		if got := ref.Context().Scheme() == "http"; got != tt.http {
			t.Errorf("parse(%q): plain http %v, want %v", tt.in, got, tt.http)
		}
	}
}

func TestMalformedReferenceIsPermanent(t *testing.T) {
	s := openStore(t, t.TempDir(), quick)
	for _, ref := range []string{"", "UPPER", "a b", strings.Repeat("x", 5000)} {
		if e := pullError(t, s, ref); !e.Permanent || !strings.Contains(e.Error(), "invalid image reference") {
			t.Errorf("%q: permanent = %v, %v", ref, e.Permanent, e)
		}
	}
}

func TestLoginFor(t *testing.T) {
	logins := []Login{{"https://index.docker.io/v1/", "hub", ""}, {"Registry.Example", "r", ""}, {"registry.example:5000", "p", ""}}
	for ref, want := range map[string]string{
		"nginx":                         "hub",
		"docker.io/x/y":                 "hub",
		"registry.example/x":            "r",
		"registry.example:5000/x":       "p",
		"registry.example:5001/x":       "",
		"sub.registry.example/x":        "",
		"registry.example.attacker.x/y": "",
	} {
		parsed, err := parse(ref)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if l := loginFor(parsed, logins); l != nil {
			got = l.Username
		}
		if got != want {
			t.Errorf("login for %s: %q, want %q", ref, got, want)
		}
	}
}

// FuzzReference: whatever is asked for, a refusal is a *PullError and an accepted
// reference has one canonical form, which stands for itself.
func FuzzReference(f *testing.F) {
	for _, seed := range []string{"nginx", "a/b:1", "localhost:5000/a@sha256:" + strings.Repeat("a", 64), "ludgate/hello", "[::1]:1/a", "é", "a:b:c", "//"} {
		f.Add(seed)
	}
	s := openStore(f, f.TempDir(), quick)
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nothing is asked of a network
	f.Fuzz(func(t *testing.T, in string) {
		ref, err := parse(in)
		if err != nil {
			var e *PullError
			if _, err := s.Pull(ctx, in, nil); !errors.As(err, &e) || !e.Permanent {
				t.Errorf("Pull(%q): %v", in, err)
			}
			return
		}
		name := canonical(ref)
		again, err := parse(name)
		if err != nil || canonical(again) != name {
			t.Errorf("%q has the canonical form %q, which has %v, %v", in, name, again, err)
		}
	})
}
