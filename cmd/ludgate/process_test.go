package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ludgate/internal/server"
	"ludgate/internal/store/postgres/pgtest"
)

// process is a running ludgate.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	dir   string
	http  string
	https string
	log   *lockedBuffer
	done  chan error
}

// lockedBuffer collects the log of a process while it is read.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start runs `ludgate MODE` on a data directory and waits for its ready line.
func start(t *testing.T, dir, mode string, args ...string) *process {
	t.Helper()
	p := &process{t: t, dir: dir, log: &lockedBuffer{}, done: make(chan error, 1)}
	args = append([]string{mode, "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--data", dir}, args...)
	if os.Getenv(pgtest.Env) != "" { // the same tests, on the other store
		args = append(args, "--store", database(t, dir))
	}
	p.cmd = exec.Command(os.Args[0], args...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	mustf(t, err, "pipe")
	mustf(t, p.cmd.Start(), "start")
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ready http=http://127.0.0.1:") {
		t.Fatalf("no ready line: %q, %v\n%s", line, err, p.log)
	}
	words := strings.Fields(line)
	p.http, p.https = strings.TrimPrefix(words[1], "http="), strings.TrimPrefix(words[2], "https=")
	go func() { p.done <- p.cmd.Wait() }()
	return p
}

var databases sync.Map // data directory -> URL

// database gives the database that belongs to a data directory of a test.
func database(t *testing.T, dir string) string {
	t.Helper()
	if url, ok := databases.Load(dir); ok {
		return url.(string)
	}
	url := pgtest.URL(t)
	databases.Store(dir, url)
	return url
}

// kill ends the process at once, as a power cut would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	p.wait()
}

// stop ends the process the polite way and checks that it says goodbye well.
func (p *process) stop() {
	p.t.Helper()
	mustf(p.t, p.cmd.Process.Signal(syscall.SIGTERM), "signal")
	if err := p.wait(); err != nil {
		p.t.Errorf("ended with %v\n%s", err, p.log)
	}
}

func (p *process) wait() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		p.done <- err
		return err
	case <-time.After(30 * time.Second):
		p.t.Fatalf("did not end\n%s", p.log)
		return nil
	}
}

// call does one request and decodes the answer.
func (p *process) call(method, path, body string, headers ...string) (int, map[string]any) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.http+path, strings.NewReader(body))
	mustf(p.t, err, "request")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	mustf(p.t, err, "call")
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	mustf(p.t, err, "read")
	v := map[string]any{}
	if len(raw) > 0 {
		mustf(p.t, json.Unmarshal(raw, &v), "decode %s", raw)
	}
	return resp.StatusCode, v
}

const (
	bareGroup  = `{"displayName":"Ops","mailEnabled":false,"securityEnabled":true,"mailNickname":"ops"}`
	nameCheck  = "/subscriptions/00000000-0000-0000-0000-000000000001/providers/Vendor.Sql/checkNameAvailability?api-version=2025-01-01"
	nameBody   = `{"name":"server1","type":"Vendor.Sql/servers"}`
	playerBody = `{"TitleId":"144","Username":"ann","Email":"ann@example.com","Password":"correct horse"}`
)

func TestHTTPSWithTheLocalAuthority(t *testing.T) {
	p := start(t, t.TempDir(), "dev", "--engine", "simulated")
	pem, err := os.ReadFile(server.CAFile(p.dir))
	mustf(t, err, "authority")
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate")
	}
	port := p.https[strings.LastIndexByte(p.https, ':'):]
	for _, host := range []string{"127.0.0.1", "localhost", "ace.localhost"} {
		client := &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: host},
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1"+port)
			},
		}}
		resp, err := client.Get("https://" + host + port + "/readyz")
		mustf(t, err, "https to %s", host)
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", host, resp.Status)
		}
		client.CloseIdleConnections()
	}
	info, err := os.Stat(filepath.Join(p.dir, "ca", "ca-key.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key of the authority: %v, %v", info.Mode(), err)
	}
}

func TestBannerSaysWhatItIs(t *testing.T) {
	p := start(t, t.TempDir(), "dev", "--engine", "simulated")
	for _, want := range []string{p.http, p.https, p.dir, "development mode", "not for production", "simulated"} {
		for end := time.Now().Add(5 * time.Second); !strings.Contains(p.log.String(), want) && time.Now().Before(end); {
			time.Sleep(time.Millisecond) // the pipe is read beside
		}
		if !strings.Contains(p.log.String(), want) {
			t.Errorf("the banner does not say %q:\n%s", want, p.log)
		}
	}
}

func TestRestartKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "dev", "--engine", "simulated")
	if status, body := p.call("POST", "/Client/RegisterPlatformUser", playerBody); status != 200 {
		t.Fatalf("register: %d %v", status, body)
	}
	status, group := p.call("PATCH", "/v1.0/groups(uniqueName='ops')", bareGroup, "Prefer", "create-if-missing")
	if status != 201 {
		t.Fatalf("group: %d %v", status, group)
	}
	p.kill() // acknowledged is durable
	p = start(t, dir, "dev", "--engine", "simulated")
	if status, body := p.call("POST", "/Client/RegisterPlatformUser", playerBody); status != 400 || body["error"] != "EmailAddressNotAvailable" {
		t.Errorf("register again: %d %v", status, body)
	}
	if status, body := p.call("GET", "/groups/"+group["id"].(string), ""); status != 200 || body["uniqueName"] != "ops" {
		t.Errorf("read group: %d %v", status, body)
	}
	p.stop()
}

func TestOneServerPerDataDirectory(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, "dev", "--engine", "simulated")
	cmd := exec.Command(os.Args[0], "dev", "--http", "127.0.0.1:0", "--https", "off", "--data", dir, "--engine", "simulated")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another Ludgate") {
		t.Errorf("a second server: %v\n%s", err, out)
	}
}

func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	mustf(t, err, "listen")
	defer l.Close()
	cmd := exec.Command(os.Args[0], "dev", "--http", l.Addr().String(), "--https", "off", "--data", t.TempDir(), "--engine", "simulated")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is taken by another program") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A request under way when SIGTERM comes is answered; the process ends well.
func TestDrainLetsRequestsEnd(t *testing.T) {
	p := start(t, t.TempDir(), "dev", "--engine", "simulated")
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.http, "http://"))
	mustf(t, err, "dial")
	defer conn.Close()
	_, err = io.WriteString(conn, "POST "+nameCheck+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 46\r\n\r\n"+nameBody[:10])
	mustf(t, err, "write")
	time.Sleep(100 * time.Millisecond) // the request is inside
	mustf(t, p.cmd.Process.Signal(syscall.SIGTERM), "signal")
	time.Sleep(200 * time.Millisecond)
	resp, err := http.Get(p.http + "/readyz")
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
			t.Errorf("a new request while draining: %s, Retry-After %q", resp.Status, resp.Header.Get("Retry-After"))
		}
	} else {
		t.Errorf("a new request while draining: %v", err)
	}
	_, err = io.WriteString(conn, nameBody[10:])
	mustf(t, err, "write")
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(answer), `"available":true`) {
		t.Errorf("the request under way: %s, %v", answer, err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v\n%s", err, p.log)
	}
}

// In production nothing is open to a caller without a token, and only what the
// settings name exists.
func TestServeNeedsTokens(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "c.yaml")
	mustf(t, os.WriteFile(file, []byte("titles: [{id: '144'}]\n"), 0o600), "settings")
	p := start(t, dir, "serve", "--engine", "simulated", "--config", file)
	token := func(args ...string) string {
		cmd := exec.Command(os.Args[0], append(append([]string{"token"}, args...), "--data", dir)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, err := cmd.Output()
		mustf(t, err, "token")
		return "Bearer " + strings.TrimSpace(string(out))
	}
	management := token("management")
	reader := token("directory", "--permission", "Group.Read.All")
	writer := token("directory", "--permission", "Group.ReadWrite.All", "--app")
	roleWriter := token("directory", "--permission", "Group.ReadWrite.All,RoleManagement.ReadWrite.Directory", "--role", "Privileged Role Administrator")
	roleGroup := strings.Replace(bareGroup, "{", `{"isAssignableToRole":true,`, 1)
	group := "/v1.0/groups(uniqueName='ops')"
	for _, c := range []struct {
		name, method, path, body, token string
		status                          int
	}{
		{"no token", "POST", nameCheck, nameBody, "", 401},
		{"a bad token", "POST", nameCheck, nameBody, "Bearer abc", 401},
		{"a directory token", "POST", nameCheck, nameBody, writer, 401},
		{"a management token", "POST", nameCheck, nameBody, management, 200},
		{"groups without a token", "GET", group, "", "", 401},
		{"a reader writes", "PATCH", group, bareGroup, reader, 403},
		{"a writer writes", "PATCH", group, bareGroup, writer, 201},
		{"a reader reads", "GET", group, "", reader, 200},
		{"a management token reads", "GET", group, "", management, 401},
		{"a role-assignable group without the role", "PATCH", "/v1.0/groups(uniqueName='admins')", roleGroup, writer, 403},
		{"a role-assignable group with it", "PATCH", "/v1.0/groups(uniqueName='admins')", roleGroup, roleWriter, 201},
		{"a configured title", "POST", "/Client/RegisterPlatformUser", playerBody, "", 200},
		{"another title", "POST", "/Client/RegisterPlatformUser", strings.Replace(playerBody, "144", "145", 1), "", 400},
		{"dev calls", "POST", "/dev/streaming/token", `{"user_id":"1"}`, "", 404},
	} {
		headers := []string{"Prefer", "create-if-missing"}
		if c.token != "" {
			headers = append(headers, "Authorization", c.token)
		}
		if status, body := p.call(c.method, c.path, c.body, headers...); status != c.status {
			t.Errorf("%s: got %d %v, want %d", c.name, status, body, c.status)
		}
	}
}

// Where containers cannot run, everything else does, and the container calls say
// what is missing.
func TestWithoutAnEngine(t *testing.T) {
	p := start(t, t.TempDir(), "dev", "--engine", "docker")
	status, body := p.call("PUT", "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/a/providers/Vendor.ContainerInstance/containerGroups/b?api-version=2026-07-01",
		`{"properties":{"containers":[{"name":"a","properties":{"image":"ludgate/hello"}}]}}`)
	e, _ := body["error"].(map[string]any)
	if status != 503 || !strings.Contains(e["message"].(string), "not part of this release") {
		t.Errorf("got %d %v", status, body)
	}
	if status, _ := p.call("POST", "/Client/RegisterPlatformUser", playerBody); status != 200 {
		t.Errorf("register: %d", status)
	}
}

// The tour, on real containers.
func TestTour(t *testing.T) {
	mustRoot(t)
	p := start(t, t.TempDir(), "dev")
	cmd := exec.Command(os.Args[0], "tour", "--url", p.http)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, out, p.log)
	}
	if !strings.Contains(string(out), ", 0 failed") {
		t.Errorf("no table:\n%s", out)
	}
	p.stop()
}
