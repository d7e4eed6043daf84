package player

import (
	"context"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/config"
	"ludgate/internal/mail"
	"ludgate/internal/player/account"
	"ludgate/internal/player/recovery"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/throttle"
	"ludgate/internal/wire"
)

// mailer puts mails into a mailbox directory before it returns.
type mailer struct {
	*mail.Mailbox
	dir  string
	off  bool
	fail error
}

func (m *mailer) Configured() bool { return !m.off }

func (m *mailer) Send(ctx context.Context, msg mail.Message) error {
	if m.fail != nil {
		return m.fail
	}
	msg.From = "no-reply@play.example"
	return m.Mailbox.Send(ctx, msg)
}

// recoverable is a fixture with a mailbox, revocations and a guard of passwords.
type recoverable struct {
	*fixture
	mailer *mailer
}

func newRecoverable(t *testing.T, s setup) *recoverable {
	t.Helper()
	s.clock, s.store = newClock(), storetest.Open(t, Areas()...)
	s.log = slog.New(slog.DiscardHandler)
	revocations := must(revocation.Open(t.Context(), revocation.Options{Store: s.store, Clock: s.clock.now, Log: s.log}))(t)
	m := &mailer{dir: filepath.Join(t.TempDir(), "mailbox")}
	m.Mailbox = must(mail.NewMailbox(mail.MailboxOptions{Dir: m.dir, Clock: s.clock.now}))(t)
	s.revoked = revocations.Revoked
	s.options = func(o *Options) {
		o.Guesses = throttle.NewGuesses(1000)
		o.Profile.Mailer, o.Profile.Revoker, o.Profile.PublicURL = m, revocations, "https://play.example"
	}
	return &recoverable{newFixture(t, s), m}
}

// letter is a mail in the mailbox.
type letter struct{ to, subject, text string }

// letters are the mails so far, in their order.
func (f *recoverable) letters() []letter {
	f.t.Helper()
	var out []letter
	for _, e := range must(os.ReadDir(f.mailer.dir))(f.t) {
		file := must(os.Open(filepath.Join(f.mailer.dir, e.Name())))(f.t)
		m := must(netmail.ReadMessage(file))(f.t)
		body := io.Reader(m.Body)
		if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			body = quotedprintable.NewReader(body)
		}
		text := strings.ReplaceAll(string(must(io.ReadAll(body))(f.t)), "\r\n", "\n")
		out = append(out, letter{m.Header.Get("To"), m.Header.Get("Subject"), text})
		_ = file.Close()
	}
	return out
}

var mailedToken = regexp.MustCompile(`[A-Z2-7]{52}`)

// token asks for a mail to ann and gives its token.
func (f *recoverable) token() string {
	f.t.Helper()
	before := len(f.letters())
	f.clock.advance(time.Millisecond) // files sort by time
	f.result(f.call("/Client/SendAccountRecoveryEmail", nil, obj{"TitleId": "ABCDE", "Email": "ann@example.com"}))
	all := f.letters()
	if len(all) != before+1 {
		f.t.Fatalf("%d mails, want one more than %d", len(all), before)
	}
	token := mailedToken.FindString(all[before].text)
	if token == "" {
		f.t.Fatalf("no token in %q", all[before].text)
	}
	return token
}

// reset calls Admin/ResetPassword.
func (f *recoverable) reset(server headers, token, password string) answer {
	f.t.Helper()
	return f.call("/Admin/ResetPassword", server, obj{"Token": token, "Password": password})
}

func (f *recoverable) withPassword(password string) answer {
	f.t.Helper()
	return f.call("/Client/LoginWithEmailAddress", nil, obj{"TitleId": "ABCDE", "Email": "ann@example.com", "Password": password})
}

// refusedAs checks the name and number of a refusal.
func (f *recoverable) refusedAs(what string, a answer, name, number string) {
	f.t.Helper()
	if want := `"error":"` + name + `","errorCode":` + number + `,`; !strings.Contains(a.body, want) {
		f.t.Errorf("%s: %d %s, want %s %s", what, a.status, a.body, name, number)
	}
}

// page opens a page, or sends its form.
func (f *recoverable) page(path string, form url.Values) answer {
	f.t.Helper()
	var res *http.Response
	if form == nil {
		res = must(http.Get(f.url + path))(f.t)
	} else {
		res = must(http.PostForm(f.url+path, form))(f.t)
	}
	defer res.Body.Close()
	return answer{res.StatusCode, res.Header, string(must(io.ReadAll(res.Body))(f.t))}
}

// TestRecoveryByLink: the whole way of a player whose game has no page: the
// mail, its link, the page, the new password.
func TestRecoveryByLink(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newRecoverable(t, setup{naming: n, titles: titles{listed: listed{"ABCDE": {Name: "Rook & Son"}}}})
		in := f.result(f.register(ann))
		f.clock.advance(time.Minute)
		sameJSON(t, "answer", obj(f.result(f.call("/Client/SendAccountRecoveryEmail", nil, obj{"TitleId": "ABCDE", "Email": "ANN@example.com"}))).text(), `{}`)
		got := f.letters()[0]
		if got.to != "<ann@example.com>" || got.subject != "A new password for Rook & Son" || !strings.Contains(got.text, "in Rook & Son.") {
			t.Errorf("mail %q", got)
		}
		link := must(url.Parse(regexp.MustCompile(`https://\S+`).FindString(got.text)))(t)
		if link.Host != "play.example" {
			t.Fatalf("link %s in %q", link, got.text)
		}
		page := f.page(link.RequestURI(), nil)
		token := link.Query().Get("token")
		if page.status != 200 || page.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page.body, `value="`+token+`"`) ||
			!strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") || page.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("page %d %v %s", page.status, page.header, page.body)
		}
		f.result(f.withPassword("secret")) // nothing has changed yet
		done := f.page(recovery.PagePath, url.Values{"token": {token}, "password": {"another"}, "again": {"another"}})
		if done.status != 200 || !strings.Contains(done.body, "the new password is set") {
			t.Fatalf("done %d %s", done.status, done.body)
		}
		f.refusedAs("a ticket from before", f.call("/Client/GetAccountInfo", ticketOf(in), obj{}), "NotAuthenticated", "1074")
		f.refusedAs("the old password", f.withPassword("secret"), "InvalidEmailOrPassword", "1142")
		f.clock.advance(time.Second)
		now := f.result(f.withPassword("another"))
		f.result(f.call("/Client/GetAccountInfo", ticketOf(now), obj{}))
		again := f.page(recovery.PagePath, url.Values{"token": {token}, "password": {"a third"}, "again": {"a third"}})
		if again.status != 400 || !strings.Contains(again.body, "was used already") {
			t.Errorf("again: %d %s", again.status, again.body)
		}
		if phc := f.account(f.idOf(now)).Password; !strings.HasPrefix(phc, "$argon2id$") || strings.Contains(phc, "another") {
			t.Errorf("the password is stored as %s", phc)
		}
	})
}

// TestRecoveryTokens: what a token is good for, and for how long.
func TestRecoveryTokens(t *testing.T) {
	f := newRecoverable(t, setup{})
	id := f.idOf(f.result(f.register(ann)))
	server := f.server("ABCDE")
	first := f.token()
	for _, c := range []struct{ what, token, password, name, number string }{
		{"no token", "", "another", "InvalidParams", "1000"},
		{"no password", first, "", "InvalidParams", "1000"},
		{"short password", first, "12345", "InvalidPassword", "1008"},
		{"no token of ours", "abc", "another", "InvalidAuthToken", "1326"},
		{"in lower case", strings.ToLower(first), "another", "InvalidAuthToken", "1326"},
		{"unknown", strings.Repeat("A", 52), "another", "AuthTokenDoesNotExist", "1327"},
	} {
		f.refusedAs(c.what, f.reset(server, c.token, c.password), c.name, c.number)
	}
	f.refusedAs("no proof", f.reset(nil, first, "another"), "NotAuthorized", "1089")
	f.refusedAs("of another title", f.reset(f.server("20CA2"), first, "another"), "AuthTokenDoesNotExist", "1327")
	stored := store.NewStmt("hashes", "SELECT hash, address FROM player_recoveries")
	err := f.store.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(stored, func(r store.Row) error {
			if all := string(r.Bytes(0)) + string(r.Bytes(1)); len(all) != 64 || strings.Contains(all, first) {
				t.Errorf("stored %q", all)
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}

	f.clock.advance(time.Hour - time.Millisecond)
	second := f.token() // the first one's last moment
	f.refusedAs("expired", f.reset(server, first, "another"), "AuthTokenExpired", "1328")
	third := f.token()
	f.result(f.reset(server, second, "another")) // an earlier one than the latest works, too
	f.refusedAs("used", f.reset(server, second, "another"), "AuthTokenAlreadyUsedToResetPassword", "1329")
	f.refusedAs("void since", f.reset(server, third, "another"), "AuthTokenAlreadyUsedToResetPassword", "1329")
	f.result(f.withPassword("another"))

	f.clock.advance(2 * time.Hour)
	fourth := f.token()
	move := func(email string) {
		t.Helper()
		err := f.store.Write(t.Context(), func(tx store.Tx) error {
			_, err := account.Change(tx, "ABCDE", id, account.Options{}, func(a *account.Account) error { a.Email = email; return nil })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	move("ann@example.org")
	f.refusedAs("of an address that is not the account's", f.reset(server, fourth, "fourth"), "NoContactEmailAddressFound", "1325")
	move("ann@example.com")
	f.result(f.call("/Admin/DeletePlayer", server, obj{"PlatformId": id}))
	f.refusedAs("of a player who is gone", f.reset(server, fourth, "fourth"), "AuthTokenDoesNotExist", "1327")
	if n := f.count("player_recoveries"); n != 0 {
		t.Errorf("%d tokens of a player who is gone", n)
	}
}

// TestRecoveryTellsNothing: a client hears and causes the same whoever has the
// address; a server of the title may know.
func TestRecoveryTellsNothing(t *testing.T) {
	f := newRecoverable(t, setup{})
	f.result(f.register(ann))
	f.custom("no-address")
	ask := func(path string, h headers, email string) answer {
		return f.call(path, h, obj{"TitleId": "ABCDE", "Email": email})
	}
	known := ask("/Client/SendAccountRecoveryEmail", nil, "ann@example.com")
	rows := f.count("player_recoveries")
	unknown := ask("/Client/SendAccountRecoveryEmail", nil, "nobody@example.com")
	if known.status != 200 || known.status != unknown.status || known.body != unknown.body {
		t.Errorf("known %d %s, unknown %d %s", known.status, known.body, unknown.status, unknown.body)
	}
	if n := f.count("player_recoveries"); rows != 1 || n != 2 {
		t.Errorf("the known address wrote %d rows, the unknown one %d", rows, n-rows)
	}
	server := f.server("ABCDE")
	f.refusedAs("by a server", ask("/Admin/SendAccountRecoveryEmail", server, "nobody@example.com"), "AccountNotFound", "1001")
	f.clock.advance(time.Millisecond)
	f.result(ask("/Admin/SendAccountRecoveryEmail", server, "ann@example.com"))
	f.refusedAs("of another title", ask("/Admin/SendAccountRecoveryEmail", f.server("20CA2"), "ann@example.com"), "AccountNotFound", "1001")
	if got := f.letters(); len(got) != 2 || got[0].to != "<ann@example.com>" || got[1].to != got[0].to {
		t.Errorf("mails %q", got)
	}
	// Tokens of nobody open nothing, and are forgotten as others are.
	f.clock.advance(25 * time.Hour)
	f.token()
	if n := f.count("player_recoveries"); n != 1 {
		t.Errorf("%d tokens are kept, want the new one", n)
	}
}

// TestRecoveryLimits: five mails an hour for an account, silently for clients;
// thirty questions for a network.
func TestRecoveryLimits(t *testing.T) {
	f := newRecoverable(t, setup{})
	f.result(f.register(ann))
	server := f.server("ABCDE")
	tokens := []string{f.token()}
	for range recovery.MailsPerHour - 1 {
		tokens = append(tokens, f.token())
	}
	ask := obj{"TitleId": "ABCDE", "Email": "ann@example.com"}
	f.result(f.call("/Client/SendAccountRecoveryEmail", nil, ask))
	refused := f.call("/Admin/SendAccountRecoveryEmail", server, ask)
	f.refusedAs("one too many", refused, "APIClientRequestRateLimitExceeded", "1199")
	if got := refused.header.Get("Retry-After"); refused.status != 429 || got != "3600" {
		t.Errorf("status %d, Retry-After %s", refused.status, got)
	}
	if got := f.letters(); len(got) != recovery.MailsPerHour {
		t.Errorf("%d mails", len(got))
	}
	f.result(f.reset(server, tokens[0], "another")) // whoever is refused has tokens that work
	f.clock.advance(time.Hour)
	f.token()
	for range 30 - recovery.MailsPerHour - 2 {
		f.result(f.call("/Client/SendAccountRecoveryEmail", nil, ask.with(obj{"Email": "x@example.com"})))
	}
	f.clock.advance(time.Millisecond)
	for range 40 { // an hour ago six questions were asked
		f.call("/Client/SendAccountRecoveryEmail", nil, ask)
	}
	f.refusedAs("from one network", f.call("/Client/SendAccountRecoveryEmail", nil, ask), "APIClientRequestRateLimitExceeded", "1199")
	f.result(f.call("/Client/LoginWithEmailAddress", nil, ask.with(obj{"Password": "another"}))) // other calls go on
}

// TestRecoveryRefusals: what does not depend on who has the address.
func TestRecoveryRefusals(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newRecoverable(t, setup{naming: n})
		f.result(f.register(ann))
		server := f.server("ABCDE")
		both := func(what string, body obj, name, number string) {
			t.Helper()
			f.refusedAs(what+", client", f.call("/Client/SendAccountRecoveryEmail", nil, body.with(obj{"TitleId": "ABCDE"})), name, number)
			f.refusedAs(what+", admin", f.call("/Admin/SendAccountRecoveryEmail", server, body), name, number)
		}
		ask := obj{"Email": "ann@example.com"}
		both("no address", obj{}, "InvalidParams", "1000")
		both("no address at all", obj{"Email": "ann"}, "InvalidEmailAddress", "1005")
		both("unknown template", ask.with(obj{"EmailTemplateId": "nice"}), "InvalidParams", "1000")
		f.refusedAs("no proof", f.call("/Admin/SendAccountRecoveryEmail", nil, ask), "NotAuthorized", "1089")
		f.mailer.off = true
		both("no mail here", ask, "SmtpAddonNotEnabled", "1341")
		both("no mail here, unknown address", obj{"Email": "x@example.com"}, "SmtpAddonNotEnabled", "1341")
		f.mailer.off = false
		f.mailer.fail = ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "full")
		f.refusedAs("full queue", f.call("/Admin/SendAccountRecoveryEmail", server, ask), "DownstreamServiceUnavailable", "1127")
		f.result(f.call("/Client/SendAccountRecoveryEmail", nil, ask.with(obj{"TitleId": "ABCDE"}))) // or it would tell
		if len(f.letters()) != 0 {
			t.Errorf("mails %q", f.letters())
		}
	})
}

// TestRecoveryTemplates: what a title's own mails say, and where they lead.
func TestRecoveryTemplates(t *testing.T) {
	f := newRecoverable(t, setup{titles: titles{listed: listed{
		"ABCDE": {Name: "Rook {token}", RecoveryURL: "https://rook.example/new?t={token}", RecoveryTemplates: []config.RecoveryTemplate{
			{ID: "short", Subject: "{title}!", Text: "{title}: {link}"}, {ID: "code", Subject: "Code", Text: "Code {token}.\nBye"},
		}},
	}}})
	f.result(f.register(ann))
	server := f.server("ABCDE")
	for i, c := range []struct{ id, subject, text string }{
		{"short", "Rook {token}!", `^Rook \{token\}: https://rook\.example/new\?t=[A-Z2-7]{52}$`},
		{"code", "Code", `^Code [A-Z2-7]{52}\.\nBye$`},
		{"", "A new password for Rook {token}", `open this page:\n\nhttps://rook\.example/new\?t=[A-Z2-7]{52}\n`},
	} {
		f.clock.advance(time.Millisecond)
		f.result(f.call("/Admin/SendAccountRecoveryEmail", server, obj{"Email": "ann@example.com", "EmailTemplateId": c.id}))
		got := f.letters()[i]
		if got.subject != c.subject || !regexp.MustCompile(c.text).MatchString(strings.TrimSuffix(got.text, "\n")) {
			t.Errorf("template %q: %q", c.id, got)
		}
	}

	// Without any page the token itself is in the mail, and a link cannot be.
	g := newFixture(t, setup{
		titles:  titles{spring: &title.Settings{RecoveryTemplates: []config.RecoveryTemplate{{ID: "a", Subject: "s", Text: "{link}"}}}},
		options: func(o *Options) { o.Profile.Mailer = f.mailer },
	})
	g.result(g.register(ann))
	server = g.server("ABCDE")
	f.clock.advance(time.Millisecond)
	g.result(g.call("/Admin/SendAccountRecoveryEmail", server, obj{"Email": "ann@example.com"}))
	if got := f.letters()[3].text; !regexp.MustCompile(`enter this code in the game:\n\n[A-Z2-7]{52}\n`).MatchString(got) {
		t.Errorf("mail %q", got)
	}
	no := g.call("/Admin/SendAccountRecoveryEmail", server, obj{"Email": "ann@example.com", "EmailTemplateId": "a"})
	if no.status != 400 || !strings.Contains(no.body, `"EmailTemplateId":["The template has {link} in it`) {
		t.Errorf("a link to nowhere: %d %s", no.status, no.body)
	}
}

// TestParallelResets: of many resets at once, with one token or several of one
// account, exactly one succeeds, and its password is the account's.
func TestParallelResets(t *testing.T) {
	f := newRecoverable(t, setup{})
	f.result(f.register(ann))
	server := f.server("ABCDE")
	tokens := []string{f.token(), f.token()}
	const callers = 8
	answers := make([]answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = f.reset(server, tokens[i%2], "password"+string(rune('a'+i))) })
	}
	all.Wait()
	winner := -1
	for i, a := range answers {
		switch {
		case a.status == 200 && winner < 0:
			winner = i
		case a.status == 200:
			t.Errorf("resets %d and %d succeeded both", winner, i)
		default:
			f.refusedAs("a late one", a, "AuthTokenAlreadyUsedToResetPassword", "1329")
		}
	}
	if winner < 0 {
		t.Fatal("nobody succeeded")
	}
	f.result(f.withPassword("password" + string(rune('a'+winner))))
}

// TestRecoveryPage: what a person may do wrong on the page.
func TestRecoveryPage(t *testing.T) {
	f := newRecoverable(t, setup{})
	f.result(f.register(ann))
	token := f.token()
	for _, c := range []struct {
		what string
		got  answer
		want string
		form bool // it is shown again
	}{
		{"no token", f.page(recovery.PagePath, nil), "This link is not complete", false},
		{"markup for a token", f.page(recovery.PagePath+"?token="+url.QueryEscape(`"><b>`), nil), "This link is not complete", false},
		{"short", f.page(recovery.PagePath, url.Values{"token": {token}, "password": {"12345"}, "again": {"12345"}}), "between 6 and 100", true},
		{"not the same", f.page(recovery.PagePath, url.Values{"token": {token}, "password": {"123456"}, "again": {"1234567"}}), "not the same", true},
		{"not UTF-8", f.page(recovery.PagePath, url.Values{"token": {token}, "password": {"12345\xff"}, "again": {"12345\xff"}}), "cannot be read", true},
		{"another's token", f.page(recovery.PagePath, url.Values{"token": {`"><b>`}, "password": {"123456"}, "again": {"123456"}}), "not one that was mailed", false},
	} {
		if c.got.status != 400 || !strings.Contains(c.got.body, c.want) || strings.Contains(c.got.body, "<form") != c.form || strings.Contains(c.got.body, "><b>") {
			t.Errorf("%s: %d %s", c.what, c.got.status, c.got.body)
		}
	}
	f.refusedAs("JSON", f.post(recovery.PagePath, `{}`, nil), "InvalidContentType", "1144")
	long := f.page(recovery.PagePath, url.Values{"token": {strings.Repeat("A", 9000)}})
	f.refusedAs("a huge form", long, "BodyTooLarge", "1068")
	f.result(f.withPassword("secret"))
}

// TestRecoveryLetsTheOwnerIn: guesses of others keep an owner out at a place it
// never signed in from; setting a password on the page ends that.
func TestRecoveryLetsTheOwnerIn(t *testing.T) {
	f := newRecoverable(t, setup{})
	f.result(f.register(ann))
	locked := false
	for range 30 {
		locked = strings.Contains(f.withPassword("guess!").body, "FailedLoginAttemptRateLimitExceeded")
	}
	if !locked {
		t.Fatal("guesses are not slowed down")
	}
	f.page(recovery.PagePath, url.Values{"token": {f.token()}, "password": {"another"}, "again": {"another"}})
	f.result(f.withPassword("another"))
	f.result(f.call("/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": "Ann42", "Password": "another"}))
}
