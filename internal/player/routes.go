package player

import (
	"context"
	"net/http"

	"ludgate/internal/wire"
)

// Routes are the calls of the service.
func (s *Service) Routes() []wire.Route {
	post := func(path string, h wire.Handler) wire.Route {
		return wire.Route{Surface: wire.Player, Method: http.MethodPost, Path: path, Handler: h}
	}
	return []wire.Route{
		post("/Client/RegisterPlatformUser", s.handleRegister),
		post("/Client/LoginWithStreamingPlatform", s.handleStreamingLogin),
		post("/Authentication/GetEntityToken", s.handleGetEntityToken),
	}
}

func (s *Service) handleRegister(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	var req RegisterPlatformUserRequest
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	a, err := s.register(ctx, callerOf(r), &req)
	if err != nil {
		return nil, err
	}
	return &wire.Reply{Body: s.registered(r.Naming, a), SignIn: true}, nil
}

func (s *Service) handleStreamingLogin(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	var req StreamingLoginRequest
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	in, err := s.signInStreaming(ctx, callerOf(r), &req)
	if err != nil {
		return nil, err
	}
	return &wire.Reply{Body: s.loggedIn(r.Naming, in, req.InfoRequestParameters), SignIn: true}, nil
}

func (s *Service) handleGetEntityToken(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	var req GetEntityTokenRequest
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	proof, err := s.getEntityToken(ctx, callerOf(r), proofsOf(r.HTTP.Header), req.Entity)
	if err != nil {
		return nil, err
	}
	return wire.OK(proof.response(r.Naming)), nil
}

// callerOf reads what operations want to know of a request. The headers of a
// signature count in the spelling of every naming.
func callerOf(r *wire.Request) caller {
	c := caller{hostTitle: r.HostTitle(), collect: r.Naming.Player.CollectParams}
	for _, h := range []string{"X-Platform-Signature", "X-Platform-Timestamp", "X-Playfab-Signature", "X-Playfab-Timestamp"} {
		if _, sent := r.HTTP.Header[h]; sent {
			c.signed = true
		}
	}
	return c
}

// proofsOf reads the headers by which a caller says who it is.
func proofsOf(h http.Header) proofs {
	p := proofs{session: h.Get("X-Authorization"), entityToken: h.Get("X-EntityToken"), secretKey: h.Get("X-SecretKey")}
	if p.session == "" {
		p.session = h.Get("X-Authentication")
	}
	return p
}
