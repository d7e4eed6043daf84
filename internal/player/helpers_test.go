package player

import (
	"context"
	"testing"

	"ludgate"
	"ludgate/internal/openid"
	"ludgate/internal/player/account"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
)

// call makes a call with members in the naming's words.
func (f *fixture) call(path string, h headers, body obj) answer {
	f.t.Helper()
	spelled := obj{}
	for k, v := range body {
		spelled[f.word(k)] = v
	}
	return f.post(path, spelled.text(), h)
}

// server is the proof of a server of a title.
func (f *fixture) server(titleID string) headers {
	f.t.Helper()
	key := ""
	err := f.titles.UpdateKeys(f.t.Context(), titleID, func(k *title.Keys) error {
		key = k.AddSecret("test", f.clock.now())
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return headers{"X-SecretKey": key}
}

// ticket is the proof of a player who signed in.
func ticketOf(in obj) headers { return headers{"X-Authorization": in["SessionTicket"].(string)} }

// idOf is the id of a player who signed in.
func (f *fixture) idOf(in obj) string {
	f.t.Helper()
	id, _ := in[f.word("PlatformId")].(string)
	if !playerID.MatchString(id) {
		f.t.Fatalf("no player id in %v", in)
	}
	return id
}

// custom signs a player in by custom id, making it.
func (f *fixture) custom(id string) obj {
	f.t.Helper()
	return f.result(f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": id, "CreateAccount": true}))
}

// account reads a stored account of title ABCDE.
func (f *fixture) account(id string) *account.Account {
	f.t.Helper()
	var a *account.Account
	err := f.store.Read(f.t.Context(), func(tx store.Tx) (err error) {
		a, err = account.Get(tx, "ABCDE", id)
		return err
	})
	if err != nil || a == nil {
		f.t.Fatalf("account %s: %v %v", id, a, err)
	}
	return a
}

// change changes a stored account of title ABCDE behind the service's back.
func (f *fixture) change(id string, fn func(a *account.Account)) {
	f.t.Helper()
	err := f.store.Write(f.t.Context(), func(tx store.Tx) error {
		_, err := account.Change(tx, "ABCDE", id, account.Options{}, func(a *account.Account) error { fn(a); return nil })
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// providers is OpenID Connect in which a token is what it says: the subject.
type providers struct{}

func (providers) Verify(_ context.Context, c openid.Connection, token string) (openid.Identity, error) {
	switch token {
	case "bad":
		return openid.Identity{}, ludgate.Errorf(ludgate.Invalid, "InvalidAuthToken", "Invalid ID token")
	case "old":
		return openid.Identity{}, ludgate.Errorf(ludgate.Invalid, "ExpiredAuthToken", "Expired ID token")
	}
	return openid.Identity{Issuer: c.Issuer, Subject: token}, nil
}

// withOpenID gives a fixture's titles two connections to one provider and one to
// another.
func withOpenID(s setup) setup {
	s.options = func(o *Options) { o.OpenID = providers{} }
	s.titles = titles{spring: &title.Settings{StreamingClientID: "ludgate-dev", OpenIDConnections: []title.OpenIDConnection{
		{ID: "studio", Issuer: "https://id.example", ClientID: "game"},
		{ID: "again", Issuer: "https://id.example", ClientID: "game2"},
		{ID: "other", Issuer: "https://other.example", ClientID: "game"},
	}}}
	return s
}

// Refusals of the calls beside the contract's two.
var (
	wrongUserPass    = refusal{name: "InvalidUsernameOrPassword", number: "1003", message: "Invalid username or password", status: 401}
	wrongEmailPass   = refusal{name: "InvalidEmailOrPassword", number: "1142", message: "Invalid email address or password", status: 401}
	bannedForever    = refusal{name: "AccountBanned", number: "1002", message: "The account making this request is currently banned", details: `{"No reason given":["Indefinite"]}`, status: 403}
	creationDisabled = refusal{name: "PlayerCreationDisabled", number: "22000", message: "Player creation is disabled for this title"}
	badSignature     = refusal{name: "InvalidSignature", number: "1273", message: "Invalid signature"}
	badSignatureTime = refusal{name: "InvalidSignatureTime", number: "1324", message: "Invalid signature time"}
	secretThere      = refusal{name: "PlayerSecretAlreadyConfigured", number: "1294", message: "Player secret is already configured"}
	sealedBadly      = refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters", details: `{"EncryptedRequest":["The encrypted request cannot be opened."]}`}
	alreadyLinked    = refusal{name: "AccountAlreadyLinked", number: "1011", message: "The account is already linked"}
	claimedByOther   = refusal{name: "LinkedAccountAlreadyClaimed", number: "1012", message: "The identity is linked to another player"}
	idClaimedByOther = refusal{name: "LinkedIdentifierAlreadyClaimed", number: "1184", message: "The identity is linked to another player"}
	linkedToBanned   = refusal{name: "AccountLinkedToABannedPlayer", number: "1613", message: "The identity is linked to a banned player"}
	notLinked        = refusal{name: "AccountNotLinked", number: "1014", message: "The account is not linked"}
	idNotLinked      = refusal{name: "CustomIdNotLinked", number: "1185", message: "The id is not linked to the account"}
	noConnection     = refusal{name: "InvalidIdentityProviderId", number: "1263", message: "The title has no such OpenID Connect connection"}
	badIDToken       = refusal{name: "InvalidAuthToken", number: "1326", message: "Invalid ID token"}
	oldIDToken       = refusal{name: "ExpiredAuthToken", number: "1153", message: "Expired ID token"}
	noTicket         = refusal{name: "NotAuthenticated", number: "1074", message: "Missing or invalid X-Authentication HTTP header", status: 401}
)

// lacks is the refusal of a request without a member.
func (f *fixture) lacks(member string) refusal {
	return f.fault(member, "The "+f.word(member)+" field is required.")
}

// fault is the refusal of a request with a member that is wrong.
func (f *fixture) fault(member, text string) refusal {
	return refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters", details: `{"` + f.word(member) + `":["` + text + `"]}`}
}

// attempt is one row of a table of refusals.
type attempt struct {
	what    string
	path    string
	headers headers
	body    obj
	want    refusal
}

func (f *fixture) allRefused(t *testing.T, rows []attempt) {
	t.Helper()
	for _, r := range rows {
		f.refused(r.path+": "+r.what, f.call(r.path, r.headers, r.body), r.want)
	}
}

// accounts are all accounts of title ABCDE.
func (f *fixture) accounts() []*account.Account {
	f.t.Helper()
	var all []*account.Account
	err := f.store.Read(f.t.Context(), func(tx store.Tx) error {
		ids, err := account.Page(tx, "ABCDE", "", 1000)
		for _, id := range ids {
			a, err := account.Get(tx, "ABCDE", id)
			if err != nil {
				return err
			}
			all = append(all, a)
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}
