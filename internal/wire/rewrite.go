package wire

import (
	"bytes"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The naming rewrite. A record's Go type says which JSON objects are records
// (structs: members have names of the contract) and which are free-form (maps:
// members are the caller's). A schema is compiled once per type; the rewrite
// copies tokens from one buffer to another and changes only member names of
// records and values of enumerations that the naming lists.

// node says what a JSON value at one place is.
type node struct {
	fields map[string]*node // record: neutral member name -> its value
	elem   *node            // array or map: every element
	enum   string           // Go type name of a string enumeration
}

var schemas sync.Map // reflect.Type -> *node

// schemaOf compiles (once) the schema of a record type.
func schemaOf(t reflect.Type) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n, ok := schemas.Load(t); ok {
		return n.(*node)
	}
	n := compile(t, map[reflect.Type]*node{})
	actual, _ := schemas.LoadOrStore(t, n)
	return actual.(*node)
}

func compile(t reflect.Type, seen map[reflect.Type]*node) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n, ok := seen[t]; ok {
		return n
	}
	n := &node{}
	seen[t] = n
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		n.elem = compile(t.Elem(), seen)
	case reflect.String:
		if t.PkgPath() != "" {
			n.enum = t.Name()
		}
	case reflect.Struct:
		n.fields = map[string]*node{}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				for k, v := range compile(f.Type, seen).fields {
					n.fields[k] = v
				}
				continue
			case !f.IsExported() || name == "-":
				continue
			case name == "":
				name = f.Name
			}
			n.fields[name] = compile(f.Type, seen)
		}
		if len(n.fields) == 0 {
			n.fields = nil // time.Time and the like: a value, not a record
		}
	}
	return n
}

// words is one direction of a naming.
type words struct {
	fields map[string]string
	enums  map[string]map[string]string
}

// inward gives body with the naming's words turned into the neutral ones, by the
// record v. The neutral naming returns body itself.
func (n *Naming) inward(body []byte, v any) ([]byte, error) {
	if len(n.Player.Fields) == 0 && len(n.Player.Enums) == 0 {
		return body, nil
	}
	w := words{fields: invert(n.Player.Fields), enums: map[string]map[string]string{}}
	for t, m := range n.Player.Enums {
		w.enums[t] = invert(m)
	}
	return rewrite(body, schemaOf(reflect.TypeOf(v)), w, true)
}

// outward gives body with the neutral words turned into the naming's.
func (n *Naming) outward(body []byte, v any) ([]byte, error) {
	if len(n.Player.Fields) == 0 && len(n.Player.Enums) == 0 {
		return body, nil
	}
	return rewrite(body, schemaOf(reflect.TypeOf(v)), words{n.Player.Fields, n.Player.Enums}, false)
}

// playerField is the naming's spelling of a neutral member name.
func (n *Naming) playerField(name string) string {
	if f, ok := n.Player.Fields[name]; ok {
		return f
	}
	return name
}

func invert(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[v] = k
	}
	return out
}

// rewrite copies one JSON value. Inwards, the schema is looked up by the new
// (neutral) name; outwards by the old one.
func rewrite(body []byte, schema *node, w words, inward bool) ([]byte, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	out := bytes.NewBuffer(make([]byte, 0, len(body)+len(body)/8))
	enc := jsontext.NewEncoder(out, jsontext.AllowDuplicateNames(true))
	if err := rewriteValue(dec, enc, schema, w, inward); err != nil {
		return body, err
	}
	// What follows the value is the reader's to refuse.
	out.Write(body[dec.InputOffset():])
	return out.Bytes(), nil
}

func rewriteValue(dec *jsontext.Decoder, enc *jsontext.Encoder, n *node, w words, inward bool) error {
	switch dec.PeekKind() {
	case '{':
		return rewriteObject(dec, enc, n, w, inward)
	case '[':
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := enc.WriteToken(tok); err != nil {
			return err
		}
		var elem *node
		if n != nil {
			elem = n.elem
		}
		for dec.PeekKind() != ']' {
			if err := rewriteValue(dec, enc, elem, w, inward); err != nil {
				return err
			}
		}
		tok, err = dec.ReadToken()
		if err != nil {
			return err
		}
		return enc.WriteToken(tok)
	case '"':
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if n != nil && n.enum != "" {
			if to, ok := w.enums[n.enum][tok.String()]; ok {
				tok = jsontext.String(to)
			}
		}
		return enc.WriteToken(tok)
	default:
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return enc.WriteValue(v)
	}
}

func rewriteObject(dec *jsontext.Decoder, enc *jsontext.Encoder, n *node, w words, inward bool) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if err := enc.WriteToken(tok); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		child := (*node)(nil)
		switch {
		case n == nil:
		case n.fields == nil:
			child = n.elem
		default:
			to, renamed := w.fields[name]
			if renamed {
				neutral := name
				if inward {
					neutral = to
				}
				if _, known := n.fields[neutral]; known {
					tok = jsontext.String(to)
					child = n.fields[neutral]
					break
				}
			}
			child = n.fields[name]
			if inward && child != nil && hasValue(w.fields, name) {
				// A neutral word that this naming spells otherwise is unknown here.
				if err := dec.SkipValue(); err != nil {
					return err
				}
				continue
			}
		}
		if err := enc.WriteToken(tok); err != nil {
			return err
		}
		if err := rewriteValue(dec, enc, child, w, inward); err != nil {
			return err
		}
	}
	tok, err = dec.ReadToken()
	if err != nil {
		return err
	}
	return enc.WriteToken(tok)
}

func hasValue(m map[string]string, v string) bool {
	for _, x := range m {
		if x == v {
			return true
		}
	}
	return false
}
