package data_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

type obj = calltest.Obj

// fixture is the package behind an edge, with a title ABCDE whose clients may
// post statistics, one ABC whose clients may not, and a server of each.
type fixture struct {
	*calltest.Rig
	service       *data.Service
	server, other calltest.Proof
}

func newFixture(t testing.TB, o data.Options) *fixture {
	t.Helper()
	return newFixtureOf(t, o, wire.Neutral)
}

func newFixtureOf(t testing.TB, o data.Options, n *wire.Naming) *fixture {
	t.Helper()
	f := &fixture{Rig: calltest.New(t, calltest.Options{
		Naming: n,
		Areas:  []store.Area{profile.Area, data.Area},
		Titles: map[string]title.Settings{
			"ABCDE": {AllowClientStatistics: true, AllowedConstraints: []string{"ShowDisplayName", "ShowCreated", "ShowTags"}},
			"ABC":   {},
		},
	})}
	profiles, err := profile.Open(t.Context(), f.Gate, profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(profiles.Close)
	o.Profiles = profiles
	f.service = data.New(f.Gate, o)
	f.Serve(append(f.service.Routes(), profiles.Routes()...)...)
	f.server, f.other = f.Secret("ABCDE"), f.Secret("ABC")
	return f
}

// named is a player with a display name.
func named(name string) func(*account.Account) {
	return func(a *account.Account) { a.DisplayName = name }
}

// text is a value as compact JSON with members in order.
func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// want compares a value with what it is as JSON.
func want(t testing.TB, what string, got any, json string) {
	t.Helper()
	if g := text(t, got); g != json {
		t.Errorf("%s:\n got %s\nwant %s", what, g, json)
	}
}

// together runs a function n times at once.
func together(n int, fn func(i int)) {
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() { fn(i) })
	}
	done.Wait()
}

// letters is a text of n code points, of a script or of symbols that take more
// than one byte each.
func letters(n int, letter string) string { return strings.Repeat(letter, n) }

// keys is n keys with the value x.
func keys(n int) obj {
	o := obj{}
	for i := range n {
		o[fmt.Sprintf("key%04d", i)] = "x"
	}
	return o
}
