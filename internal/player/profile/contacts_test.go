package profile

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"ludgate"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

const noContacts = `[]`

// contacts are what a profile has, as text.
func (f *fixture) contacts(a *calltest.Player, want string) {
	f.Helper()
	same(f, "contacts", f.profile(a, "ShowContactEmailAddresses")["ContactEmailAddresses"], want)
}

var tokenPattern = regexp.MustCompile(`[A-Z2-7]{52}`)

// token is the one in the latest mail.
func (f *fixture) token() string {
	f.Helper()
	f.mail.mu.Lock()
	defer f.mail.mu.Unlock()
	if len(f.mail.sent) == 0 {
		f.Fatal("no mail")
	}
	token := tokenPattern.FindString(f.mail.sent[len(f.mail.sent)-1])
	if token == "" {
		f.Fatalf("no token in %q", f.mail.sent)
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
	same(t, "confirmed", f.ok(f.Call(ConfirmPath, nil, confirm)), `{}`)
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"Ann@example.com","VerificationStatus":"Confirmed"}]`)
	f.refused(f.Call(ConfirmPath, nil, confirm), "AuthTokenDoesNotExist", 1327, "used already")

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
	f.refused(f.Call(ConfirmPath, nil, obj{"TitleId": "ABCDE", "Token": f.token()}), "AuthTokenDoesNotExist", 1327, "")
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
		return f.Call(ConfirmPath, nil, obj{"TitleId": title, "Token": token})
	}
	f.refused(send("ABCDE", first), "AuthTokenDoesNotExist", 1327, "")  // the later mail's is the one
	f.refused(send("20CA2", second), "AuthTokenDoesNotExist", 1327, "") // of another title
	f.refused(send("ABCDE", "nonsense"), "AuthTokenDoesNotExist", 1327, "")
	f.refused(send("ABCDE", ""), "InvalidParams", 1000, "The Token field is required.")
	f.refused(send("", second), "InvalidParams", 1000, "The TitleId field is required.")
	f.Clock.Advance(tokenLife)
	f.refused(send("ABCDE", second), "AuthTokenExpired", 1328, "expired")
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Pending"}]`)
	f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", set))
	f.Clock.Advance(tokenLife - time.Millisecond)
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
	page := f.Get(link)
	if page.Status != 200 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || !strings.Contains(page.Body, "Confirm this address") {
		t.Errorf("page: %d %s", page.Status, page.Body)
	}
	if !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("headers %v", page.Header)
	}
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Pending"}]`)
	if page = f.Get(link + "&confirm=yes"); page.Status != 200 || !strings.Contains(page.Body, "is confirmed") {
		t.Errorf("confirmed: %d %s", page.Status, page.Body)
	}
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Confirmed"}]`)
	if page = f.Get(link + "&confirm=yes"); page.Status != 400 || !strings.Contains(page.Body, "used already") {
		t.Errorf("again: %d %s", page.Status, page.Body)
	}
	evil := f.Get(ConfirmPath + "?token=" + url.QueryEscape(`"><script>x</script>`))
	if strings.Contains(evil.Body, "<script>") {
		t.Errorf("script in %s", evil.Body)
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
	if len(got) != 3 || got[0].(obj)["Name"] != "b" {
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
	for _, without := range []func(*Options){func(o *Options) { o.Mailer = nil }, func(o *Options) { o.Mailer.(*mailbox).off = true }} {
		f := newFixture(t, wire.Neutral, without)
		a := f.player("ABCDE", account.Account{})
		f.ok(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"}))
		f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Unverified"}]`)
		if len(f.mail.sent) != 0 {
			t.Errorf("sent %q", f.mail.sent)
		}
	}
}

func TestMailThatIsNotSent(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	f.mail.fail = errors.New("no such host")
	got := f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"})
	f.refused(got, "DownstreamServiceUnavailable", 1127, "could not be mailed")
	if got.Status != 503 || strings.Contains(got.Body, "no such host") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	f.contacts(a, `[{"Name":"Primary","EmailAddress":"ann@example.com","VerificationStatus":"Unverified"}]`)
	f.mail.fail = ludgate.Errorf(ludgate.Invalid, "MailRefused", "no such domain")
	f.refused(f.client(a, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "ann@example.com"}), "InvalidEmailAddress", 1005, "no mail can go there")
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
	f.Clock.Advance(24*time.Hour - 90*time.Second)
	got := set()
	f.refused(got, "APIClientRequestRateLimitExceeded", 1199, `"retryAfterSeconds":90`)
	if got.Status != 429 || got.Header.Get("Retry-After") != "90" {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	f.Clock.Advance(90 * time.Second)
	b := f.player("ABCDE", account.Account{})
	f.ok(f.client(b, "/Client/AddOrUpdateContactEmail", obj{"EmailAddress": "b@example.com"}))
	if sent := len(f.mail.sent); sent != mailsPerDay+1 {
		t.Errorf("%d mails", sent)
	}
}
