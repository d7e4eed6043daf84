package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ludgate"
	"ludgate/internal/authority"
	"ludgate/internal/config"
	"ludgate/internal/containergroup"
	"ludgate/internal/directory"
	"ludgate/internal/player"
	"ludgate/internal/player/call"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/servername"
	"ludgate/internal/store"
	"ludgate/internal/store/datadir"
	"ludgate/internal/store/postgres"
	"ludgate/internal/store/sqlite"
	"ludgate/internal/wire"
)

// Server is an assembled Ludgate.
type Server struct {
	titles   *title.Registry
	throttle *call.Throttle
	// revocations are the players' proofs that are no longer good.
	revocations *revocation.Set
	titleOf     func(http.Header) string // the title of a player call's proof
	config      config.Config
	log         *slog.Logger
	clock       ludgate.Clock
	// namings are all that this server speaks.
	namings []*wire.Naming
	store   store.Store
	edge    *wire.Edge
	control *wire.Edge // for operators
	offline bool       // only control is needed, and by this process alone
	groups  *containergroup.Service
	doors   *listeners
	tls     *tls.Config // nil when https is off
	// closers undo the start, last one first.
	closers []func() error
	notes   []string // what the banner says beside the addresses
}

// Run starts a server, prints the ready line to stdout and everything else to
// stderr, serves until ctx ends, drains and closes. Its error is for people.
func Run(ctx context.Context, c config.Config, stdout, stderr io.Writer) error {
	s, err := New(ctx, c, newLogger(c.Log, stderr))
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Close(); err != nil {
			s.log.Error("close", "error", err)
		}
	}()
	s.banner(stderr)
	if _, err := fmt.Fprintf(stdout, "ready http=%s https=%s\n", s.HTTP(), s.HTTPS()); err != nil {
		return err
	}
	return s.Serve(ctx)
}

// newLogger makes the log of the settings.
func newLogger(l config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		level = slog.LevelInfo
	}
	opt := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}

// New opens the data directory, the store and the doors, and assembles the
// services. A failure leaves nothing open.
func New(ctx context.Context, c config.Config, log *slog.Logger) (_ *Server, err error) {
	s := &Server{config: c, log: log, clock: time.Now, namings: namings(c.Namings)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.store, err = s.openStore(ctx); err != nil {
		return nil, err
	}
	if err := store.Migrate(ctx, s.store, append(player.Areas(), containergroup.Area, directory.Area, servername.Area)...); err != nil {
		return nil, fmt.Errorf("bring the store up to date: %w", err)
	}
	if s.doors, err = listen(&c); err != nil {
		return nil, err
	}
	if s.doors.HTTPS != nil {
		if s.tls, err = certificate(&c, s.clock()); err != nil {
			return nil, err
		}
	}
	auth, err := authority.New(authority.Options{
		Dir: filepath.Join(c.Data, "keys"), Anonymous: c.Mode == config.Dev, Hosts: c.TLS.Names,
		Management: c.Tokens.ManagementAudiences, Directory: c.Tokens.DirectoryAudiences,
	})
	if err != nil {
		return nil, err
	}
	routes := s.healthRoutes()
	for _, open := range []func(context.Context) ([]wire.Route, error){s.openPlayers, s.openGroups, s.openDirectory} {
		more, err := open(ctx)
		if err != nil {
			return nil, err
		}
		routes = append(routes, more...)
	}
	if c.Mode == config.Dev {
		routes = append(routes, s.devRoutes()...)
	}
	proxies, err := c.Proxies()
	if err != nil {
		return nil, err
	}
	s.edge = wire.NewEdge(wire.Options{
		Default: s.naming(c.Naming), Namings: s.namings, TitleNaming: s.titles.Naming, TitleOf: s.titleOf, Admit: s.throttle.Admit, TrustedProxies: proxies, TitleDomains: c.TitleDomains, Authenticate: auth.Authenticate, AuthorityURL: s.authorityURL(),
		BodyTimeout: c.Limits.BodyTimeout, MaxBody: c.Limits.Body, Log: log,
	}, routes...)
	return s, nil
}

// openStore opens the store of the settings.
func (s *Server) openStore(ctx context.Context) (store.Store, error) {
	if s.config.Store == "embedded" {
		st, err := sqlite.Open(ctx, s.config.Data, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		s.onClose(st.Close)
		return st, nil
	}
	// Keys, images and the engine's state are this process's own all the same.
	lock, err := datadir.Lock(s.config.Data)
	if err != nil {
		return nil, err
	}
	s.onClose(lock.Close)
	st, err := postgres.Open(ctx, s.config.Store, postgres.Options{})
	if err != nil {
		return nil, err
	}
	s.onClose(st.Close)
	return st, nil
}

// onClose remembers what Close has to undo.
func (s *Server) onClose(f func() error) { s.closers = append(s.closers, f) }

// background runs work until Close, which waits for its end.
func (s *Server) background(ctx context.Context, work func(context.Context)) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() { defer close(done); work(ctx) }()
	s.onClose(func() error { stop(); <-done; return nil })
}

// note adds a line to the banner.
func (s *Server) note(line string) { s.notes = append(s.notes, line) }

// HTTP is the address of plain http, or "off".
func (s *Server) HTTP() string { return url("http", s.doors.HTTP) }

// HTTPS is the address of https, or "off".
func (s *Server) HTTPS() string { return url("https", s.doors.HTTPS) }

// authorityURL is where a 401 sends its caller.
func (s *Server) authorityURL() string {
	switch {
	case s.config.AuthorityURL != "":
		return strings.TrimRight(s.config.AuthorityURL, "/")
	case s.doors.HTTPS != nil:
		return s.HTTPS()
	default:
		return s.HTTP()
	}
}

// Serve answers until ctx ends, then drains: new requests get 503, those under
// way may take as long as drain_timeout says.
func (s *Server) Serve(ctx context.Context) error {
	defer holdReserve()()
	var work sync.WaitGroup
	defer work.Wait()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	work.Go(func() {
		if err := s.groups.Run(background); err != nil && background.Err() == nil {
			s.log.Error("container groups are no longer reconciled", "error", err)
		}
	})
	fail := make(chan error, 3)
	var servers []*http.Server
	open := func(l net.Listener, h http.Handler, serve func(*http.Server, net.Listener) error) {
		if l == nil {
			return
		}
		srv := newHTTPServer(h, s.log)
		servers = append(servers, srv)
		work.Go(func() {
			if err := serve(srv, l); !errors.Is(err, http.ErrServerClosed) {
				fail <- err
			}
		})
	}
	open(s.doors.Control, s.control, (*http.Server).Serve)
	open(s.doors.HTTP, s.edge, (*http.Server).Serve)
	open(s.doors.HTTPS, s.edge, func(srv *http.Server, l net.Listener) error {
		srv.TLSConfig = s.tls
		return srv.ServeTLS(l, "", "")
	})
	var err error
	select {
	case <-ctx.Done():
		s.log.Info("draining", "underWay", s.edge.InFlight())
		s.drain()
	case err = <-fail:
	}
	return errors.Join(err, shutdown(servers, s.config.DrainTimeout))
}

// drain refuses new requests while those under way end.
func (s *Server) drain() {
	s.edge.Drain()
	for end := time.Now().Add(s.config.DrainTimeout); s.edge.InFlight() > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// shutdown closes the doors and what is idle; requests that outlast the limit
// are cut.
func shutdown(servers []*http.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), max(limit, time.Second))
	defer cancel()
	var errs []error
	for _, srv := range servers {
		if err := srv.Shutdown(ctx); err != nil {
			errs = append(errs, fmt.Errorf("requests under way were cut: %w", err), srv.Close())
		}
	}
	return errors.Join(errs...)
}

// Close releases everything New opened. Containers keep running.
func (s *Server) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	if s.doors != nil {
		s.doors.close()
	}
	return errors.Join(errs...)
}

// banner says on stderr what runs, for people.
func (s *Server) banner(w io.Writer) {
	c := &s.config
	fmt.Fprintf(w, "Ludgate\n  http   %s\n  https  %s", s.HTTP(), s.HTTPS())
	if c.TLS.Cert == "" && s.doors.HTTPS != nil {
		fmt.Fprintf(w, "  (trust %s)", CAFile(c.Data))
	}
	fmt.Fprintf(w, "\n  data   %s\n", c.Data)
	for _, n := range s.notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
	if c.Mode == config.Dev {
		fmt.Fprintf(w, "  This is the development mode: every local caller has all rights. It is not for production.\n")
	}
}
