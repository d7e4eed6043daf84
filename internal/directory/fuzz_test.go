package directory

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"

	"ludgate"
)

// FuzzKey: a key is read back as it was written, and no segment is read as two
// things.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"x", "a'b", "''", "my 'grp'/x", "(uniqueName='x')", tenant, "('" + tenant + "')", "(uniqueName='", "(uniqueName='''')", "(=)", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := parseKey("(uniqueName='" + strings.ReplaceAll(s, "'", "''") + "')")
		if err != nil || !k.byName || k.name != s {
			t.Errorf("%q became %+v, %v", s, k, err)
		}
		k, err = parseKey(s)
		switch {
		case err != nil:
			if !ludgate.IsCode(err, badRequest) || k != (key{}) {
				t.Errorf("%q: %+v, %v", s, k, err)
			}
		case k.byName == (k.id != ""), k.id != "" && !ludgate.IsGUID(k.id):
			t.Errorf("%q became %+v", s, k)
		}
		if validUniqueName(s) {
			c := canonicalUniqueName(s)
			if c == "" || len(c) > maxUniqueNameKey || !utf8.ValidString(c) || canonicalUniqueName(c) != c {
				t.Errorf("%q compares as %q, which compares as %q", s, c, canonicalUniqueName(c))
			}
		}
	})
}

// FuzzGroup: whatever body makes a group makes one that keeps the rules, is the
// same after the store, is not changed by the same body again, and is JSON.
func FuzzGroup(f *testing.F) {
	for _, s := range []string{
		security("x"), office("x"), `{}`, security("x", J{"isAssignableToRole": true, "visibility": "Hidden"}),
		office("x", J{"visibility": "HiddenMembership", "theme": "Teal", "description": nil, "assignedLabels": []any{J{"labelId": "x"}}}),
		security("x", J{"groupTypes": []string{"DynamicMembership"}, "membershipRule": "x"}), security("x", J{"preferredLanguage": "nb-NO", "unseenCount": 3}),
		security("x", J{"assignedLicenses": []any{J{"skuId": tenant, "disabledPlans": []string{tenant}}}}),
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	s := &Service{domain: "studio.example"}
	f.Fuzz(func(t *testing.T, text string, strict bool) {
		in, ok := decode(text)
		if !ok {
			return
		}
		g, err := in.create(strict)
		if err != nil {
			if e := ludgate.AsError(err); e.Kind != ludgate.Invalid || e.Message == "" {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		s.born(g, tenant, time.Unix(0, 0))
		switch role := g.assignableToRole(); {
		case utf8.RuneCountInString(g.DisplayName) > 256 || g.DisplayName == "",
			len(g.MailNickname) > 64 || g.MailNickname == "" || strings.ContainsAny(g.MailNickname, nicknameStrict),
			g.Visibility != "Private" && g.Visibility != "Public" && g.Visibility != "HiddenMembership",
			g.Visibility == "HiddenMembership" && (!g.unified() || g.SecurityEnabled),
			role && (g.Visibility != "Private" || !g.SecurityEnabled),
			g.unified() != (g.Mail != ""), !strict && g.UniqueName == "":
			t.Fatalf("%s made %+v", text, g)
		}
		stored, err := encode(g)
		if err != nil {
			t.Fatal(err)
		}
		var back Group
		if err := json.Unmarshal([]byte(stored), &back); err != nil {
			t.Fatal(err)
		}
		again, _ := decode(text)
		same, err := again.update(&back, strict)
		if err != nil {
			// What may only be said at creation, or is asked to be said alone.
			if strict && (len(in.mailbox(null)) > 0) {
				return
			}
			t.Fatalf("%s: the same again: %v", text, err)
		}
		if after, _ := encode(same); after != stored {
			t.Fatalf("%s:\nfirst %s\nthen  %s", text, stored, after)
		}
		reply := map[string]any{}
		if err := json.Unmarshal(render(&back, "c", neutralSingle), &reply); err != nil || reply["displayName"] != g.DisplayName {
			t.Fatalf("%s: reply %v, %v", text, reply, err)
		}
		if first, second := render(g, "c", neutralSingle), render(&back, "c", neutralSingle); !reflect.DeepEqual(first, second) {
			t.Fatalf("%s:\nbefore the store %s\nafter it         %s", text, first, second)
		}
	})
}

// decode reads a body as the edge does.
func decode(text string) (in Input, ok bool) {
	err := jsonv2.Unmarshal([]byte(text), &in)
	return in, err == nil
}
