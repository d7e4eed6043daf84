package wire

import (
	"context"
	"net/http"
	"reflect"
)

// Surface is a family of calls that share an error shape, a way to read JSON
// and a set of headers.
type Surface uint8

// The surfaces.
const (
	// Player: contract 1. PascalCase members matched exactly, ApiErrorWrapper.
	Player Surface = iota
	// Management: contract 2 and the name check of contract 3. Lenient reading,
	// CloudError, api-version, two provider namespaces.
	Management
	// Directory: the groups of contract 3. OData error body.
	Directory
	// Own: Ludgate's own calls (dev helpers, health). CloudError shape.
	Own
)

// Route is one call.
type Route struct {
	Surface Surface
	Method  string
	// Path is the neutral path with {wildcards} that fill whole segments. A
	// provider namespace stands as "Vendor.X"; the edge serves it under the
	// namespace of every naming. Fixed segments match exactly on the Player and
	// Own surfaces and without regard to case elsewhere.
	Path string
	// APIVersions are the values of api-version accepted under the neutral
	// namespace (Management only). Under another namespace every well-formed
	// version is accepted.
	APIVersions []string
	// AnyAPIVersion accepts every well-formed version, also under the neutral
	// namespace (polling URLs).
	AnyAPIVersion bool
	// MaxBody is the limit of the body in bytes after decompression; 0 means
	// the surface's default.
	MaxBody int64
	// Form: the body is what a page's form sends (application/x-www-form-urlencoded)
	// in place of JSON; the handler reads [Request].Body.
	Form bool
	// Open: the call needs no principal (Management and Directory only; the
	// other surfaces authenticate, where needed, inside their services).
	Open bool
	// WhileDraining: the call is answered also after [Edge.Drain].
	WhileDraining bool
	// Record is the type that the body is decoded into, where the route's maker
	// says, for who wants to know what a call takes; else nil.
	Record reflect.Type
	// Handler does the call.
	Handler Handler
}

// Handler does one call. It returns a Reply, or an error that becomes the
// surface's error body; an error that is no *ludgate.Error becomes a 500 whose
// cause is logged.
type Handler func(ctx context.Context, r *Request) (*Reply, error)

// Reply is what a call answers.
type Reply struct {
	Status int         // 0 means 200
	Header http.Header // further headers; nil for none
	// Body is marshalled as JSON after the naming; nil means no body. A []byte
	// is sent as it is under the Content-Type of Header.
	Body any
	// SignIn: the reply of a registration or a sign-in, whose members the
	// envelope [Both] repeats outside data. On other calls a result's members
	// could be taken for the envelope's.
	SignIn bool
}

// OK is a 200 with a body.
func OK(body any) *Reply { return &Reply{Status: http.StatusOK, Body: body} }

// NoContent is a 204.
func NoContent() *Reply { return &Reply{Status: http.StatusNoContent} }

// Set adds a header and returns the reply.
func (p *Reply) Set(key, value string) *Reply {
	if p.Header == nil {
		p.Header = http.Header{}
	}
	p.Header.Set(key, value)
	return p
}
