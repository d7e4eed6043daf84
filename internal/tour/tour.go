package tour

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Options of a tour.
type Options struct {
	URL    string // of the server, without a final slash
	Out    io.Writer
	Colour bool
	Client *http.Client // http.DefaultClient when nil
	Title  string       // title id; "144" when empty
}

// ErrFailed: something was not as the contract says; the table shows what.
var ErrFailed = errors.New("the tour found something that is not as the contract says")

// tour is one run.
type tour struct {
	opt    Options
	out    io.Writer
	client *http.Client
	mark   string // makes this run's names its own
	rows   []row
	stop   string // the stop under way
}

// row is one line of the table at the end.
type row struct {
	stop, check string
	ok          bool
	got         string
}

// Run takes the tour. It returns ErrFailed when a check failed, and another
// error when the server could not be driven at all.
func Run(ctx context.Context, opt Options) error {
	if opt.Client == nil {
		opt.Client = http.DefaultClient
	}
	if opt.Title == "" {
		opt.Title = "144"
	}
	opt.URL = strings.TrimRight(opt.URL, "/")
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	t := &tour{opt: opt, out: opt.Out, client: opt.Client, mark: hex.EncodeToString(b[:])}
	if err := t.reach(ctx); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"Register a player", t.register},
		{"Sign in with a streaming token", t.signIn},
		{"Keep data of a player", t.keepData},
		{"Run a container group", t.containers},
		{"Describe a group in the directory", t.group},
		{"Check server names", t.names},
	} {
		t.stop = s.name
		fmt.Fprintf(t.out, "\n%s\n", t.style(bold+cyan, "== "+s.name+" =="))
		if err := s.run(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.check("the stop could be finished", false, err.Error())
		}
	}
	return t.table()
}

// reach finds out whether a server answers, so that the most common mistake gets
// one clear sentence.
func (t *tour) reach(ctx context.Context) error {
	a, err := t.call(ctx, http.MethodGet, "/readyz", nil, true)
	if err != nil {
		return fmt.Errorf("no Ludgate answers at %s; start one with `ludgate dev`, or name another with --url: %w", t.opt.URL, err)
	}
	if a.status != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: it answers %d", t.opt.URL, a.status)
	}
	return nil
}

// check records one comparison with the contract and prints it.
func (t *tour) check(what string, ok bool, got any) {
	r := row{stop: t.stop, check: what, ok: ok}
	if !ok {
		r.got = fmt.Sprint(got)
	}
	t.rows = append(t.rows, r)
	t.printRow(r)
}

func (t *tour) printRow(r row) {
	if r.ok {
		fmt.Fprintf(t.out, "%s %s\n", t.style(green, "  ok  "), r.check)
		return
	}
	fmt.Fprintf(t.out, "%s %s %s\n", t.style(red, " FAIL "), r.check, t.style(dim, "(got: "+r.got+")"))
}

// expect checks the status of an answer.
func (t *tour) expect(a *answer, status int, what string) {
	t.check(fmt.Sprintf("%s: %d", what, status), a.status == status, a.status)
}

// table prints what was shown.
func (t *tour) table() error {
	fmt.Fprintf(t.out, "\n%s\n", t.style(bold+cyan, "== What was shown =="))
	width, failed, last := 0, 0, ""
	for _, r := range t.rows {
		width = max(width, len(r.stop))
	}
	for _, r := range t.rows {
		name := r.stop
		if name == last {
			name = ""
		}
		last = r.stop
		fmt.Fprintf(t.out, "%-*s ", width, name)
		t.printRow(r)
		if !r.ok {
			failed++
		}
	}
	fmt.Fprintf(t.out, "\n%d checks, %d failed\n", len(t.rows), failed)
	if failed > 0 {
		return ErrFailed
	}
	return nil
}

// Terminal styles.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	cyan   = ";36"
)

// style colours text when the output is a terminal.
func (t *tour) style(code, text string) string {
	if !t.opt.Colour {
		return text
	}
	return "\x1b[" + strings.TrimPrefix(code, ";") + "m" + text + "\x1b[0m"
}

// wait polls until done says so, at most for limit.
func wait(ctx context.Context, limit time.Duration, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("did not come true within %s", limit)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
