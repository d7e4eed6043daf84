package profile

import (
	"context"
	"html/template"
	"net/http"
	"strings"

	"ludgate"
	"ludgate/internal/player/call"
	"ludgate/internal/wire"
)

// ConfirmPath is where the link in a mail leads to.
const ConfirmPath = "/Client/ConfirmContactEmail"

// Routes are the calls of this part.
func (s *Service) Routes() []wire.Route {
	g := s.gate
	routes := []wire.Route{
		call.Post(g, call.Session, "/Client/GetPlayerProfile", s.getProfile),
		call.Post(g, call.Session, "/Client/UpdateAvatarUrl", s.updateAvatar),
		call.Post(g, call.Secret, "/Server/UpdateAvatarUrl", s.serverUpdateAvatar),
		call.Post(g, call.Session, "/Client/AddOrUpdateContactEmail", s.addOrUpdateContact),
		call.Post(g, call.Session, "/Client/RemoveContactEmail", s.removeContact),
		call.Post(g, call.Secret, "/Server/AddOrUpdateContactEmail", s.serverAddOrUpdateContact),
		call.Post(g, call.Secret, "/Server/RemoveContactEmail", s.serverRemoveContact),
		call.Post(g, call.Anonymous, ConfirmPath, s.confirmContact),
		{Surface: wire.Player, Method: http.MethodGet, Path: ConfirmPath, Handler: s.confirmPage},
		call.Post(g, call.Secret, "/Server/SetPlayerLocation", s.setLocation),
		call.Post(g, call.Secret, "/Server/RemovePlayerLocations", s.removeLocations),
		call.Post(g, call.Secret, "/Server/SetPlayerMembership", s.setMembership),
		call.Post(g, call.Secret, "/Server/RemovePlayerMembership", s.removeMembership),
		call.Post(g, call.Secret, "/Admin/SetMembershipOverride", s.setMembershipOverride),
		call.Post(g, call.Secret, "/Admin/RemoveMembershipOverride", s.removeMembershipOverride),
		call.Post(g, call.Secret, "/Server/AddCampaignAttribution", s.addCampaign),
		call.Post(g, call.Session, "/Client/RegisterForIOSPushNotification", s.registerApple),
		call.Post(g, call.Session, "/Client/AndroidDevicePushNotificationRegistration", s.registerGoogle),
		call.Post(g, call.Session, "/Client/UnregisterPushNotification", s.unregisterPush),
		call.Post(g, call.Secret, "/Server/RecordPurchase", s.recordPurchase),
	}
	for _, surface := range []string{"/Server/", "/Admin/"} {
		routes = append(routes,
			call.Post(g, call.Secret, surface+"GetPlayerProfile", s.serverGetProfile),
			call.Post(g, call.Secret, surface+"AddPlayerTag", s.addTag),
			call.Post(g, call.Secret, surface+"RemovePlayerTag", s.removeTag),
			call.Post(g, call.Secret, surface+"GetPlayerTags", s.getTags),
			call.Post(g, call.Secret, surface+"BanUsers", s.banUsers),
			call.Post(g, call.Secret, surface+"GetUserBans", s.getBans),
			call.Post(g, call.Secret, surface+"UpdateBans", s.updateBans),
			call.Post(g, call.Secret, surface+"RevokeBans", s.revokeBans),
			call.Post(g, call.Secret, surface+"RevokeAllBansForUser", s.revokeAllBans),
		)
	}
	return routes
}

// page is what a person sees who follows the link in a mail. Opening it changes
// nothing, because programs that look after mailboxes open links, too; the button
// does.
var page = template.Must(template.New("confirm").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Contact address</title></head>
<body><h1>Contact address</h1><p>{{.Text}}</p>{{if .Token}}<form method="get"><input type="hidden" name="token" value="{{.Token}}">
<button name="confirm" value="yes">Confirm this address</button></form>{{end}}</body></html>
`))

// confirmPage is the page behind the link in a mail.
func (s *Service) confirmPage(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	show := struct{ Text, Token string }{Text: "Was it you who gave this address in the game?"}
	show.Token, _ = r.Query("token")
	status := http.StatusOK
	if answer, _ := r.Query("confirm"); answer != "" {
		err := s.confirm(ctx, "", show.Token, s.gate.Clock()())
		switch e := ludgate.AsError(err); {
		case err == nil:
			show.Text = "Thank you, the address is confirmed."
		case e.Kind == ludgate.Invalid:
			show.Text, status = e.Message, http.StatusBadRequest
		default:
			return nil, err
		}
		show.Token = ""
	}
	var body strings.Builder
	if err := page.Execute(&body, show); err != nil {
		return nil, err
	}
	reply := &wire.Reply{Status: status, Body: []byte(body.String())}
	return reply.Set("Content-Type", "text/html; charset=utf-8").
		Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'").
		Set("Referrer-Policy", "no-referrer").Set("Cache-Control", "no-store"), nil
}
