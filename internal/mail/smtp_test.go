package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/secret"
)

func TestSMTPDelivers(t *testing.T) {
	withLogin := func(o *SMTPOptions) { o.Username, o.Password = "ludgate", secret.Text("hunter2") }
	for _, tc := range []struct {
		name   string
		server func(*mailServer)
		sender func(*SMTPOptions)
		secure bool
	}{
		{"STARTTLS", nil, nil, true},
		{"STARTTLS and PLAIN", func(s *mailServer) { s.offers, s.login = []string{"AUTH CRAM-MD5 PLAIN LOGIN"}, "ludgate:hunter2" }, withLogin, true},
		{"STARTTLS and LOGIN", func(s *mailServer) { s.offers, s.login = []string{"AUTH LOGIN"}, "ludgate:hunter2" }, withLogin, true},
		{"TLS", func(s *mailServer) { s.implicit = true }, func(o *SMTPOptions) { o.TLS = Implicit }, true},
		{"TLS and PLAIN", func(s *mailServer) {
			s.implicit, s.offers, s.login = true, []string{"AUTH PLAIN"}, "ludgate:hunter2"
		}, func(o *SMTPOptions) { o.TLS = Implicit; withLogin(o) }, true},
		{"plain, on this machine", func(s *mailServer) { s.noTLS = true }, func(o *SMTPOptions) { o.TLS = Plain }, false},
		{"plain and PLAIN, on this machine", func(s *mailServer) { s.noTLS, s.offers, s.login = true, []string{"AUTH PLAIN"}, "ludgate:hunter2" },
			func(o *SMTPOptions) { o.TLS = Plain; withLogin(o) }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newMailServer(t, tc.server)
			m := note()
			m.To = append(m.To, "Bob <bob@example.org>")
			if err := srv.sender(t, tc.sender).Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			got := srv.messages()
			if len(got) != 1 || got[0].secure != tc.secure || got[0].from != "<no-reply@example.com> BODY=8BITMIME" || got[0].to != "<ann@example.org> <bob@example.org> " {
				t.Fatalf("received %+v", got)
			}
			p := parsed(t, got[0].data)
			if p.Header.Get("Subject") != "Your code" || p.Header.Get("Date") != "Wed, 04 Mar 2026 05:06:07 +0000" || p.Header.Get("From") != `"Ludgate" <no-reply@example.com>` {
				t.Errorf("headers %v", p.Header)
			}
		})
	}
}

// What a server does wrong, and whether it pays to try again.
func TestSMTPFailures(t *testing.T) {
	reply := func(verb string, text ...string) func(*mailServer) {
		return func(s *mailServer) { s.replies[verb] = text }
	}
	for _, tc := range []struct {
		name   string
		server func(*mailServer)
		sender func(*SMTPOptions)
		kind   ludgate.Kind
		says   string
	}{
		{"greeting 421", reply("", "421 4.3.2 too busy"), nil, ludgate.Unavailable, "answered 421"},
		{"greeting 554", reply("", "554 go away"), nil, ludgate.Invalid, "answered 554"},
		{"no SMTP", reply("", "HTTP/1.1 400 Bad Request"), nil, ludgate.Unavailable, "greet"},
		{"no STARTTLS offered", func(s *mailServer) { s.noTLS = true }, nil, ludgate.Unavailable, "does not offer STARTTLS"},
		{"STARTTLS 454", reply("STARTTLS", "454 not now"), nil, ludgate.Unavailable, "answered 454"},
		{"STARTTLS dropped", reply("STARTTLS", "drop"), nil, ludgate.Unavailable, "agree on TLS"},
		{"certificate not trusted", nil, func(o *SMTPOptions) { o.TLSConfig = nil }, ludgate.Unavailable, "certificate"},
		{"certificate of another name", nil, func(o *SMTPOptions) { o.TLSConfig.ServerName = "other.test" }, ludgate.Unavailable, "certificate"},
		{"TLS with a plain server", nil, func(o *SMTPOptions) { o.TLS = Implicit }, ludgate.Unavailable, "agree on TLS"},
		{"AUTH not offered", nil, login, ludgate.Invalid, "neither AUTH PLAIN nor"},
		{"AUTH refused", func(s *mailServer) { s.offers = []string{"AUTH PLAIN"} }, login, ludgate.Invalid, "sign in to the mail server: it answered 535"},
		{"AUTH refused, LOGIN", func(s *mailServer) { s.offers = []string{"AUTH LOGIN"} }, login, ludgate.Invalid, "it answered 535"},
		{"AUTH 454", func(s *mailServer) {
			s.offers, s.replies["AUTH"] = []string{"AUTH PLAIN"}, []string{"454 4.7.0 later"}
		}, login, ludgate.Unavailable, "answered 454"},
		{"MAIL 451", reply("MAIL", "451 4.7.1 greylisted"), nil, ludgate.Unavailable, "greylisted"},
		{"MAIL 550", reply("MAIL", "550 5.7.1 relaying denied"), nil, ludgate.Invalid, "relaying denied"},
		{"RCPT 450", reply("RCPT", "450 mailbox busy"), nil, ludgate.Unavailable, "answered 450"},
		{"RCPT 550", reply("RCPT", "550 5.1.1 <ann@example.org> unknown"), nil, ludgate.Invalid, "<***> unknown"},
		{"second RCPT 550", reply("RCPT", "250 ok", "550 no"), nil, ludgate.Invalid, "answered 550"},
		{"DATA 452", reply("DATA", "452 disk full"), nil, ludgate.Unavailable, "answered 452"},
		{"disconnect in the middle of DATA", func(s *mailServer) { s.replies["mid DATA"] = []string{"drop"} }, nil, ludgate.Unavailable, "hand over"},
		{"disconnect at the end of DATA", reply(".", "drop"), nil, ludgate.Unavailable, "hand over"},
		{"message 421", reply(".", "421 closing"), nil, ludgate.Unavailable, "answered 421"},
		{"message 552", reply(".", "552 too big"), nil, ludgate.Invalid, "answered 552"},
		{"message 250 from another planet", reply(".", "199 hm"), nil, ludgate.Unavailable, "answered 199"},
		{"a reply without end", reply("MAIL", strings.Repeat("250-more\r\n", maxReplies/10+1)), nil, ludgate.Unavailable, "too much"},
		{"control characters in a reply", reply("MAIL", "550 \x1b[31mred\x07"), nil, ludgate.Invalid, " [31mred "},
		{"nobody listens", func(s *mailServer) {}, func(o *SMTPOptions) { o.Port = closedPort() }, ludgate.Unavailable, "connect to the mail server"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newMailServer(t, tc.server)
			m := note()
			m.To = append(m.To, "bob@example.org")
			err := srv.sender(t, tc.sender).Send(t.Context(), m)
			var e *ludgate.Error
			if !errors.As(err, &e) || e.Kind != tc.kind || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("got %v (%+v), want kind %d with %q", err, e, tc.kind, tc.says)
			}
			wantCode := map[ludgate.Kind]string{ludgate.Invalid: "MailRefused", ludgate.Unavailable: "MailUnavailable"}[tc.kind]
			for _, hidden := range []string{"hunter2", "bHVkZ2F0ZQ", "AGx1ZGdhdGUA", "ann@", "bob@"} {
				if strings.Contains(err.Error(), hidden) || strings.Contains(fmt.Sprintf("%+v", e), hidden) {
					t.Errorf("%v shows %s", err, hidden)
				}
			}
			if e.Code != wantCode || len(srv.messages()) != 0 {
				t.Errorf("code %s, received %d", e.Code, len(srv.messages()))
			}
		})
	}
}

func login(o *SMTPOptions) { o.Username, o.Password = "ludgate", secret.Text("hunter2") }

// closedPort gives a port where nobody listens.
func closedPort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A server that says nothing more holds a sender only as long as it may.
func TestSMTPHang(t *testing.T) {
	for _, verb := range []string{"", "EHLO", "STARTTLS", "MAIL", "RCPT", "DATA", "."} {
		srv := newMailServer(t, func(s *mailServer) { s.replies[verb] = []string{"hang"} })
		err := srv.sender(t, func(o *SMTPOptions) { o.Timeout = 150 * time.Millisecond }).Send(t.Context(), note())
		if e := ludgate.AsError(err); err == nil || e.Kind != ludgate.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("hang after %q: %v", verb, err)
		}
	}
	// The caller's own end counts as well.
	srv := newMailServer(t, func(s *mailServer) { s.replies["MAIL"] = []string{"hang"} })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := srv.sender(t, nil).Send(ctx, note()); ludgate.AsError(err).Kind != ludgate.Unavailable {
		t.Errorf("cancelled: %v", err)
	}
}

// The end of a conversation that goes wrong after the message was taken is no
// failure: a second try would send it twice.
func TestSMTPQuitDoesNotMatter(t *testing.T) {
	for _, end := range []string{"drop", "500 what?"} {
		srv := newMailServer(t, func(s *mailServer) { s.replies["QUIT"] = []string{end} })
		if err := srv.sender(t, nil).Send(t.Context(), note()); err != nil || len(srv.messages()) != 1 {
			t.Errorf("QUIT %s: %v, %d messages", end, err, len(srv.messages()))
		}
	}
}

// Credentials never go over a connection that is not protected.
func TestNothingSaidBeforeTLS(t *testing.T) {
	srv := newMailServer(t, func(s *mailServer) { s.noTLS, s.offers = true, []string{"AUTH PLAIN LOGIN"} })
	if err := srv.sender(t, login).Send(t.Context(), note()); err == nil {
		t.Error("sent without TLS")
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	for _, v := range srv.verbs {
		if v != "" && v != "EHLO" && v != "QUIT" {
			t.Errorf("said %s before TLS", v)
		}
	}
}

func TestPlainStaysOnThisMachine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs an address of this machine that is not loopback")
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		ipn, ok := a.(*net.IPNet)
		if !ok || ipn.IP.To4() == nil || ipn.IP.IsLoopback() {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(ipn.IP.String(), "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		s, err := NewSMTP(SMTPOptions{Host: ipn.IP.String(), Port: l.Addr().(*net.TCPAddr).Port, TLS: Plain})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send(t.Context(), note()); ludgate.AsError(err).Kind != ludgate.Invalid || !strings.Contains(err.Error(), "on this machine") {
			t.Errorf("plain to %s: %v", ipn.IP, err)
		}
		return
	}
	t.Skip("this machine has no address but loopback")
}

// SMTPUTF8 is asked for when an address needs it, and only then.
func TestInternationalAddresses(t *testing.T) {
	for _, tc := range []struct {
		to, rcpt string
		utf8     bool
	}{
		{"ann@bücher.example", "<ann@xn--bcher-kva.example> ", false},
		{"ann@例え.テスト", "<ann@xn--r8jz45g.xn--zckzah> ", false},
		{"Jürgen <j.m@example.org>", "<j.m@example.org> ", false},
		{"jürgen@bücher.example", "<jürgen@xn--bcher-kva.example> ", true},
	} {
		m := note()
		m.To = []string{tc.to}
		with := newMailServer(t, func(s *mailServer) { s.offers = []string{"SMTPUTF8"} })
		if err := with.sender(t, nil).Send(t.Context(), m); err != nil {
			t.Fatalf("%s: %v", tc.to, err)
		}
		got := with.messages()[0]
		if got.to != tc.rcpt || strings.Contains(got.from, "SMTPUTF8") != tc.utf8 {
			t.Errorf("%s: received %q from %q", tc.to, got.to, got.from)
		}
		list, err := parsed(t, got.data).Header.AddressList("To")
		if err != nil || "<"+list[0].Address+"> " != tc.rcpt {
			t.Errorf("%s: header %v, %v", tc.to, list, err)
		}
		without := newMailServer(t, nil)
		err = without.sender(t, nil).Send(t.Context(), m)
		if (err != nil) != tc.utf8 || tc.utf8 && ludgate.AsError(err).Kind != ludgate.Invalid {
			t.Errorf("%s without SMTPUTF8: %v", tc.to, err)
		}
	}
}

func TestSMTPOptionsThatCannotWork(t *testing.T) {
	for _, opt := range []SMTPOptions{
		{}, {Host: "a b"}, {Host: "mx\r\nRCPT"}, {Host: "mx", Port: 70000}, {Host: "mx", Port: -1}, {Host: "mx", TLS: "perhaps"},
		{Host: "mx", Username: "u"}, {Host: "mx", Password: "p"}, {Host: "mx", Timeout: -1},
	} {
		if _, err := NewSMTP(opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
	s, err := NewSMTP(SMTPOptions{Host: "mx", TLS: Implicit, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS10}})
	if err != nil || s.opt.Port != 465 || s.tlsConfig().MinVersion != tls.VersionTLS12 || s.tlsConfig().ServerName != "mx" {
		t.Errorf("%+v, %v", s, err)
	}
}
