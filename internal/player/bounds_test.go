package player

import (
	"fmt"
	"strings"
	"testing"

	"ludgate/internal/player/account"
	"ludgate/internal/wire"
)

// alphabets are characters of one, two and four bytes, and one that combines
// with the one before it.
var alphabets = []struct{ name, char string }{
	{"ASCII", "a"}, {"two bytes", "é"}, {"four bytes", "😀"}, {"combining", "\u0301"},
}

// ofLength is a text of n characters that, where it is long enough, no other call
// of the test has sent.
func ofLength(char string, n, serial int) string {
	unique := fmt.Sprintf("%d", serial)
	if n < len(unique) {
		return strings.Repeat(char, n)
	}
	return unique + strings.Repeat(char, n-len(unique))
}

// TestBounds (P-8): every bounded member at one less than its least length, at
// both bounds, and at one more than its most, in characters of every width.
// Lengths are code points for what people read and bytes for the rest.
func TestBounds(t *testing.T) {
	f := newFixture(t, setup{})
	in := f.result(f.post("/Client/LoginWithCustomID", obj{"TitleId": "ABCDE", "CustomId": "bounds", "CreateAccount": true}.text(), nil))
	ticket := headers{"X-Authorization": in["SessionTicket"].(string)}
	serial := 1000
	for _, tc := range []struct {
		path, member string
		least, most  int
		bytes        bool // what is counted
		ascii        bool // nothing else is taken
		body         func(serial int) obj
	}{
		{"/Client/RegisterPlatformUser", "Username", 3, 20, false, true, nil},
		{"/Client/RegisterPlatformUser", "Password", 6, 100, false, false, nil},
		{"/Client/RegisterPlatformUser", "DisplayName", 3, 25, false, false, nil},
		{"/Client/RegisterPlatformUser", "PlayerSecret", 0, 256, true, false, nil},
		{"/Client/UpdateUserTitleDisplayName", "DisplayName", 3, 25, false, false, func(int) obj { return obj{} }},
		{"/Client/LoginWithCustomID", "CustomId", 1, 100, true, false, func(int) obj { return obj{"TitleId": "ABCDE", "CreateAccount": true} }},
		{"/Client/LinkCustomID", "CustomId", 1, 100, true, false, func(int) obj { return obj{} }},
	} {
		for _, a := range alphabets {
			for n := max(0, tc.least-1); n <= tc.most+1; n++ {
				if n > tc.least && n < tc.most {
					continue
				}
				serial++
				body := obj{"TitleId": "ABCDE", "Username": fmt.Sprint("user", serial), "Email": fmt.Sprintf("user%d@example.com", serial), "Password": "secret"}
				if tc.body != nil {
					body = tc.body(serial)
				}
				value := ofLength(a.char, n, serial)
				length := n
				if tc.bytes {
					length = len(value)
				}
				body[tc.member] = value
				want := length >= tc.least && length <= tc.most
				if tc.ascii && strings.ContainsAny(value, "é😀\u0301") {
					want = false
				}
				if n == 0 && tc.path == "/Client/LoginWithCustomID" {
					want = false
				}
				got := f.post(tc.path, body.text(), ticket)
				// A short text may have been sent before.
				if taken := strings.Contains(got.body, "NotAvailable") || strings.Contains(got.body, "AlreadyClaimed"); (got.status == 200 || taken) != want {
					t.Errorf("%s, %s of %d (%s): %d %s", tc.path, tc.member, n, a.name, got.status, got.body)
				}
				if !want && !strings.Contains(got.body, `"errorDetails":{"`+tc.member+`"`) {
					t.Errorf("%s, %s of %d (%s) does not say which member: %s", tc.path, tc.member, n, a.name, got.body)
				}
			}
		}
	}
}

// TestEmailAddresses: which addresses are taken, and which are one.
func TestEmailAddresses(t *testing.T) {
	f := newFixture(t, setup{})
	label := strings.Repeat("a", 63)
	local := strings.Repeat("x", 64)
	long := func(n int) string { // n bytes
		head := "x@" + label + "." + label + "." + label + "."
		return head + strings.Repeat("b", n-len(head)-len(".example")) + ".example"
	}
	for i, tc := range []struct {
		email string
		ok    bool
	}{
		{"ann@example.com", true}, {"ANN@EXAMPLE.COM", false}, // taken
		{"ann+tag@example.com", true}, {"a.b.c@example.co.uk", true}, {"!#$%&'*+-/=?^_`{|}~@example.com", true},
		{"josé@example.com", true}, {"JOSÉ@example.com", false}, {"jose\u0301@example.com", false}, // the same in other forms
		{"ann@bücher.example", true}, {"ann@BÜCHER.example", false}, {"ann@xn--bcher-kva.example", false}, {"ann@XN--BCHER-KVA.example", false}, {"ann@xn--99999999.example", true}, // no form of another

		{"用户@例え.テスト", true}, {"अजय@डाटा.भारत", true},
		{`"quoted local"@example.com`, false}, {`"a@b"@example.com`, false}, {"a@b@example.com", false},
		{"ann@[127.0.0.1]", false}, {"ann@localhost", false}, {"ann(comment)@example.com", false}, {"Ann <ann@example.com>", false},
		{".ann@example.com", false}, {"ann.@example.com", false}, {"a..b@example.com", false}, {"@example.com", false}, {"ann@", false},
		{"ann@-example.com", false}, {"ann@example-.com", false}, {"ann@exam_ple.com", false}, {"ann@example..com", false}, {"ann@.example.com", false},
		{" bob@example.com", false}, {"bob@example.com ", false}, {"bob@example.com\n", false}, {"bo\x00b@example.com", false}, {"bob\u200b@example.com", false},
		{"bob@example.com\r\nBcc: eve@example.com", false}, {"😀@example.com", false},
		{local + "@example.com", true}, {local + "x@example.com", false},
		{"bob@" + label + ".com", true}, {"bob@" + label + "a.com", false},
		{long(254), true}, {long(255), false}, {strings.Repeat("a", 100_000) + "@example.com", false},
	} {
		a := f.register(obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("user%d", i), "Email": tc.email, "Password": "secret"})
		if (a.status == 200) != tc.ok {
			t.Errorf("%.100q: %d %s", tc.email, a.status, a.body)
		}
		if a.status != 200 && !strings.Contains(a.body, `"errorDetails":{"Email":["Email address `) {
			t.Errorf("%.100q: %s", tc.email, a.body)
		}
	}
}

// TestMarkupIsText: markup in what players call themselves is text, kept and
// shown as it was sent, by answers that no browser takes for a page.
func TestMarkupIsText(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		for i, name := range []string{"<script>alert(1)</script>", `"><img src=x onerror=a()>`, "<b>Ann</b>", "'; DROP TABLE players;--", "{{7*7}}${7*7}", "&lt;Ann&gt;", "%3Cscript%3E", "\u202eAnn\u202c"} {
			if account.Outside(name, account.MinDisplayName, account.MaxDisplayName) {
				t.Fatalf("%q has %d characters", name, len([]rune(name)))
			}
			f.result(f.register(obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("user%d", i), "Email": fmt.Sprintf("user%d@example.com", i), "Password": "secret", "DisplayName": name}))
			a := f.post("/Client/LoginWithPlatform", obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("user%d", i), "Password": "secret",
				"InfoRequestParameters": obj{"GetPlayerProfile": true, "GetUserAccountInfo": true}}.text(), nil)
			payload := f.result(a)["InfoResultPayload"].(map[string]any)
			shown := payload["AccountInfo"].(map[string]any)["TitleInfo"].(map[string]any)["DisplayName"]
			profile := payload["PlayerProfile"].(map[string]any)["DisplayName"]
			if shown != name || profile != name {
				t.Errorf("%q is shown as %q and %q", name, shown, profile)
			}
			if ct := a.header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%q comes as %q", name, ct)
			}
		}
	})
}
