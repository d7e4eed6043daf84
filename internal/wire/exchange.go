package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
)

// exchange is one request and its answer on the way through the edge.
type exchange struct {
	http.ResponseWriter
	edge     *Edge
	http     *http.Request
	surface  Surface
	segments []string // of the cleaned, escaped path, in the caller's spelling
	id       string
	clientID string
	naming   *Naming
	answered bool
}

// serve runs the call of an entry.
func (x *exchange) serve(en *entry) {
	x.surface = en.surface
	if x.http.Method == http.MethodOptions && x.surface == Player {
		x.preflight()
		return
	}
	m, ok := en.methods[x.http.Method]
	if !ok && x.http.Method == http.MethodHead {
		m, ok = en.methods[http.MethodGet]
	}
	if !ok {
		x.Header().Set("Allow", en.allow())
		x.fail(x.wrongMethod(en.allow()))
		return
	}
	if x.edge.draining.Load() && !m.WhileDraining {
		x.Header().Set("Connection", "close")
		x.fail(ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "The server is shutting down; try again in a moment.").After(time.Second))
		return
	}
	r, ctx, err := x.prepare(en, m)
	if err != nil {
		x.fail(err)
		return
	}
	defer releaseBody(r)
	reply, err := m.Handler(ctx, r)
	if err != nil {
		x.fail(err)
		return
	}
	x.reply(reply)
}

// prepare does every step before the handler, in the order the surfaces'
// clients rely on: principal, api-version, path rules, body, naming.
func (x *exchange) prepare(en *entry, m method) (*Request, context.Context, error) {
	r := &Request{HTTP: x.http, ID: x.id, ClientID: x.clientID, Namespace: en.namespace, surface: x.surface, titleDomains: x.edge.opt.TitleDomains}
	r.Client = address(x.http, x.edge.opt.TrustedProxies)
	var err error
	if x.surface == Player && x.edge.opt.Admit != nil {
		if err := x.edge.opt.Admit(r.Client); err != nil {
			return nil, nil, err
		}
	}
	if r.params, err = m.params(x.segments); err != nil {
		return nil, nil, invalidRequest(x.surface, "The path of the request is not well-formed.").Because(err)
	}
	ctx := x.http.Context()
	if (x.surface == Management || x.surface == Directory) && !m.Open && x.edge.opt.Authenticate != nil {
		if ctx, err = x.edge.opt.Authenticate(x.http, x.surface); err != nil {
			return nil, nil, err
		}
	}
	if x.surface == Management {
		if err := x.managementRules(r, m); err != nil {
			return nil, nil, err
		}
	}
	if x.http.Method != http.MethodGet && x.http.Method != http.MethodHead {
		if err := x.readBody(r, m.Route); err != nil {
			return nil, nil, err
		}
	}
	if x.surface == Player {
		if err := x.chooseNaming(r, m); err != nil {
			return nil, nil, err
		}
	}
	r.Naming = x.naming
	return r, ctx, nil
}

// chooseNaming picks the naming of a player call: the title's own, else the
// server's, and refuses a path that this naming spells otherwise.
func (x *exchange) chooseNaming(r *Request, m method) error {
	if pick := x.edge.opt.TitleNaming; pick != nil {
		if n := pick(func() string { return x.title(r) }); n != nil {
			x.naming = n
		}
	}
	if x.naming.path(m.Path) != x.http.URL.Path {
		return x.unknownPath()
	}
	return nil
}

// title is the title that a player call is for, as far as can be told before its
// naming is known.
func (x *exchange) title(r *Request) string {
	id := r.HostTitle()
	if id == "" {
		id = peekString(r.Body, "TitleId")
	}
	if id == "" && x.edge.opt.TitleOf != nil {
		id = x.edge.opt.TitleOf(x.http.Header)
	}
	return id
}

// reply writes a handler's answer.
func (x *exchange) reply(p *Reply) {
	status := p.Status
	if status == 0 {
		status = http.StatusOK
	}
	for k, v := range p.Header {
		x.Header()[k] = v
	}
	raw, isRaw := p.Body.([]byte)
	if p.Body == nil || isRaw {
		x.write(status, raw)
		return
	}
	body, err := x.encode(p)
	if err != nil {
		x.fail(err)
		return
	}
	x.Header().Set("Content-Type", "application/json; charset=utf-8")
	x.write(status, body)
}

// encode marshals a success with the surface's envelope and the naming.
func (x *exchange) encode(p *Reply) ([]byte, error) {
	v := p.Body
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, ludgate.Errorf(ludgate.Internal, "InternalServerError", "An internal error occurred.").Because(err)
	}
	if x.surface != Player {
		return body, nil
	}
	if body, err = x.naming.outward(body, v); err != nil {
		return nil, ludgate.Errorf(ludgate.Internal, "InternalServerError", "An internal error occurred.").Because(err)
	}
	return x.naming.wrap(body, p.SignIn), nil
}

// wrap puts a player result into the naming's envelope.
func (n *Naming) wrap(result []byte, signIn bool) []byte {
	if n.Player.Envelope != Wrapped && n.Player.Envelope != Both {
		return result
	}
	out := append([]byte(`{"code":200,"status":"OK","data":`), result...)
	if n.Player.Envelope == Both && signIn && len(result) > 2 { // not {}
		return append(append(out, ','), result[1:]...)
	}
	return append(out, '}')
}

// fail writes a refusal in the surface's own shape.
func (x *exchange) fail(err error) {
	e := ludgate.AsError(storeTrouble(err))
	if e.Kind == ludgate.Internal {
		x.edge.opt.Log.Error("request failed", "request", x.id, "method", x.http.Method, "path", x.http.URL.Path, "error", err)
	} else if x.edge.opt.Log.Enabled(context.Background(), slog.LevelDebug) {
		x.edge.opt.Log.Debug("request refused", "request", x.id, "method", x.http.Method, "path", x.http.URL.Path, "error", err)
	}
	if e.RetryAfter > 0 {
		x.Header().Set("Retry-After", strconv.Itoa(seconds(e.RetryAfter)))
	}
	status, body := statusOf(e.Kind), any(nil)
	switch x.surface {
	case Player:
		status, body = playerError(x.naming, e)
		if x.http.Header.Get("X-ReportErrorAsSuccess") == "true" {
			status = http.StatusOK
		}
	case Directory:
		x.challenge(e)
		body = directoryErrorOf(e, x.id, x.clientID, x.edge.opt.Clock())
	default:
		x.challenge(e)
		x.Header().Set("x-ms-error-code", e.Code)
		body = cloudError{CloudErrorOf(e)}
	}
	b, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		panic(err) // the bodies above always marshal
	}
	x.Header().Set("Content-Type", "application/json; charset=utf-8")
	x.write(status, b)
}

// challenge adds the WWW-Authenticate header of a 401.
func (x *exchange) challenge(e *ludgate.Error) {
	if e.Kind != ludgate.Unauthenticated {
		return
	}
	c := `Bearer authorization_uri="` + x.edge.opt.AuthorityURL + `/common/oauth2/authorize"`
	switch {
	case x.http.Header.Get("Authorization") != "":
		c += `, error="invalid_token", error_description="The access token is not valid."`
	case x.surface == Management:
		c += `, error="invalid_token", error_description="The authentication failed because of missing 'Authorization' header."`
	}
	x.Header().Set("WWW-Authenticate", c)
}

// write sends status, the surface's headers and the body, once.
func (x *exchange) write(status int, body []byte) {
	if x.answered {
		return
	}
	x.answered = true
	h := x.Header()
	switch x.surface {
	case Player:
		h["X-RequestId"] = []string{x.id}
		x.allowOrigin()
	case Directory:
		h["request-id"] = []string{x.id}
		id := x.clientID
		if id == "" {
			id = x.id
		}
		h["client-request-id"] = []string{id}
	default:
		h["x-ms-request-id"] = []string{x.id}
		corr := x.http.Header.Get("x-ms-correlation-request-id")
		if corr == "" || len(corr) > 128 || !printable(corr) {
			corr = x.id
		}
		h["x-ms-correlation-request-id"] = []string{corr}
		if x.clientID != "" {
			h["x-ms-client-request-id"] = []string{x.clientID}
		}
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if status != http.StatusNoContent && status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.WriteHeader(status)
	if x.http.Method != http.MethodHead && len(body) > 0 {
		_, _ = x.Write(body) // the client may be gone; there is nobody to tell
	}
}

// recover turns a panic of a handler into a 500 and a log line.
func (x *exchange) recover() {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	if x.answered {
		x.edge.opt.Log.Error("request failed after its answer", "request", x.id, "error", err)
		return
	}
	x.fail(err)
}
