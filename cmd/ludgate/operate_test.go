package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ludgate/internal/player/operator"
	"ludgate/internal/store/postgres/pgtest"
)

// TestOperators runs the sessions in testdata/operate twice: where no server
// runs, and beside one.
func TestOperators(t *testing.T) {
	for _, running := range []bool{false, true} {
		name := map[bool]string{false: "alone", true: "server"}[running]
		t.Run(name, func(t *testing.T) {
			testscript.Run(t, testscript.Params{Dir: "testdata/operate", Setup: func(e *testscript.Env) error {
				data := filepath.Join(e.WorkDir, "data")
				e.Setenv("HOME", e.WorkDir)
				e.Setenv("LUDGATE_DATA", data)
				args := []string{"--engine", "simulated"}
				if path := filepath.Join(e.WorkDir, "c.yaml"); exists(path) {
					e.Setenv("LUDGATE_CONFIG", path)
					args = append(args, "--config", path)
				}
				if running {
					start(t, data, "serve", args...)
				} else if os.Getenv(pgtest.Env) != "" {
					e.Setenv("LUDGATE_STORE", database(t, data))
				}
				return nil
			}})
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// onData runs a command on a data directory.
func onData(t *testing.T, dir string, args ...string) (stdout string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(args, "--data", dir)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if os.Getenv(pgtest.Env) != "" {
		cmd.Env = append(cmd.Env, "LUDGATE_STORE="+database(t, dir))
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Logf("%s: %v: %s", strings.Join(args, " "), err, errs.String())
	}
	return string(out), err
}

// TestControlSocket: it is its owner's alone, a server takes it over from one
// that was killed, and what operators change holds at once.
func TestControlSocket(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "control.sock")
	p := start(t, dir, "serve", "--engine", "simulated")
	info, err := os.Stat(socket)
	mustf(t, err, "the socket")
	if info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("mode %v", info.Mode())
	}
	if status, _ := p.call("POST", "/Client/RegisterPlatformUser", playerBody); status != 400 {
		t.Errorf("a title that nobody added: %d", status)
	}
	if _, err := onData(t, dir, "title", "add", "144"); err != nil {
		t.Fatal(err)
	}
	if status, body := p.call("POST", "/Client/RegisterPlatformUser", playerBody); status != 200 {
		t.Errorf("a title that was added: %d %v", status, body)
	}
	if status, _ := p.call("POST", "/control/titles/list", "{}"); status != 404 {
		t.Errorf("the calls of operators are on the network: %d", status)
	}

	p.kill()
	if !exists(socket) {
		t.Error("a killed server took its socket along")
	}
	if out, err := onData(t, dir, "title", "show", "144"); err != nil || !strings.Contains(out, "players                        1") {
		t.Errorf("after the kill: %v\n%s", err, out)
	}
	p = start(t, dir, "serve", "--engine", "simulated")
	if _, err := onData(t, dir, "title", "set", "144", "creation_disabled=true"); err != nil {
		t.Error(err)
	}
	conn, err := net.Dial("unix", socket)
	mustf(t, err, "connect")
	conn.Close()
	p.stop()
	if exists(socket) {
		t.Error("a server that ended left its socket")
	}
}

// TestDeepDataDirectory: a data directory may be deeper than sockets can be.
func TestDeepDataDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("deep/", 40), "data")
	mustf(t, os.MkdirAll(dir, 0o700), "make it")
	p := start(t, dir, "serve", "--engine", "simulated")
	if !exists(filepath.Join(dir, "control.sock")) {
		if !strings.Contains(p.log.String(), "choose a shorter data directory") {
			t.Errorf("no socket, and no word about it\n%s", p.log)
		}
		return
	}
	if _, err := onData(t, dir, "title", "add", "144"); err != nil {
		t.Error(err)
	}
	p.stop()
	if exists(filepath.Join(dir, "control.sock")) {
		t.Error("the socket is left")
	}
}

// TestDryRunOfManyBatches: a name that is twice in a file is found however far
// apart the lines are.
func TestDryRunOfManyBatches(t *testing.T) {
	dir := t.TempDir()
	if _, err := onData(t, dir, "title", "add", "144"); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 3 * importLines {
		fmt.Fprintf(&b, `{"email":"p%d@example.com"}`+"\n", i)
	}
	b.WriteString(`{"email":"P0@example.com"}` + "\n")
	file := filepath.Join(t.TempDir(), "players.jsonl")
	mustf(t, os.WriteFile(file, []byte(b.String()), 0o600), "write the file")
	for _, args := range [][]string{{"--dry-run"}, nil} {
		out, err := onData(t, dir, append([]string{"player", "import", "144", file, "--json"}, args...)...)
		if err == nil || !strings.Contains(out, `"imported": 1500`) || !strings.Contains(out, `"refused": 1`) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// TestCutOff: an import and a deletion that a power cut ended go on where they
// were, and lose and double nobody.
func TestCutOff(t *testing.T) {
	const n = 20_000
	dir := t.TempDir()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"email":"p%d@example.com","display_name":"Player%d"}`+"\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "players.jsonl")
	mustf(t, os.WriteFile(file, []byte(b.String()), 0o600), "write the file")
	if _, err := onData(t, dir, "title", "add", "144"); err != nil {
		t.Fatal(err)
	}
	players := func() (count int) {
		t.Helper()
		out, err := onData(t, dir, "title", "show", "144", "--json")
		mustf(t, err, "show")
		var shown operator.Title
		mustf(t, json.Unmarshal([]byte(out), &shown), "%s", out)
		return int(*shown.Players)
	}
	// cut runs a command beside a server that is killed meanwhile, and reports
	// whether it was soon enough.
	cut := func(after time.Duration, args ...string) bool {
		t.Helper()
		p := start(t, dir, "serve", "--engine", "simulated")
		time.AfterFunc(after, func() { _ = p.cmd.Process.Kill() })
		_, err := onData(t, dir, args...)
		p.kill()
		return err != nil
	}
	if !cut(150*time.Millisecond, "player", "import", "144", file) {
		t.Log("the import was done before the cut")
	}
	before := players()
	out, err := onData(t, dir, "player", "import", "144", file, "--skip-existing", "--json")
	if got := players(); err != nil || got != n || !strings.Contains(out, fmt.Sprintf(`"skipped": %d`, before)) {
		t.Errorf("after %d and the rest: %d players, %v\n%s", before, got, err, out)
	}
	if !cut(150*time.Millisecond, "title", "delete", "144", "--yes") {
		t.Log("the deletion was done before the cut")
		return
	}
	left := players()
	if out, err := onData(t, dir, "title", "delete", "144", "--yes"); err != nil || !strings.Contains(out, fmt.Sprintf("with %d players", left)) {
		t.Errorf("%d players were left: %v\n%s", left, err, out)
	}
	if out, _ := onData(t, dir, "title", "list", "--json"); strings.Contains(out, "144") {
		t.Errorf("the title is left: %s", out)
	}
}
