package enginetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/engine"
	"ludgate/internal/engine/pod"
)

// Features says what an engine does, hence what the suite may ask of it.
type Features struct {
	// Real: processes run. Environment, published ports and the shared network
	// of a group are looked at; otherwise every Status must say Simulated.
	Real bool
	// Adopts: containers outlive Close and are taken over by the next engine
	// with the same directory. Otherwise they end with it and start again.
	Adopts bool
	// Limits: a container above its memory limit is killed.
	Limits bool
	// Image holds the program /hello; empty is ludgate/hello.
	Image string
	// MissingImage is one that certainly does not exist; empty leaves that
	// test out.
	MissingImage string
}

// Open opens an engine whose state lives below dir.
type Open func(t *testing.T, dir string) engine.Engine

// PodOptions are options with delays short enough for the suite, for engines
// under pod.Supervisor.
func PodOptions(dir string) pod.Options {
	short := pod.Backoff{Base: 40 * time.Millisecond, Cap: 160 * time.Millisecond, Reset: time.Minute}
	return pod.Options{
		Dir: dir, Backoff: short, PullBackoff: short, KillGrace: 2 * time.Second,
		Log: slog.New(slog.DiscardHandler),
	}
}

// patience is how long the suite waits for what must happen in the end.
const patience = 30 * time.Second

// Run runs the suite.
func Run(t *testing.T, open Open, f Features) {
	if f.Image == "" {
		f.Image = "ludgate/hello"
	}
	for _, test := range []struct {
		name string
		run  func(*suite)
		when bool
	}{
		{"Starts", (*suite).starts, true},
		{"InitOrder", (*suite).initOrder, true},
		{"FailingInit", (*suite).failingInit, true},
		{"RestartPolicy", (*suite).restartPolicy, true},
		{"Backoff", (*suite).backoff, true},
		{"ExitCodes", (*suite).exitCodes, true},
		{"StartError", (*suite).startError, true},
		{"MissingImage", (*suite).missingImage, f.MissingImage != ""},
		{"OutOfMemory", (*suite).outOfMemory, f.Limits},
		{"StartTimeout", (*suite).startTimeout, true},
		{"Logs", (*suite).logs, true},
		{"Environment", (*suite).environment, f.Real},
		{"Network", (*suite).network, f.Real},
		{"PublishedPort", (*suite).publishedPort, f.Real},
		{"IdenticalWish", (*suite).identicalWish, true},
		{"ReplaceOnlyChanged", (*suite).replaceOnlyChanged, true},
		{"ChangedInit", (*suite).changedInit, true},
		{"Supersede", (*suite).supersede, true},
		{"Remove", (*suite).remove, true},
		{"Unknown", (*suite).unknown, true},
		{"Changes", (*suite).changes, true},
		{"Restart", (*suite).restart, true},
		{"Orphan", (*suite).orphan, f.Adopts},
		{"Concurrency", (*suite).concurrency, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !test.when {
				t.Skip("not a feature of this engine")
			}
			s := &suite{T: t, Features: f, open: open, dir: t.TempDir()}
			s.engine = open(t, s.dir)
			t.Cleanup(s.end)
			test.run(s)
		})
	}
}

// suite is one test with an engine of its own.
type suite struct {
	*testing.T
	Features
	open   Open
	dir    string
	engine engine.Engine
}

// end removes whatever the test left and closes the engine.
func (s *suite) end() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	keys, err := s.engine.Keys(ctx)
	if err != nil {
		s.Errorf("Keys at the end: %v", err)
	}
	for _, key := range keys {
		if err := s.engine.Remove(ctx, key); err != nil {
			s.Errorf("Remove at the end: %v", err)
		}
	}
	if err := s.engine.Close(); err != nil {
		s.Errorf("Close: %v", err)
	}
}

// reopen closes the engine without ending anything and opens the next one.
func (s *suite) reopen() {
	s.Helper()
	if err := s.engine.Close(); err != nil {
		s.Fatalf("Close: %v", err)
	}
	s.engine = s.open(s.T, s.dir)
}

// group makes a wish of generation 1 with a key of its own.
func (s *suite) group(policy ludgate.RestartPolicy, containers ...engine.Container) *engine.Group {
	return &engine.Group{
		Key: randomHex(8), Generation: 1, Name: "group", RestartPolicy: policy, Containers: containers,
	}
}

// container runs one command line of the built-in program: "exit 3".
func (s *suite) container(name, command string) engine.Container {
	verb, rest, more := strings.Cut(command, " ")
	c := engine.Container{Name: name, Image: s.Image, Command: []string{"/hello", verb}}
	switch {
	case verb == "run" || verb == "print": // the rest is one argument
		c.Command = append(c.Command, rest)
	case more:
		c.Command = append(c.Command, strings.Fields(rest)...)
	}
	return c
}

// lasting runs until it is ended.
func (s *suite) lasting(name string) engine.Container { return s.container(name, "sleep 3600") }

// next is a copy of g in the next generation.
func next(g *engine.Group) *engine.Group {
	c := *g
	c.Generation++
	c.Init = slices.Clone(g.Init)
	c.Containers = slices.Clone(g.Containers)
	c.Publish = slices.Clone(g.Publish)
	return &c
}

func (s *suite) ensure(g *engine.Group) {
	s.Helper()
	if err := s.engine.Ensure(s.Context(), g); err != nil {
		s.Fatalf("Ensure: %v", err)
	}
}

func (s *suite) observe(g *engine.Group) *engine.Status {
	s.Helper()
	st, err := s.engine.Observe(s.Context(), g.Key)
	if err != nil {
		s.Fatalf("Observe: %v", err)
	}
	if st.Simulated == s.Real {
		s.Fatalf("Status says Simulated %t", st.Simulated)
	}
	return st
}

// until waits until the status is as wanted.
func (s *suite) until(g *engine.Group, what string, as func(*engine.Status) bool) *engine.Status {
	s.Helper()
	end := time.Now().Add(patience)
	for {
		st := s.observe(g)
		if as(st) {
			return st
		}
		if time.Now().After(end) {
			dump, _ := json.MarshalIndent(st, "", "  ")
			s.Fatalf("not within %s: %s\n%s", patience, what, dump)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// started waits until every container of g's generation has started.
func (s *suite) started(g *engine.Group) *engine.Status {
	s.Helper()
	return s.until(g, "every container has started", func(st *engine.Status) bool {
		return st.Generation == g.Generation && st.Started
	})
}

// terminated waits until the container has ended for good.
func (s *suite) terminated(g *engine.Group, name string) engine.ContainerStatus {
	s.Helper()
	st := s.until(g, name+" is Terminated", func(st *engine.Status) bool {
		return is(of(st, name), ludgate.ContainerTerminated)
	})
	return of(st, name)
}

// of gives the status of one container, init or normal.
func of(st *engine.Status, name string) engine.ContainerStatus {
	for _, c := range slices.Concat(st.Init, st.Containers) {
		if c.Name == name {
			return c
		}
	}
	return engine.ContainerStatus{}
}

func is(c engine.ContainerStatus, state ludgate.ContainerState) bool {
	return c.Current != nil && c.Current.State == state
}

// event finds a container's event by name; its Count is 0 if there is none.
func event(list []engine.Event, name string) engine.Event {
	for _, e := range list {
		if e.Name == name {
			return e
		}
	}
	return engine.Event{}
}

// log reads a container's log.
func (s *suite) log(g *engine.Group, name string, opt engine.LogOptions) string {
	s.Helper()
	r, err := s.engine.Logs(s.Context(), g.Key, name, opt)
	if err != nil {
		s.Fatalf("Logs of %s: %v", name, err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		s.Fatalf("Logs of %s: %v", name, err)
	}
	return string(text)
}

// logged waits until a container's log holds the text.
func (s *suite) logged(g *engine.Group, name, text string) string {
	s.Helper()
	end := time.Now().Add(patience)
	for {
		log := s.log(g, name, engine.LogOptions{})
		if strings.Contains(log, text) {
			return log
		}
		if time.Now().After(end) {
			s.Fatalf("the log of %s does not have %q: %q", name, text, log)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// address is a loopback address that nobody else uses.
func address() netip.Addr {
	var b [3]byte
	_, _ = rand.Read(b[:])
	return netip.AddrFrom4([4]byte{127, 64 + b[0]%128, b[1], 1 + b[2]%254})
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
