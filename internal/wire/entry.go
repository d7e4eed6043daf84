package wire

import (
	"errors"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// entry is one path of a mux with the routes of its methods.
type entry struct {
	surface   Surface
	path      string // as this spelling registers it
	namespace string
	methods   map[string]method
}

// method is a route and where its wildcards stand.
type method struct {
	Route
	wild map[int]string // segment index -> wildcard name
}

func newMethod(rt Route) method {
	m := method{Route: rt, wild: map[int]string{}}
	for i, seg := range strings.Split(rt.Path, "/") {
		if strings.HasPrefix(seg, "{") {
			m.wild[i] = strings.Trim(seg, "{}")
		}
	}
	return m
}

// patternKey is the mux pattern of a path: exact surfaces keep it, the others
// fold fixed segments and blank the wildcards' names, so that routes of one
// shape meet in one entry.
func patternKey(s Surface, spelled string) string {
	segs := strings.Split(spelled, "/")
	for i, seg := range segs {
		switch {
		case strings.HasPrefix(seg, "{"):
			segs[i] = "{w" + string(rune('a'+i)) + "}"
		case s == Management || s == Directory:
			segs[i] = strings.ToLower(seg)
		}
	}
	return strings.Join(segs, "/")
}

// allow lists the methods of the entry.
func (en *entry) allow() string {
	var ms []string
	for m := range en.methods {
		ms = append(ms, m)
	}
	sort.Strings(ms)
	return strings.Join(ms, ", ")
}

var errBadSegment = errors.New("a segment of the path is not UTF-8 or holds control characters")

// params reads the wildcards out of the caller's own spelling of the path. What
// they hold is text without control characters, so that it can be looked up in
// every store and shown in every log.
func (m method) params(segments []string) (map[string]string, error) {
	if len(m.wild) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(m.wild))
	for i, name := range m.wild {
		v, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, err
		}
		if !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
			return nil, errBadSegment
		}
		out[name] = v
	}
	return out, nil
}

// ServeHTTP takes over from the mux; w is always the edge's exchange.
func (en *entry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.(*exchange).serve(en)
}

// notFound answers where no entry matches.
type notFound struct{}

func (notFound) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	x := w.(*exchange)
	x.fail(x.unknownPath())
}
