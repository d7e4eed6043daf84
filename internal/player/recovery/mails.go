package recovery

import (
	"strings"

	"ludgate/internal/mail"
	"ludgate/internal/player/title"
)

// PagePath is where the link in a mail leads to where the title has no page of
// its own.
const PagePath = "/Client/RecoverAccount"

// template is what a mail says. {title}, {link} and {token} stand for what they
// name.
type template struct{ subject, text, page string }

// The mails that come with Ludgate: with a link, and for titles without a page.
const (
	ownSubject = "A new password for {title}"
	ownText    = "Somebody, probably you, asked for a new password for the account with this address in {title}.\n\n"
	ownLink    = "To choose one, open this page:\n\n{link}\n\n"
	ownToken   = "To choose one, enter this code in the game:\n\n{token}\n\n"
	ownEnd     = "This works once, within an hour. If it was not you, do nothing: the password stays as it is.\n"
)

// template gives the template of an id; "" is the one that comes with Ludgate.
// What stands against it is a fault of the request's member.
func (s *Service) template(t *title.Title, id string) (_ *template, fault string) {
	page := t.RecoveryURL
	if page == "" && s.opt.PublicURL != "" {
		page = s.opt.PublicURL + PagePath + "?token={token}"
	}
	if id == "" {
		how := ownLink
		if page == "" {
			how = ownToken
		}
		return &template{ownSubject, ownText + how + ownEnd, page}, ""
	}
	for _, r := range t.RecoveryTemplates {
		switch {
		case r.ID != id:
		case page == "" && strings.Contains(r.Text, "{link}"):
			return nil, "The template has {link} in it, and neither the title's recovery_url nor the server's public_url is set."
		default:
			return &template{r.Subject, r.Text, page}, ""
		}
	}
	return nil, "The title has no e-mail template of this id."
}

// longestName is the longest name of a title in a mail, in bytes; a subject has
// little room.
const longestName = 80

// message makes a mail. to may be "" for one that nobody gets.
func (t *template) message(of *title.Title, to, token string) mail.Message {
	game := of.Name
	if game == "" || len(game) > longestName {
		game = "the game"
	}
	link := strings.ReplaceAll(t.page, "{token}", token)
	fill := strings.NewReplacer("{title}", game, "{link}", link, "{token}", token)
	return mail.Message{To: []string{to}, Subject: fill.Replace(t.subject), Text: fill.Replace(t.text)}
}
