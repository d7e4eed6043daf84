package experiment

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// clock is a time that a test sets.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }

// fixture is this part behind an edge on a real connection, for two titles.
type fixture struct {
	t       testing.TB
	service *Service
	gate    *call.Gate
	store   store.Store
	tickets *ticket.Issuer
	clock   *clock
	url     string
	secrets map[string]string // by title
}

const (
	here  = "ABCDE"
	there = "FFFFF"
)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: newClock(), secrets: map[string]string{}}
	f.store = storetest.Open(t, account.Area, title.Area, Area)
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	box := must(secret.NewBox(must(secret.LoadKey(dir, "secrets"))(t), "player"))(t)
	registry := must(title.Open(t.Context(), title.Options{Store: f.store, Box: box, Template: &title.Settings{}, Clock: f.clock.now, Log: log}))(t)
	t.Cleanup(registry.Close)
	for _, id := range []string{here, there} {
		err := registry.UpdateKeys(t.Context(), id, func(k *title.Keys) error {
			f.secrets[id] = k.AddSecret("test", f.clock.now())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	f.tickets = ticket.NewIssuer(must(ticket.OpenRing(dir, "tickets.json", f.clock.now))(t), f.clock.now)
	f.gate = call.NewGate(call.Options{Store: f.store, Titles: registry, Tickets: f.tickets, Box: box, Clock: f.clock.now, Log: log})
	f.service = must(Open(t.Context(), f.gate))(t)
	t.Cleanup(f.service.Close)
	server := httptest.NewServer(wire.NewEdge(wire.Options{Default: wire.Neutral, TitleNaming: registry.Naming, TitleOf: f.gate.TitleOf, Log: log}, f.service.Routes()...))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

type obj map[string]any

// post makes a call under /Experimentation and gives the body and the error's
// name, "" for none.
func (f *fixture) post(name, header, proof string, body obj) (obj, string) {
	f.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		f.t.Fatal(err)
	}
	req := must(http.NewRequest("POST", f.url+"/Experimentation/"+name, strings.NewReader(string(text))))(f.t)
	if header != "" {
		req.Header.Set(header, proof)
	}
	res := must(http.DefaultClient.Do(req))(f.t)
	defer res.Body.Close()
	var out obj
	if err := json.Unmarshal(must(io.ReadAll(res.Body))(f.t), &out); err != nil {
		f.t.Fatal(err)
	}
	code, _ := out["error"].(string)
	if code == "" && res.StatusCode != http.StatusOK {
		f.t.Fatalf("status %d: %v", res.StatusCode, out)
	}
	return out, code
}

// admin makes a call with the title's secret key.
func (f *fixture) admin(name string, body obj) (obj, string) {
	f.t.Helper()
	return f.post(name, "X-SecretKey", f.secrets[here], body)
}

// ok is admin for a call that succeeds.
func (f *fixture) ok(name string, body obj) obj {
	f.t.Helper()
	out, code := f.admin(name, body)
	if code != "" {
		f.t.Fatalf("%s: %v", name, out)
	}
	return out
}

// refused is admin for a call that fails with a code.
func (f *fixture) refused(name string, body obj, want string) {
	f.t.Helper()
	if out, code := f.admin(name, body); code != want {
		f.t.Errorf("%s %v: got %v, want %s", name, body, out, want)
	}
}

// with gives a copy of o with further members; nil takes one away.
func (o obj) with(more obj) obj {
	out := obj{}
	for k, v := range o {
		out[k] = v
	}
	for k, v := range more {
		if out[k] = v; v == nil {
			delete(out, k)
		}
	}
	return out
}

func variant(name string, percent int, variables ...string) obj {
	v := obj{"Name": name, "TrafficPercentage": percent, "IsControl": name == "control", "Variables": []obj{}}
	for i := 0; i+1 < len(variables); i += 2 {
		v["Variables"] = append(v["Variables"].([]obj), obj{"Name": variables[i], "Value": variables[i+1]})
	}
	return v
}

// half is an experiment with two variants of equal share.
var half = obj{"Name": "jump", "StartDate": "2026-03-01T00:00:00Z", "Variants": []obj{variant("control", 50, "height", "1"), variant("high", 50, "height", "2")}}

// create makes and starts an experiment and gives its id.
func (f *fixture) create(settings obj) string {
	f.t.Helper()
	id := f.ok("CreateExperiment", settings)["ExperimentId"].(string)
	f.ok("StartExperiment", obj{"ExperimentId": id})
	return id
}

// get gives an experiment as it is listed.
func (f *fixture) get(id string) obj {
	f.t.Helper()
	for _, e := range f.ok("GetExperiments", obj{})["Experiments"].([]any) {
		if e := obj(e.(map[string]any)); e["Id"] == id {
			return e
		}
	}
	f.t.Fatalf("no experiment %s", id)
	return nil
}

// assign gives what a player gets at sign-in.
func (f *fixture) assign(title, player string) (t TreatmentAssignment) {
	f.t.Helper()
	err := f.store.Write(f.t.Context(), func(tx store.Tx) (err error) {
		t, err = f.service.Assign(tx, title, player, f.clock.now())
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

// player makes an account.
func (f *fixture) player(title string) *account.Account {
	f.t.Helper()
	a := &account.Account{Title: title, Origination: account.Organic}
	err := account.Write(f.t.Context(), f.store, func(tx store.Tx) error {
		return account.Create(tx, a, account.Options{}, f.clock.now().UnixMilli())
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}
