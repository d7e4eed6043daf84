package revocation_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

// TestCalls: what a client sees of a revocation. Its proofs are refused, those of
// others are not, and those of the next sign-in are good.
func TestCalls(t *testing.T) {
	st := storetest.Open(t, account.Area, title.Area, revocation.Area)
	set, err := revocation.Open(t.Context(), revocation.Options{Store: st, Clock: func() time.Time { return calltest.Start }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := calltest.New(t, calltest.Options{Store: st, Revoked: set.Revoked})
	empty := func(context.Context, *call.Call, *struct{}) (any, error) { return nil, nil }
	r.Serve(call.Post(r.Gate, call.Session, "/Client/Try", empty), call.Post(r.Gate, call.Entity, "/Object/Try", empty))
	ann, bob := r.Player("ABCDE"), r.Player("ABCDE")
	session, entity, others := ann.Session(), ann.Entity(), bob.Session()
	r.Call("/Client/Try", session, "{}").Result()
	r.Call("/Object/Try", entity, "{}").Result()

	err = st.Write(t.Context(), func(tx store.Tx) error { return set.Revoke(tx, "ABCDE", ann.ID, r.Clock.Now()) })
	if err == nil {
		err = set.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if message, _ := r.Call("/Client/Try", session, "{}").Refused("NotAuthenticated", 1074); message != "X-Authentication HTTP header contains invalid ticket" {
		t.Errorf("message %q", message)
	}
	r.Call("/Object/Try", entity, "{}").Refused("EntityTokenRevoked", 1337)
	r.Call("/Client/Try", others, "{}").Result()
	r.Clock.Advance(time.Millisecond)
	r.Call("/Client/Try", ann.Session(), "{}").Result()
	r.Call("/Object/Try", ann.Entity(), "{}").Result()
}
