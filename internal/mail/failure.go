package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"strings"
	"unicode"

	"ludgate"
)

// stepSignIn is the step whose failures repeat nothing that the server says.
const stepSignIn = "sign in to the mail server"

// permanent marks an error that no later try will mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// failure turns what went wrong at a step into a refusal: kind Invalid when the
// server said no for good (5xx), kind Unavailable for everything else, a faulty
// certificate included, because somebody may mend it.
func (s *SMTP) failure(ctx context.Context, step string, err error, l *letter) error {
	var reply *textproto.Error
	var forGood permanent
	switch {
	case errors.As(err, &reply):
		e := ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "%s: it answered %d", step, reply.Code)
		if reply.Code >= 500 && reply.Code <= 599 {
			e.Kind, e.Code = ludgate.Invalid, "MailRefused"
		}
		if step != stepSignIn {
			e.Because(errors.New(s.scrub(reply.Msg, l)))
		}
		return e
	case errors.As(err, &forGood):
		return ludgate.Errorf(ludgate.Invalid, "MailRefused", "%s: %s", step, forGood.error)
	case ctx.Err() != nil:
		return ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "%s: it took too long", step).Because(ctx.Err())
	default:
		return ludgate.Errorf(ludgate.Unavailable, "MailUnavailable", "%s", step).Because(errors.New(s.scrub(fmt.Sprint(err), l)))
	}
}

// scrub makes what a server says fit for a log: short, printable, without the
// recipients it likes to repeat and without our credentials.
func (s *SMTP) scrub(text string, l *letter) string {
	name, password := s.opt.Username, s.opt.Password.Reveal()
	hide := append([]string{password, name}, l.to...)
	for _, secret := range []string{name, password, "\x00" + name + "\x00" + password} {
		hide = append(hide, base64.StdEncoding.EncodeToString([]byte(secret)))
	}
	for _, h := range hide {
		if h != "" {
			text = strings.ReplaceAll(text, h, "***")
		}
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}
