package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram makes the test binary behave as ludgate itself.
const asProgram = "LUDGATE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		main()
		os.Exit(0)
	}
	testscript.Main(m, map[string]func(){"ludgate": main})
}

// TestScript runs the sessions in testdata/script.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: func(e *testscript.Env) error {
		e.Setenv("HOME", e.WorkDir)
		return nil
	}})
}

// TestReference keeps docs/cli.md and docs/config.md true.
func TestReference(t *testing.T) {
	for name, want := range map[string][]byte{"cli.md": cliReference(root()), "config.md": configReference()} {
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what the code says; run: go run ./cmd/ludgate reference docs (%v)", name, err)
		}
	}
}

// mustRoot skips a test that needs real containers with limits.
func mustRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: real containers with limits")
	}
}

func mustf(t *testing.T, err error, format string, args ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Sprintf(format, args...), err)
	}
}
