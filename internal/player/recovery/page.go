package recovery

import (
	"context"
	html "html/template"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/wire"
)

// maxForm bounds what the page sends, in bytes: two passwords of 100 characters,
// each of which takes 12 bytes at most, and a token.
const maxForm = 8 << 10

// page is what a person sees who follows the link in a mail. It works without
// scripts, and opening it changes nothing.
var page = html.Must(html.New("recover").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>New password</title></head>
<body><h1>New password</h1>{{if .Text}}<p role="status">{{.Text}}</p>{{end}}{{if .Token}}<form method="post" action="{{.Action}}">
<input type="hidden" name="token" value="{{.Token}}">
<p><label>New password, 6 to 100 characters<br><input type="password" name="password" autocomplete="new-password" required></label></p>
<p><label>The same again<br><input type="password" name="again" autocomplete="new-password" required></label></p>
<p><button>Set this password</button></p></form>{{end}}</body></html>
`))

// show is what is on the page; without a token there is no form.
type show struct{ Text, Token string }

// Action is where the form goes: nowhere with the token in the address.
func (show) Action() string { return PagePath }

func (s *Service) showPage(_ context.Context, r *wire.Request) (*wire.Reply, error) {
	token, _ := r.Query("token")
	if !wellFormed(token) {
		return show{Text: "This link is not complete. Open it from the e-mail once more."}.reply(http.StatusBadRequest)
	}
	return show{Token: token}.reply(http.StatusOK)
}

func (s *Service) submitPage(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return show{Text: "The form did not arrive whole. Open the link from the e-mail once more."}.reply(http.StatusBadRequest)
	}
	token, password := form.Get("token"), form.Get("password")
	switch faults := account.CheckPassword(password); {
	case !utf8.ValidString(password):
		return show{"The password has characters that cannot be read.", token}.reply(http.StatusBadRequest)
	case len(faults) > 0:
		return show{faults[0], token}.reply(http.StatusBadRequest)
	case form.Get("again") != password:
		return show{"The two passwords are not the same.", token}.reply(http.StatusBadRequest)
	}
	switch err := s.setOnPage(ctx, token, password, r.Client); {
	case err == nil:
		return show{Text: "Thank you, the new password is set. Sign in with it in the game."}.reply(http.StatusOK)
	case ludgate.AsError(err).Kind == ludgate.Invalid:
		return show{Text: ludgate.AsError(err).Message + "."}.reply(http.StatusBadRequest)
	default:
		return nil, err
	}
}

func (p show) reply(status int) (*wire.Reply, error) {
	var body strings.Builder
	if err := page.Execute(&body, p); err != nil {
		return nil, err
	}
	reply := &wire.Reply{Status: status, Body: []byte(body.String())}
	return reply.Set("Content-Type", "text/html; charset=utf-8").
		Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'").
		Set("Referrer-Policy", "no-referrer").Set("Cache-Control", "no-store"), nil
}
