package pod

import (
	"log/slog"
	"time"

	"ludgate"
)

// Options configure a Supervisor. The zero value is ready for production but
// keeps nothing over a restart.
type Options struct {
	// Dir is where each group's state file is kept (made with mode 0700).
	// Empty: restart counts, events and previous states are lost with the
	// process, and so is the knowledge which definition a run belongs to.
	Dir string
	// Clock stamps events and states; nil is time.Now. Delays are measured by
	// the time package's timers.
	Clock ludgate.Clock
	// Backoff delays restarts of a container; zero members are 10 s, 300 s and
	// 10 min.
	Backoff Backoff
	// PullBackoff delays new tries of a failed pull; zero members as above.
	PullBackoff Backoff
	// KillGrace is the time between SIGTERM and SIGKILL; 0 is 10 s.
	KillGrace time.Duration
	// StartTimeout limits one start of a container and one preparation of a
	// group's ground; 0 is 2 min.
	StartTimeout time.Duration
	// Log takes what operators of the server should know; nil is slog.Default.
	Log *slog.Logger
}

// Backoff is an exponential delay: Base, doubled each time up to Cap. A run of
// at least Reset starts the series anew.
type Backoff struct{ Base, Cap, Reset time.Duration }

// delay is the n-th delay of the series, counted from 0.
func (b Backoff) delay(n int) time.Duration {
	d := b.Base
	for ; n > 0 && d < b.Cap; n-- {
		d *= 2
	}
	return min(d, b.Cap)
}

func (b Backoff) withDefaults() Backoff {
	if b.Base <= 0 {
		b.Base = 10 * time.Second
	}
	if b.Cap <= 0 {
		b.Cap = 300 * time.Second
	}
	if b.Reset <= 0 {
		b.Reset = 10 * time.Minute
	}
	return b
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Backoff = o.Backoff.withDefaults()
	o.PullBackoff = o.PullBackoff.withDefaults()
	if o.KillGrace <= 0 {
		o.KillGrace = 10 * time.Second
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = 2 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}
