package recovery

import (
	"net/http"

	"ludgate/internal/player/call"
	"ludgate/internal/wire"
)

// Routes are the calls of this part.
func (s *Service) Routes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Anonymous, "/Client/SendAccountRecoveryEmail", s.send),
		call.Post(s.gate, call.Secret, "/Admin/SendAccountRecoveryEmail", s.sendByAdmin),
		call.Post(s.gate, call.Secret, "/Admin/ResetPassword", s.reset),
		{Surface: wire.Player, Method: http.MethodGet, Path: PagePath, Handler: s.showPage},
		{Surface: wire.Player, Method: http.MethodPost, Path: PagePath, Form: true, MaxBody: maxForm, Handler: s.submitPage},
	}
}
