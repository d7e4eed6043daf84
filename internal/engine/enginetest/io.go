package enginetest

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

func (s *suite) logs() {
	g := s.group(ludgate.RestartNever,
		s.container("web", "run print one && print two && print three"), s.container("silent", "exit 0"), s.lasting("side"))
	s.ensure(g)
	s.terminated(g, "web")
	s.logged(g, "web", "three")
	if got := s.log(g, "web", engine.LogOptions{}); got != "one\ntwo\nthree\n" {
		s.Errorf("log %q", got)
	}
	for tail, want := range map[int]string{1: "three\n", 2: "two\nthree\n", 50: "one\ntwo\nthree\n"} {
		if got := s.log(g, "web", engine.LogOptions{Tail: tail}); got != want {
			s.Errorf("the last %d lines: %q", tail, got)
		}
	}
	stamped := s.log(g, "web", engine.LogOptions{Timestamps: true, Tail: 2})
	for i, line := range strings.Split(strings.TrimSuffix(stamped, "\n"), "\n") {
		stamp, text, _ := strings.Cut(line, " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil || !strings.HasSuffix(stamp, "Z") || time.Since(at).Abs() > time.Hour || text != []string{"two", "three"}[i] {
			s.Errorf("line with time %q: %v", line, err)
		}
	}
	for _, name := range []string{"silent", "side"} {
		if got := s.log(g, name, engine.LogOptions{}); got != "" {
			s.Errorf("log of %s: %q", name, got)
		}
	}
	if got := s.log(g, "web", engine.LogOptions{Previous: true}); got != "" {
		s.Errorf("log of a run before the first: %q", got)
	}

	// A replaced container: what it prints now, and what it printed before.
	g = next(g)
	g.Containers[0] = s.container("web", "print four")
	s.ensure(g)
	s.started(g)
	if got := s.logged(g, "web", "four"); got != "four\n" {
		s.Errorf("log of the new run %q", got)
	}
	if got := s.log(g, "web", engine.LogOptions{Previous: true}); got != "one\ntwo\nthree\n" {
		s.Errorf("log of the run before %q", got)
	}
}

// serving is a web server of the built-in program.
func (s *suite) serving(name string, port uint16) engine.Container {
	c := s.container(name, fmt.Sprint("serve --port ", port))
	c.Ports = []engine.Port{{Port: port, Protocol: ludgate.TCP}}
	return c
}

// publish makes a port reachable at an address that nobody else uses.
func publish(g *engine.Group, ports ...uint16) {
	if !g.Address.IsValid() {
		g.Address = address()
	}
	g.Publish = nil
	for _, port := range ports {
		g.Publish = append(g.Publish, engine.Publish{Port: port, Protocol: ludgate.TCP})
	}
}

// get asks a published port for a page; ok is false while nobody answers.
func get(at netip.Addr, port uint16, path string) (body string, ok bool) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + netip.AddrPortFrom(at, port).String() + path)
	if err != nil {
		return "", false
	}
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	return string(text), err == nil && r.StatusCode == http.StatusOK
}

// answers waits until the port gives a page.
func (s *suite) answers(g *engine.Group, port uint16, path string) string {
	s.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if body, ok := get(g.Address, port, path); ok {
			return body
		}
	}
	s.Fatalf("nobody answers at %s port %d", g.Address, port)
	return ""
}

// silent waits until the port does not answer.
func (s *suite) silent(g *engine.Group, port uint16) {
	s.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, ok := get(g.Address, port, "/"); !ok {
			return
		}
	}
	s.Fatalf("%s port %d still answers", g.Address, port)
}

func (s *suite) environment() {
	web := s.serving("web", 8081)
	value := "a b=c \"q\" ünïcödé " + randomHex(4)
	web.Env = []engine.EnvVar{{Name: "GREETING", Value: "none"}, {Name: "SECRET", Value: "hidden-" + randomHex(4), Secret: true}, {Name: "EMPTY"}}
	web.Env[0].Value = value
	g := s.group(ludgate.RestartAlways, web)
	publish(g, 8081)
	s.ensure(g)
	st := s.started(g)
	page := s.answers(g, 8081, "/env")
	// The page may be plain text or JSON; the last word of the value is plain.
	for _, want := range []string{"GREETING", value[strings.LastIndex(value, " ")+1:], "SECRET", web.Env[1].Value, "EMPTY"} {
		if !strings.Contains(page, want) {
			s.Errorf("the environment does not have %q: %s", want, page)
		}
	}
	if told := fmt.Sprintf("%+v", st); strings.Contains(told, web.Env[1].Value) {
		s.Error("a secret value is in the status")
	}
}

func (s *suite) network() {
	g := s.group(ludgate.RestartOnFailure, s.serving("web", 8081), s.container("client", "fetch http://127.0.0.1:8081/env"))
	s.ensure(g)
	st := s.until(g, "the client has reached its neighbour on 127.0.0.1", func(st *engine.Status) bool {
		c := of(st, "client")
		return is(c, ludgate.ContainerTerminated) && c.Current.ExitCode == 0
	})
	if of(st, "web").RestartCount != 0 {
		s.Error("web was restarted")
	}
	// Nothing is published: two groups may use one port.
	h := s.group(ludgate.RestartAlways, s.serving("web", 8081))
	s.ensure(h)
	if st := s.started(h); of(st, "web").RestartCount != 0 {
		s.Errorf("status %+v", of(st, "web"))
	}
}

func (s *suite) publishedPort() {
	g := s.group(ludgate.RestartAlways, s.serving("web", 8081), s.serving("side", 8082))
	publish(g, 8081)
	s.ensure(g)
	web := of(s.started(g), "web").Current.StartTime
	if page := s.answers(g, 8081, "/"); page == "" {
		s.Error("an empty page")
	}
	s.silent(g, 8082)

	// Published ports change without touching a container.
	h := next(g)
	publish(h, 8082)
	s.ensure(h)
	st := s.started(h)
	s.answers(h, 8082, "/")
	s.silent(h, 8081)
	if c := of(st, "web"); !c.Current.StartTime.Equal(web) || c.RestartCount != 0 {
		s.Errorf("web was touched: %+v", c)
	}

	// The other one may have the freed address and port.
	other := s.group(ludgate.RestartAlways, s.serving("web", 8081))
	other.Address = g.Address
	publish(other, 8081)
	s.ensure(other)
	s.started(other)
	s.answers(other, 8081, "/")
}
