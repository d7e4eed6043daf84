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
	fields map[string]string            // member name before -> after
	enums  map[string]map[string]string // by enumeration, likewise
	hidden map[string]bool              // neutral member names that this naming spells otherwise
	inward bool                         // the schema knows the name after, not before
}

// tables compiles the naming's two directions once.
func (n *Naming) tables() (in, out *words) {
	n.once.Do(func() {
		p := &n.Player
		n.out = &words{fields: p.Fields, enums: p.Enums}
		n.in = &words{fields: map[string]string{}, enums: map[string]map[string]string{}, hidden: map[string]bool{}, inward: true}
		for neutral, name := range p.Fields {
			n.in.fields[name], n.in.hidden[neutral] = neutral, true
		}
		for enum, values := range p.Enums {
			n.in.enums[enum] = map[string]string{}
			for neutral, value := range values {
				n.in.enums[enum][value] = neutral
			}
		}
	})
	return n.in, n.out
}

// inward gives body with the naming's words turned into the neutral ones, by the
// record v. The neutral naming returns body itself.
func (n *Naming) inward(body []byte, v any) ([]byte, error) {
	in, _ := n.tables()
	return in.rewrite(body, v)
}

// outward gives body with the neutral words turned into the naming's.
func (n *Naming) outward(body []byte, v any) ([]byte, error) {
	_, out := n.tables()
	return out.rewrite(body, v)
}

// playerField is the naming's spelling of a neutral member name.
func (n *Naming) playerField(name string) string {
	if f, ok := n.Player.Fields[name]; ok {
		return f
	}
	return name
}

// rewrite copies one JSON value, the record v, through the table.
func (w *words) rewrite(body []byte, v any) ([]byte, error) {
	if len(w.fields) == 0 && len(w.enums) == 0 {
		return body, nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	out := bytes.NewBuffer(make([]byte, 0, len(body)+len(body)/8))
	enc := jsontext.NewEncoder(out, jsontext.AllowDuplicateNames(true))
	if err := w.value(dec, enc, schemaOf(reflect.TypeOf(v))); err != nil {
		return body, err
	}
	// The encoder ends a value with a line feed. What follows the value in the
	// body is the reader's to refuse.
	out.Truncate(len(bytes.TrimRight(out.Bytes(), "\n")))
	out.Write(body[dec.InputOffset():])
	return out.Bytes(), nil
}

// value copies one value whose place in the schema is n (nil: free-form).
func (w *words) value(dec *jsontext.Decoder, enc *jsontext.Encoder, n *node) error {
	switch dec.PeekKind() {
	case '{':
		return w.object(dec, enc, n)
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
			if err := w.value(dec, enc, elem); err != nil {
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

// object copies one object, its member names translated where n is a record.
func (w *words) object(dec *jsontext.Decoder, enc *jsontext.Encoder, n *node) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if err := enc.WriteToken(tok); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		if tok, err = dec.ReadToken(); err != nil {
			return err
		}
		name, child, known := w.member(tok.String(), n)
		if !known {
			if err := dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if err := enc.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := w.value(dec, enc, child); err != nil {
			return err
		}
	}
	if tok, err = dec.ReadToken(); err != nil {
		return err
	}
	return enc.WriteToken(tok)
}

// member translates a member name at a place of the schema and gives the place
// of its value. known is false for a neutral name that this naming spells
// otherwise: coming in, such a member is one the caller's language does not have.
func (w *words) member(name string, n *node) (to string, child *node, known bool) {
	switch {
	case n == nil:
		return name, nil, true
	case n.fields == nil:
		return name, n.elem, true
	}
	to, renamed := w.fields[name]
	if !renamed {
		child = n.fields[name]
		return name, child, !w.hidden[name] || child == nil
	}
	neutral := name
	if w.inward {
		neutral = to
	}
	if child = n.fields[neutral]; child == nil {
		return name, nil, true
	}
	return to, child, true
}
