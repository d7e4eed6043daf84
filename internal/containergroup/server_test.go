package containergroup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ludgate/internal/access"
	"ludgate/internal/engine"
	"ludgate/internal/engine/pod"
	"ludgate/internal/engine/simulated"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

const (
	subscription = "00000000-1111-2222-3333-444444444444"
	neutral      = "Vendor.ContainerInstance"
	vendor       = "Microsoft.ContainerInstance"
	version      = "?api-version=2026-07-01"
)

// server is the service behind a real edge, on a real store, over the simulated
// engine unless a test brings another.
type server struct {
	t   testing.TB
	url string
	st  store.Store
	svc *Service
	eng engine.Engine
	key []byte
}

// start makes a server; change may alter the options of the service.
func start(t testing.TB, change func(*Options)) *server {
	t.Helper()
	s := &server{t: t, st: storetest.Open(t, Area), key: bytes.Repeat([]byte{7}, 32)}
	s.serve(change)
	return s
}

// simulate makes an engine whose restarts do not make tests wait.
func simulate(t testing.TB) engine.Engine {
	t.Helper()
	quick := pod.Backoff{Base: 20 * time.Millisecond, Cap: 100 * time.Millisecond}
	e, err := simulated.Engine(t.Context(), "", simulated.Options{Pod: pod.Options{Backoff: quick, PullBackoff: quick}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// serve makes a service over the server's store and serves it.
func (s *server) serve(change func(*Options)) {
	s.t.Helper()
	box, err := secret.NewBox(s.key, "containergroup")
	if err != nil {
		s.t.Fatal(err)
	}
	opt := Options{Store: s.st, Box: box, Log: quietLog(), Resync: time.Hour}
	if change != nil {
		change(&opt)
	}
	if opt.Engine == nil && opt.Unavailable == nil {
		opt.Engine = simulate(s.t)
	}
	s.eng = opt.Engine
	if s.svc, err = New(opt); err != nil {
		s.t.Fatal(err)
	}
	svc := s.svc
	go func() { _ = svc.Run(context.Background()) }()
	s.t.Cleanup(func() { _ = svc.Close() })
	edge := wire.NewEdge(wire.Options{Log: quietLog(), Authenticate: func(r *http.Request, _ wire.Surface) (context.Context, error) {
		p := &access.Principal{Kind: access.Developer}
		switch r.Header.Get("X-Test-Caller") {
		case "nobody":
			return r.Context(), nil
		case "stranger":
			p = &access.Principal{Kind: access.User, Name: "eve"}
		case "app":
			p = &access.Principal{Kind: access.Application, Name: "ci", Tenant: "t1"}
		}
		return access.With(r.Context(), p), nil
	}}, svc.Routes()...)
	h := httptest.NewServer(edge)
	s.t.Cleanup(h.Close)
	s.url = h.URL
}

func quietLog() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// answer is one reply.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

// call sends a request; path is absolute or starts with a slash, header pairs
// may follow.
func (s *server) call(method, path, body string, header ...string) answer {
	s.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = s.url + path
	}
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, path, r)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, text: string(b)}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &a.body); err != nil {
			s.t.Fatalf("%s %s: %d with a body that is no JSON object: %s", method, path, a.status, b)
		}
	}
	return a
}

// group is the path of a group in the neutral namespace.
func group(name string) string { return groupIn(neutral, name) }

func groupIn(namespace, name string) string {
	return "/subscriptions/" + subscription + "/resourceGroups/games/providers/" + namespace + "/containerGroups/" + name + version
}

// get digs a value out of a reply: get("properties", "containers", 0, "name").
func (a answer) get(path ...any) any {
	var v any = a.body
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func (a answer) str(path ...any) string {
	s, _ := a.get(path...).(string)
	return s
}

// code is the error code of the reply.
func (a answer) code() string { return a.str("error", "code") }

// want fails unless the reply has the status.
func (s *server) want(a answer, status int) answer {
	s.t.Helper()
	if a.status != status {
		s.t.Fatalf("status %d, want %d: %s", a.status, status, a.text)
	}
	return a
}

// put stores a group and expects 200 or 201.
func (s *server) put(name, body string) answer {
	s.t.Helper()
	a := s.call("PUT", group(name), body)
	if a.status != 200 && a.status != 201 {
		s.t.Fatalf("PUT %s: %d %s", name, a.status, a.text)
	}
	return a
}

// settled polls the group until its provisioning state is final.
func (s *server) settled(name string) answer {
	s.t.Helper()
	return s.until(name, func(a answer) bool {
		switch a.str("properties", "provisioningState") {
		case "Succeeded", "Failed":
			return true
		}
		return false
	})
}

// inState polls the group until its instance view has the state.
func (s *server) inState(name, state string) answer {
	s.t.Helper()
	return s.until(name, func(a answer) bool { return a.str("properties", "instanceView", "state") == state })
}

// until polls the group until ok holds.
func (s *server) until(name string, ok func(answer) bool) answer {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		a := s.want(s.call("GET", group(name), ""), 200)
		if ok(a) {
			return a
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("group %s did not get there: %s", name, a.text)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// one is a body with one container that runs command on.
func oneContainer(command string) string {
	return fmt.Sprintf(`{"location":"westus","properties":{"containers":[{"name":"main","properties":{"image":"ludgate/hello",%s"resources":{"requests":{"cpu":1,"memoryInGB":1.5}}}}],"osType":"Linux","restartPolicy":"Never"}}`, commandJSON(command))
}

func commandJSON(command string) string {
	if command == "" {
		return ""
	}
	b, _ := json.Marshal(strings.Fields(command))
	return `"command":` + string(b) + `,`
}
