package call

import (
	"reflect"
	"strings"

	"ludgate"
	"ludgate/internal/wire"
)

// Refuse makes an error of the player surface by its name there.
func Refuse(code, format string, args ...any) *ludgate.Error {
	return ludgate.Errorf(ludgate.Invalid, code, format, args...)
}

// Faults collects what is wrong with the members of one request, so that a
// caller learns all of it at once. The zero value is ready.
type Faults struct {
	Members []string
	Texts   []string
}

// Add notes a fault of a member.
func (f *Faults) Add(member, text string) {
	f.Members = append(f.Members, member)
	f.Texts = append(f.Texts, text)
}

// AddAll notes several.
func (f *Faults) AddAll(member string, texts []string) {
	for _, t := range texts {
		f.Add(member, t)
	}
}

// Required notes that a member is missing.
func (f *Faults) Required(member string) { f.Add(member, wire.RequiredText(member)) }

// Err is the refusal as InvalidParams, or nil.
func (f *Faults) Err() error { return f.As("InvalidParams", "Invalid input parameters") }

// As is the refusal under another name, or nil.
func (f *Faults) As(code, message string) error {
	if len(f.Members) == 0 {
		return nil
	}
	e := Refuse(code, "%s", message)
	for i, m := range f.Members {
		e.With(m, f.Texts[i])
	}
	return e
}

// shape is what the gate knows of a request's type.
type shape struct {
	all       []field // members that are no records embedded for their members
	needed    []field
	titleID   []int   // index of the member TitleId; nil when there is none
	encrypted []int   // of EncryptedRequest
	outside   [][]int // of the members that an encrypted request cannot set
}

// zeroByte is the refusal of a request with a zero byte in a text that the store
// was to keep or to look for, which no store can; it names the members that have
// one. Where none has, it is a fault of ours.
func (s *shape) zeroByte(req any, cause error) error {
	f := &Faults{}
	v := reflect.ValueOf(req).Elem()
	for _, m := range s.all {
		if hasZeroByte(v.FieldByIndex(m.index)) {
			f.Add(m.name, "The field "+m.name+" must not contain zero characters.")
		}
	}
	if len(f.Members) == 0 {
		return cause
	}
	return f.Err()
}

// hasZeroByte looks for a zero byte in the texts of a value.
func hasZeroByte(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return strings.IndexByte(v.String(), 0) >= 0
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && hasZeroByte(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if hasZeroByte(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for k, e := range v.Seq2() {
			if hasZeroByte(k) || hasZeroByte(e) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if hasZeroByte(v.Field(i)) {
				return true
			}
		}
	}
	return false
}

type field struct {
	name  string
	index []int
}

func shapeOf[Req any]() *shape {
	s := &shape{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Req]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		if !f.Anonymous {
			s.all = append(s.all, field{name, f.Index})
		}
		if f.Tag.Get("required") == "true" {
			s.needed = append(s.needed, field{name, f.Index})
		}
		if outside[name] {
			s.outside = append(s.outside, f.Index)
		}
		switch name {
		case "TitleId":
			s.titleID = f.Index
		case "EncryptedRequest":
			s.encrypted = f.Index
		}
	}
	return s
}

// text gives a member that is text, "" without one.
func (s *shape) text(req any, index []int) string {
	if index == nil {
		return ""
	}
	return reflect.ValueOf(req).Elem().FieldByIndex(index).String()
}

// required refuses a request that lacks members.
func (s *shape) required(req any) error {
	f := &Faults{}
	v := reflect.ValueOf(req).Elem()
	for _, n := range s.needed {
		if m := v.FieldByIndex(n.index); m.IsZero() || m.Kind() == reflect.Slice && m.Len() == 0 {
			f.Required(n.name)
		}
	}
	return f.Err()
}
