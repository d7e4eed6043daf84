package containergroup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/engine"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

// jsonBody is a PUT body outside an edge.
type jsonBody string

func (b jsonBody) Decode(v any) error                        { return json.Unmarshal([]byte(b), v) }
func (jsonBody) MissingMember(string, string) *ludgate.Error { return nil }

// node is one Ludgate of several on a store.
func node(t *testing.T, st store.Store, e engine.Engine) *Service {
	t.Helper()
	box, err := secret.NewBox(make([]byte, 32), "test")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Store: st, Engine: e, Box: box, Log: quietLog()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s *Service) {
	t.Helper()
	go func() {
		if err := s.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = s.Close() })
	synctest.Wait()
}

// TestNothingDependsOnHints: what another node wrote, and what the engine did
// without saying so, is found.
func TestNothingDependsOnHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := storetest.OpenEmbedded(t, Area)
		f := newFake()
		f.autorun = true
		here, there := node(t, st, f), node(t, st, newFake())
		run(t, here)
		ctx := access.With(t.Context(), &access.Principal{Kind: access.Developer})
		id := ID{Subscription: subscription, ResourceGroup: "games", Name: "g"}
		state := func() ludgate.ProvisioningState {
			t.Helper()
			g, err := here.Get(ctx, id, neutral)
			if err != nil {
				t.Fatal(err)
			}
			return g.Properties.ProvisioningState
		}
		// The other node takes the PUT and does not run.
		if _, err := there.Put(ctx, id, neutral, jsonBody(base)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if got := state(); got != ludgate.ProvisioningSucceeded {
			t.Errorf("a write of another node: %s", got)
		}
		// The engine brings a group up and does not say so.
		f.mu.Lock()
		f.autorun = false
		f.mu.Unlock()
		if _, err := here.Put(ctx, id, neutral, jsonBody(strings.Replace(base, `"image":"nginx"`, `"image":"other"`, 1))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := state(); got != ludgate.ProvisioningCreating {
			t.Errorf("before: %s", got)
		}
		f.mu.Lock()
		for key, w := range f.wishes {
			f.status[key] = running(w)
		}
		f.mu.Unlock()
		time.Sleep(6 * time.Second)
		if got := state(); got != ludgate.ProvisioningSucceeded {
			t.Errorf("a hint that was lost: %s", got)
		}
		// The engine loses a group and gains one, and does not say so.
		f.mu.Lock()
		clear(f.status)
		clear(f.wishes)
		f.status["dead"] = &engine.Status{}
		f.autorun = true
		f.mu.Unlock()
		time.Sleep(6 * time.Minute)
		keys, _ := f.Keys(ctx)
		if len(keys) != 1 || keys[0] == "dead" {
			t.Errorf("the engine holds %v", keys)
		}
	})
}

func TestRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := node(t, storetest.OpenEmbedded(t, Area), newFake())
		run(t, s)
		if err := s.Run(t.Context()); err == nil {
			t.Error("two Runs")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOptions(t *testing.T) {
	st := storetest.Open(t, Area)
	box, err := secret.NewBox(make([]byte, 32), "test")
	if err != nil {
		t.Fatal(err)
	}
	for what, opt := range map[string]Options{
		"no store":   {Engine: newFake(), Box: box},
		"no box":     {Engine: newFake(), Store: st},
		"no engine":  {Store: st, Box: box},
		"bad region": {Store: st, Box: box, Engine: newFake(), Region: "west_us"},
	} {
		if _, err := New(opt); err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
	s, err := New(Options{Store: st, Box: box, Engine: newFake(), KeepOperations: time.Second})
	if err != nil || s.opt.KeepOperations != 24*time.Hour {
		t.Errorf("operations are kept for %s, %v", s.opt.KeepOperations, err)
	}
}

func TestStoreErrors(t *testing.T) {
	for err, want := range map[error]string{
		store.ErrBusy: "ServerBusy", store.ErrClosed: "ServiceUnavailable", store.ErrFull: "StorageUnavailable", store.ErrReadOnly: "StorageUnavailable",
		context.Canceled: "RequestCanceled",
	} {
		got := ludgate.AsError(storeError(fmt.Errorf("write: %w", err)))
		if got.Code != want || got.Kind == ludgate.Internal || strings.Contains(got.Message, "store:") {
			t.Errorf("%v: %v", err, got)
		}
	}
	if other := errors.New("other"); storeError(other) != other {
		t.Error("another error was changed")
	}
	if storeError(nil) != nil {
		t.Error("no error became one")
	}
}
