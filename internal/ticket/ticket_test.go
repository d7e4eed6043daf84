package ticket

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

var ann = Bearer{Title: "ABCDE", Player: "66A3F00112345678", Account: "0123456789ABCDEF", Provider: ByStreaming}

// clock is a time that a test sets.
type clock struct{ now time.Time }

func (c *clock) get() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 5, 6, 7, 890_123_456, time.UTC)} }

func openRing(t testing.TB, dir string) *Ring {
	t.Helper()
	r, err := OpenRing(dir, "tickets.json", newClock().get)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSessionTicket(t *testing.T) {
	c := newClock()
	i := NewIssuer(openRing(t, t.TempDir()), c.get)
	text := i.Session(ann)
	if !strings.HasPrefix(text, ann.Player+"-") || !regexp.MustCompile(`^[0-9A-Za-z_-]+$`).MatchString(text) {
		t.Errorf("ticket %s is not URL-safe text that begins with the PlatformId", text)
	}
	if again := i.Session(ann); again == text {
		t.Error("two tickets of one moment are the same")
	}
	issued := c.now.Truncate(time.Millisecond)
	want := Claims{Bearer: since(ann, issued), Issued: issued, Expires: issued.Add(24 * time.Hour)}
	if got, err := i.CheckSession(text); err != nil || got != want {
		t.Errorf("got %+v %v, want %+v", got, err, want)
	}
	c.now = want.Expires.Add(-time.Millisecond)
	if _, err := i.CheckSession(text); err != nil {
		t.Errorf("a millisecond before the end: %v", err)
	}
	c.now = want.Expires
	if _, err := i.CheckSession(text); !errors.Is(err, ErrExpired) {
		t.Errorf("at the end: %v", err)
	}
}

func TestEntityToken(t *testing.T) {
	c := newClock()
	i := NewIssuer(openRing(t, t.TempDir()), c.get)
	for _, tc := range []struct {
		typ EntityType
		id  string
	}{{TitlePlayerAccount, ann.Account}, {MasterPlayerAccount, ann.Player}, {TitleEntity, ann.Title}} {
		text, expires := i.Entity(ann, tc.typ)
		got, err := i.CheckEntity(text)
		if err != nil || got.Bearer != since(ann, c.now.Truncate(time.Millisecond)) || got.Type != tc.typ || got.ID(got.Type) != tc.id || !got.Expires.Equal(expires) {
			t.Errorf("%s: %+v %v", tc.typ, got, err)
		}
	}
}

// TestSince: a proof that is made of another one says when its bearer signed in.
func TestSince(t *testing.T) {
	c := newClock()
	i := NewIssuer(openRing(t, t.TempDir()), c.get)
	signedIn := c.now.Truncate(time.Millisecond)
	first, err := i.CheckSession(i.Session(ann))
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Hour)
	token, _ := i.Entity(first.Bearer, TitlePlayerAccount)
	second, err := i.CheckEntity(token)
	if err != nil || !second.Since.Equal(signedIn) || !second.Issued.Equal(signedIn.Add(time.Hour)) {
		t.Errorf("made of another proof: %+v %v", second, err)
	}
	// No proof is from the future, not even one made of another node's.
	if got, err := i.CheckSession(i.Session(since(ann, c.now.Add(time.Hour)))); err != nil || !got.Since.Equal(got.Issued) {
		t.Errorf("signed in later than now: %+v %v", got, err)
	}
}

// since gives a bearer that signed in at a time.
func since(b Bearer, at time.Time) Bearer {
	b.Since = at
	return b
}

// TestTitleToken: a token of a title has neither player nor provider.
func TestTitleToken(t *testing.T) {
	c := newClock()
	i := NewIssuer(openRing(t, t.TempDir()), c.get)
	text, _ := i.Entity(Bearer{Title: "ABCDE"}, TitleEntity)
	want := Bearer{Title: "ABCDE", Since: c.now.Truncate(time.Millisecond)}
	if got, err := i.CheckEntity(text); err != nil || got.Type != TitleEntity || got.Bearer != want {
		t.Errorf("%+v %v", got, err)
	}
}

// TestFirstVersion: proofs that were made before claims had a provider are good.
func TestFirstVersion(t *testing.T) {
	c := newClock()
	ring := openRing(t, t.TempDir())
	i := NewIssuer(ring, c.get)
	old := Claims{Bearer: Bearer{Title: ann.Title, Player: ann.Player, Account: ann.Account}, Issued: c.now.Truncate(time.Millisecond)}
	old.Since, old.Expires = old.Issued, old.Issued.Add(Lifetime)
	asFirst := func(typ byte) []byte { // as encode wrote it
		b := append([]byte{1, typ}, old.encode(nonce())[3+8:]...)
		return b
	}
	if got, err := i.CheckSession(ann.Player + "-" + ring.Seal(sessionPurpose, asFirst(0))); err != nil || got != old {
		t.Errorf("session ticket: %+v %v, want %+v", got, err, old)
	}
	old.Type = MasterPlayerAccount
	if got, err := i.CheckEntity(ring.Seal(entityPurpose, asFirst(2))); err != nil || got != old {
		t.Errorf("entity token: %+v %v, want %+v", got, err, old)
	}
}

func TestRefused(t *testing.T) {
	i := NewIssuer(openRing(t, t.TempDir()), newClock().get)
	other := NewIssuer(openRing(t, t.TempDir()), newClock().get)
	session, foreign := i.Session(ann), other.Session(ann)
	entity, _ := i.Entity(ann, TitlePlayerAccount)
	_, sealed, _ := strings.Cut(session, "-")
	last := "A"
	if strings.HasSuffix(session, "A") {
		last = "B"
	}
	for _, tc := range []struct {
		what, text string
		want       error
	}{
		{"nothing", "", ErrMalformed},
		{"no claims", ann.Player + "-", ErrMalformed},
		{"no PlatformId", sealed, nil}, // may hold a "-" of its own
		{"not base64", ann.Player + "-!!!!", ErrMalformed},
		{"too short for a signature", ann.Player + "-AAAA", ErrMalformed},
		{"cut off", session[:len(session)-4], nil},
		{"changed at its end", session[:len(session)-1] + last, nil},
		{"padded", session + "=", ErrMalformed},
		{"line break", session[:40] + "\n" + session[40:], ErrMalformed},
		{"without end", ann.Player + "-" + strings.Repeat("A", 1025), ErrMalformed},
		{"another player's id in front", "66A3F00112345679-" + sealed, ErrSignature},
		{"signed elsewhere", foreign, ErrUnknownKey},
		{"an entity token", ann.Player + "-" + entity, ErrSignature},
	} {
		_, err := i.CheckSession(tc.text)
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.what, err, tc.want)
		}
	}
	if _, err := i.CheckEntity(sealed); !errors.Is(err, ErrSignature) {
		t.Errorf("a session ticket as an entity token: %v", err)
	}
	// Signed by us, yet nothing that we write.
	for _, payload := range []string{
		"", "\x01", "\x02", "\x02\x00", "\x03" + strings.Repeat("\x00", 40),
		"\x02\x04" + strings.Repeat("\x00", 40), // no such entity type
		"\x02\x00\x06" + strings.Repeat("\x00", 40),
		string(Claims{Bearer: Bearer{Provider: "Carrier pigeon"}}.encode(nonce())),
		string(Claims{Bearer: ann, Type: "character"}.encode(nonce())),
		string(Claims{Bearer: ann}.encode(nonce())) + "x",
	} {
		if _, err := i.CheckSession(ann.Player + "-" + i.ring.Seal(sessionPurpose, []byte(payload))); !errors.Is(err, ErrMalformed) {
			t.Errorf("payload %q: %v", payload, err)
		}
	}
}

func TestEveryChangedByteIsSeen(t *testing.T) {
	i := NewIssuer(openRing(t, t.TempDir()), newClock().get)
	token, _ := i.Entity(ann, TitlePlayerAccount)
	for at := range len(token) {
		b := []byte(token)
		b[at] ^= 1
		if _, err := i.CheckEntity(string(b)); err == nil {
			t.Fatalf("byte %d changed and accepted", at)
		}
	}
}

func TestRingSurvivesRestartAndRotation(t *testing.T) {
	dir := t.TempDir()
	text := NewIssuer(openRing(t, dir), newClock().get).Session(ann)
	path := filepath.Join(dir, "tickets.json")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("key file: %v %v", info, err)
	}
	again := NewIssuer(openRing(t, dir), newClock().get)
	if _, err := again.CheckSession(text); err != nil {
		t.Errorf("after a restart: %v", err)
	}

	// Rotation: a new key in front, the old one behind.
	rotate := func(edit func(f *ringFile)) {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f ringFile
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatal(err)
		}
		edit(&f)
		if b, err = json.Marshal(f); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rotate(func(f *ringFile) {
		f.Keys = append([]keyFile{{ID: "0a0b0c0d", Secret: make([]byte, 32)}}, f.Keys...)
	})
	rotated := NewIssuer(openRing(t, dir), newClock().get)
	if _, err := rotated.CheckSession(text); err != nil {
		t.Errorf("signed with the older key: %v", err)
	}
	fresh := rotated.Session(ann)
	if _, err := again.CheckSession(fresh); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("signed with a key that the older ring does not have: %v", err)
	}
	rotate(func(f *ringFile) { f.Keys = f.Keys[:1] })
	retired := NewIssuer(openRing(t, dir), newClock().get)
	if _, err := retired.CheckSession(text); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("signed with a key that was taken out: %v", err)
	}
	if _, err := retired.CheckSession(fresh); err != nil {
		t.Errorf("signed with the key that is left: %v", err)
	}
}

func TestRingFileRefused(t *testing.T) {
	key := `{"id":"0a0b0c0d","secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","created":"2026-01-01T00:00:00Z"}`
	for _, tc := range []struct {
		what, text string
		mode       os.FileMode
		want       string
	}{
		{"readable by others", `{"keys":[` + key + `]}`, 0o640, "chmod 600"},
		{"empty", ``, 0o600, "restore it from a backup"},
		{"no keys", `{"keys":[]}`, 0o600, "there is no key"},
		{"odd id", `{"keys":[{"id":"xyz","secret":""}]}`, 0o600, "not 8 hexadecimal digits"},
		{"short key", `{"keys":[{"id":"0a0b0c0d","secret":"AAAA"}]}`, 0o600, "3 bytes instead of 32"},
		{"twice", `{"keys":[` + key + `,` + key + `]}`, 0o600, "two keys have the id"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tickets.json"), []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, "tickets.json"), tc.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenRing(dir, "tickets.json", newClock().get); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q in it", tc.what, err, tc.want)
		}
	}
}

// FuzzCheck: no text panics, and none is accepted but those that were made.
func FuzzCheck(f *testing.F) {
	ring := openRing(f, f.TempDir())
	i := NewIssuer(ring, newClock().get)
	session := i.Session(ann)
	entity, _ := i.Entity(ann, TitlePlayerAccount)
	f.Add(session)
	f.Add(entity)
	f.Add(ann.Player + "-" + entity)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := i.CheckSession(text); err == nil && text != session {
			t.Errorf("session %q accepted as %+v", text, c)
		}
		if c, err := i.CheckEntity(text); err == nil && text != entity {
			t.Errorf("entity %q accepted as %+v", text, c)
		}
		if c, ok := decodeClaims([]byte(text)); ok && text[0] == claimsVersion {
			if got := string(c.encode([nonceSize]byte([]byte(text)[27:]))); got != text {
				t.Errorf("claims %q are written back as %q", text, got)
			}
		}
	})
}

func BenchmarkSession(b *testing.B) {
	i := NewIssuer(openRing(b, b.TempDir()), time.Now)
	for b.Loop() {
		i.Session(ann)
	}
}

func BenchmarkCheckSession(b *testing.B) {
	i := NewIssuer(openRing(b, b.TempDir()), time.Now)
	text := i.Session(ann)
	for b.Loop() {
		if _, err := i.CheckSession(text); err != nil {
			b.Fatal(err)
		}
	}
}
