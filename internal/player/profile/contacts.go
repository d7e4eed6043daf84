package profile

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"time"

	"ludgate"
	"ludgate/internal/mail"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
)

var (
	contactPutStmt     = statements.Get("contact_put")
	contactRemoveStmt  = statements.Get("contact_remove")
	contactsStmt       = statements.Get("contacts")
	contactByTokenStmt = statements.Get("contact_by_token")
	contactSettleStmt  = statements.Get("contact_settle")
	contactMailsStmt   = statements.Get("contact_mails")
	contactMailedStmt  = statements.Get("contact_mailed")
)

// PrimaryContact is the name of the address that players set themselves.
const PrimaryContact = "Primary"

const (
	tokenLife   = 24 * time.Hour
	mailsPerDay = 10 // that one player can cause
)

// AddOrUpdateContactEmailRequest sets the caller's contact address.
type AddOrUpdateContactEmailRequest struct {
	EmailAddress string `json:"EmailAddress" required:"true"`
}

// ServerAddOrUpdateContactEmailRequest sets an address of any player.
type ServerAddOrUpdateContactEmailRequest struct {
	PlatformId   string `json:"PlatformId" required:"true"`
	EmailAddress string `json:"EmailAddress" required:"true"`
	Name         string `json:"Name"` // "" is PrimaryContact
}

// RemoveContactEmailRequest takes the caller's contact address away.
type RemoveContactEmailRequest struct{}

// ServerRemoveContactEmailRequest takes an address of any player away.
type ServerRemoveContactEmailRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	Name       string `json:"Name"` // "" is PrimaryContact
}

// ConfirmContactEmailRequest brings back a token that was mailed.
type ConfirmContactEmailRequest struct {
	TitleId string `json:"TitleId"`
	Token   string `json:"Token" required:"true"`
}

func (s *Service) addOrUpdateContact(ctx context.Context, c *call.Call, r *AddOrUpdateContactEmailRequest) (any, error) {
	return nil, s.putContact(ctx, c, c.Player, PrimaryContact, r.EmailAddress)
}

func (s *Service) serverAddOrUpdateContact(ctx context.Context, c *call.Call, r *ServerAddOrUpdateContactEmailRequest) (any, error) {
	f := &call.Faults{}
	checkText(f, "Name", r.Name, maxID)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return nil, s.putContact(ctx, c, r.PlatformId, contactName(r.Name), r.EmailAddress)
}

func (s *Service) removeContact(ctx context.Context, c *call.Call, _ *RemoveContactEmailRequest) (any, error) {
	return nil, s.dropContact(ctx, c, c.Player, PrimaryContact)
}

func (s *Service) serverRemoveContact(ctx context.Context, c *call.Call, r *ServerRemoveContactEmailRequest) (any, error) {
	return nil, s.dropContact(ctx, c, r.PlatformId, contactName(r.Name))
}

func contactName(name string) string {
	if name == "" {
		return PrimaryContact
	}
	return name
}

// putContact sets an address. One that is new must be confirmed: a mail with a
// token goes there, where there is something to send it with. An address that is
// confirmed already stays so.
func (s *Service) putContact(ctx context.Context, c *call.Call, player, name, address string) error {
	if faults := account.CheckEmail(address); faults != nil {
		f := &call.Faults{}
		f.AddAll("EmailAddress", faults)
		return f.As("InvalidEmailAddress", "Invalid email address")
	}
	token := rand.Text() + rand.Text()
	hash := tokenHash(token)
	send := false
	err := s.write(ctx, c, player, func(tx store.Tx) error {
		send = false
		have, err := loadContacts(tx, c.Title.ID, player)
		if err != nil {
			return err
		}
		old, known := findContact(have, name)
		switch {
		case known && old.Status == Confirmed && account.EmailName(old.Address) == account.EmailName(address):
			return nil
		case !known && len(have) == maxContacts:
			return overLimit("contact e-mail addresses", maxContacts)
		}
		row := contactRow{Name: name, Address: address, Status: Unverified}
		if s.opt.Mailer != nil && s.opt.Mailer.Configured() {
			if err := countMail(tx, c, player); err != nil {
				return err
			}
			row.Status, row.TokenHash, row.TokenExpires = Pending, hash, c.Now.Add(tokenLife).UnixMilli()
			send = true
		}
		return row.put(tx, c.Title.ID, player)
	})
	if err != nil || !send {
		return err
	}
	if err := s.mailToken(ctx, c.Title, address, token); err != nil {
		settle := func(tx store.Tx) error { _, err := tx.Exec(contactSettleStmt, hash, string(Unverified)); return err }
		if err := s.gate.Store().Write(context.WithoutCancel(ctx), settle); err != nil {
			return err
		}
		if ludgate.AsError(err).Kind == ludgate.Invalid {
			f := &call.Faults{}
			f.Add("EmailAddress", "The address was stored, but no mail can go there.")
			return f.As("InvalidEmailAddress", "Invalid email address")
		}
		return ludgate.Errorf(ludgate.Unavailable, "DownstreamServiceUnavailable",
			"The address was stored, but its confirmation could not be mailed. Set it again to try once more.").Because(err)
	}
	return nil
}

// mailToken sends a token to the address that it confirms.
func (s *Service) mailToken(ctx context.Context, t *title.Title, address, token string) error {
	game := t.Name
	if game == "" || len(game) > maxID {
		game = "the game"
	}
	how := "To confirm, enter this code in the game:\n\n" + token
	if s.opt.PublicURL != "" {
		how = "To confirm, open this page:\n\n" + s.opt.PublicURL + ConfirmPath + "?token=" + token
	}
	return s.opt.Mailer.Send(ctx, mail.Message{
		To: []string{address}, Subject: "Confirm your address for " + game,
		Text: "Somebody, probably you, gave this address as a contact address in " + game + ".\n\n" + how +
			"\n\nThis works once, within 24 hours. If it was not you, do nothing.\n",
	})
}

func findContact(rows []contactRow, name string) (contactRow, bool) {
	for _, r := range rows {
		if r.Name == name {
			return r, true
		}
	}
	return contactRow{}, false
}

// countMail counts a mail that a player causes, and refuses one too many: an
// address is not only the caller's business.
func countMail(tx store.Tx, c *call.Call, player string) error {
	m, err := loadMails(tx, c.Title.ID, player)
	if err != nil {
		return err
	}
	if m == nil {
		m = &mailCount{Since: c.Millis()}
	}
	wait := time.UnixMilli(m.Since).Add(24 * time.Hour).Sub(c.Now)
	switch {
	case wait <= 0:
		m = &mailCount{Since: c.Millis()}
	case m.N >= mailsPerDay:
		return ludgate.Errorf(ludgate.Throttled, "APIClientRequestRateLimitExceeded",
			"The client has exceeded the maximum API request rate and is being throttled").After(wait)
	}
	m.N++
	return m.put(tx, c.Title.ID, player)
}

// mailCount is how many mails a player caused since when.
type mailCount struct {
	Since int64 `json:"since"`
	N     int64 `json:"n"`
}

// loadMails gives a player's count, nil when there is none.
func loadMails(tx store.Tx, title, player string) (*mailCount, error) {
	var m *mailCount
	_, err := store.QueryOne(tx, contactMailsStmt, func(r store.Row) error { m = &mailCount{r.Int(0), r.Int(1)}; return nil }, title, player)
	return m, err
}

func (m *mailCount) put(tx store.Tx, title, player string) error {
	_, err := tx.Exec(contactMailedStmt, title, player, m.Since, m.N)
	return err
}

func (s *Service) dropContact(ctx context.Context, c *call.Call, player, name string) error {
	return s.write(ctx, c, player, func(tx store.Tx) error {
		_, err := tx.Exec(contactRemoveStmt, c.Title.ID, player, name)
		return err
	})
}

func (s *Service) confirmContact(ctx context.Context, c *call.Call, r *ConfirmContactEmailRequest) (any, error) {
	return nil, s.confirm(ctx, c.Title.ID, r.Token, c.Now)
}

// confirm settles the address that a token was mailed to. titleID is "" where
// the token is all that is known.
func (s *Service) confirm(ctx context.Context, titleID, token string, now time.Time) error {
	hash := tokenHash(token)
	return s.gate.Store().Write(ctx, func(tx store.Tx) error {
		of, expires := "", int64(0)
		found, err := store.QueryOne(tx, contactByTokenStmt, func(r store.Row) error { of, expires = r.Text(0), r.Int(3); return nil }, hash)
		switch {
		case err != nil:
			return err
		case !found || titleID != "" && of != titleID:
			return call.Refuse("AuthTokenDoesNotExist", "The token is unknown, or was used already.")
		case expires <= now.UnixMilli():
			return call.Refuse("AuthTokenExpired", "The token has expired. Set the address again to get another one.")
		}
		_, err = tx.Exec(contactSettleStmt, hash, string(Confirmed))
		return err
	})
}

// tokenHash is what is stored of a token. Tokens are random, so a plain hash
// gives nothing away, and finding it in an index neither.
func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// contactRow is a stored address. A token that waits is not exported.
type contactRow struct {
	Name         string                  `json:"name"`
	Address      string                  `json:"address"`
	Status       EmailVerificationStatus `json:"status"`
	TokenHash    []byte                  `json:"-"`
	TokenExpires int64                   `json:"-"`
}

func (r contactRow) put(tx store.Tx, title, player string) error {
	_, err := tx.Exec(contactPutStmt, title, player, r.Name, r.Address, string(r.Status), r.TokenHash, r.TokenExpires)
	return err
}

func loadContacts(tx store.Tx, title, player string) ([]contactRow, error) {
	rows := []contactRow{}
	err := tx.Query(contactsStmt, func(r store.Row) error {
		c := contactRow{Name: r.Text(0), Address: r.Text(1), Status: EmailVerificationStatus(r.Text(2)), TokenExpires: r.Int(4)}
		if !r.IsNull(3) {
			c.TokenHash = append([]byte(nil), r.Bytes(3)...)
		}
		rows = append(rows, c)
		return nil
	}, title, player)
	return rows, err
}

// shown is an address as a profile has it.
func (r contactRow) shown() ContactEmailInfoModel {
	return ContactEmailInfoModel{Name: r.Name, EmailAddress: r.Address, VerificationStatus: r.Status}
}
