package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"ludgate"
	"ludgate/internal/secret"
)

// TLS says how a connection to a mail server is protected.
type TLS string

// The ways of protection.
const (
	StartTLS TLS = "starttls" // a plain connection that must turn to TLS before anything is said; port 587
	Implicit TLS = "tls"      // TLS from the first byte; port 465
	Plain    TLS = "none"     // none, to this machine only; port 25
)

// SMTPOptions configure an [SMTP]. The zero value of a field has the default
// its comment names.
type SMTPOptions struct {
	Host      string        // name or address of the server; required
	Port      int           // of the protection
	TLS       TLS           // StartTLS
	Username  string        // no sign-in when empty
	Password  secret.Text   // required with Username
	Timeout   time.Duration // for one message, from the connection to the last answer; 30 s
	Hello     string        // the name this machine gives; its host name
	TLSConfig *tls.Config   // the system's roots, and Host as the server's name
	Clock     ludgate.Clock // time.Now
}

// SMTP sends each message over a connection of its own to one mail server.
type SMTP struct{ opt SMTPOptions }

// maxReplies is how much a server may say in one connection, in bytes.
const maxReplies = 1 << 20

// NewSMTP makes a sender. It connects to nothing yet; it fails with a sentence
// when the options cannot work.
func NewSMTP(opt SMTPOptions) (*SMTP, error) {
	opt.TLS = cmp.Or(opt.TLS, StartTLS)
	ports := map[TLS]int{StartTLS: 587, Implicit: 465, Plain: 25}
	opt.Port = cmp.Or(opt.Port, ports[opt.TLS])
	opt.Timeout = cmp.Or(opt.Timeout, 30*time.Second)
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Hello == "" {
		opt.Hello, _ = os.Hostname()
	}
	if opt.Hello == "" || strings.IndexFunc(opt.Hello, func(r rune) bool { return r != '.' && notName(r) }) >= 0 {
		opt.Hello = "localhost"
	}
	switch {
	case opt.Host == "" || !oneLine(opt.Host) || strings.ContainsAny(opt.Host, " /@"):
		return nil, fmt.Errorf("the mail server's host %q is not a host name or address", opt.Host)
	case ports[opt.TLS] == 0:
		return nil, fmt.Errorf("the mail server's TLS mode is %q; it must be %s, %s or %s", opt.TLS, StartTLS, Implicit, Plain)
	case opt.Port < 1 || opt.Port > 65535:
		return nil, fmt.Errorf("the mail server's port is %d; it must be 1 to 65535", opt.Port)
	case (opt.Username == "") != (opt.Password == ""):
		return nil, fmt.Errorf("the mail server's user name and password go together: set both or neither")
	case opt.Timeout < 0:
		return nil, fmt.Errorf("the mail server's timeout must not be negative")
	}
	return &SMTP{opt}, nil
}

// Send delivers m to the server. All recipients are accepted or none is served.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	l, err := compose(m, s.opt.Clock())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Timeout)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return s.failure(ctx, "connect to the mail server", err, l)
	}
	defer conn.Close()
	// Closing the connection ends whatever waits for the server.
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if step, err := s.talk(conn, l); err != nil {
		return s.failure(ctx, step, err, l)
	}
	return nil
}

// dial connects, and holds plain connections to this machine.
func (s *SMTP) dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(s.opt.Host, strconv.Itoa(s.opt.Port)))
	if err != nil {
		return nil, err
	}
	if peer, ok := conn.RemoteAddr().(*net.TCPAddr); s.opt.TLS == Plain && (!ok || !peer.IP.IsLoopback()) {
		conn.Close()
		return nil, permanent{errors.New("without TLS a mail server must be on this machine")}
	}
	return &bounded{Conn: conn, left: maxReplies}, nil
}

// talk holds the whole conversation. On failure it says at which step.
func (s *SMTP) talk(conn net.Conn, l *letter) (step string, err error) {
	config := s.tlsConfig()
	if s.opt.TLS == Implicit {
		tc := tls.Client(conn, config)
		if err := tc.Handshake(); err != nil {
			return "agree on TLS with the mail server", err
		}
		conn = tc
	}
	c, err := smtp.NewClient(conn, s.opt.Host)
	if err != nil {
		return "greet the mail server", err
	}
	if err := c.Hello(s.opt.Hello); err != nil {
		return "greet the mail server", err
	}
	if s.opt.TLS == StartTLS {
		if ok, _ := c.Extension("STARTTLS"); !ok {
			return "agree on TLS with the mail server", errors.New("it does not offer STARTTLS")
		}
		if err := c.StartTLS(config); err != nil {
			return "agree on TLS with the mail server", err
		}
	}
	if s.opt.Username != "" {
		if err := s.signIn(c); err != nil {
			return stepSignIn, err
		}
	}
	if ok, _ := c.Extension("SMTPUTF8"); l.utf8 && !ok {
		return "address the message", permanent{errors.New("an address has letters that this mail server does not take (no SMTPUTF8)")}
	}
	c.SkipSMTPUTF8(!l.utf8) // asked for without need, it keeps a message from older servers further on
	if err := c.Mail("<" + l.from + ">"); err != nil {
		return "name the message's sender", err
	}
	for _, to := range l.to {
		if err := c.Rcpt("<" + to + ">"); err != nil {
			return "name the message's recipients", err
		}
	}
	w, err := c.Data()
	if err != nil {
		return "hand over the message", err
	}
	if _, err := l.WriteTo(w); err != nil {
		return "hand over the message", err
	}
	if err := w.Close(); err != nil {
		return "hand over the message", err
	}
	_ = c.Quit() // the message is theirs already
	return "", nil
}

// signIn uses the first way that the server offers of those that mail servers
// have in common; the connection is encrypted or does not leave the machine.
func (s *SMTP) signIn(c *smtp.Client) error {
	_, offered := c.Extension("AUTH")
	name, password := s.opt.Username, s.opt.Password.Reveal()
	for way := range strings.FieldsSeq(strings.ToUpper(offered)) {
		switch way {
		case "PLAIN":
			return c.Auth(smtp.PlainAuth("", name, password, s.opt.Host, true))
		case "LOGIN":
			return c.Auth(smtp.LoginAuth(name, password, s.opt.Host, true))
		}
	}
	return permanent{errors.New("it offers neither AUTH PLAIN nor AUTH LOGIN")}
}

func (s *SMTP) tlsConfig() *tls.Config {
	config := &tls.Config{}
	if s.opt.TLSConfig != nil {
		config = s.opt.TLSConfig.Clone()
	}
	config.ServerName = cmp.Or(config.ServerName, s.opt.Host)
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	return config
}

// bounded is a connection whose other end may say only so much.
type bounded struct {
	net.Conn
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the mail server says too much")
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
