package mail

import (
	"crypto/rand"
	"fmt"
	"io"
	netmail "net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// letter is a message ready to go.
type letter struct {
	from, id string
	to       []string // addresses alone
	utf8     bool     // an address needs SMTPUTF8
	msg      *gomail.Msg
}

// compose checks m and makes a letter of it. The same message gives the same
// letter, but for the boundary between text and HTML.
func compose(m Message, now time.Time) (*letter, error) {
	from, to, err := m.check()
	if err != nil {
		return nil, err
	}
	l := &letter{from: from.mail, id: m.ID, utf8: from.unicod}
	if l.id == "" {
		l.id = newID(from.mail)
	}
	l.msg = gomail.NewMsg(gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	l.msg.FromMailAddress(&netmail.Address{Name: from.name, Address: from.mail})
	var heads []*netmail.Address
	for _, a := range to {
		l.to = append(l.to, a.mail)
		l.utf8 = l.utf8 || a.unicod
		heads = append(heads, &netmail.Address{Name: a.name, Address: a.mail})
	}
	l.msg.ToMailAddress(heads...)
	l.msg.Subject(strings.Join(strings.Fields(m.Subject), " "))
	l.msg.SetMessageIDWithValue(l.id)
	l.msg.SetDateWithValue(now)
	// RFC 3834: nobody's out-of-office notice answers an account notice.
	l.msg.SetGenHeader("Auto-Submitted", "auto-generated")
	for name, value := range m.Headers {
		l.msg.SetGenHeader(gomail.Header(name), strings.TrimSpace(value))
	}
	l.msg.SetBodyString(gomail.TypeTextPlain, lines(m.Text))
	if m.HTML != "" {
		l.msg.AddAlternativeString(gomail.TypeTextHTML, lines(m.HTML))
	}
	return l, nil
}

// WriteTo writes the letter as RFC 5322 has it, lines ending in CRLF.
func (l *letter) WriteTo(w io.Writer) (int64, error) {
	n, err := l.msg.WriteTo(w)
	if err != nil {
		return n, fmt.Errorf("write the message: %w", err)
	}
	return n, nil
}

// lines gives s with line ends of one kind; the encoder makes CRLF of them.
func lines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// newID makes a Message-ID in the domain of an address.
func newID(from string) string {
	return strings.ToLower(rand.Text()) + from[strings.LastIndexByte(from, '@'):]
}
