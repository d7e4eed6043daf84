package platform

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/ticket"
)

// ClientID is the application that tokens are issued to unless another one is
// asked for, and therefore the streaming client id of titles in development mode.
const ClientID = "ludgate-dev"

// ValidatePath is where the handler answers.
const ValidatePath = "/oauth2/validate"

// tokenPurpose keeps these tokens apart from all else that a ring seals.
const tokenPurpose = "development streaming token"

// Platform makes and validates tokens.
type Platform struct {
	ring  *ticket.Ring
	clock ludgate.Clock
	mux   *http.ServeMux
}

// New makes a platform whose signing keys are in dir.
func New(dir string, clock ludgate.Clock) (*Platform, error) {
	ring, err := ticket.OpenRing(dir, "streaming-platform.json", clock)
	if err != nil {
		return nil, err
	}
	p := &Platform{ring: ring, clock: clock, mux: http.NewServeMux()}
	p.mux.HandleFunc("GET "+ValidatePath, p.validate)
	p.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "not found") })
	return p, nil
}

// ServeHTTP answers as the platform's public server.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// token is what a token says.
type token struct {
	ClientID string `json:"c"`
	UserID   string `json:"u,omitzero"` // "": the application's own token
	Login    string `json:"l,omitzero"`
	Expires  int64  `json:"e,omitzero"` // Unix seconds; 0: never
	Nonce    string `json:"n"`
}

// userReply and appReply are the two forms of a valid answer.
type userReply struct {
	ClientID  string   `json:"client_id"`
	Login     string   `json:"login"`
	Scopes    []string `json:"scopes"`
	UserID    string   `json:"user_id"`
	ExpiresIn int64    `json:"expires_in"`
}

type appReply struct {
	ClientID  string    `json:"client_id"`
	Scopes    *struct{} `json:"scopes"` // always null
	ExpiresIn int64     `json:"expires_in"`
}

// validate answers GET /oauth2/validate.
func (p *Platform) validate(w http.ResponseWriter, r *http.Request) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if text == "" || !strings.EqualFold(scheme, "OAuth") && !strings.EqualFold(scheme, "Bearer") {
		refuse(w, http.StatusUnauthorized, "missing authorization token")
		return
	}
	t, ok := p.open(text)
	if !ok {
		refuse(w, http.StatusUnauthorized, "invalid access token")
		return
	}
	left := int64(0)
	if t.Expires != 0 {
		left = t.Expires - p.clock().Unix()
	}
	if t.UserID == "" {
		answer(w, http.StatusOK, appReply{ClientID: t.ClientID, ExpiresIn: left})
		return
	}
	answer(w, http.StatusOK, userReply{ClientID: t.ClientID, Login: t.Login, Scopes: []string{}, UserID: t.UserID, ExpiresIn: left})
}

// open reads a token that this platform made and that has not expired.
func (p *Platform) open(text string) (t token, ok bool) {
	b, err := p.ring.Open(tokenPurpose, text)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return t, false
	}
	return t, t.Expires == 0 || p.clock().Before(time.Unix(t.Expires, 0))
}

// refusal is the platform's error body.
type refusal struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, refusal{status, message})
}

func answer(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // the bodies above always marshal
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may be gone
}
