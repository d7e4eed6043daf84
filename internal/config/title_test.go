package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestTitleSettingsAreDescribed: one name everywhere, and a sentence for each.
func TestTitleSettingsAreDescribed(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[TitleSettings](), reflect.TypeFor[OpenIDConnection](), reflect.TypeFor[RecoveryTemplate]()} {
		for i := range typ.NumField() {
			f := typ.Field(i)
			stored, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name := f.Tag.Get("yaml"); name == "" || name != stored {
				t.Errorf("%s.%s: %q in the file, %q in stored documents", typ.Name(), f.Name, name, stored)
			}
			if doc := f.Tag.Get("doc"); !strings.HasSuffix(doc, ".") {
				t.Errorf("%s.%s: doc %q is no sentence", typ.Name(), f.Name, doc)
			}
		}
	}
}

// TestTitlesInTheFile: every setting of a title can stand in the settings file.
func TestTitlesInTheFile(t *testing.T) {
	text := `titles:
  - id: a1b
    name: Space Mice
    naming: vendor
    streaming_client_id: client
    player_limit: 5
    creation_disabled: true
    allow_duplicate_display_names: true
    allow_client_statistics: true
    allow_client_currency: true
    profile_constraints: [ShowDisplayName, ShowCreated]
    allow_pkcs1v15: true
    profanity_filter: true
    forbidden_words: [cat]
    allowed_words: [dog]
    name_filter_url: https://filter.example/
    name_filter_token: sesame
    openid_connections:
      - {id: main, issuer: "https://id.example/", client_id: game}
    recovery_url: https://game.example/?token={token}
    recovery_templates:
      - {id: short, subject: "{title}", text: "{link}"}
`
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Serve, path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := reflect.ValueOf(c.Titles[0].TitleSettings)
	for i := range s.NumField() {
		if s.Field(i).IsZero() {
			t.Errorf("%s did not arrive", s.Type().Field(i).Name)
		}
	}
	if got := c.Titles[0].OpenIDConnections[0]; got != (OpenIDConnection{"main", "https://id.example/", "game"}) {
		t.Errorf("connection %+v", got)
	}
}

func TestTitleSettingsCheck(t *testing.T) {
	for _, tc := range []struct {
		what  string
		s     TitleSettings
		fault string // "": none
	}{
		{"nothing set", TitleSettings{}, ""},
		{"naming", TitleSettings{Naming: "acme"}, "naming is"},
		{"limit", TitleSettings{PlayerLimit: -1}, "player_limit"},
		{"long name", TitleSettings{Name: strings.Repeat("x", maxTitleText+1)}, "name has 1001 bytes"},
		{"longest name", TitleSettings{Name: strings.Repeat("x", maxTitleText)}, ""},
		{"line break", TitleSettings{Name: "a\nb"}, "name has characters"},
		{"constraint", TitleSettings{AllowedConstraints: []string{"DisplayName"}}, "profile_constraints has"},
		{"empty word", TitleSettings{ForbiddenWords: []string{"a", ""}}, "forbidden_words[1] is empty"},
		{"many words", TitleSettings{AllowedWords: make([]string, maxTitleList+1)}, "allowed_words has 10001"},
		{"filter", TitleSettings{NameFilterURL: "filter.example"}, "name_filter_url"},
		{"recovery without its place", TitleSettings{RecoveryURL: "https://game.example/"}, "{token}"},
		{"recovery", TitleSettings{RecoveryURL: "https://game.example/{token}"}, ""},
		{"template", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "For {title}", "Line\n{link}\n"}}}, ""},
		{"template without an id", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"", "s", "{link}"}}}, "recovery_templates[0].id is missing"},
		{"template twice", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "s", "{link}"}, {"a", "s", "{link}"}}}, "recovery_templates[1].id \"a\" is there twice"},
		{"template without a place", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "s", "hello"}}}, "text must have {link} or {token}"},
		{"template with many places", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "s", strings.Repeat("{link}", maxPlaces) + "{title}"}}}, "more than 20 times"},
		{"token in a subject", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "{token}", "{link}"}}}, "neither {link} nor {token}"},
		{"subject of two lines", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "a\r\nBcc: b", "{link}"}}}, "subject has characters"},
		{"long subject", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", strings.Repeat("x", maxSubject+1), "{link}"}}}, "subject has 151 bytes"},
		{"hidden text", TitleSettings{RecoveryTemplates: []RecoveryTemplate{{"a", "s", "{link}\x00"}}}, "text has characters"},
		{"many templates", TitleSettings{RecoveryTemplates: make([]RecoveryTemplate, maxTemplates+1)}, "recovery_templates has 21"},
		{"connection", TitleSettings{OpenIDConnections: []OpenIDConnection{{ID: "a", Issuer: "https://id.example"}}}, "openid_connections[0].client_id is missing"},
		{"issuer", TitleSettings{OpenIDConnections: []OpenIDConnection{{"a", "id.example", "c"}}}, "openid_connections[0].issuer"},
		{"connection twice", TitleSettings{OpenIDConnections: []OpenIDConnection{{"a", "https://id.example", "c"}, {"a", "https://id.example", "c"}}}, "openid_connections[1].id"},
	} {
		err := tc.s.Check([]string{"neutral", "vendor"})
		if tc.fault == "" && err != nil || tc.fault != "" && (err == nil || !strings.Contains(err.Error(), tc.fault)) {
			t.Errorf("%s: %v, want %q", tc.what, err, tc.fault)
		}
	}
}
