package mail

import (
	"context"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"ludgate"
)

// Sender delivers messages. Implementations are safe for concurrent use.
type Sender interface {
	// Send delivers m, or fails with a [ludgate.Error]: of kind Unavailable when
	// a later try may succeed, of kind Invalid when none will.
	Send(ctx context.Context, m Message) error
}

// Message is one e-mail.
type Message struct {
	From    string            // address, with or without a name: "Ludgate <no-reply@example.com>"
	To      []string          // 1 to 20 addresses of the same form; each sees the others
	Subject string            // one line, at most 250 bytes
	Text    string            // plain text of any length of line; at most 256 KiB with HTML
	HTML    string            // the same as HTML; optional
	Headers map[string]string // further headers, such as Reply-To; at most 20

	// Delay is how long a queue holds the message before the first try, so that
	// the work of it does not fall together with the call that caused it. A
	// queue that closes does not wait for it, and no other sender looks at it.
	Delay time.Duration

	// ID is the Message-ID without its brackets. A sender makes one when it is
	// empty; a queue does so before the first try, so that a receiver who gets
	// two copies can tell.
	ID string
}

// Bounds of a message.
const (
	maxRecipients = 20
	maxSubject    = 250 // bytes; one line of it is within the 998 of RFC 5322
	maxBody       = 256 << 10
	maxHeaders    = 20
	maxHeader     = 500 // bytes of a value
)

// ours are the headers that a message may not set, because its other fields or
// the transport do.
var ours = map[string]bool{
	"from": true, "sender": true, "to": true, "cc": true, "bcc": true, "subject": true, "date": true, "message-id": true,
	"mime-version": true, "return-path": true, "received": true, "dkim-signature": true,
}

// address is one that can go on the wire.
type address struct {
	name   string // shown; may be ""
	mail   string // local@domain, the domain in ASCII
	unicod bool   // the local part needs SMTPUTF8
}

// check refuses what cannot be sent, with a sentence that repeats no address.
func (m *Message) check() (from address, to []address, err error) {
	if from, err = parseAddress(m.From); err != nil {
		return from, nil, invalid("From", "%w", err)
	}
	if len(m.To) == 0 || len(m.To) > maxRecipients {
		return from, nil, invalid("To", "a message has 1 to %d recipients, not %d", maxRecipients, len(m.To))
	}
	for i, s := range m.To {
		a, err := parseAddress(s)
		if err != nil {
			return from, nil, invalid(fmt.Sprintf("To[%d]", i), "%w", err)
		}
		to = append(to, a)
	}
	if len(m.Subject) > maxSubject || !oneLine(m.Subject) {
		return from, nil, invalid("Subject", "a subject is one line of at most %d bytes without control characters", maxSubject)
	}
	if m.Text == "" || len(m.Text)+len(m.HTML) > maxBody {
		return from, nil, invalid("Text", "a message has a text, and at most %d bytes with its HTML", maxBody)
	}
	if !plain(m.Text) || !plain(m.HTML) {
		return from, nil, invalid("Text", "text and HTML are UTF-8 without control characters other than tabs and line ends")
	}
	if m.ID != "" && strings.IndexFunc(m.ID, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' }) >= 0 || len(m.ID) > 200 {
		return from, nil, invalid("ID", "a message id is at most 200 visible ASCII characters without brackets")
	}
	return from, to, m.checkHeaders()
}

func (m *Message) checkHeaders() error {
	if len(m.Headers) > maxHeaders {
		return invalid("Headers", "a message has at most %d headers of its own", maxHeaders)
	}
	for name, value := range m.Headers {
		lower := strings.ToLower(name)
		switch {
		case name == "" || len(name) > 64 || strings.IndexFunc(name, notName) >= 0:
			return invalid("Headers", "a header's name is letters, digits and hyphens")
		case ours[lower] || strings.HasPrefix(lower, "content-"):
			return invalid("Headers", "the header %s is not for the caller to set", name)
		case len(value) > maxHeader || !oneLine(value):
			return invalid("Headers", "the header %s is not one line of at most %d bytes", name, maxHeader)
		}
	}
	return nil
}

func notName(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// oneLine reports whether s can stand in a header: UTF-8 without control
// characters and without the line breaks that Unicode has besides.
func oneLine(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) < 0
}

// plain reports whether s can be the text of a message.
func plain(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }) < 0
}

// parseAddress reads "local@domain" or "Name <local@domain>".
func parseAddress(s string) (address, error) {
	if len(s) > 500 || !oneLine(s) {
		return address{}, fmt.Errorf("an address is one line of at most 500 bytes")
	}
	p, err := netmail.ParseAddress(s)
	if err != nil {
		return address{}, fmt.Errorf("this is not an e-mail address")
	}
	at := strings.LastIndexByte(p.Address, '@') // a quoted local part may hold another
	local, domain := p.Address[:at], p.Address[at+1:]
	if !oneLine(p.Name) || !dotAtom(local) {
		return address{}, fmt.Errorf("the part of an address before the at sign is letters, digits and the signs that need no quotes")
	}
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil || ascii == "" {
		return address{}, fmt.Errorf("the domain of an address must be a host name")
	}
	a := address{name: p.Name, mail: local + "@" + ascii, unicod: strings.IndexFunc(local, func(r rune) bool { return r > unicode.MaxASCII }) >= 0}
	if len(local) > 64 || len(a.mail) > 254 {
		return address{}, fmt.Errorf("an address has at most 64 bytes before the at sign and 254 in all")
	}
	return a, nil
}

// dotAtom reports whether a local part needs no quotes (RFC 5322, 3.2.3, with
// the characters of RFC 6532).
func dotAtom(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for _, r := range atom {
			if r <= unicode.MaxASCII && notName(r) && !strings.ContainsRune("!#$%&'*+/=?^_`{|}~", r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cf) {
				return false
			}
		}
	}
	return true
}

// invalid is the refusal of a message that no sender can send.
func invalid(target, format string, args ...any) error {
	return ludgate.Errorf(ludgate.Invalid, "InvalidMail", "%s", fmt.Errorf(format, args...)).At(target)
}
