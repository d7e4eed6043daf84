package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"ludgate/internal/config"
	"ludgate/internal/containergroup"
	"ludgate/internal/directory"
	"ludgate/internal/displayname"
	"ludgate/internal/geo"
	"ludgate/internal/mail"
	"ludgate/internal/openid"
	"ludgate/internal/password"
	"ludgate/internal/player"
	"ludgate/internal/player/call"
	"ludgate/internal/player/operator"
	"ludgate/internal/player/profile"
	"ludgate/internal/player/revocation"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/servername"
	"ludgate/internal/streaming"
	"ludgate/internal/streaming/platform"
	"ludgate/internal/throttle"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// mostGuessers is how many names, addresses and pairs of both are remembered
// against guessing passwords.
const mostGuessers = 100_000

// openPlayers opens the player service with what it stands on: tickets,
// passwords, titles and a streaming platform.
func (s *Server) openPlayers(ctx context.Context) ([]wire.Route, error) {
	c := &s.config
	keys := filepath.Join(c.Data, "keys")
	ring, err := ticket.OpenRing(keys, ticket.FileName, s.clock)
	if err != nil {
		return nil, err
	}
	s.background(ctx, func(ctx context.Context) { ring.Watch(ctx, s.log) })
	hasher := password.New(password.Options{Workers: c.Passwords.Workers, Queue: c.Passwords.Queue, Log: s.log})
	s.onClose(func() error { hasher.Close(); return nil })
	var routes []wire.Route
	validateURL := c.Streaming.ValidateURL
	if validateURL == "" && c.Mode == config.Dev && !s.offline {
		var more []wire.Route
		if validateURL, more, err = s.openPlatform(keys); err != nil {
			return nil, err
		}
		routes = append(routes, more...)
	}
	tickets := ticket.NewIssuer(ring, s.clock)
	gate, err := s.openGate(ctx, keys, tickets)
	if err != nil {
		return nil, err
	}
	providers := openid.New(openid.Options{AllowLoopback: c.Mode == config.Dev, Clock: s.clock, Log: s.log})
	s.onClose(func() error { providers.Close(); return nil })
	opt := player.Options{
		Gate: gate, Tickets: tickets, Passwords: hasher, OpenID: providers, Guesses: throttle.NewGuesses(mostGuessers),
		Revoke: s.revocations.Revoke,
	}
	if opt.Profile, err = s.profileOptions(); err != nil {
		return nil, err
	}
	names := displayname.New(displayname.Options{AllowLoopback: c.Mode == config.Dev, Clock: s.clock, Log: s.log})
	s.onClose(func() error { names.Close(); return nil })
	opt.DisplayNames = player.FilterNames(names)
	if validateURL != "" {
		v, err := streaming.New(streaming.Options{URL: validateURL, Timeout: c.Streaming.Timeout, CacheFor: c.Streaming.Cache, Clock: s.clock, Log: s.log})
		if err != nil {
			return nil, err
		}
		s.onClose(func() error { v.Close(); return nil })
		opt.Streaming = v
	}
	svc, err := player.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	s.onClose(func() error { svc.Close(); return nil })
	if err := s.openControl(operator.New(gate, svc.Bulk())); err != nil {
		return nil, err
	}
	s.titleOf = gate.TitleOf
	return append(routes, svc.Routes()...), nil
}

// profileOptions are what profiles stand on: the mail server, and a database of
// locations where there is one.
func (s *Server) profileOptions() (o profile.Options, err error) {
	c := &s.config
	queue, err := mail.Open(c, s.clock, s.log)
	if err != nil {
		return o, err
	}
	if c.Mode == config.Dev && c.Mail.Host == "" {
		s.note("mail   " + mail.MailboxDir(c))
	}
	s.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), c.DrainTimeout)
		defer cancel()
		return queue.Close(ctx)
	})
	o = profile.Options{Revoker: s.revocations, Mailer: queue, PublicURL: strings.TrimRight(c.PublicURL, "/")}
	if o.PublicURL == "" && c.Mode == config.Dev {
		o.PublicURL = s.authorityURL()
	}
	if c.Locations != "" {
		places, err := geo.Open(c.Locations)
		if err != nil {
			return o, err
		}
		s.onClose(places.Close)
		o.Locator = places
	}
	return o, nil
}

// openGate opens the titles and what every player call passes.
func (s *Server) openGate(ctx context.Context, keys string, tickets *ticket.Issuer) (*call.Gate, error) {
	c := &s.config
	key, err := secret.LoadKey(keys, "secrets")
	if err != nil {
		return nil, err
	}
	box, err := secret.NewBox(key, "player")
	if err != nil {
		return nil, err
	}
	opt := title.Options{
		Store: s.store, Box: box, Declared: map[string]title.Settings{}, AllowLoopback: c.Mode == config.Dev, Naming: s.naming, Clock: s.clock, Log: s.log,
		Defaults: title.Settings{StreamingClientID: c.Streaming.ClientID},
	}
	for _, t := range c.Titles {
		if _, twice := opt.Declared[t.ID]; twice {
			return nil, fmt.Errorf("title %s is there twice", t.ID)
		}
		opt.Declared[t.ID] = title.Settings(t.TitleSettings)
	}
	if c.Mode == config.Dev { // others spring up
		opt.Template = &title.Settings{}
	}
	if s.titles, err = title.Open(ctx, opt); err != nil {
		return nil, err
	}
	s.onClose(func() error { s.titles.Close(); return nil })
	s.throttle = call.NewThrottle(call.Limits{
		Address: c.Limits.CallsPerAddress, Creation: c.Limits.SignInsPerAddress, Player: c.Limits.CallsPerPlayer, Title: c.Limits.CallsPerTitle,
		Burst: 10 * time.Second,
	}, s.clock)
	if s.revocations, err = revocation.Open(ctx, revocation.Options{Store: s.store, Clock: s.clock, Log: s.log}); err != nil {
		return nil, err
	}
	s.background(ctx, s.revocations.Run)
	return call.NewGate(call.Options{
		Store: s.store, Titles: s.titles, Tickets: tickets, Revoked: s.revocations.Revoked, Box: box, Limit: s.throttle.Call, Clock: s.clock, Log: s.log,
	}), nil
}

// openPlatform starts the built-in streaming platform on a loopback address of
// its own, so that the player service reaches it over HTTP like any other.
func (s *Server) openPlatform(keys string) (validateURL string, routes []wire.Route, err error) {
	p, err := platform.New(keys, s.clock)
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	srv := newHTTPServer(p, s.log)
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the built-in streaming platform ended", "error", err)
		}
	}()
	s.onClose(srv.Close)
	return "http://" + l.Addr().String() + "/oauth2/validate", p.Routes(), nil
}

// openGroups opens the container groups and their engine.
func (s *Server) openGroups(ctx context.Context) ([]wire.Route, error) {
	c := &s.config
	key, err := secret.LoadKey(filepath.Join(c.Data, "keys"), "secrets")
	if err != nil {
		return nil, err
	}
	box, err := secret.NewBox(key, "containergroup")
	if err != nil {
		return nil, err
	}
	addresses := containergroup.Loopback()
	if c.Containers.Addresses != config.Loopback {
		if addresses, err = containergroup.Pool(strings.Split(c.Containers.Addresses, ",")...); err != nil {
			return nil, err
		}
	}
	eng, missing, err := openEngine(ctx, c, s.log)
	if err != nil {
		return nil, err
	}
	if missing != nil {
		s.note("containers: none. " + missing.Error())
	} else {
		s.onClose(eng.Close)
		s.note("engine " + eng.Name())
		if eng.Name() == "simulated" {
			s.note("The simulated engine runs nothing; it only pretends.")
		}
	}
	s.groups, err = containergroup.New(containergroup.Options{
		Store: s.store, Engine: eng, Unavailable: missing, Box: box, Clock: s.clock, Log: s.log,
		Region: c.Containers.Region, DNSSuffix: c.Containers.DNSSuffix, Addresses: addresses,
		Strict: c.Containers.Strict, MaxCPU: c.Containers.MaxCPU, MaxMemoryGB: c.Containers.MaxMemoryGB, StartTimeout: c.Containers.StartTimeout,
	})
	if err != nil {
		return nil, err
	}
	s.onClose(s.groups.Close)
	return s.groups.Routes(), nil
}

// openDirectory opens the directory and the register of server names.
func (s *Server) openDirectory(context.Context) ([]wire.Route, error) {
	groups, err := directory.New(directory.Options{Store: s.store, Clock: s.clock, MailDomain: s.config.Containers.DNSSuffix})
	if err != nil {
		return nil, err
	}
	names, err := servername.New(servername.Options{Store: s.store, Location: s.config.Containers.Region})
	if err != nil {
		return nil, err
	}
	return append(groups.Routes(), names.Routes()...), nil
}
