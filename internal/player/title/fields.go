package title

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"ludgate/internal/config"
)

// FieldType says what texts a setting takes.
type FieldType string

// Types of settings.
const (
	TextField   FieldType = "text"
	NumberField FieldType = "whole number"
	SwitchField FieldType = "true or false"
	ListField   FieldType = "list of texts"
	RecordField FieldType = "list of JSON objects"
)

// Field describes one setting of a title.
type Field struct {
	Key    string // as in the settings file
	Doc    string
	Type   FieldType
	Secret bool // never shown

	index []int
}

// mask is what a secret setting shows of itself.
const mask = "***"

var fields = listFields()

// Fields describes all settings of titles, in their order.
func Fields() []Field { return append([]Field(nil), fields...) }

func listFields() []Field {
	var out []Field
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, Field{Key: key, Doc: f.Tag.Get("doc"), Type: typeOf(f.Type), Secret: f.Tag.Get("secret") == "true", index: f.Index})
	}
	return out
}

func typeOf(t reflect.Type) FieldType {
	switch {
	case t.Kind() == reflect.String:
		return TextField
	case t.Kind() == reflect.Int64:
		return NumberField
	case t.Kind() == reflect.Bool:
		return SwitchField
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return ListField
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return RecordField
	}
	panic("title: a setting has the type " + t.String() + ", which cannot be set from text")
}

// Set sets a setting from texts, as operators write them: one for a text, number
// or switch; any number for a list, each split at commas; JSON objects for a list
// of records. One empty text gives the setting its zero value. The error is a
// sentence.
func (s *Settings) Set(key string, texts []string) error {
	for _, f := range fields {
		if f.Key == key {
			return f.set(reflect.ValueOf(s).Elem().FieldByIndex(f.index), texts)
		}
	}
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	return fmt.Errorf("there is no setting %q; there are %s", key, strings.Join(keys, ", "))
}

func (f Field) set(v reflect.Value, texts []string) error {
	if len(texts) == 0 || len(texts) == 1 && texts[0] == "" {
		v.SetZero()
		return nil
	}
	if len(texts) > 1 && f.Type != ListField && f.Type != RecordField {
		return fmt.Errorf("%s is given %d times; it takes one %s", f.Key, len(texts), f.Type)
	}
	text := texts[0]
	switch f.Type {
	case TextField:
		v.SetString(text)
	case NumberField:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%s is %q; it must be a whole number", f.Key, text)
		}
		v.SetInt(n)
	case SwitchField:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%s is %q; it must be true or false", f.Key, text)
		}
		v.SetBool(b)
	case ListField:
		var list []string
		for _, t := range texts {
			for word := range strings.SplitSeq(t, ",") {
				if word = strings.TrimSpace(word); word != "" {
					list = append(list, word)
				}
			}
		}
		v.Set(reflect.ValueOf(list))
	default:
		list := reflect.MakeSlice(v.Type(), 0, len(texts))
		for _, t := range texts {
			record := reflect.New(v.Type().Elem())
			if err := json.Unmarshal([]byte(t), record.Interface(), json.RejectUnknownMembers(true)); err != nil {
				return fmt.Errorf("%s takes JSON objects with the members %s", f.Key, members(v.Type().Elem()))
			}
			list = reflect.Append(list, record.Elem())
		}
		v.Set(list)
	}
	return nil
}

// members lists the members of a record for a sentence.
func members(t reflect.Type) string {
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Masked gives settings that can be shown: secrets that are set are masked.
func (s Settings) Masked() Settings {
	v := reflect.ValueOf(&s).Elem()
	for _, f := range fields {
		if at := v.FieldByIndex(f.index); f.Secret && !at.IsZero() {
			at.SetString(mask)
		}
	}
	return s
}

// SettingError is a setting that cannot be as it is wanted; its text is a
// sentence.
type SettingError struct{ Reason error }

func (e *SettingError) Error() string { return e.Reason.Error() }

// Unwrap gives the reason.
func (e *SettingError) Unwrap() error { return e.Reason }

// checkSettings refuses settings that cannot work here.
func (r *Registry) checkSettings(s *Settings) error {
	if s.Naming != "" && r.opt.Naming(s.Naming) == nil {
		return &SettingError{fmt.Errorf("naming is %q, and there is no naming of that name", s.Naming)}
	}
	if s.NameFilterToken == mask {
		return &SettingError{errors.New("name_filter_token is what a secret is shown as; give the token itself")}
	}
	if err := (*config.TitleSettings)(s).Check([]string{s.Naming}); err != nil {
		return &SettingError{err}
	}
	if err := s.checkNameFilter(r.opt.AllowLoopback); err != nil {
		return &SettingError{err}
	}
	return nil
}

// Value gives the setting's value.
func (f Field) Value(s *Settings) any {
	return reflect.ValueOf(s).Elem().FieldByIndex(f.index).Interface()
}
