package profile

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

const noContacts = `[]`

// contacts are what a profile has, as text.
func (f *fixture) contacts(a *account.Account, want string) {
	f.t.Helper()
	same(f.t, "contacts", f.profile(a, "ShowContactEmailAddresses")["ContactEmailAddresses"], want)
}

var tokenPattern = regexp.MustCompile(`[A-Z2-7]{52}`)

// token is the one in the latest mail.
func (f *fixture) token() string {
	f.t.Helper()
	f.mail.mu.Lock()
	defer f.mail.mu.Unlock()
	if len(f.mail.sent) == 0 {
		f.t.Fatal("no mail")
	}
	token := tokenPattern.FindString(f.mail.sent[len(f.mail.sent)-1])
	if token == "" {
		f.t.Fatalf("no token in %q", f.mail.sent)
	}
	return token
}

func TestContactEmail(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	f.contacts(a, noContacts)
	same(t, "result", f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "Ann@example.com"})), `{}`)
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"Ann@example.com","VerificationStatus":"Pending"}]`)
	mail := f.mail.sent[0]
	if !strings.HasPrefix(mail, "Ann@example.com\nConfirm your address for Rook\n") || !strings.Contains(mail, "https://play.example/Client/ConfirmContactEmail?token="+f.token()) {
		t.Errorf("mail %q", mail)
	}
	confirm := obj{"TitleId": "ABCDE", "Token": f.token()}
	same(t, "confirmed", f.ok(f.do("POST", ConfirmPath, confirm, "", "")), `{}`)
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"Ann@example.com","VerificationStatus":"Confirmed"}]`)
	f.refused(f.do("POST", ConfirmPath, confirm, "", ""), "AuthTokenDoesNotExist", 1327, "used already")

	// The confirmed address again, in another case, needs no mail; another one does.
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@EXAMPLE.com"}))
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"Ann@example.com","VerificationStatus":"Confirmed"}]`)
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.org"}))
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.org","VerificationStatus":"Pending"}]`)
	if len(f.mail.sent) != 2 {
		t.Errorf("%d mails, want 2", len(f.mail.sent))
	}
	f.ok(f.client(a, "/Client/RemoveContactEmail", obj{}))
	f.ok(f.client(a, "/Client/RemoveContactEmail", obj{}))
	f.contacts(a, noContacts)
	f.refused(f.do("POST", ConfirmPath, obj{"TitleId": "ABCDE", "Token": f.token()}, "", ""), "AuthTokenDoesNotExist", 1327, "")
}

func TestContactTokens(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	set := obj{"EmailAddress": "ann@example.com"}
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", set))
	first := f.token()
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", set))
	second := f.token()
	send := func(title, token string) answer {
		return f.do("POST", ConfirmPath, obj{"TitleId": title, "Token": token}, "", "")
	}
	f.refused(send("ABCDE", first), "AuthTokenDoesNotExist", 1327, "")  // the later mail's is the one
	f.refused(send("20CA2", second), "AuthTokenDoesNotExist", 1327, "") // of another title
	f.refused(send("ABCDE", "nonsense"), "AuthTokenDoesNotExist", 1327, "")
	f.refused(send("ABCDE", ""), "InvalidParams", 1000, "The Token field is required.")
	f.refused(send("", second), "InvalidParams", 1000, "The TitleId field is required.")
	f.clock.advance(tokenLife)
	f.refused(send("ABCDE", second), "AuthTokenExpired", 1328, "expired")
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Pending"}]`)
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", set))
	f.clock.advance(tokenLife - time.Millisecond)
	f.ok(send("ABCDE", f.token()))

	stmt := store.NewStmt("tokens", "SELECT token_hash FROM player_contacts WHERE token_hash IS NOT NULL")
	f.ok(f.server("/Server/AddOrUpdateContactEmail", obj{"PlatformId": a.ID, "EmailAddress": "b@example.com", "Name": "Guild"}))
	f.read(func(tx store.Tx) error {
		return tx.Query(stmt, func(r store.Row) error {
			if len(r.Bytes(0)) != 32 || strings.Contains(string(r.Bytes(0)), f.token()) {
				t.Error("the token is not stored as a hash")
			}
			return nil
		})
	})
}

// TestConfirmPage: what a person sees who follows the link; opening it changes
// nothing.
func TestConfirmPage(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"}))
	link := ConfirmPath + "?token=" + f.token()
	page := f.do("GET", link, nil, "", "")
	if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, "Confirm this address") {
		t.Errorf("page: %d %s", page.status, page.body)
	}
	if !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("headers %v", page.header)
	}
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Pending"}]`)
	if page = f.do("GET", link+"&confirm=yes", nil, "", ""); page.status != 200 || !strings.Contains(page.body, "is confirmed") {
		t.Errorf("confirmed: %d %s", page.status, page.body)
	}
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Confirmed"}]`)
	if page = f.do("GET", link+"&confirm=yes", nil, "", ""); page.status != 400 || !strings.Contains(page.body, "used already") {
		t.Errorf("again: %d %s", page.status, page.body)
	}
	evil := f.do("GET", ConfirmPath+"?token="+url.QueryEscape(`"><script>x</script>`), nil, "", "")
	if strings.Contains(evil.body, "<script>") {
		t.Errorf("script in %s", evil.body)
	}
}

func TestContactNamesOfServers(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	put := func(name string) answer {
		return f.server("/Server/AddOrUpdateContactEmail", obj{"PlatformId": a.ID, "EmailAddress": name + "x@example.com", "Name": name})
	}
	for _, name := range []string{"", "b", "c", "d", "e"} {
		f.ok(put(name))
	}
	f.refused(put("f"), "OverLimit", 1214, "at most 5 contact e-mail addresses")
	f.ok(put("e"))
	f.refused(put(strings.Repeat("n", maxID+1)), "InvalidParams", 1000, "Name")
	f.ok(f.server("/Server/RemoveContactEmail", obj{"PlatformId": a.ID, "Name": "e"}))
	f.ok(f.server("/Server/RemoveContactEmail", obj{"PlatformId": a.ID}))
	got := f.profile(a, "ShowContactEmailAddresses")["ContactEmailAddresses"].([]any)
	if len(got) != 3 || got[0].(map[string]any)["Name"] != "b" {
		t.Errorf("left: %v", got)
	}
}

func TestContactAddressesMustBeValid(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	for _, bad := range []string{"x", "a@b", `"q"@example.com`, strings.Repeat("a", 65) + "@example.com", "a@example.com\n"} {
		f.refused(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": bad}), "InvalidEmailAddress", 1005, "Email address is not valid.")
	}
	f.refused(f.client(a, "/Client/AddOrUpdateContactEmail", obj{}), "InvalidParams", 1000, "The EmailAddress field is required.")
}

func TestContactsWithoutMail(t *testing.T) {
	f := newFixture(t, wire.Neutral, func(o *Options) { o.Mail = nil })
	a := f.player("ABCDE", account.Account{})
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"}))
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Unverified"}]`)
}

func TestMailThatIsNotSent(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	f.mail.fail = errors.New("no such host")
	got := f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"})
	f.refused(got, "DownstreamServiceUnavailable", 1127, "could not be mailed")
	if got.status != 503 || strings.Contains(got.body, "no such host") {
		t.Errorf("%d %s", got.status, got.body)
	}
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Unverified"}]`)
	f.mail.fail = nil
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"}))
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Pending"}]`)
}

// TestMailsPerDay: nobody can make the server flood an address.
func TestMailsPerDay(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	set := func() answer {
		f.ok(f.client(a, "/Client/RemoveContactEmail", obj{}))
		return f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"})
	}
	for range mailsPerDay {
		f.ok(set())
	}
	f.clock.advance(24*time.Hour - 90*time.Second)
	got := set()
	f.refused(got, "APIClientRequestRateLimitExceeded", 1199, `"retryAfterSeconds":90`)
	if got.status != 429 || got.header.Get("Retry-After") != "90" {
		t.Errorf("%d %v", got.status, got.header)
	}
	f.clock.advance(90 * time.Second)
	b := f.player("ABCDE", account.Account{})
	f.ok(f.client(b, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "b@example.com"}))
	if sent := len(f.mail.sent); sent != mailsPerDay+1 {
		t.Errorf("%d mails", sent)
	}
}
