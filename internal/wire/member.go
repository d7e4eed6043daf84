package wire

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
)

// MissingMember says that the object at path of the body lacks the required
// member name, or has null there. It returns nil when the member is present, or
// when there is no object at path. Path is "" for the body itself, or of the
// form "properties.containers[0]"; names compare as in [Request.Decode] of the
// management surface. It reads the body again, so services call it only when
// they found a member empty.
func (r *Request) MissingMember(path, name string) *ludgate.Error {
	return missingMember(r.Body, path, name)
}

func missingMember(body []byte, path, name string) *ludgate.Error {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if !descend(dec, path) || dec.PeekKind() != '{' {
		return nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		if sameMember(tok.String(), name) && dec.PeekKind() != 'n' {
			return nil
		}
		if dec.SkipValue() != nil {
			return nil
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	line, column := position(body, dec.InputOffset()-1)
	return invalidRequest(Management, "The request content was invalid and could not be deserialized: 'Required property '%s' not found in JSON. Path '%s', line %d, position %d.'.",
		name, path, line, column).At(strings.TrimPrefix(path+"."+name, "."))
}

// descend moves the decoder to the value at path and reports whether there is one.
func descend(dec *jsontext.Decoder, path string) bool {
	for path != "" {
		path = strings.TrimPrefix(path, ".")
		if path[0] == '[' {
			index, rest, _ := strings.Cut(path[1:], "]")
			n, err := strconv.Atoi(index)
			if err != nil || !enter(dec, '[') {
				return false
			}
			for ; n > 0 && dec.PeekKind() != ']'; n-- {
				if dec.SkipValue() != nil {
					return false
				}
			}
			if n > 0 || dec.PeekKind() == ']' {
				return false
			}
			path = rest
			continue
		}
		name := path
		if i := strings.IndexAny(path, ".["); i >= 0 {
			name = path[:i]
		}
		path = path[len(name):]
		if !enter(dec, '{') || !seek(dec, name) {
			return false
		}
	}
	return true
}

func enter(dec *jsontext.Decoder, kind jsontext.Kind) bool {
	if dec.PeekKind() != kind {
		return false
	}
	_, err := dec.ReadToken()
	return err == nil
}

// seek moves to the value of a member of the object that was entered.
func seek(dec *jsontext.Decoder, name string) bool {
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if sameMember(tok.String(), name) {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

// sameMember compares names as the lenient reader does: without regard to case,
// dashes and underscores.
func sameMember(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	if !strings.ContainsAny(a, "-_") {
		return false
	}
	return strings.EqualFold(strings.NewReplacer("-", "", "_", "").Replace(a), b)
}
