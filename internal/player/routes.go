package player

import (
	"ludgate/internal/player/call"
	"ludgate/internal/wire"
)

// Routes are the calls of the service.
func (s *Service) Routes() []wire.Route {
	routes := []wire.Route{
		call.SignIn(s.gate, call.Anonymous, "/Client/RegisterPlatformUser", s.register),
		call.SignIn(s.gate, call.Anonymous, "/Client/LoginWithStreamingPlatform", s.signInStreaming),
		call.Post(s.gate, call.Any, "/Authentication/GetEntityToken", s.getEntityToken),
	}
	for _, part := range [][]wire.Route{s.titleDataRoutes(), s.policyRoutes(), s.sharedSecretRoutes()} {
		routes = append(routes, part...)
	}
	return routes
}
