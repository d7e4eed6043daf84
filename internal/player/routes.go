package player

import (
	"ludgate/internal/player/call"
	"ludgate/internal/wire"
)

// Routes are the calls of the service.
func (s *Service) Routes() []wire.Route {
	var routes []wire.Route
	for _, part := range [][]wire.Route{
		s.signInRoutes(), s.linkRoutes(), s.accountRoutes(), s.playerSecretRoutes(), s.proofRoutes(),
		s.titleDataRoutes(), s.policyRoutes(), s.sharedSecretRoutes(), s.lifecycleRoutes(), s.combinedRoutes(),
		s.data.Routes(), s.economy.Routes(), s.profile.Routes(), s.experiment.Routes(), s.recovery.Routes(),
	} {
		routes = append(routes, part...)
	}
	return routes
}

func (s *Service) signInRoutes() []wire.Route {
	return []wire.Route{
		call.SignIn(s.gate, call.Anonymous, "/Client/RegisterPlatformUser", s.register),
		call.SignIn(s.gate, call.Anonymous, "/Client/LoginWithStreamingPlatform", s.signInStreaming),
		call.SignIn(s.gate, call.Anonymous, "/Client/LoginWithPlatform", s.signInUsername),
		call.SignIn(s.gate, call.Anonymous, "/Client/LoginWithEmailAddress", s.signInEmail),
		call.SignIn(s.gate, call.Anonymous, "/Client/LoginWithCustomID", s.signInCustomID),
		call.SignIn(s.gate, call.Anonymous, "/Client/LoginWithOpenIdConnect", s.signInOpenID),
		call.SignIn(s.gate, call.Secret, "/Server/LoginWithServerCustomId", s.signInServerCustomID),
		call.SignIn(s.gate, call.Secret, "/Server/LoginWithStreamingPlatform", s.signInStreamingByServer),
	}
}

func (s *Service) linkRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Session, "/Client/LinkStreamingPlatform", s.linkStreaming),
		call.Post(s.gate, call.Session, "/Client/UnlinkStreamingPlatform", s.unlinkStreaming),
		call.Post(s.gate, call.Secret, "/Server/LinkStreamingAccount", s.linkStreamingByServer),
		call.Post(s.gate, call.Secret, "/Server/UnlinkStreamingAccount", s.unlinkStreamingByServer),
		call.Post(s.gate, call.Session, "/Client/LinkCustomID", s.linkCustomID),
		call.Post(s.gate, call.Session, "/Client/UnlinkCustomID", s.unlinkCustomID),
		call.Post(s.gate, call.Secret, "/Server/LinkServerCustomId", s.linkServerCustomID),
		call.Post(s.gate, call.Secret, "/Server/UnlinkServerCustomId", s.unlinkServerCustomID),
		call.Post(s.gate, call.Session, "/Client/LinkOpenIdConnect", s.linkOpenID),
		call.Post(s.gate, call.Session, "/Client/UnlinkOpenIdConnect", s.unlinkOpenID),
	}
}
