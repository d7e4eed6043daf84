package player_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"ludgate/internal/password"
	"ludgate/internal/player"
	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/revocation"
	"ludgate/internal/ticket"
)

// TestDeletePlayer: a player who is deleted is gone from one title, proofs
// included, and the names are free.
func TestDeletePlayer(t *testing.T) {
	var revoked *revocation.Set
	r := calltest.New(t, calltest.Options{Areas: player.Areas()[2:], Revoked: func(c ticket.Claims) bool { return revoked.Revoked(c) }})
	revoked, err := revocation.Open(t.Context(), revocation.Options{Store: r.Store, Clock: r.Clock.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	hasher := password.New(password.Options{Params: password.Params{Memory: 64, Time: 1, Threads: 1}, InProcess: true})
	t.Cleanup(hasher.Close)
	s, err := player.Open(t.Context(), player.Options{Gate: r.Gate, Tickets: r.Tickets, Passwords: hasher, Revoke: revoked.Revoke})
	if err != nil {
		t.Fatal(err)
	}
	r.Serve(s.Routes()...)
	server, other := r.Secret("ABCDE"), r.Secret("ABC")
	named := func(a *account.Account) { a.Email, a.CustomID = "ann@example.com", "device" }
	register := obj{"TitleId": "ABCDE", "Username": "Ann42", "Email": "ann@example.com", "Password": "secret"}
	for _, tc := range []struct {
		path string
		body obj
	}{
		{"/Server/DeletePlayer", obj{}},
		{"/Admin/DeletePlayer", obj{}},
		{"/Admin/DeleteMasterPlayerAccount", obj{"MetaData": "asked by mail"}},
	} {
		ann := r.Player("ABCDE", named)
		r.Call("/Client/RegisterPlatformUser", nil, register).Refused("EmailAddressNotAvailable", 1006)
		session := ann.Session()
		r.Call("/Client/GetAccountInfo", session, obj{}).Result()
		tc.body["PlatformId"] = ann.ID
		r.Call(tc.path, other, tc.body).Refused("AccountNotFound", 1001)
		r.Clock.Advance(time.Millisecond)
		got := r.Call(tc.path, server, tc.body).Result()
		if receipt, _ := got["JobReceiptId"].(string); strings.Contains(tc.path, "Master") != (len(receipt) == 36) {
			t.Errorf("%s: receipt %q", tc.path, receipt)
		}
		if ids, ok := got["TitleIds"].([]any); ok && (len(ids) != 1 || ids[0] != "ABCDE") {
			t.Errorf("%s: titles %v", tc.path, ids)
		}
		if err := revoked.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Call("/Client/GetAccountInfo", session, obj{}).Refused("NotAuthenticated", 1074)
		r.Call(tc.path, server, tc.body).Refused("AccountNotFound", 1001)
		r.Call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "device"}).Refused("AccountNotFound", 1001)
	}
	r.Call("/Client/RegisterPlatformUser", nil, register).Result()
}

func TestDeletePlayerRefusals(t *testing.T) {
	r := newRig(t, calltest.Options{})
	server := r.Secret("ABCDE")
	ann := r.Player("ABCDE")
	for _, path := range []string{"/Server/DeletePlayer", "/Admin/DeletePlayer", "/Admin/DeleteMasterPlayerAccount"} {
		r.Call(path, server, obj{}).Refused("InvalidParams", 1000)
		r.Call(path, server, obj{"PlatformId": "x\x00"}).Refused("AccountNotFound", 1001)
		r.Call(path, server, obj{"PlatformId": strings.ToLower(ann.ID) + "0"}).Refused("AccountNotFound", 1001)
		if a := r.Call(path, ann.Session(), obj{"PlatformId": ann.ID}); a.Status == 200 {
			t.Errorf("%s: a player may delete", path)
		}
	}
	r.Call("/Admin/DeleteMasterPlayerAccount", server, obj{"PlatformId": ann.ID, "MetaData": strings.Repeat("x", 1025)}).Refused("InvalidParams", 1000)
	r.Call("/Admin/DeleteMasterPlayerAccount", server, obj{"PlatformId": ann.ID, "MetaData": strings.Repeat("x", 1024)}).Result()
}
