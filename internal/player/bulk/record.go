package bulk

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
	"ludgate/internal/password"
	"ludgate/internal/player/account"
	"ludgate/internal/player/part"
)

// Limits of texts that others gave out, in bytes.
const (
	maxStreamingName = 100
	maxURL           = 2000
	maxOpenIDs       = 100
	maxOpenIDText    = 1000
	maxSecret        = 1000
)

// Player is one line of an export. Members that a player does not have are
// absent; times are RFC 3339.
type Player struct {
	ID             string                    `json:"id,omitzero"`      // PlatformId, 16 upper-case hexadecimal digits; a new one when absent
	Account        string                    `json:"account,omitzero"` // id of the title player account, likewise
	Origination    account.UserOrigination   `json:"origination,omitzero"`
	Username       string                    `json:"username,omitzero"`
	Email          string                    `json:"email,omitzero"`
	Password       string                    `json:"password,omitzero"` // PHC string of argon2id
	DisplayName    string                    `json:"display_name,omitzero"`
	StreamingID    string                    `json:"streaming_id,omitzero"`
	StreamingName  string                    `json:"streaming_name,omitzero"`
	CustomID       string                    `json:"custom_id,omitzero"`
	ServerCustomID string                    `json:"server_custom_id,omitzero"`
	OpenIDs        []OpenID                  `json:"openids,omitzero"`
	AvatarURL      string                    `json:"avatar_url,omitzero"`
	PlayerSecret   string                    `json:"player_secret,omitzero"`
	BannedUntil    string                    `json:"banned_until,omitzero"`
	Created        string                    `json:"created,omitzero"`        // now when absent
	LastLogin      string                    `json:"last_login,omitzero"`     // Created when absent
	PreviousLogin  string                    `json:"previous_login,omitzero"` // never when absent
	Parts          map[string]jsontext.Value `json:"parts,omitzero"`          // dumps by the parts' names
}

// OpenID is a linked identity of an OpenID Connect provider.
type OpenID struct {
	Connection string `json:"connection"`
	Issuer     string `json:"issuer"`
	Subject    string `json:"subject"`
}

// incoming is a line that was read and keeps the rules.
type incoming struct {
	line    int // of the file
	account *account.Account
	given   bool // the line has an id
	parts   []part.Dump
}

// fault is what is wrong with a line, in sentences for people.
type fault string

func (f fault) Error() string { return string(f) }

var idPattern = regexp.MustCompile(`^[0-9A-F]{16}$`)

// record is an account as a line.
func (b *Bulk) record(a *account.Account) (*Player, error) {
	secret, err := b.opt.Gate.OpenSecret(a)
	if err != nil {
		return nil, fmt.Errorf("secret of player %s: %w", a.ID, err)
	}
	p := &Player{
		ID: a.ID, Account: a.Account, Origination: a.Origination, Username: a.Username, Email: a.Email, Password: a.Password,
		DisplayName: a.DisplayName, StreamingID: a.StreamingID, StreamingName: a.StreamingName, CustomID: a.CustomID,
		ServerCustomID: a.ServerCustomID, AvatarURL: a.AvatarURL, PlayerSecret: secret,
		BannedUntil: stamp(a.BannedUntil), Created: stamp(a.Created), LastLogin: stamp(a.LastLogin), PreviousLogin: stamp(a.PreviousLogin),
	}
	for _, o := range a.OpenIDs {
		p.OpenIDs = append(p.OpenIDs, OpenID(o))
	}
	return p, nil
}

func stamp(ms int64) string {
	if ms == 0 {
		return ""
	}
	return account.Stamp(ms)
}

// parse reads a line and holds it against the rules. Its error is for people.
func (b *Bulk) parse(titleID string, text []byte, now time.Time) (*incoming, error) {
	p := &Player{}
	if err := json.Unmarshal(text, p, json.RejectUnknownMembers(true)); err != nil {
		return nil, plain(err)
	}
	if faults := p.check(); len(faults) > 0 {
		return nil, fault(strings.Join(faults, " "))
	}
	a := &account.Account{
		Title: titleID, ID: p.ID, Account: p.Account, Origination: p.Origination, Username: p.Username, Email: p.Email, Password: p.Password,
		DisplayName: p.DisplayName, StreamingID: p.StreamingID, StreamingName: p.StreamingName, CustomID: p.CustomID,
		ServerCustomID: p.ServerCustomID, AvatarURL: p.AvatarURL,
	}
	for _, o := range p.OpenIDs {
		a.OpenIDs = append(a.OpenIDs, account.OpenID(o))
	}
	if a.Origination == "" {
		a.Origination = account.Unknown
	}
	a.Created = now.UnixMilli()
	for _, t := range []struct {
		name, text string
		to         *int64
	}{{"banned_until", p.BannedUntil, &a.BannedUntil}, {"created", p.Created, &a.Created}, {"last_login", p.LastLogin, &a.LastLogin}, {"previous_login", p.PreviousLogin, &a.PreviousLogin}} {
		if err := parseTime(t.name, t.text, t.to); err != nil {
			return nil, err
		}
	}
	if a.LastLogin == 0 {
		a.LastLogin = a.Created
	}
	if a.Account == "" {
		a.Account = ludgate.NewPlayerID()
	}
	in := &incoming{account: a, given: p.ID != ""}
	if a.ID == "" {
		a.ID = b.newID()
	}
	if p.PlayerSecret != "" {
		a.Secret = b.opt.Gate.SealSecret(a, p.PlayerSecret)
	}
	if !in.given && len(a.Names(false)) == 0 {
		return nil, fault("The player has neither an id nor a name or identity to sign in with.")
	}
	var err error
	in.parts, err = b.parseParts(p.Parts)
	return in, err
}

// idsPerUnit is how many new ids share one unit of their time, so that doubles
// stay rare however fast players come and whatever their Created.
const idsPerUnit = 64

// newID makes an id for a player who brings none: as account.NewID does, with a
// time that runs ahead when many are made at once.
func (b *Bulk) newID() string {
	const unit = 4 // milliseconds that ids tell apart
	now := b.opt.Gate.Clock()().UnixMilli() / unit * idsPerUnit
	for {
		last := b.lastID.Load()
		next := max(now, last+1)
		if b.lastID.CompareAndSwap(last, next) {
			return account.NewID(next / idsPerUnit * unit)
		}
	}
}

// parseParts reads the dumps in the order of the parts.
func (b *Bulk) parseParts(dumps map[string]jsontext.Value) ([]part.Dump, error) {
	if len(dumps) == 0 {
		return nil, nil
	}
	var out []part.Dump
	known := 0
	for _, p := range b.opt.Parts {
		text, ok := dumps[p.Name()]
		if !ok {
			continue
		}
		known++
		d, err := p.Parse(text)
		if err != nil {
			return nil, fault("In parts." + p.Name() + ": " + plain(err).Error())
		}
		out = append(out, d)
	}
	if known == len(dumps) {
		return out, nil
	}
	name := ""
	for n := range dumps {
		if !slices.ContainsFunc(b.opt.Parts, func(p part.Part) bool { return p.Name() == n }) {
			name = max(name, n)
		}
	}
	return nil, fault(fmt.Sprintf("parts has %q, which this Ludgate does not know; known are %s.", name, b.partNames()))
}

func (b *Bulk) partNames() string {
	names := make([]string, 0, len(b.opt.Parts))
	for _, p := range b.opt.Parts {
		names = append(names, p.Name())
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// check gives what is wrong with the texts of a line, each a sentence.
func (p *Player) check() (faults []string) {
	add := func(text string) { faults = append(faults, text) }
	if p.ID != "" && !idPattern.MatchString(p.ID) {
		add("id must be 16 upper-case hexadecimal digits.")
	}
	if p.Account != "" && !idPattern.MatchString(p.Account) {
		add("account must be 16 upper-case hexadecimal digits.")
	}
	switch p.Origination {
	case "", account.Organic, account.StreamingPlatform, account.CustomID, account.ServerCustomID, account.OpenIDConnect, account.Unknown, account.LoadTest:
	default:
		add("origination is none of Organic, StreamingPlatform, CustomId, ServerCustomId, OpenIdConnect, Unknown, LoadTest.")
	}
	if p.Username != "" {
		faults = append(faults, account.CheckUsername(p.Username)...)
	}
	if p.Email != "" {
		faults = append(faults, account.CheckEmail(p.Email)...)
	}
	if p.Password != "" && password.CheckHash(p.Password) != nil {
		add("password must be a PHC string of argon2id ($argon2id$v=19$m=…,t=…,p=…$salt$hash); plain passwords and other hashes are not imported.")
	}
	if p.DisplayName != "" {
		faults = append(faults, account.CheckDisplayName(p.DisplayName)...)
	}
	for _, id := range []struct{ name, text string }{{"streaming_id", p.StreamingID}, {"custom_id", p.CustomID}, {"server_custom_id", p.ServerCustomID}} {
		faults = append(faults, account.CheckIdentity(id.name, id.text)...)
	}
	bounded := func(name, text string, most int) {
		if len(text) > most {
			add(fmt.Sprintf("%s has %d bytes; the most is %d.", name, len(text), most))
		}
		if strings.ContainsFunc(text, unicode.IsControl) {
			add(name + " has control characters.")
		}
	}
	bounded("streaming_name", p.StreamingName, maxStreamingName)
	bounded("avatar_url", p.AvatarURL, maxURL)
	bounded("player_secret", p.PlayerSecret, maxSecret)
	if len(p.OpenIDs) > maxOpenIDs {
		add(fmt.Sprintf("openids has %d entries; the most is %d.", len(p.OpenIDs), maxOpenIDs))
	}
	for _, o := range p.OpenIDs {
		if o.Issuer == "" || o.Subject == "" {
			add("openids: issuer and subject are required.")
		}
		bounded("openids", o.Connection+o.Issuer+o.Subject, maxOpenIDText)
	}
	return faults
}

// parseTime reads a time into milliseconds; an absent one leaves them.
func parseTime(name, text string, to *int64) error {
	if text == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UnixMilli() <= 0 || t.UnixMilli() > account.Forever {
		return fault(name + " must be a time such as 2026-03-04T05:06:07.89Z, after 1970.")
	}
	*to = t.UnixMilli()
	return nil
}

// plain is what a JSON error says, in words of its own where there are some, and
// without the text that it quotes.
func plain(err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		return fault(fmt.Sprintf("This is not a JSON object: %v (at byte %d).", syntax.Err, syntax.ByteOffset+1))
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return fault("The member " + at(semantic.JSONPointer) + " is unknown.")
	case errors.As(err, &semantic):
		return fault("The member " + at(semantic.JSONPointer) + " has the wrong type.")
	}
	return err
}

// at is a place in a line as people write it.
func at(p jsontext.Pointer) string {
	if p == "" {
		return "(the line itself)"
	}
	return strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", ".")
}
