package containergroup

import (
	"errors"
	"fmt"
	"ludgate/internal/engine"
	"ludgate/internal/store"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRestart: a new process over the same store and engine tells the engine
// everything again, ends what it finds nobody wishing for, finishes what was
// under way, and answers for operations that began before.
func TestRestart(t *testing.T) {
	f := newFake()
	f.autorun = true
	s := start(t, func(o *Options) { o.Engine = f })
	s.put("up", base)
	s.settled("up")
	up := f.only(s)
	f.mu.Lock()
	f.autorun = false
	f.mu.Unlock()
	polls := map[string]string{"creating": s.put("creating", base).header.Get("Azure-AsyncOperation")}
	f.wished(s, func(g *engine.Group) bool { return g.Name == "creating" })
	hold := make(chan struct{})
	f.mu.Lock()
	f.hold = hold
	f.mu.Unlock()
	s.put("leaving", oneContainer(""))
	leaving := f.wished(s, func(g *engine.Group) bool { return g.Name == "leaving" })
	go s.call("DELETE", group("leaving"), "")
	s.until("leaving", func(a answer) bool { return a.str("properties", "provisioningState") == "Deleting" })
	if err := s.svc.Close(); err != nil {
		t.Fatal(err)
	}
	close(hold)

	// While nobody looked: a group that no store knows, and one that was lost.
	f.mu.Lock()
	f.autorun, f.hold, f.ensured = true, nil, 0
	f.status["feed"] = &engine.Status{}
	f.mu.Unlock()
	old := s.url
	s.serve(func(o *Options) { o.Engine = f })
	for name, poll := range polls {
		poll = strings.Replace(poll, old, s.url, 1)
		if a := s.settled(name); a.str("properties", "provisioningState") != "Succeeded" {
			t.Errorf("%s", a.text)
		}
		if o := s.call("GET", poll, ""); o.str("status") != "Succeeded" {
			t.Errorf("%s", o.text)
		}
	}
	for s.call("GET", group("leaving"), "").status != 404 {
		time.Sleep(time.Millisecond)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		keys, _ := f.Keys(t.Context())
		f.mu.Lock()
		ensured := f.ensured
		f.mu.Unlock()
		if len(keys) == 2 && ensured == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the engine holds %v after being told of %d groups", keys, ensured)
		}
	}
	again := f.wished(s, func(g *engine.Group) bool { return g.Name == "up" })
	if !reflect.DeepEqual(again, up) {
		t.Errorf("the wish changed over the restart:\n%+v\n%+v", again, up)
	}
	if leaving.Key == again.Key {
		t.Error("two groups of one key")
	}
}

func TestEngineThatRefusesForAWhile(t *testing.T) {
	f := newFake()
	f.autorun = true
	f.refuse = errors.New("disk /var/x is busy")
	s := start(t, func(o *Options) { o.Engine, o.StartTimeout = f, 50*time.Millisecond })
	poll := s.put("g", base).header.Get("Azure-AsyncOperation")
	a := s.settled("g")
	o := s.call("GET", poll, "")
	if a.str("properties", "provisioningState") != "Failed" || o.str("error", "code") != "ContainerEngineError" || strings.Contains(a.text+o.text, "/var/x") {
		t.Errorf("%s %s", a.text, o.text)
	}
	f.mu.Lock()
	f.refuse = nil
	f.mu.Unlock()
	s.until("g", func(a answer) bool { return a.str("properties", "provisioningState") == "Succeeded" })
}

// TestEngineThatLosesAGroup: an engine that forgot is told again.
func TestEngineThatLosesAGroup(t *testing.T) {
	f := newFake()
	f.autorun = true
	s := start(t, func(o *Options) { o.Engine = f })
	s.put("g", base)
	s.settled("g")
	w := f.only(s)
	f.mu.Lock()
	delete(f.status, w.Key)
	delete(f.wishes, w.Key)
	f.mu.Unlock()
	if a := s.call("GET", group("g"), ""); a.str("properties", "instanceView", "state") != "Running" {
		t.Errorf("what was seen last is not shown: %s", a.text)
	}
	f.changes <- w.Key
	f.only(s)
}

// TestAnySequenceLeavesNothingBehind does random PUTs and DELETEs from several
// callers at once on the simulated engine, and restarts of the service, then
// deletes everything: no engine group, no claim and no row may be left.
func TestAnySequenceLeavesNothingBehind(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			e := simulate(t)
			s := start(t, func(o *Options) { o.Engine = e })
			names := []string{"one", "two", "three"}
			bodies := []string{
				oneContainer(""), oneContainer("exit 0"), oneContainer("sleep 0.01"), base, whole,
				with(t, cp+".command", `["sleep","0.02"]`), with(t, "properties.ipAddress.type", `"Private"`),
				`{"properties":{"containers":[{"name":"m","properties":{"image":"registry.invalid/x"}}]}}`,
			}
			for range 2 {
				var work sync.WaitGroup
				for caller := range uint64(3) {
					r := rand.New(rand.NewPCG(seed, caller))
					work.Go(func() {
						for range 25 {
							name := names[r.IntN(len(names))]
							if r.IntN(3) == 0 {
								if a := s.call("DELETE", group(name), ""); a.status != 200 && a.status != 204 {
									t.Errorf("DELETE: %d %s", a.status, a.text)
								}
								continue
							}
							a := s.call("PUT", group(name), bodies[r.IntN(len(bodies))])
							// Only the one label can be refused: another group has it.
							if a.status != 200 && a.status != 201 && a.code() != "DnsNameLabelNotAvailable" {
								t.Errorf("PUT: %d %s", a.status, a.text)
							}
							time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
						}
					})
				}
				work.Wait()
				if err := s.svc.Close(); err != nil {
					t.Fatal(err)
				}
				s.serve(func(o *Options) { o.Engine = e })
			}
			for _, name := range names {
				if a := s.call("GET", group(name), ""); a.status == 200 {
					s.settled(name)
				}
				s.call("DELETE", group(name), "")
			}
			for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
				keys, err := e.Keys(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if rows, claims := count(t, s.st, "container_groups"), count(t, s.st, "ledger"); len(keys)+rows+claims == 0 {
					break
				} else if time.Now().After(deadline) {
					t.Fatalf("left: engine %v, %d rows, %d claims", keys, rows, claims)
				}
			}
		})
	}
}

// count counts the rows of a table.
func count(t *testing.T, st store.Store, table string) (n int) {
	t.Helper()
	stmt := store.NewStmt("count_"+table, "SELECT count(*) FROM "+table)
	err := st.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(stmt, func(r store.Row) error { n = int(r.Int(0)); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
