package title

import (
	"reflect"
	"strings"
	"testing"
)

// TestSet shows what operators write for each sort of setting.
func TestSet(t *testing.T) {
	for _, tc := range []struct {
		key   string
		texts []string
		want  any    // value of the setting
		fault string // "": none
	}{
		{"name", []string{"Space, Mice"}, "Space, Mice", ""},
		{"name", []string{"a", "b"}, nil, "name is given 2 times; it takes one text"},
		{"name", []string{""}, "", ""},
		{"player_limit", []string{"5"}, int64(5), ""},
		{"player_limit", []string{"5.5"}, nil, "must be a whole number"},
		{"player_limit", []string{""}, int64(0), ""},
		{"profanity_filter", []string{"true"}, true, ""},
		{"profanity_filter", []string{"0"}, false, ""},
		{"profanity_filter", []string{"maybe"}, nil, "must be true or false"},
		{"forbidden_words", []string{"cat, dog", "cow,"}, []string{"cat", "dog", "cow"}, ""},
		{"forbidden_words", nil, []string(nil), ""},
		{"openid_connections", []string{`{"id":"a","issuer":"b","client_id":"c"}`, `{"id":"d"}`}, []OpenIDConnection{{ID: "a", Issuer: "b", ClientID: "c"}, {ID: "d"}}, ""},
		{"openid_connections", []string{`{"id":"a","colour":"b"}`}, nil, "JSON objects with the members id, issuer, client_id"},
		{"openid_connections", []string{""}, []OpenIDConnection(nil), ""},
		{"colour", []string{"red"}, nil, `there is no setting "colour"; there are name, naming, `},
	} {
		s := Settings{Name: "before", PlayerLimit: 9, ProfanityFilter: !strings.Contains(strings.Join(tc.texts, ""), "t"), ForbiddenWords: []string{"owl"}, OpenIDConnections: []OpenIDConnection{{ID: "x"}}}
		err := s.Set(tc.key, tc.texts)
		if tc.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("%s %q: %v, want %q", tc.key, tc.texts, err, tc.fault)
			}
			continue
		}
		for _, f := range Fields() {
			if f.Key == tc.key && !reflect.DeepEqual(f.Value(&s), tc.want) {
				t.Errorf("%s %q: %#v, %v, want %#v", tc.key, tc.texts, f.Value(&s), err, tc.want)
			}
		}
	}
}

// TestMasked: what is marked as secret is not shown, and no other is changed.
func TestMasked(t *testing.T) {
	s := Settings{Name: "x", NameFilterToken: "hush"}
	if got := s.Masked(); got.NameFilterToken != "***" || got.Name != "x" || s.NameFilterToken != "hush" {
		t.Errorf("%+v of %+v", got, s)
	}
	if got := (Settings{}).Masked(); !reflect.DeepEqual(got, Settings{}) {
		t.Errorf("nothing is shown as %+v", got)
	}
}
