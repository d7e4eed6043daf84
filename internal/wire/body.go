package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
)

// playerMaxBody is the default limit of a player body in bytes.
const playerMaxBody = 1 << 20

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody receives the body within the limits of size and time and undoes its
// compression.
func (x *exchange) readBody(r *Request, rt Route) error {
	if err := x.checkContentType(rt); err != nil {
		return err
	}
	limit := rt.MaxBody
	if limit == 0 {
		limit = x.edge.opt.MaxBody
		if x.surface == Player {
			limit = playerMaxBody
		}
	}
	if x.http.ContentLength > limit {
		return x.tooLarge(limit)
	}
	if x.http.Body == nil || x.http.Body == http.NoBody {
		return nil
	}
	ctl := http.NewResponseController(x.ResponseWriter)
	// The connection lives by the system's clock, whatever the edge is told. Not
	// every writer has a deadline.
	_ = ctl.SetReadDeadline(time.Now().Add(x.edge.opt.BodyTimeout))
	src := io.Reader(x.http.Body)
	switch enc := strings.ToLower(x.http.Header.Get("Content-Encoding")); enc {
	case "", "identity":
	case "gzip":
		zr, err := gzip.NewReader(src)
		if err != nil {
			return x.bodyError(err, limit)
		}
		src = zr
	default:
		return ludgate.Errorf(ludgate.Unsupported, codeFor(x.surface, "InvalidContentType", "UnsupportedMediaType"),
			"The content encoding '%s' is not supported; send gzip or none.", clip(enc))
	}
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	n, err := buf.ReadFrom(io.LimitReader(src, limit+1))
	if err != nil {
		return x.bodyError(err, limit) // the deadline stays: nothing more is read here
	}
	_ = ctl.SetReadDeadline(time.Time{})
	if n > limit {
		return x.tooLarge(limit)
	}
	r.Body, r.buffer = buf.Bytes(), buf
	return nil
}

// releaseBody gives the body's buffer back; nothing decoded from it points into it.
func releaseBody(r *Request) {
	if r.buffer != nil && r.buffer.Cap() <= 64<<10 {
		buffers.Put(r.buffer)
	}
	r.Body, r.buffer = nil, nil
}

// checkContentType refuses a body that is declared as something other than JSON,
// or than a form where the route takes one. The header of JSON may be absent.
func (x *exchange) checkContentType(rt Route) error {
	ct := x.http.Header.Get("Content-Type")
	if rt.Form {
		return x.checkForm(ct)
	}
	if ct == "" || ct == "application/json" || x.http.ContentLength == 0 {
		return nil
	}
	mt, _, err := mime.ParseMediaType(ct)
	if err == nil && (mt == "application/json" || x.surface != Player && strings.HasSuffix(mt, "+json")) {
		return nil
	}
	kind := ludgate.Unsupported
	if x.surface == Player {
		kind = ludgate.Invalid
	}
	return ludgate.Errorf(kind, codeFor(x.surface, "InvalidContentType", "UnsupportedMediaType"),
		"The content type '%s' is not supported; send application/json.", clip(ct))
}

// checkForm refuses what is no form.
func (x *exchange) checkForm(ct string) error {
	if mt, _, err := mime.ParseMediaType(ct); err == nil && mt == "application/x-www-form-urlencoded" {
		return nil
	}
	return ludgate.Errorf(ludgate.Invalid, codeFor(x.surface, "InvalidContentType", "UnsupportedMediaType"),
		"The content type '%s' is not supported; send application/x-www-form-urlencoded.", clip(ct))
}

func (x *exchange) tooLarge(limit int64) error {
	x.Header().Set("Connection", "close")
	return ludgate.Errorf(ludgate.TooLarge, codeFor(x.surface, "BodyTooLarge", "RequestEntityTooLarge"),
		"The request body is larger than the limit of %d bytes.", limit)
}

// bodyError explains why a body could not be received.
func (x *exchange) bodyError(err error, limit int64) error {
	x.Header().Set("Connection", "close")
	var max *http.MaxBytesError
	var ne net.Error
	switch {
	case errors.As(err, &max):
		return x.tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &ne) && ne.Timeout():
		e := invalidRequest(x.surface, "The request body did not arrive within %s.", x.edge.opt.BodyTimeout)
		if x.surface != Player {
			e.Kind = ludgate.Timeout
		}
		return e.Because(err)
	case errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum):
		return invalidRequest(x.surface, "The request body is not valid gzip.").Because(err)
	default:
		return invalidRequest(x.surface, "The request body ended early.").Because(err)
	}
}

// codeFor picks the error code of a surface: the player's, or the one the
// others share.
func codeFor(s Surface, player, other string) string {
	if s == Player {
		return player
	}
	return other
}

// peekString finds a string member at the top of a JSON object without decoding
// the rest; "" when it is not there.
func peekString(body []byte, name string) string {
	dec := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return ""
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		if tok.String() != name {
			if dec.SkipValue() != nil {
				return ""
			}
			continue
		}
		if tok, err = dec.ReadToken(); err != nil || tok.Kind() != '"' {
			return ""
		}
		return tok.String()
	}
	return ""
}
