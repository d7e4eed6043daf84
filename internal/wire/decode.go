package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
)

// maxDepth bounds how deeply arrays and objects of a body may nest.
const maxDepth = 64

// lenient reads JSON as the management surface's clients send it: members in any
// case, numbers and booleans also as strings, whole numbers also as 80.0.
var lenient = json.JoinOptions(
	json.MatchCaseInsensitiveNames(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(lenientInt32),
		json.UnmarshalFromFunc(lenientInt64),
		json.UnmarshalFromFunc(lenientFloat),
		json.UnmarshalFromFunc(lenientBool),
	)),
)

// decodePlayer reads a body of the player surface: exact member names, no
// duplicates, nothing after the object; unknown members are ignored.
func decodePlayer(n *Naming, body []byte, v any) error {
	if err := checkObject(Player, body); err != nil {
		return err
	}
	body, err := n.inward(body, v)
	if err != nil {
		return syntaxError(Player, body, err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		if f, ok := asFault(body, err); ok && f.semantic {
			e := ludgate.Errorf(ludgate.Invalid, "InvalidParams", "Invalid input parameters")
			return e.With(n.playerField(f.top()), fmt.Sprintf("The field %s has the wrong type: %s.", n.playerField(f.top()), f.text)).Because(err)
		}
		return syntaxError(Player, body, err)
	}
	return nil
}

// decodeStrict reads a body of the directory surface: exact member names.
func decodeStrict(body []byte, v any) error {
	if err := checkObject(Directory, body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		f, ok := asFault(body, err)
		if ok && f.semantic {
			return ludgate.Errorf(ludgate.Invalid, "Request_BadRequest", "Invalid value specified for property '%s': %s.", f.path, f.text).
				With(f.path, f.text).Because(err)
		}
		return syntaxError(Directory, body, err)
	}
	return nil
}

// decodeLenient reads a body of the management surface.
func decodeLenient(body []byte, v any) error {
	if err := checkObject(Management, body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, v, lenient); err != nil {
		return syntaxError(Management, body, err)
	}
	return nil
}

// checkObject refuses an empty body, one that is no object, and one that nests
// too deeply.
func checkObject(s Surface, body []byte) error {
	b := bytes.TrimLeft(body, " \t\r\n")
	if len(b) == 0 {
		return invalidRequest(s, "The request content was invalid: the body is empty; a JSON object is needed.")
	}
	if b[0] != '{' {
		return invalidRequest(s, "The request content was invalid: the body must be a JSON object.")
	}
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return invalidRequest(s, "The request content was invalid: it nests deeper than %d levels.", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// fault is a reading error in terms a caller understands.
type fault struct {
	semantic     bool   // the JSON is well-formed but does not fit the record
	path         string // "properties.containers[0].name"
	text         string // what is wrong
	line, column int    // from 1
}

// top is the first member of the path.
func (f fault) top() string {
	p, _, _ := strings.Cut(f.path, ".")
	p, _, _ = strings.Cut(p, "[")
	return p
}

// asFault explains an error of the JSON reader; body gives line and column.
func asFault(body []byte, err error) (fault, bool) {
	var sem *json.SemanticError
	if errors.As(err, &sem) {
		f := fault{semantic: true, path: dotted(sem.JSONPointer), text: semanticText(sem)}
		f.line, f.column = position(body, sem.ByteOffset)
		return f, true
	}
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		f := fault{path: dotted(syn.JSONPointer), text: unquoted(strings.TrimPrefix(syn.Err.Error(), "jsontext: "))}
		f.line, f.column = position(body, syn.ByteOffset)
		return f, true
	}
	return fault{}, false
}

// unquoted takes out what a message quotes of the body, which may be part of a
// password.
func unquoted(text string) string {
	before, rest, quotes := strings.Cut(text, " `")
	if !quotes {
		return text
	}
	return before + rest[strings.LastIndexByte(rest, '`')+1:]
}

// semanticText says what was expected and what came.
func semanticText(e *json.SemanticError) string {
	if e.Err != nil && e.GoType == nil {
		return e.Err.Error()
	}
	want := "another type"
	if e.GoType != nil {
		want = kindName(e.GoType)
	}
	if e.Err != nil && !errors.Is(e.Err, errWrongType) {
		return e.Err.Error()
	}
	if e.JSONKind == 0 {
		return want + " is needed"
	}
	return want + " is needed, not " + jsonKindName(e.JSONKind)
}

// syntaxError makes the surface's refusal for a body that cannot be read.
func syntaxError(s Surface, body []byte, err error) error {
	f, ok := asFault(body, err)
	if !ok {
		return invalidRequest(s, "The request content was invalid and could not be read.").Because(err)
	}
	if strings.ContainsRune(err.Error(), '`') {
		err = errors.New(f.text) // see unquoted
	}
	if s == Management {
		return invalidRequest(s, "The request content was invalid and could not be deserialized: '%s. Path '%s', line %d, position %d.'.",
			f.text, f.path, f.line, f.column).At(f.path).Because(err)
	}
	return invalidRequest(s, "The request body is not valid JSON: %s (line %d, position %d).", f.text, f.line, f.column).Because(err)
}

// dotted turns a JSON pointer into the path form of management errors.
func dotted(p jsontext.Pointer) string {
	var b strings.Builder
	for tok := range p.Tokens() {
		if _, err := strconv.Atoi(tok); err == nil {
			b.WriteString("[" + tok + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(tok)
	}
	return b.String()
}

// position turns a byte offset into line and column, both from 1.
func position(body []byte, offset int64) (line, column int) {
	offset = min(max(offset, 0), int64(len(body)))
	head := body[:offset]
	return bytes.Count(head, []byte("\n")) + 1, len(head) - (bytes.LastIndexByte(head, '\n') + 1) + 1
}

var errWrongType = errors.New("wrong type")

// scalarText reads the next token when it is a string or a number and gives its
// text. ok is false for null, which the caller leaves to the reader's own rule
// by returning errors.ErrUnsupported.
func scalarText(dec *jsontext.Decoder) (text string, ok bool, err error) {
	switch dec.PeekKind() {
	case 'n':
		return "", false, nil
	case '"', '0', 't', 'f':
		tok, err := dec.ReadToken()
		if err != nil {
			return "", false, err
		}
		return tok.String(), true, nil
	default:
		return "", false, errWrongType
	}
}

func lenientNumber(dec *jsontext.Decoder, lo, hi float64, whole bool) (float64, error) {
	text, ok, err := scalarText(dec)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, errors.ErrUnsupported
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("a number is needed, not '%s'", clip(text))
	}
	if whole && f != math.Trunc(f) {
		return 0, fmt.Errorf("a whole number is needed, not '%s'", clip(text))
	}
	if f < lo || f > hi {
		return 0, fmt.Errorf("the number '%s' is out of range", clip(text))
	}
	return f, nil
}

func lenientInt32(dec *jsontext.Decoder, v *int32) error {
	f, err := lenientNumber(dec, math.MinInt32, math.MaxInt32, true)
	if err == nil {
		*v = int32(f)
	}
	return err
}

func lenientInt64(dec *jsontext.Decoder, v *int64) error {
	f, err := lenientNumber(dec, -1<<53, 1<<53, true)
	if err == nil {
		*v = int64(f)
	}
	return err
}

func lenientFloat(dec *jsontext.Decoder, v *float64) error {
	f, err := lenientNumber(dec, -math.MaxFloat64, math.MaxFloat64, false)
	if err == nil {
		*v = f
	}
	return err
}

func lenientBool(dec *jsontext.Decoder, v *bool) error {
	text, ok, err := scalarText(dec)
	if err != nil {
		return err
	}
	if !ok {
		return errors.ErrUnsupported
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true":
		*v = true
	case "false":
		*v = false
	default:
		return fmt.Errorf("true or false is needed, not '%s'", clip(text))
	}
	return nil
}

// clip shortens a caller's text for a message.
func clip(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}
