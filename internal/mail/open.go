package mail

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"ludgate"
	"ludgate/internal/config"
)

// Open makes the queue that the settings ask for: to the mail server of
// mail.host; in development mode without one, to the mailbox directory of the
// data directory; else a queue that refuses, because mail is not configured.
func Open(c *config.Config, clock ludgate.Clock, log *slog.Logger) (*Queue, error) {
	from, sender, err := open(c, clock)
	if err != nil {
		return nil, err
	}
	return NewQueue(sender, QueueOptions{From: from, Log: log}), nil
}

func open(c *config.Config, clock ludgate.Clock) (from string, sender Sender, err error) {
	m := c.Mail
	switch {
	case m.Host != "":
		if _, err := parseAddress(m.From); err != nil {
			return "", nil, fmt.Errorf("mail.from cannot be used: %w", err)
		}
		s, err := NewSMTP(SMTPOptions{Host: m.Host, Port: m.Port, TLS: TLS(m.TLS), Username: m.Username, Password: m.Password, Timeout: m.Timeout, Clock: clock})
		if err != nil {
			return "", nil, err
		}
		return m.From, s, nil
	case c.Mode == config.Dev:
		b, err := NewMailbox(MailboxOptions{Dir: MailboxDir(c), Clock: clock})
		if err != nil {
			return "", nil, err
		}
		if from = m.From; from == "" {
			from = "Ludgate <no-reply@localhost>"
		}
		return from, b, nil
	default:
		return "", nil, nil
	}
}

// MailboxDir is where development mode puts e-mails when no mail server is set.
func MailboxDir(c *config.Config) string { return filepath.Join(c.Data, "mailbox") }
