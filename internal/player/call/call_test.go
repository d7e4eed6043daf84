package call_test

import (
	"context"
	"testing"
	"time"

	"ludgate/internal/player/call"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/title"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

type obj = calltest.Obj

type nothing struct{}

type whoResult struct {
	Title, Player, Account, Entity string
	Server                         bool
}

func who(_ context.Context, c *call.Call, _ *nothing) (any, error) {
	return &whoResult{c.Title.ID, c.Player, c.Account, string(c.Entity), c.Server()}, nil
}

type asked struct {
	TitleId string            `json:"TitleId"`
	Name    string            `json:"Name" required:"true"`
	List    []string          `json:"List" required:"true"`
	Map     map[string]string `json:"Map" required:"true"`
	Flag    *bool             `json:"Flag" required:"true"`
}

// routes has one call for each proof.
func routes(g *call.Gate) []wire.Route {
	return []wire.Route{
		call.Post(g, call.Session, "/Client/Who", who),
		call.Post(g, call.Secret, "/Server/Who", who),
		call.Post(g, call.Entity, "/Entity/Who", who),
		call.Post(g, call.Any, "/Any/Who", who),
		call.Post(g, call.Anonymous, "/Client/Ask", func(context.Context, *call.Call, *asked) (any, error) { return nil, nil }),
	}
}

// TestProofs: each call takes its own proof and no other.
func TestProofs(t *testing.T) {
	revoked := ""
	r := calltest.New(t, calltest.Options{Revoked: func(c ticket.Claims) bool { return c.Player == revoked }})
	r.Serve(routes(r.Gate)...)
	ann, secret := r.Player("ABCDE"), r.Secret("ABCDE")
	older := calltest.Proof{"X-Authentication": ann.Session()["X-Authorization"]}
	for _, tc := range []struct {
		path   string
		proof  calltest.Proof
		server bool
	}{
		{"/Client/Who", ann.Session(), false}, {"/Client/Who", older, false}, {"/Server/Who", secret, true},
		{"/Entity/Who", ann.Entity(), false}, {"/Any/Who", ann.Session(), false}, {"/Any/Who", secret, true}, {"/Any/Who", ann.Entity(), false},
	} {
		got := r.Call(tc.path, tc.proof, obj{}).Result()
		if got["Title"] != "ABCDE" || got["Server"] != tc.server || (got["Player"] == ann.ID) == tc.server {
			t.Errorf("%s %v: %v", tc.path, tc.proof, got)
		}
	}
	const noTicket, bad = "Missing or invalid X-Authentication HTTP header", "X-Authentication HTTP header contains invalid ticket"
	const noProof = "This API method does not allow anonymous callers."
	for _, tc := range []struct {
		path    string
		proof   calltest.Proof
		name    string
		number  int
		message string
	}{
		{"/Client/Who", nil, "NotAuthenticated", 1074, noTicket},
		{"/Client/Who", secret, "NotAuthenticated", 1074, noTicket},
		{"/Client/Who", ann.Entity(), "NotAuthenticated", 1074, noTicket},
		{"/Client/Who", calltest.Proof{"X-Authorization": "x"}, "NotAuthenticated", 1074, bad},
		{"/Client/Who", calltest.Proof{"X-Authorization": ann.Entity()["X-EntityToken"]}, "NotAuthenticated", 1074, bad},
		{"/Server/Who", nil, "NotAuthorized", 1089, "Not authorized"},
		{"/Server/Who", ann.Session(), "NotAuthorized", 1089, "Not authorized"},
		{"/Server/Who", calltest.Proof{"X-SecretKey": "x"}, "NotAuthorized", 1089, "Not authorized"},
		{"/Entity/Who", nil, "NotAuthenticated", 1074, noProof},
		{"/Entity/Who", calltest.Proof{"X-EntityToken": "x"}, "EntityTokenInvalid", 1335, "EntityTokenInvalid"},
		{"/Any/Who", nil, "NotAuthenticated", 1074, noProof},
	} {
		if got, _ := r.Call(tc.path, tc.proof, obj{}).Refused(tc.name, tc.number); got != tc.message {
			t.Errorf("%s %v: %q", tc.path, tc.proof, got)
		}
	}
	revoked = ann.ID
	r.Call("/Client/Who", ann.Session(), obj{}).Refused("NotAuthenticated", 1074)
	r.Call("/Entity/Who", ann.Entity(), obj{}).Refused("EntityTokenRevoked", 1337)
	revoked = ""
	session, entity := ann.Session(), ann.Entity()
	r.Clock.Advance(ticket.Lifetime)
	r.Call("/Client/Who", session, obj{}).Refused("NotAuthenticated", 1074)
	r.Call("/Entity/Who", entity, obj{}).Refused("EntityTokenExpired", 1336)
}

// TestSecretKeys: a key that is disabled or of another installation opens
// nothing, and a new one opens at once.
func TestSecretKeys(t *testing.T) {
	r := calltest.New(t, calltest.Options{Titles: map[string]title.Settings{"ABCDE": {}}})
	r.Serve(routes(r.Gate)...)
	first, second := r.Secret("ABCDE"), r.Secret("ABCDE")
	for _, key := range []calltest.Proof{first, second} {
		r.Call("/Server/Who", key, obj{}).Result()
	}
	if err := r.Titles.UpdateKeys(t.Context(), "ABCDE", func(k *title.Keys) error { k.Secrets[0].Disabled = true; return nil }); err != nil {
		t.Fatal(err)
	}
	r.Call("/Server/Who", first, obj{}).Refused("NotAuthorized", 1089)
	r.Call("/Server/Who", second, obj{}).Result()
}

func TestRequiredMembers(t *testing.T) {
	r := calltest.New(t, calltest.Options{})
	r.Serve(routes(r.Gate)...)
	whole := obj{"TitleId": "abcde", "Name": "x", "List": []string{"x"}, "Map": obj{}, "Flag": false}
	r.Call("/Client/Ask", nil, whole).Result()
	_, details := r.Call("/Client/Ask", nil, obj{"TitleId": "ABCDE", "List": []string{}}).Refused("InvalidParams", 1000)
	for _, member := range []string{"Name", "List", "Map", "Flag"} {
		if texts, _ := details[member].([]any); len(texts) != 1 || texts[0] != "The "+member+" field is required." {
			t.Errorf("%s: %v", member, details[member])
		}
	}
	r.Call("/Client/Ask", nil, obj{"Name": "x"}).Refused("InvalidParams", 1000)
	r.Call("/Client/Ask", nil, obj{"TitleId": "XYZ"}).Refused("InvalidTitleId", 1004)
	r.Call("/Client/Ask", nil, "[]").Refused("InvalidRequest", 1071)
}

// TestRequiredMembersInOtherWords: the detail of a missing member names it as the
// caller does.
func TestRequiredMembersInOtherWords(t *testing.T) {
	type about struct {
		PlatformId string `json:"PlatformId" required:"true"`
	}
	r := calltest.New(t, calltest.Options{Naming: wire.Vendor})
	r.Serve(call.Post(r.Gate, call.Secret, "/Server/About", func(context.Context, *call.Call, *about) (any, error) { return nil, nil }))
	_, details := r.Call("/Server/About", r.Secret("ABCDE"), obj{}).Refused("InvalidParams", 1000)
	if texts, _ := details["PlayFabId"].([]any); len(texts) != 1 || texts[0] != "The PlayFabId field is required." {
		t.Errorf("got %v", details)
	}
}

// TestLimits: each kind of limit refuses the call that is one too many, says when
// to come back, and leaves others alone.
func TestLimits(t *testing.T) {
	var throttle *call.Throttle
	r := calltest.New(t, calltest.Options{Limit: func(c *call.Call) error { return throttle.Call(c) }})
	r.Serve(routes(r.Gate)...)
	ask := obj{"TitleId": "ABCDE", "Name": "x", "List": []string{"x"}, "Map": obj{}, "Flag": false}
	ann, ben, other, secret := r.Player("ABCDE").Session(), r.Player("ABCDE").Session(), r.Player("ABC").Session(), r.Secret("ABCDE")
	refused := func(a *calltest.Answer) {
		t.Helper()
		message, _ := a.Refused("APIClientRequestRateLimitExceeded", 1199)
		if a.Status != 429 || a.Header.Get("Retry-After") != "1" || message != "The client has exceeded the maximum API request rate and is being throttled" {
			t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
		}
	}

	throttle = call.NewThrottle(call.Limits{Player: 1, Burst: 3 * time.Second}, r.Clock.Now)
	for range 3 {
		r.Call("/Client/Who", ann, obj{}).Result()
	}
	refused(r.Call("/Client/Who", ann, obj{}))
	r.Call("/Client/Who", ben, obj{}).Result()
	r.Call("/Server/Who", secret, obj{}).Result()
	r.Clock.Advance(time.Second)
	r.Call("/Client/Who", ann, obj{}).Result()

	throttle = call.NewThrottle(call.Limits{Title: 2, Burst: time.Second}, r.Clock.Now)
	r.Call("/Client/Who", ann, obj{}).Result()
	r.Call("/Client/Who", ben, obj{}).Result()
	refused(r.Call("/Client/Who", ann, obj{}))
	r.Call("/Client/Who", other, obj{}).Result()

	throttle = call.NewThrottle(call.Limits{Creation: 1}, r.Clock.Now)
	r.Call("/Client/Ask", nil, ask).Result()
	refused(r.Call("/Client/Ask", nil, ask))
	r.Call("/Client/Who", ann, obj{}).Result()
}
