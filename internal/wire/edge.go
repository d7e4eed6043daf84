package wire

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"ludgate"
)

// Options configure an Edge. The zero value of a field has the default its
// comment names.
type Options struct {
	Default *Naming   // what a client speaks when nothing else says so; Neutral
	Namings []*Naming // all namings served; Neutral and Vendor when empty
	// TitleNaming gives the naming of a title that has one of its own, else
	// nil. It calls titleID only where some title has one: finding the title
	// takes a look into the body. Nil when no title ever has one.
	TitleNaming func(titleID func() string) *Naming
	// TitleOf gives the title that the proof in a call's headers is for, or "",
	// for calls that name no title in their host or body. It may be nil.
	TitleOf func(http.Header) string
	// Authenticate finds the principal of a Management or Directory request and
	// gives a context that carries it, or an Unauthenticated error.
	Authenticate func(r *http.Request, s Surface) (context.Context, error)
	// Admit refuses a player call before its body is read, such as one call too
	// many; nil lets all in.
	Admit func(client netip.Addr) error
	// TitleDomains are the domains in which host names begin with a title's id;
	// any domain when there is none.
	TitleDomains []string
	// TrustedProxies are the networks whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// AuthorityURL stands in the challenge of a 401.
	AuthorityURL string
	BodyTimeout  time.Duration // to receive a body; 15 s
	MaxBody      int64         // default limit of a body; 4 MiB, player 1 MiB
	Clock        ludgate.Clock // time.Now
	Log          *slog.Logger  // slog.Default
}

// Edge serves routes. Make it with [NewEdge].
type Edge struct {
	opt      Options
	exact    *http.ServeMux // Player and Own surfaces
	fold     *http.ServeMux // Management and Directory: fixed segments in any case
	inFlight atomic.Int64
	draining atomic.Bool
}

// NewEdge makes the handler of the routes. Two routes for one path and method
// are a mistake of the program and panic.
func NewEdge(opt Options, routes ...Route) *Edge {
	if opt.Default == nil {
		opt.Default = Neutral
	}
	if len(opt.Namings) == 0 {
		opt.Namings = []*Naming{Neutral, Vendor}
	}
	if opt.BodyTimeout == 0 {
		opt.BodyTimeout = 15 * time.Second
	}
	if opt.MaxBody == 0 {
		opt.MaxBody = 4 << 20
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	e := &Edge{opt: opt, exact: http.NewServeMux(), fold: http.NewServeMux()}
	paths := map[string]*entry{}
	for _, rt := range routes {
		for spelled, ns := range e.spellings(rt) {
			key := patternKey(rt.Surface, spelled)
			en := paths[key]
			if en == nil {
				en = &entry{surface: rt.Surface, path: spelled, namespace: ns, methods: map[string]method{}}
				paths[key] = en
				if rt.Surface == Player || rt.Surface == Own {
					e.exact.Handle(spelled, en)
				} else {
					e.fold.Handle(key, en)
				}
			}
			if _, dup := en.methods[rt.Method]; dup {
				panic("wire: two routes for " + rt.Method + " " + spelled)
			}
			en.methods[rt.Method] = newMethod(rt)
		}
	}
	e.exact.Handle("/", notFound{})
	e.fold.Handle("/", notFound{})
	return e
}

// spellings gives every path a route is served under, with the namespace of it.
func (e *Edge) spellings(rt Route) map[string]string {
	out := map[string]string{rt.Path: namespaceOf(rt.Path)}
	for _, n := range e.opt.Namings {
		switch rt.Surface {
		case Player:
			out[n.path(rt.Path)] = ""
		case Management:
			if ns := namespaceOf(rt.Path); ns != "" {
				if to, ok := n.Namespaces[ns]; ok {
					out[strings.Replace(rt.Path, "/"+ns+"/", "/"+to+"/", 1)] = to
				}
			}
		}
	}
	return out
}

// namespaceOf finds the segment after "providers" in a path.
func namespaceOf(p string) string {
	_, rest, ok := strings.Cut(p, "/providers/")
	if !ok {
		return ""
	}
	ns, _, _ := strings.Cut(rest, "/")
	return ns
}

// Drain makes every new request a 503 with Retry-After; requests under way go
// on. See [Edge.InFlight].
func (e *Edge) Drain() { e.draining.Store(true) }

// InFlight is the number of requests under way.
func (e *Edge) InFlight() int64 { return e.inFlight.Load() }

// ServeHTTP serves one request.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.inFlight.Add(1)
	defer e.inFlight.Add(-1)
	x := &exchange{ResponseWriter: w, edge: e, http: r, naming: e.opt.Default}
	escaped := cleanPath(r.URL.EscapedPath())
	x.surface = surfaceOf(escaped)
	if x.surface == Directory {
		escaped = partKey(escaped)
	}
	x.segments = strings.Split(escaped, "/")
	defer x.recover()
	x.id = ludgate.NewGUID()
	x.clientID = clientRequestID(r)
	mux := e.exact
	if x.surface == Management || x.surface == Directory {
		mux, escaped = e.fold, strings.ToLower(escaped)
	}
	u := *r.URL
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		x.fail(invalidRequest(x.surface, "The path of the request is not well-formed."))
		return
	}
	u.Path, u.RawPath = plain, escaped
	r2 := *r
	r2.URL = &u
	r2.Host = "" // routes do not depend on it
	mux.ServeHTTP(x, &r2)
}

// surfaceOf tells the surface of a path by its first segment.
func surfaceOf(escaped string) Surface {
	first, _, _ := strings.Cut(strings.TrimPrefix(escaped, "/"), "/")
	if i := openKey(first); i >= 0 {
		first = first[:i]
	}
	switch strings.ToLower(first) {
	case "subscriptions", "providers":
		return Management
	case "v1.0", "beta", "groups", "directory":
		return Directory
	case "dev", "control", "healthz", "readyz":
		return Own
	default:
		return Player
	}
}

// cleanPath removes double slashes and dot segments and keeps escapes.
func cleanPath(escaped string) string {
	if strings.Contains(escaped, "//") || strings.Contains(escaped, "/.") || !strings.HasPrefix(escaped, "/") {
		escaped = path.Clean("/" + escaped)
	}
	if len(escaped) > 1 {
		escaped = strings.TrimSuffix(escaped, "/")
	}
	return escaped
}

// partKey parts an OData key from its collection: "/groups(uniqueName='x')"
// becomes "/groups/(uniqueName='x')". Other surfaces have parentheses inside
// names.
func partKey(escaped string) string {
	if i := openKey(escaped); i > 0 && escaped[i-1] != '/' {
		return escaped[:i] + "/" + escaped[i:]
	}
	return escaped
}

// openKey finds the first parenthesis, which some clients escape, or gives -1.
func openKey(escaped string) int {
	i, j := strings.IndexByte(escaped, '('), strings.Index(escaped, "%28")
	if i < 0 || j >= 0 && j < i {
		return j
	}
	return i
}

// clientRequestID is the caller's own request id if it sent one that is fit to
// echo.
func clientRequestID(r *http.Request) string {
	for _, h := range []string{"client-request-id", "x-ms-client-request-id"} {
		if v := r.Header.Get(h); v != "" && len(v) <= 128 && printable(v) {
			return v
		}
	}
	return ""
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
