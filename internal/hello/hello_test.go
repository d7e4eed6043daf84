//go:build unix

package hello_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "ludgate/internal/hello/entry" // the test binary is the program
)

// program is the program as a container starts it.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{"/hello"}, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // the race detector pauses at exit
	return cmd
}

// run gives standard output, standard error and the exit code.
func run(t *testing.T, args ...string) (string, string, int) {
	t.Helper()
	cmd := program(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestCommands(t *testing.T) {
	tmp := t.TempDir()
	at := func(name string) string { return filepath.Join(tmp, name) }
	if err := os.WriteFile(at("there"), []byte("no newline"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args []string
		out  string
		err  string // words of standard error
		code int
	}{
		{args: []string{"print", "a", "b c"}, out: "a b c\n"},
		{args: []string{"print"}, out: "\n"},
		{args: []string{"sleep", "0"}},
		{args: []string{"sleep", "0.01"}},
		{args: []string{"exit", "0"}},
		{args: []string{"exit", "7"}, code: 7},
		{args: []string{"exit", "255"}, code: 255},
		{args: []string{"write", at("new"), "some", "text"}},
		{args: []string{"cat", at("new")}, out: "some text\n"},
		{args: []string{"cat", at("there")}, out: "no newline"},
		{args: []string{"cat", at("absent")}, err: "no such file", code: 1},
		{args: []string{"write", at("absent/x"), "text"}, err: "no such file", code: 1},
		{args: []string{"fetch", "http://127.0.0.1:1/"}, err: "connection refused", code: 1},
		{args: []string{"fetch", "nonsense"}, err: "unsupported protocol", code: 1},
		{args: []string{"run", "print a && print 'b c'"}, out: "a\nb c\n"},
		{args: []string{"run", "print a && exit 3 && print b"}, out: "a\n", code: 3},
		{args: []string{"run", "cat " + at("absent") + " && print b"}, err: "no such file", code: 1},
		{args: []string{"run", "write " + at("x") + " text && cat " + at("x") + " && run 'exit 4'"}, out: "text\n", code: 4},
		{args: []string{"help"}, out: "usage: /hello COMMAND"},

		{args: nil, err: "no command", code: 2},
		{args: []string{"nonsense"}, err: `unknown command "nonsense"`, code: 2},
		{args: []string{"sleep"}, err: "SECONDS", code: 2},
		{args: []string{"sleep", "soon"}, err: "not a number", code: 2},
		{args: []string{"sleep", "-1"}, err: "not a number", code: 2},
		{args: []string{"sleep", "NaN"}, err: "not a number", code: 2},
		{args: []string{"exit"}, err: "CODE", code: 2},
		{args: []string{"exit", "256"}, err: "from 0 to 255", code: 2},
		{args: []string{"write", at("x")}, err: "PATH and TEXT", code: 2},
		{args: []string{"cat"}, err: "PATH", code: 2},
		{args: []string{"fetch"}, err: "URL", code: 2},
		{args: []string{"alloc", "lots"}, err: "MB", code: 2},
		{args: []string{"burn", "x"}, err: "seconds", code: 2},
		{args: []string{"run", "print a", "b"}, err: "one argument", code: 2},
		{args: []string{"run", "print 'a"}, err: "quote", code: 2},
		{args: []string{"serve", "--port", "80000"}, err: "not a port", code: 2},
		{args: []string{"serve", "--colour"}, err: "--port N", code: 2},
		{args: []string{"serve", "extra"}, err: "--port N", code: 2},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(strings.Join(tt.args, " "), tmp, ""), func(t *testing.T) {
			out, errs, code := run(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d; %s", code, tt.code, errs)
			}
			if strings.HasPrefix(tt.out, "usage") {
				if !strings.HasPrefix(out, tt.out) {
					t.Errorf("output %q", out)
				}
			} else if out != tt.out {
				t.Errorf("output %q, want %q", out, tt.out)
			}
			if !strings.Contains(errs, tt.err) || tt.err == "" && errs != "" {
				t.Errorf("error output %q, want %q in it", errs, tt.err)
			}
		})
	}
}

// TestOnlyUnderItsName: a binary that is merely called hello stays what it is.
func TestOnlyUnderItsName(t *testing.T) {
	for _, name := range []string{"hello", "./hello", "/usr/bin/hello", "ludgate"} {
		cmd := program(t, "-test.run=^$")
		cmd.Args[0] = name
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("as %s: %v, %q", name, err, out)
		}
	}
}

func TestBurn(t *testing.T) {
	out, errs, code := run(t, "burn", "0.2")
	if code != 0 || !regexp.MustCompile(`^burned \d+\.\d\d seconds of processor time in 0\.20 seconds\n$`).MatchString(out) {
		t.Errorf("%q, %q, %d", out, errs, code)
	}
	if strings.HasPrefix(out, "burned 0.00") {
		t.Errorf("no processor time was used: %q", out)
	}
}

// started is a running program with its output line by line.
type started struct {
	*exec.Cmd
	t     *testing.T
	lines chan string
}

func start(t *testing.T, env []string, stdin io.Reader, args ...string) *started {
	t.Helper()
	cmd := program(t, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = stdin
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &started{cmd, t, make(chan string, 100)}
	go func() {
		defer close(s.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			s.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return s
}

func (s *started) line() string {
	s.t.Helper()
	select {
	case l := <-s.lines:
		return l
	case <-time.After(20 * time.Second):
		s.t.Fatal("the program says nothing")
		return ""
	}
}

// end signals the program and gives its exit code.
func (s *started) end(signal syscall.Signal) int {
	s.t.Helper()
	if err := s.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		for range s.lines {
		}
		_ = s.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return s.ProcessState.ExitCode()
	case <-time.After(20 * time.Second):
		s.t.Fatal("the program does not end")
		return 0
	}
}

func TestSignals(t *testing.T) {
	tests := []struct {
		args   []string
		signal syscall.Signal
		code   int
	}{
		{[]string{"run", "print up && sleep 1000"}, syscall.SIGTERM, 143},
		{[]string{"run", "print up && sleep 1000"}, syscall.SIGINT, 130},
		{[]string{"run", "print up && burn 1000"}, syscall.SIGTERM, 143},
		{[]string{"run", "print up && cat /dev/stdin"}, syscall.SIGTERM, 143},
		{[]string{"alloc", "5"}, syscall.SIGTERM, 143},
		{[]string{"serve", "--port", "0"}, syscall.SIGTERM, 0},
		{[]string{"serve", "--port=0"}, syscall.SIGINT, 0},
		{[]string{"run", "serve --port 0 && exit 9"}, syscall.SIGTERM, 0}, // what follows does not start
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " ")+" "+tt.signal.String(), func(t *testing.T) {
			silent, hold, err := os.Pipe() // standard input that never ends
			if err != nil {
				t.Fatal(err)
			}
			defer hold.Close()
			defer silent.Close()
			s := start(t, nil, silent, tt.args...)
			s.line()
			if code := s.end(tt.signal); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
		})
	}
}

func TestServe(t *testing.T) {
	tmp := t.TempDir()
	if err := os.WriteFile(filepath.Join(tmp, "f"), []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, []string{"PORT=0", "SHOWN=yes"}, nil, "serve")
	address, ok := strings.CutPrefix(s.line(), "listening on ")
	if !ok {
		t.Fatal("it does not say where it listens")
	}
	base := "http://127.0.0.1" + address[strings.LastIndex(address, ":"):]
	client := &http.Client{Timeout: 10 * time.Second}
	ask := func(method, path string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(method, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	for _, tt := range []struct {
		method, path string
		status       int
		body         string // words
	}{
		{"GET", "/", 200, "Hello from ludgate/hello"},
		{"GET", "/env", 200, "SHOWN=yes\n"},
		{"GET", "/file?path=" + url.QueryEscape(filepath.Join(tmp, "f")), 200, "content"},
		{"GET", "/file?path=" + url.QueryEscape(tmp), 200, "f\n"},
		{"GET", "/file?path=" + url.QueryEscape(filepath.Join(tmp, "g")), 404, "no such file"},
		{"GET", "/file", 400, "path is missing"},
		{"GET", "/fetch?url=" + url.QueryEscape(base+"/health"), 200, "OK"},
		{"GET", "/fetch?url=" + url.QueryEscape(base+"/nowhere"), 404, "not found"},
		{"GET", "/fetch?url=" + url.QueryEscape("http://127.0.0.1:1/"), 502, "connection refused"},
		{"GET", "/fetch", 400, "url is missing"},
		{"GET", "/fetch?url=%3A", 400, "missing protocol"},
		{"GET", "/health", 200, "OK"},
		{"POST", "/health?status=500", 200, "health is now 500"},
		{"GET", "/health", 500, "Internal Server Error"},
		{"POST", "/health?status=99", 400, "from 200 to 599"},
		{"POST", "/health", 400, "from 200 to 599"},
		{"GET", "/health", 500, "Internal Server Error"},
		{"POST", "/health?status=200", 200, "health is now 200"},
		{"GET", "/health", 200, "OK"},
		{"GET", "/nowhere", 404, "not found"},
		{"POST", "/", 405, "Not Allowed"},
	} {
		status, body := ask(tt.method, tt.path)
		if status != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%s %s: %d %q, want %d with %q", tt.method, tt.path, status, body, tt.status, tt.body)
		}
		want := fmt.Sprintf("%s %s %d", tt.method, strings.Split(tt.path, "?")[0], tt.status)
		if strings.HasPrefix(tt.path, "/fetch?url=http%3A%2F%2F127.0.0.1") && tt.status != 502 {
			s.line() // its request to itself
		}
		if got := s.line(); got != want {
			t.Errorf("log says %q, want %q", got, want)
		}
	}

	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestServeEndsWithOpenRequest: a request that does not end delays the end, but
// not for long.
func TestServeEndsWithOpenRequest(t *testing.T) {
	silent, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	defer silent.Close()
	s := start(t, nil, silent, "serve", "--port", "0")
	address := strings.TrimPrefix(s.line(), "listening on ")
	answered := make(chan error, 1)
	go func() {
		resp, err := http.Get("http://127.0.0.1" + address[strings.LastIndex(address, ":"):] + "/file?path=/dev/stdin")
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		answered <- err
	}()
	if _, err := hold.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // let the request arrive; if it did not, the test is merely weaker
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if err := <-answered; err == nil {
		t.Error("the request that cannot end was answered")
	}
}

func TestPortInUse(t *testing.T) {
	s := start(t, nil, nil, "serve", "--port", "0")
	address := strings.TrimPrefix(s.line(), "listening on ")
	_, errs, code := run(t, "serve", "--port", address[strings.LastIndex(address, ":")+1:])
	if code != 1 || !strings.Contains(errs, "address already in use") {
		t.Errorf("%q, %d", errs, code)
	}
}
