package platform

import (
	"context"
	"net/http"
	"regexp"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/wire"
)

// MintRequest says what token to make.
type MintRequest struct {
	// UserID and Login are the user's id and name on the platform. Login is the
	// id when empty. An application's token has neither: there they may be empty
	// and are not part of the token.
	UserID string `json:"user_id"`
	Login  string `json:"login"`
	// ExpiresIn is the token's life in seconds: 4 hours when absent; 0 for one
	// that never expires, which then reports 0, as some real ones do; negative
	// for one that has expired already.
	ExpiresIn *int64 `json:"expires_in"`
	// ClientID is the application the token is issued to, or ClientID of this
	// package when empty.
	ClientID string `json:"client_id"`
	// Kind is "user", also when empty, or "app" for an application's own token.
	Kind string `json:"kind"`
}

// MintReply carries the token.
type MintReply struct {
	AccessToken string `json:"access_token"`
}

const (
	defaultLife = 4 * 60 * 60             // seconds
	longestLife = 10 * 365 * 24 * 60 * 60 // seconds, either way
)

var word = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Mint makes a token, or refuses with an Invalid ludgate.Error that names the
// member at fault.
func (p *Platform) Mint(r MintRequest) (string, error) {
	t := token{ClientID: r.ClientID, UserID: r.UserID, Login: r.Login, Nonce: ludgate.NewPlayerID()}
	if t.ClientID == "" {
		t.ClientID = ClientID
	}
	switch r.Kind {
	case "", "user":
		if t.Login == "" {
			t.Login = t.UserID
		}
	case "app":
		t.UserID, t.Login = "", ""
	default:
		return "", bad("kind", "kind must be user or app.")
	}
	const form = " must be 1 to 64 letters, digits, dots, hyphens and underscores."
	switch {
	case r.Kind != "app" && !word.MatchString(r.UserID):
		return "", bad("user_id", "user_id"+form)
	case t.Login != "" && !word.MatchString(t.Login):
		return "", bad("login", "login"+form)
	case !word.MatchString(t.ClientID):
		return "", bad("client_id", "client_id"+form)
	}
	life := int64(defaultLife)
	if r.ExpiresIn != nil {
		life = *r.ExpiresIn
	}
	if life < -longestLife || life > longestLife {
		return "", bad("expires_in", "expires_in must be a number of seconds up to ten years, either way.")
	}
	if life != 0 {
		t.Expires = p.clock().Add(time.Duration(life) * time.Second).Unix()
	}
	b, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	return p.ring.Seal(tokenPurpose, b), nil
}

func bad(member, text string) error {
	return ludgate.Errorf(ludgate.Invalid, "InvalidParameter", "%s", text).At(member)
}

// Routes is the call that makes tokens. Anyone who reaches it can be anyone, so
// only development mode serves it.
func (p *Platform) Routes() []wire.Route {
	return []wire.Route{{Surface: wire.Own, Method: http.MethodPost, Path: "/dev/streaming/token", MaxBody: 16 << 10, Handler: p.mint}}
}

func (p *Platform) mint(_ context.Context, r *wire.Request) (*wire.Reply, error) {
	var req MintRequest
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	text, err := p.Mint(req)
	if err != nil {
		return nil, err
	}
	return wire.OK(MintReply{text}), nil
}
