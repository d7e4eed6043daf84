package recovery

import (
	"context"
	"math/rand/v2"
	"time"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
	"ludgate/internal/throttle"
)

// SendAccountRecoveryEmailRequest asks for a mail to the address of an account.
type SendAccountRecoveryEmailRequest struct {
	TitleId         string `json:"TitleId"`
	Email           string `json:"Email" required:"true"`
	EmailTemplateId string `json:"EmailTemplateId"` // "": the mail that comes with Ludgate
}

// AdminSendAccountRecoveryEmailRequest likewise, by a server of the title.
type AdminSendAccountRecoveryEmailRequest struct {
	Email           string `json:"Email" required:"true"`
	EmailTemplateId string `json:"EmailTemplateId"`
}

// send answers anybody: what came of it is seen in the mailbox only.
func (s *Service) send(ctx context.Context, c *call.Call, r *SendAccountRecoveryEmailRequest) (any, error) {
	template, err := s.check(c, r.Email, r.EmailTemplateId)
	if err != nil {
		return nil, err
	}
	if ok, after := s.asking.Allow(throttle.Network(c.Client), c.Now); !ok {
		return nil, call.TooMany(after)
	}
	if err := s.mail(ctx, c, r.Email, template); err != nil && ludgate.AsError(err).Kind == ludgate.Internal {
		return nil, err
	} else if err != nil {
		s.gate.Log().DebugContext(ctx, "no recovery mail", "title", c.Title.ID, "error", err)
	}
	return nil, nil
}

// sendByAdmin answers a server of the title, which may know.
func (s *Service) sendByAdmin(ctx context.Context, c *call.Call, r *AdminSendAccountRecoveryEmailRequest) (any, error) {
	template, err := s.check(c, r.Email, r.EmailTemplateId)
	if err != nil {
		return nil, err
	}
	return nil, s.mail(ctx, c, r.Email, template)
}

// check checks what does not depend on who has the address.
func (s *Service) check(c *call.Call, email, templateID string) (*template, error) {
	if s.opt.Mailer == nil || !s.opt.Mailer.Configured() {
		return nil, call.Refuse("SmtpAddonNotEnabled", "This server sends no e-mail")
	}
	f := &call.Faults{}
	f.AddAll("Email", account.CheckEmail(email))
	if err := f.As("InvalidEmailAddress", "Invalid email address"); err != nil {
		return nil, err
	}
	t, fault := s.template(c.Title, templateID)
	if fault != "" {
		f.Add("EmailTemplateId", fault)
	}
	return t, f.Err()
}

// A mail is held for a moment that nobody can foresee: the work of delivering it
// must not show in how long the call takes that caused it, nor in the next one.
const leastDelay, moreDelay = 100 * time.Millisecond, time.Second

// mail mails a token to the account of an address. Where there is none, or it
// has had too many, the same is done for a player who does not exist, up to the
// mail itself.
func (s *Service) mail(ctx context.Context, c *call.Call, email string, t *template) error {
	name := account.EmailName(email)
	token := newToken()
	var to string
	var refusal error
	err := s.gate.Store().Write(ctx, func(tx store.Tx) error {
		nobody := ludgate.NewPlayerID()
		to, refusal = "", account.NotFound()
		owner, err := account.Owner(tx, c.Title.ID, name)
		if err != nil {
			return err
		}
		if owner == "" {
			owner = nobody
		}
		a, err := account.Get(tx, c.Title.ID, owner)
		if err != nil {
			return err
		}
		wait, err := room(tx, c.Title.ID, owner, c.Millis())
		switch {
		case err != nil:
			return err
		case a == nil:
		case wait > 0:
			owner, refusal = nobody, call.TooMany(wait)
		default:
			to, refusal = a.Email, nil
		}
		return add(tx, c.Title.ID, owner, name.Key, token, c.Millis())
	})
	if err != nil {
		return err
	}
	m := t.message(c.Title, to, token)
	if refusal != nil {
		return refusal
	}
	m.Delay = leastDelay + rand.N(moreDelay)
	if err := s.opt.Mailer.Send(ctx, m); err != nil {
		s.gate.Log().WarnContext(ctx, "a recovery mail was not sent", "title", c.Title.ID, "error", err)
		return unavailable(err)
	}
	return nil
}
