package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/secret"
)

// Mailbox delivers into a directory, one .eml file a message, for development:
// what would have been sent can be read with any mail program or editor. Names
// sort by time. Old files go when new ones come.
type Mailbox struct {
	dir   string
	most  int
	clock ludgate.Clock
	mu    sync.Mutex // deliveries and what they clear away
}

// MailboxOptions configure a [Mailbox]. The zero value of a field has the
// default its comment names.
type MailboxOptions struct {
	Dir   string        // made with mode 0700; required
	Most  int           // files kept; 1,000
	Clock ludgate.Clock // time.Now
}

// stamp is the time in a file's name: fixed width, so that names sort.
const stamp = "20060102T150405.000000000Z"

// filed is the name of a file that a mailbox made; no other is ever removed.
var filed = regexp.MustCompile(`^\d{8}T\d{6}\.\d{9}Z-[0-9a-z]{8}\.eml$`)

// NewMailbox opens or makes the directory.
func NewMailbox(opt MailboxOptions) (*Mailbox, error) {
	opt.Most = cmp.Or(opt.Most, 1000)
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Dir == "" || opt.Most < 1 {
		return nil, fmt.Errorf("a mailbox needs a directory and room for 1 message")
	}
	if err := os.MkdirAll(opt.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the mailbox directory: %w", err)
	}
	if err := os.Chmod(opt.Dir, 0o700); err != nil { // it may have been there
		return nil, fmt.Errorf("close the mailbox directory to others: %w", err)
	}
	return &Mailbox{dir: opt.Dir, most: opt.Most, clock: opt.Clock}, nil
}

// Send writes m to a file of its own, whole or not at all.
func (b *Mailbox) Send(ctx context.Context, m Message) error {
	if err := ctx.Err(); err != nil {
		return unavailable("put a message into the mailbox", err)
	}
	now := b.clock().UTC()
	l, err := compose(m, now)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := l.WriteTo(&text); err != nil {
		return unavailable("put a message into the mailbox", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.clear(); err != nil {
		return unavailable("clear old messages out of the mailbox", err)
	}
	name := now.Format(stamp) + "-" + strings.ToLower(rand.Text()[:8]) + ".eml"
	if err := secret.WriteFile(filepath.Join(b.dir, name), text.Bytes()); err != nil {
		return unavailable("put a message into the mailbox", err)
	}
	return nil
}

// clear removes the oldest files, so that one more is not too many.
func (b *Mailbox) clear() error {
	entries, err := os.ReadDir(b.dir) // sorted by name, so by time
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if filed.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	for _, name := range names[:max(0, len(names)-b.most+1)] {
		if err := os.Remove(filepath.Join(b.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// unavailable is a failure of ours that may pass.
func unavailable(doing string, cause error) error {
	return ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "%s", doing).Because(cause)
}
