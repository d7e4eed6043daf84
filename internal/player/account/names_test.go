package account

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestKeys shows which names are the same, and which are not.
func TestKeys(t *testing.T) {
	for _, tc := range []struct {
		what string
		key  func(string) string
		a, b string
		same bool
	}{
		{"case", usernameKey, "Ann42", "aNN42", true},
		{"another name", usernameKey, "Ann42", "Ann43", false},
		{"case", emailKey, "Ann@Example.com", "ann@example.COM", true},
		{"case of a script beyond ASCII", emailKey, "ÉVA@exämple.com", "éva@EXÄMPLE.com", true},
		{"domain of another script in its ASCII form", emailKey, "ann@bücher.example", "Ann@XN--bcher-kva.example", true},
		{"domain in no such form", emailKey, "ann@xn--99999999.example", "ann@99999999.example", false},
		{"the local part has no such form", emailKey, "xn--bcher-kva@example.com", "bücher@example.com", false},
		{"a dot more is another address", emailKey, "a.nn@example.com", "ann@example.com", false},
		{"a tag is another address", emailKey, "ann+x@example.com", "ann@example.com", false},
		{"sharp s", displayNameKey, "Straße", "STRASSE", true},
		{"final sigma", displayNameKey, "ΟΔΟΣ", "οδος", true},
		{"ligature", displayNameKey, "ﬁre", "FIRE", true},
		{"full width", displayNameKey, "ＡＢＣ", "abc", true},
		{"composed and decomposed", displayNameKey, "\u00c5ke", "a\u030ake", true},
		{"zero width joiner", displayNameKey, "An\u200dn", "Ann", true},
		{"zero width space", displayNameKey, "An\u200bn", "Ann", true},
		{"soft hyphen", displayNameKey, "An\u00adn", "Ann", true},
		{"variation selector", displayNameKey, "♥\ufe0f♥♥", "♥♥♥", true},
		{"blanks count", displayNameKey, "An n", "Ann", false},
		{"look-alikes of other scripts are others", displayNameKey, "Аnn", "Ann", false},
		{"accent", displayNameKey, "Ánn", "Ann", false},
		{"ids of the platform are its own", identityKey, "a", "A", false},
	} {
		if got := tc.key(tc.a) == tc.key(tc.b); got != tc.same {
			t.Errorf("%s: %q and %q: keys %q and %q", tc.what, tc.a, tc.b, tc.key(tc.a), tc.key(tc.b))
		}
	}
}

// FuzzFoldKey: the key of a key is itself, so no second spelling slips by.
func FuzzFoldKey(f *testing.F) {
	for _, s := range []string{"Ann", "Straße", "ﬁ", "ΐ", "ᾳ", "İ", "ſ", "K", "\u0345\u0301", "a\u030a", "ǰ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		key := foldKey(s)
		if again := foldKey(key); again != key {
			t.Errorf("%q -> %q -> %q", s, key, again)
		}
		if up := foldKey(strings.ToUpper(s)); isASCII(s) && up != key {
			t.Errorf("%q: key %q, in upper case %q", s, key, up)
		}
	})
}

func TestValidEmail(t *testing.T) {
	for _, tc := range []struct {
		email string
		ok    bool
	}{
		{"ann@example.com", true}, {"a@b.co", true}, {"ann.of.42@sub.example.com", true}, {"ann+tag@example.com", true},
		{"o'brien@example.com", true}, {"!#$%&'*+-/=?^_`{|}~@example.com", true}, {"42@42.example", true}, {"ann@xn--exmple-cua.com", true},
		{"änn@exämple.de", true}, {"用户@例子.公司", true}, {"ann@ex-ample.com", true},
		{"", false}, {"x", false}, {"@", false}, {"ann@", false}, {"@example.com", false}, {"ann@localhost", false}, {"ann@@example.com", false},
		{"ann@example.com@example.com", false}, {".ann@example.com", false}, {"ann.@example.com", false}, {"a..nn@example.com", false},
		{"ann@.example.com", false}, {"ann@example..com", false}, {"ann@example.com.", false}, {"ann@-example.com", false}, {"ann@example-.com", false},
		{"ann@exa_mple.com", false}, {"a nn@example.com", false}, {" ann@example.com", false}, {"ann@example.com ", false}, {"ann@exam ple.com", false},
		{"ann@example.com\n", false}, {"ann\x00@example.com", false}, {"ann@example.com\x00", false}, {"ann\r\nBcc: x@example.com", false},
		{`"ann"@example.com`, false}, {"ann@[127.0.0.1]", false}, {"Ann <ann@example.com>", false}, {"ann(x)@example.com", false}, {"a,b@example.com", false},
		{"an\u200bn@example.com", false}, {"ann@example\u3002com", false},
		{strings.Repeat("a", 64) + "@example.com", true}, {strings.Repeat("a", 65) + "@example.com", false},
		{"a@" + strings.Repeat("b", 63) + ".com", true}, {"a@" + strings.Repeat("b", 64) + ".com", false},
		{"a@" + strings.Repeat("b.", 124) + "com" + "x", true}, {"a@" + strings.Repeat("b.", 125) + "com", false},
	} {
		if got := ValidEmail(tc.email); got != tc.ok {
			t.Errorf("%q (%d bytes): %v, want %v", tc.email, len(tc.email), got, tc.ok)
		}
	}
}
