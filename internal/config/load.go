package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"ludgate/internal/secret"
)

// Load reads the settings of a mode: defaults, then the file (when path is not
// empty), then the environment, then flags, a map from flag name to text of the
// flags that were given. It checks the result.
func Load(mode Mode, path string, environ []string, flags map[string]string) (Config, error) {
	c := Defaults(mode)
	if path != "" {
		if err := readFile(path, &c); err != nil {
			return c, err
		}
	}
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(k, "LUDGATE_") {
			env[k] = v
		}
	}
	known := map[string]bool{"LUDGATE_CONFIG": true}
	for _, s := range Settings(&c) {
		known[s.Env] = true
		if text, ok := env[s.Env]; ok && s.Env != "" {
			if err := s.set(text); err != nil {
				return c, fmt.Errorf("environment variable %s: %w", s.Env, err)
			}
		}
		if text, ok := flags[s.Flag]; ok && s.Flag != "" {
			if err := s.set(text); err != nil {
				return c, fmt.Errorf("flag --%s: %w", s.Flag, err)
			}
		}
	}
	for k := range env {
		if !known[k] && !strings.HasPrefix(k, "LUDGATE_TEST_") {
			return c, fmt.Errorf("environment variable %s is not a setting; `ludgate config print` lists them", k)
		}
	}
	return c, c.check()
}

// readFile reads a YAML file over c. Members that are no setting are refused,
// with line and column.
func readFile(path string, c *Config) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("config file %s does not exist", path)
	}
	if err != nil {
		return fmt.Errorf("read config file: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(b, c, yaml.Strict()); err != nil {
		return fmt.Errorf("config file %s: %s", path, fault(b, err))
	}
	return nil
}

// fault says where a file is wrong and what, with the name of the member whose
// value it is, but without the lines around it: one may hold a password.
func fault(file []byte, err error) string {
	text := yaml.FormatError(err, false, false)
	var line, column int
	if _, err := fmt.Sscanf(text, "[%d:%d]", &line, &column); err != nil {
		return text
	}
	lines := strings.Split(string(file), "\n")
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1]) {
		return text
	}
	if m := memberBefore.FindStringSubmatch(lines[line-1][:column-1]); m != nil {
		text += " (" + m[1] + ")"
	}
	return text
}

// memberBefore is a member's name at the end of what stands before its value.
var memberBefore = regexp.MustCompile(`(\w+):\s*$`)

// Setting is one scalar setting of a Config.
type Setting struct {
	Name string // as in the file, "limits.body"
	Env  string
	Flag string
	Doc  string

	secret string
	value  reflect.Value
}

// Settings lists the scalar settings of c in the order of the struct.
func Settings(c *Config) []Setting {
	var out []Setting
	walk(reflect.ValueOf(c).Elem(), "", &out)
	return out
}

func walk(v reflect.Value, prefix string, out *[]Setting) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		switch {
		case name == "-":
		case f.Type.Kind() == reflect.Struct:
			walk(v.Field(i), prefix+name+".", out)
		case f.Tag.Get("env") != "":
			*out = append(*out, Setting{
				Name: prefix + name, Env: f.Tag.Get("env"), Flag: f.Tag.Get("flag"), Doc: f.Tag.Get("doc"),
				secret: f.Tag.Get("secret"), value: v.Field(i),
			})
		}
	}
}

// Text is the setting's value, with secrets masked.
func (s Setting) Text() string {
	text := ""
	switch x := s.value.Interface().(type) {
	case []string:
		text = strings.Join(x, ",")
	case secret.Text:
		if x != "" { // that none is set is no secret
			text = masked
		}
	default:
		text = fmt.Sprint(x)
	}
	if s.secret == "url" {
		return maskURL(text)
	}
	return text
}

// set parses text into the setting.
func (s Setting) set(text string) error {
	switch s.value.Interface().(type) {
	case string, secret.Text:
		s.value.SetString(text)
	case time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 15s or 2m", text)
		}
		s.value.SetInt(int64(d))
	case int, int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		s.value.SetInt(n)
	case float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) {
			return fmt.Errorf("%q is not a number", text)
		}
		s.value.SetFloat(f)
	case bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
		s.value.SetBool(b)
	case []string:
		s.value.Set(reflect.ValueOf(strings.FieldsFunc(text, func(r rune) bool { return r == ',' })))
	default:
		panic("config: setting " + s.Name + " has a type that cannot be set from text")
	}
	return nil
}

// maskURL hides the password of a URL, and any parameter that looks like one.
func maskURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return masked
	}
	if u.User != nil {
		if _, has := u.User.Password(); has {
			u.User = url.UserPassword(u.User.Username(), masked)
		}
	}
	q := u.Query()
	for k := range q {
		if strings.Contains(strings.ToLower(k), "password") {
			q.Set(k, masked)
			u.RawQuery = q.Encode()
		}
	}
	s, err := url.PathUnescape(u.String())
	if err != nil {
		return u.String()
	}
	return s
}

// defaultData is where a mode keeps its data when nothing says otherwise.
func defaultData(mode Mode) string {
	if mode == Serve {
		return "/var/lib/ludgate"
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ludgate")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share", "ludgate")
}

// List is a setting that is a list of records.
type List struct {
	Name, Doc string
	Members   []Member
}

// Member is one member of a list's records.
type Member struct{ Name, Doc string }

// Lists describes the list settings, for the reference.
func Lists() []List { return lists(reflect.TypeFor[Config](), "") }

// lists describes the members of t that are lists of records, and the lists in
// those.
func lists(t reflect.Type, prefix string) []List {
	var out []List
	for _, f := range reflect.VisibleFields(t) {
		if f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		l := List{Name: prefix + f.Tag.Get("yaml"), Doc: f.Tag.Get("doc")}
		for _, m := range reflect.VisibleFields(f.Type.Elem()) {
			if !m.Anonymous {
				l.Members = append(l.Members, Member{m.Tag.Get("yaml"), m.Tag.Get("doc")})
			}
		}
		out = append(out, l)
		out = append(out, lists(f.Type.Elem(), l.Name+".")...)
	}
	return out
}
