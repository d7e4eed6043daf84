package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
)

// progress shows how far long work has come: a line that is written anew on a
// terminal, a line now and then anywhere else.
type progress struct {
	w        io.Writer
	what     string
	size     int64 // of all input in bytes; 0 when it is not known
	terminal bool
	begun    time.Time

	mu    sync.Mutex
	count int
	read  int64
	shown time.Time
}

// How often progress is shown on a terminal, and elsewhere.
const (
	redraw    = 200 * time.Millisecond
	tellAgain = 10 * time.Second
)

func newProgress(w io.Writer, what string, size int64) *progress {
	f, ok := w.(*os.File)
	now := time.Now()
	return &progress{w: w, what: what, size: size, terminal: ok && isatty.IsTerminal(f.Fd()), begun: now, shown: now}
}

// add counts work that was done, and shows it from time to time.
func (p *progress) add(count int, read int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count += count
	p.read += read
	every := tellAgain
	if p.terminal {
		every = redraw
	}
	if time.Since(p.shown) >= every {
		p.show()
	}
}

// show writes the line; the caller holds the lock.
func (p *progress) show() {
	p.shown = time.Now()
	spent := p.shown.Sub(p.begun).Seconds()
	text := fmt.Sprintf("%d %s, %.0f/s", p.count, p.what, float64(p.count)/spent)
	if p.size > 0 && p.read > 0 {
		done := float64(p.read) / float64(p.size)
		left := time.Duration(spent * (1 - done) / done * float64(time.Second)).Round(time.Second)
		text = fmt.Sprintf("[%-30s] %3.0f %%  %s, %s left", bar(done), 100*done, text, left)
	}
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	} else {
		fmt.Fprintln(p.w, text)
	}
}

// bar is the filled part of a bar of 30 characters.
func bar(done float64) string {
	return "=============================="[:max(0, min(30, int(30*done)))]
}

// line writes something else between two shows.
func (p *progress) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	fmt.Fprintln(p.w, text)
}

// end takes the line away; what was done is said by the caller.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
