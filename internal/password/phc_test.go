package password

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The reference implementation's vectors (phc-winner-argon2, test.c, version
// 0x13): password "password", salt "somesalt".
func TestVectors(t *testing.T) {
	for _, tc := range []struct {
		phc, key string
	}{
		{"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"},
		{"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"},
		{"$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc", "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"},
	} {
		h, err := parsePHC(tc.phc)
		if err != nil {
			t.Fatalf("%s: %v", tc.phc, err)
		}
		got := request{Params: h.Params, keySize: uint8(len(h.key)), salt: h.salt, password: []byte("password")}.compute()
		if hex.EncodeToString(got) != tc.key || hex.EncodeToString(h.key) != tc.key {
			t.Errorf("%s: computed %x, parsed %x, want %s", tc.phc, got, h.key, tc.key)
		}
		if h.String() != tc.phc {
			t.Errorf("%s: written as %s", tc.phc, h)
		}
	}
}

func TestMalformedPHC(t *testing.T) {
	const sound = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if err := CheckHash(sound); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ what, old, new string }{
		{"empty", sound, ""},
		{"another function", "argon2id", "argon2i"},
		{"another version", "v=19", "v=16"},
		{"no version", "$v=19", ""},
		{"one part more", sound, sound + "$"},
		{"text in front", "$argon2id", "x$argon2id"},
		{"zero passes", "t=2", "t=0"},
		{"passes without end", "t=2", "t=4294967295"},
		{"memory without end", "m=19456", "m=4194304"},
		{"too little memory for the lanes", "m=19456", "m=7"},
		{"lanes without end", "p=1", "p=255"},
		{"costs in another order", "m=19456,t=2", "t=2,m=19456"},
		{"leading zero", "t=2", "t=02"},
		{"a sign", "t=2", "t=+2"},
		{"a cost missing", ",p=1", ""},
		{"padding", "c29tZXNhbHQ", "c29tZXNhbHQ="},
		{"loose last bits", "c29tZXNhbHQ", "c29tZXNhbHR"},
		{"a line break", "c29tZXNhbHQ", "c29t\nZXNhbHQ"},
		{"short salt", "c29tZXNhbHQ", "c29t"},
		{"short key", "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "nf65"},
	} {
		bad := strings.Replace(sound, tc.old, tc.new, 1)
		if CheckHash(bad) == nil {
			t.Errorf("%s: %q passes the check", tc.what, bad)
		}
		if h, err := parsePHC(bad); err == nil {
			t.Errorf("%s: %q is read as %+v", tc.what, bad, h)
		}
	}
}

// FuzzPHC: what is accepted is written back as the same text.
func FuzzPHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
	f.Add("$argon2id$v=19$m=256,t=2,p=2$$")
	f.Add("$2b$10$abc")
	f.Fuzz(func(t *testing.T, s string) {
		if h, err := parsePHC(s); err == nil && h.String() != s {
			t.Errorf("%q is written back as %q", s, h)
		}
	})
}
