package mail

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// mailServer is an SMTP server (RFC 5321) of one test. Its fields make it
// behave, or not; they are set before the first connection.
type mailServer struct {
	addr *net.TCPAddr
	tls  *tls.Config    // of its certificate
	pool *x509.CertPool // that trusts it

	implicit bool                // TLS from the first byte
	offers   []string            // lines of EHLO, after TLS where there is any
	noTLS    bool                // does not offer STARTTLS
	login    string              // "user:password" it wants
	replies  map[string][]string // what it says to a verb (or "." for the end of DATA, "" for the greeting), one after the other, then again as usual; "hang" and "drop" do so

	mu       sync.Mutex
	received []received
	verbs    []string
}

type received struct {
	from, to string // with their parameters
	data     string
	secure   bool
}

func newMailServer(t *testing.T, set func(*mailServer)) *mailServer {
	t.Helper()
	web := httptest.NewUnstartedServer(nil) // for its certificate
	web.StartTLS()
	defer web.Close()
	s := &mailServer{tls: &tls.Config{Certificates: web.TLS.Certificates}, pool: x509.NewCertPool(), replies: map[string][]string{}}
	s.pool.AddCert(web.Certificate())
	if set != nil {
		set(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().(*net.TCPAddr)
	done := make(chan struct{})
	var all sync.WaitGroup
	t.Cleanup(func() { close(done); l.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn, done) })
		}
	})
	return s
}

// sender makes one that trusts the server.
func (s *mailServer) sender(t *testing.T, set func(*SMTPOptions)) *SMTP {
	t.Helper()
	opt := SMTPOptions{Host: "127.0.0.1", Port: s.addr.Port, Timeout: 20 * time.Second, TLSConfig: &tls.Config{RootCAs: s.pool},
		Clock: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }}
	if set != nil {
		set(&opt)
	}
	sender, err := NewSMTP(opt)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func (s *mailServer) messages() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.received...)
}

// scripted gives the next reply set for a verb.
func (s *mailServer) scripted(verb string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verbs = append(s.verbs, verb)
	list := s.replies[verb]
	if len(list) == 0 {
		return ""
	}
	s.replies[verb] = list[1:]
	return list[0]
}

func (s *mailServer) serve(raw net.Conn, done <-chan struct{}) {
	defer raw.Close()
	conn, secure := raw, false
	if s.implicit {
		conn, secure = tls.Server(raw, s.tls), true
	}
	r := textproto.NewReader(bufio.NewReader(conn))
	var m received
	// say sends what is set for the verb, or the usual; false ends the connection.
	// usual reports whether it was the usual.
	say := func(verb, text string) (usual, ok bool) {
		set := s.scripted(verb)
		switch set {
		case "hang":
			<-done
			return false, false
		case "drop":
			return false, false
		case "":
			set, usual = text, true
		}
		_, err := io.WriteString(conn, set+"\r\n")
		return usual, err == nil
	}
	if _, ok := say("", "220 mx.test ready"); !ok {
		return
	}
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		verb = strings.ToUpper(verb)
		usual, ok := false, true
		switch verb {
		case "EHLO":
			lines := append([]string{"mx.test", "8BITMIME"}, s.offers...)
			if !secure && !s.noTLS {
				lines = []string{"mx.test", "STARTTLS"}
			}
			text := ""
			for _, l := range lines[:len(lines)-1] {
				text += "250-" + l + "\r\n"
			}
			_, ok = say(verb, text+"250 "+lines[len(lines)-1])
		case "STARTTLS":
			if usual, ok = say(verb, "220 go"); usual {
				conn, secure = tls.Server(raw, s.tls), true
				r = textproto.NewReader(bufio.NewReader(conn))
			}
		case "AUTH":
			_, ok = say(verb, s.auth(conn, r, rest))
		case "MAIL":
			m = received{from: strings.TrimPrefix(rest, "FROM:"), secure: secure}
			_, ok = say(verb, "250 sender ok")
		case "RCPT":
			m.to += strings.TrimPrefix(rest, "TO:") + " "
			_, ok = say(verb, "250 recipient ok")
		case "DATA":
			if usual, ok = say(verb, "354 go"); !usual {
				break
			}
			if s.drops(verb) { // in the middle of the message
				_, _ = r.ReadLine()
				return
			}
			data, err := r.ReadDotBytes()
			if err != nil {
				return
			}
			m.data = string(data)
			if usual, ok = say(".", "250 queued"); usual {
				s.mu.Lock()
				s.received = append(s.received, m)
				s.mu.Unlock()
			}
		case "QUIT":
			_, _ = say(verb, "221 bye")
			return
		default:
			_, ok = say(verb, "502 what?")
		}
		if !ok {
			return
		}
	}
}

// drops takes the "drop in the middle" off the script of a verb.
func (s *mailServer) drops(verb string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.replies["mid "+verb]
	if len(list) == 0 {
		return false
	}
	s.replies["mid "+verb] = list[1:]
	return true
}

// auth checks PLAIN or LOGIN and gives the answer.
func (s *mailServer) auth(w io.Writer, r *textproto.Reader, rest string) string {
	ask := func(prompt string) string {
		_, _ = io.WriteString(w, "334 "+base64.StdEncoding.EncodeToString([]byte(prompt))+"\r\n")
		line, _ := r.ReadLine()
		b, _ := base64.StdEncoding.DecodeString(line)
		return string(b)
	}
	way, first, _ := strings.Cut(rest, " ")
	got := ""
	switch way {
	case "PLAIN":
		b, _ := base64.StdEncoding.DecodeString(first)
		got = strings.TrimPrefix(strings.ReplaceAll(string(b), "\x00", ":"), ":")
	case "LOGIN":
		got = ask("Username:") + ":" + ask("Password:")
	}
	if got == s.login && got != "" {
		return "235 welcome"
	}
	return "535 5.7.8 no: " + first // a rude server repeats what it got
}

// parsed reads a message as a receiver would.
func parsed(t *testing.T, data string) *netmail.Message {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatalf("%v in %q", err, data)
	}
	return m
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// note is a message that is fine.
func note() Message {
	return Message{From: "Ludgate <no-reply@example.com>", To: []string{"ann@example.org"}, Subject: "Your code", Text: "It is 1234.\n"}
}
