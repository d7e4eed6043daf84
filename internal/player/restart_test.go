package player

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"
)

// TestRestart: accounts, names, tickets and streaming tokens outlive the server.
func TestRestart(t *testing.T) {
	dir, keys, c := t.TempDir(), t.TempDir(), newClock()
	open := func() store.Store {
		st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
		if err == nil {
			err = store.Migrate(t.Context(), st, Areas()...)
		}
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	st := open()
	f := newFixture(t, setup{store: st, dir: keys, clock: c})
	f.result(f.register(ann))
	token := f.token("42", "bob")
	before := f.result(f.signIn(obj{"TitleId": "ABCDE", "AccessToken": token, "CreateAccount": true}))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if a := f.register(ann); a.status != 503 || !strings.Contains(a.body, `"errorCode":1123`) {
		t.Errorf("while the store is closed: %d %s", a.status, a.body)
	}

	st = open()
	defer st.Close()
	f = newFixture(t, setup{store: st, dir: keys, clock: c})
	f.refused("name of before", f.register(ann.with(obj{"Username": "other"})), emailTaken)
	after := f.result(f.signIn(obj{"TitleId": "ABCDE", "AccessToken": token}))
	if after["PlatformId"] != before["PlatformId"] || after["NewlyCreated"] != false || after["LastLoginTime"] != "2026-03-04T05:06:07.89Z" {
		t.Errorf("sign-in after the restart: %v", after)
	}
	f.result(f.entityToken(obj{}, headers{"X-Authorization": before["SessionTicket"].(string)}))
}

// countingHasher counts the passwords it is asked to hash, and refuses them all.
type countingHasher struct {
	Passwords
	calls int
}

func (h *countingHasher) Hash(context.Context, string) (string, error) {
	h.calls++
	return "", ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "Too many passwords.").After(3e9)
}

// TestHashingComesLast: what can be refused without a hash is, and a hasher that
// is busy is a 503 that says when to come back.
func TestHashingComesLast(t *testing.T) {
	f := newFixture(t, setup{})
	f.result(f.register(ann))
	h := &countingHasher{}
	f = newFixture(t, setup{store: f.store, hasher: h})
	for _, change := range []obj{{}, {"Email": "x"}, {"Username": "x"}, {"Password": "x"}, {"Email": "other@example.com"}, {"Username": "other"}} {
		if a := f.register(ann.with(change)); a.status != 400 {
			t.Errorf("%v: %d %s", change, a.status, a.body)
		}
	}
	if h.calls != 0 {
		t.Errorf("%d passwords were hashed for nothing", h.calls)
	}
	a := f.register(obj{"TitleId": "ABCDE", "Username": "other", "Email": "other@example.com", "Password": "secret"})
	if a.status != 503 || a.header.Get("Retry-After") != "3" || !strings.Contains(a.body, `"error":"ServiceUnavailable","errorCode":1123`) {
		t.Errorf("hasher busy: %d %v %s", a.status, a.header, a.body)
	}
	if f.count("players") != 1 || f.count("ledger") != 2 {
		t.Error("a registration without a hash left something behind")
	}
}

// TestDoubleID: an id that exists already is no fault of the caller's.
func TestDoubleID(t *testing.T) {
	f := newFixture(t, setup{})
	runs := 0
	err := account.Write(t.Context(), f.store, func(tx store.Tx) error {
		runs++
		a := &account.Account{Title: "ABCDE", ID: "0000000000000001", Account: "2", Origination: account.Organic, Created: 1}
		if err := account.Insert(tx, a, account.Options{}); err != nil || runs > 1 {
			return err
		}
		return account.Insert(tx, a, account.Options{}) // the same id again
	})
	if err != nil || runs != 2 || f.count("players") != 1 {
		t.Errorf("%v after %d runs, %d players", err, runs, f.count("players"))
	}
	for range 4 {
		err = account.Write(t.Context(), f.store, func(store.Tx) error { return account.ErrDoubleID })
	}
	if !errors.Is(err, account.ErrDoubleID) {
		t.Errorf("doubles without end: %v", err)
	}
}

func TestPlayerIDsGrowWithTime(t *testing.T) {
	last := ""
	for ms := int64(1_767_000_000_000); ms < 1_767_000_000_400; ms += 4 {
		id := account.NewID(ms)
		if !playerID.MatchString(id) || id <= last {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
	if a, b := account.NewID(1), account.NewID(1); a == b {
		t.Errorf("two ids of one moment: %s", a)
	}
}

// TestTagsReachTheLog: who follows the log sees the caller's tags, clipped, and
// no secret.
func TestTagsReachTheLog(t *testing.T) {
	var text strings.Builder
	f := newFixture(t, setup{log: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	tags := obj{"build": "17", "long": strings.Repeat("ü", 200)}
	f.result(f.register(ann.with(obj{"CustomTags": tags, "Password": "never shown"})))
	token := f.token("42", "bob")
	in := f.result(f.signIn(obj{"TitleId": "ABCDE", "AccessToken": token, "CreateAccount": true, "CustomTags": tags}))
	got := text.String()
	for _, want := range []string{"player registered", "player created", "build:17", in["PlatformId"].(string)} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the log:\n%s", want, got)
		}
	}
	for _, secret := range []string{"never shown", token, in["SessionTicket"].(string), strings.Repeat("ü", 100)} {
		if strings.Contains(got, secret) {
			t.Errorf("%.40q in the log", secret)
		}
	}
	many := map[string]string{}
	for i := range 100 {
		many[strings.Repeat("x", i)] = ""
	}
	if got := clipTags(many); len(got) != 16 || !maps.Equal(clipTags(map[string]string{"a": "b"}), map[string]string{"a": "b"}) {
		t.Errorf("%d tags in the log", len(got))
	}
}
