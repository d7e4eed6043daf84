package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludgate/internal/store"

	"github.com/jackc/pgx/v5"
)

const (
	// listenCheck is how often a silent connection is asked whether it lives.
	listenCheck = 30 * time.Second
	// listenRetry is the pause before the connection is made anew.
	listenRetry = 250 * time.Millisecond
)

// listener turns the notifications of one channel into signals, on a connection
// of its own that it makes anew when it breaks.
type listener struct {
	config   *pgx.ConnConfig
	channel  string
	watchers *store.Watchers
	stop     context.CancelFunc
	stopped  chan struct{}
}

// listen connects and starts to listen.
func listen(ctx context.Context, config *pgx.ConnConfig, channel string, watchers *store.Watchers) (*listener, error) {
	l := &listener{config: config, channel: channel, watchers: watchers, stopped: make(chan struct{})}
	c, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	ctx, l.stop = context.WithCancel(context.Background())
	go l.run(ctx, c)
	return l, nil
}

// dial makes a connection that is not the pool's.
func (l *listener) dial(ctx context.Context) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, l.config.Copy())
}

// connect makes a connection that listens.
func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, "LISTEN "+pgx.Identifier{l.channel}.Sanitize()); err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), c.Close(ctx))
	}
	return c, nil
}

// run hands signals on until ctx ends. After a break, when some may have been
// lost, everybody gets one.
func (l *listener) run(ctx context.Context, c *pgx.Conn) {
	defer close(l.stopped)
	for {
		l.hear(ctx, c)
		// What is left to say to this server is a courtesy, and short.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		_ = c.Close(last)
		cancel()
		for c = nil; c == nil; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(listenRetry):
			}
			c, _ = l.connect(ctx) // its failure shows in every Write too
		}
		l.watchers.SignalAll()
	}
}

// hear signals what comes until the connection breaks or ctx ends.
func (l *listener) hear(ctx context.Context, c *pgx.Conn) {
	for {
		wait, cancel := context.WithTimeout(ctx, listenCheck)
		n, err := c.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			l.watchers.Signal(n.Payload)
		case !quiet || c.Ping(ctx) != nil:
			return
		}
	}
}

// close ends the listening.
func (l *listener) close() {
	l.stop()
	<-l.stopped
}
