package directory

import "testing"

// TestCanonicalUniqueName: names that a person takes for one are one, and
// others stay apart.
func TestCanonicalUniqueName(t *testing.T) {
	for a, b := range map[string]string{
		"Ops": "oPS", "é": "e\u0301", "ÉTÉ": "été", "Ｏps": "ops", "ΣΟΦΟΣ": "σοφος", "σοφοσ": "σοφος", "Ꭰ": "ꭰ", "\u212a": "k", "ﬁn": "FIN", "ẞ": "ß", "²": "2",
	} {
		if canonicalUniqueName(a) != canonicalUniqueName(b) {
			t.Errorf("%q and %q: %q and %q", a, b, canonicalUniqueName(a), canonicalUniqueName(b))
		}
	}
	for a, b := range map[string]string{"ops": "op", "e": "é", "a b": "ab", "a-b": "a_b", "о": "o", "'": "''"} {
		if canonicalUniqueName(a) == canonicalUniqueName(b) {
			t.Errorf("%q and %q are one", a, b)
		}
	}
}

func TestCanonicalMailNickname(t *testing.T) {
	if canonicalMailNickname("Te.Am") != "te.am" || canonicalMailNickname("a\x00b") == canonicalMailNickname("a0b") || canonicalMailNickname("a\x00") != `a\0` {
		t.Error("nicknames do not compare as they should")
	}
}
