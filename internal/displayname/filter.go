package displayname

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"ludgate"
)

// The refusals of [Filter.Check], for errors.Is.
var (
	// ErrProfane: a filter refuses the name.
	ErrProfane = errors.New("the display name is refused by a filter")
	// ErrFilter: the title's own filter gave no usable answer, or the title's
	// settings cannot be used; the name is not accepted.
	ErrFilter = errors.New("the display name could not be checked")
)

// Options configure a [Filter]. The zero value of a field has the default its
// comment names.
type Options struct {
	Timeout       time.Duration // for one answer of a title's filter; 2 s
	MaxConcurrent int           // questions to one title's filter at a time; 64
	AllowLoopback bool          // filters may be on this machine, as in development
	TLS           *tls.Config   // for https; the system's roots
	Clock         ludgate.Clock // time.Now
	Log           *slog.Logger  // slog.Default
}

// Filter checks display names of many titles. It is safe for concurrent use.
type Filter struct {
	opt       Options
	transport *http.Transport // not a Client: that would follow redirects

	mu     sync.RWMutex
	titles map[string]*ready
}

// ready is what a filter keeps of a title's settings.
type ready struct {
	version string
	matcher *matcher
	asker   *asker // nil without a filter of the title's own
	err     error  // why the settings cannot be used
}

// maxTitles is how many titles are kept; then all are forgotten and made again
// as they come.
const maxTitles = 10_000

// maxName is the longest name that is looked at, in runes. Callers refuse names
// long before.
const maxName = 64

// New makes a filter.
func New(opt Options) *Filter {
	if opt.Timeout <= 0 {
		opt.Timeout = 2 * time.Second
	}
	if opt.MaxConcurrent <= 0 {
		opt.MaxConcurrent = 64
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	return &Filter{opt: opt, transport: newTransport(&opt), titles: map[string]*ready{}}
}

// Close drops the connections that are kept for later questions.
func (f *Filter) Close() { f.transport.CloseIdleConnections() }

// Check gives nil when title, whose settings are s, accepts name; else an error
// that is [ErrProfane] or [ErrFilter]. The latter's cause is for the log. A
// caller that goes away does not end a question under way; it ends within the
// timeout.
func (f *Filter) Check(ctx context.Context, title string, s *Settings, name string) error {
	r := f.ready(title, s)
	if r.err != nil {
		return fmt.Errorf("%w: %w", ErrFilter, r.err)
	}
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || r.matcher.refuses(name) {
		return ErrProfane
	}
	if r.asker == nil {
		return nil
	}
	allowed, err := r.asker.ask(ctx, name)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrFilter, err)
	case !allowed:
		return ErrProfane
	}
	return nil
}

// ready gives what was made of a title's settings, making it for a new version.
func (f *Filter) ready(title string, s *Settings) *ready {
	f.mu.RLock()
	r := f.titles[title]
	f.mu.RUnlock()
	if r != nil && r.version == s.Version {
		return r
	}
	r = &ready{version: s.Version}
	if r.err = s.Check(f.opt.AllowLoopback); r.err == nil {
		r.matcher = compile(s)
		if s.URL != "" {
			r.asker = f.newAsker(title, s)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.titles[title]; old != nil && old.version == s.Version {
		return old // somebody was faster, and its circuit breaker counts
	}
	if len(f.titles) >= maxTitles {
		clear(f.titles)
	}
	f.titles[title] = r
	return r
}
