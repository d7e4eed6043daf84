package bulk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/calltest"
	"ludgate/internal/player/part"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
)

// phc is a password hash as an import brings it.
const phc = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"

// notes is a part that keeps one text of each player, in memory: good enough
// for what happens in one transaction that succeeds.
type notes map[string]string

type notesDump struct {
	Text string `json:"text,omitzero"`
}

func (n notes) Delete(_ store.Tx, title, player string) error {
	delete(n, title+"/"+player)
	return nil
}

func (n notes) DeleteTitle(_ store.Tx, title string) error {
	n["forgotten"] = title
	return nil
}

func (n notes) Export(_ store.Tx, title, player string) (*notesDump, error) {
	return &notesDump{n[title+"/"+player]}, nil
}

func (n notes) Import(_ store.Tx, title, player string, d *notesDump) error {
	if d.Text == "bad" {
		return fault("The text is bad.")
	}
	n[title+"/"+player] = d.Text
	return nil
}

type fixture struct {
	*calltest.Rig
	*Bulk
	notes   notes
	revoked []string
}

func newFixture(t testing.TB, o calltest.Options) *fixture {
	t.Helper()
	f := &fixture{Rig: calltest.New(t, o), notes: notes{}}
	b, err := New(Options{Gate: f.Gate, Parts: []part.Part{part.Of("notes", f.notes)}, Revoke: func(_ store.Tx, title, player string, _ time.Time) error {
		f.revoked = append(f.revoked, title+"/"+player)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	f.Bulk = b
	return f
}

// load imports lines into a title.
func (f *fixture) load(titleID, lines string, o ImportOptions) *Report {
	f.Helper()
	if o.First == 0 {
		o.First = 1
	}
	r, err := f.Import(f.Context(), titleID, []byte(lines), o)
	if err != nil {
		f.Fatal(err)
	}
	return r
}

// dump exports a title.
func (f *fixture) dump(titleID string) string {
	f.Helper()
	out := ""
	for after := ""; ; {
		p, err := f.Export(f.Context(), titleID, after)
		if err != nil {
			f.Fatal(err)
		}
		if p.Count == 0 {
			return out
		}
		out, after = out+string(p.Lines), p.Last
	}
}

func (r *Report) text() string {
	out := fmt.Sprintf("%d imported, %d skipped", r.Imported, r.Skipped)
	for _, f := range r.Faults {
		out += fmt.Sprintf("\n%d: %s", f.Line, f.Text)
	}
	return out
}

func (f *fixture) want(what string, r *Report, want string) {
	f.Helper()
	if got := r.text(); got != want {
		f.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

const whole = `{"id":"000A1B2C3D4E5F60","account":"0123456789ABCDEF","origination":"Organic","username":"Ann42","email":"ann@example.com","password":"` + phc + `",` +
	`"display_name":"Ann","streaming_id":"42","streaming_name":"ann42","custom_id":"c","server_custom_id":"s",` +
	`"openids":[{"connection":"main","issuer":"https://id.example","subject":"7"}],"avatar_url":"https://game.example/a.png","player_secret":"hush",` +
	`"banned_until":"9999-12-31T23:59:59.999Z","created":"2020-01-02T03:04:05Z","last_login":"2021-01-02T03:04:05.678Z","previous_login":"2020-06-02T03:04:05Z",` +
	`"parts":{"notes":{"text":"hello"}}}` + "\n"

// TestRoundTrip: what is imported is exported as it was, every member.
func TestRoundTrip(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	lines := whole + `{"id":"000A1B2C3D4E5F61","account":"0123456789ABCDE0","origination":"Unknown","created":"2020-01-02T03:04:05Z","last_login":"2020-01-02T03:04:05Z"}` + "\n"
	f.want("import", f.load("A1B", lines, ImportOptions{}), "2 imported, 0 skipped")
	if got := f.dump("A1B"); got != lines {
		t.Errorf("export:\n got %s\nwant %s", got, lines)
	}
	if got := f.dump("A1C"); got != "" {
		t.Errorf("another title shows %s", got)
	}
	f.want("into another title", f.load("A1C", lines, ImportOptions{}), "2 imported, 0 skipped")

	// The secret is sealed for its player.
	var a *account.Account
	err := f.Rig.Store.Read(t.Context(), func(tx store.Tx) (err error) {
		a, err = account.Get(tx, "A1C", "000A1B2C3D4E5F60")
		return err
	})
	if err != nil || strings.Contains(a.Secret, "hush") {
		t.Fatalf("secret %q, %v", a.Secret, err)
	}
	if plain, err := f.Gate.OpenSecret(a); err != nil || plain != "hush" {
		t.Errorf("secret %q, %v", plain, err)
	}
}

// TestAgain: an import that was cut off goes on.
func TestAgain(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	anonymous := `{"email":"bob@example.com","display_name":"Bob"}` + "\n" // no id
	f.want("first", f.load("A1B", whole+anonymous, ImportOptions{}), "2 imported, 0 skipped")
	f.want("again", f.load("A1B", whole+"\n"+anonymous+`{"email":"eve@example.com"}`, ImportOptions{Skip: true}), "1 imported, 2 skipped")
	r := f.load("A1B", whole, ImportOptions{First: 17})
	f.want("without skip", r, "0 imported, 0 skipped\n17: The player 000A1B2C3D4E5F60 exists already.")
	f.want("names of two players", f.load("A1B", `{"email":"bob@example.com","display_name":"Ann"}`, ImportOptions{Skip: true}),
		"0 imported, 0 skipped\n1: Taken by another player: email, display_name.")
	if n, err := f.Count(t.Context(), "A1B"); err != nil || n != 3 {
		t.Errorf("count %d, %v", n, err)
	}
}

// TestFaults: a line that cannot be imported hinders no other, and the report
// says which it was.
func TestFaults(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	for _, tc := range []struct{ what, line, text string }{
		{"plain password", `{"username":"Bob42","password":"hunter2"}`, "password must be a PHC string of argon2id"},
		{"bcrypt", `{"username":"Bob42","password":"$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"}`, "other hashes are not imported"},
		{"no JSON", `{"username"`, "This is not a JSON object"},
		{"list", `[1]`, "(the line itself) has the wrong type"},
		{"unknown member", `{"user_name":"Bob42"}`, "The member user_name is unknown."},
		{"twice", `{"username":"Bob42","username":"Bob43"}`, "This is not a JSON object"},
		{"type", `{"username":1}`, "The member username has the wrong type."},
		{"username", `{"username":"b"}`, "Username must be between 3 and 20 characters."},
		{"email", `{"email":"x"}`, "Email address is not valid."},
		{"display name", `{"display_name":"x"}`, "DisplayName must be a string with a minimum length"},
		{"id", `{"id":"x","email":"bob@example.com"}`, "id must be 16 upper-case"},
		{"account", `{"account":"0123456789abcdef","email":"bob@example.com"}`, "account must be 16 upper-case"},
		{"nobody", `{}`, "neither an id nor a name"},
		{"origination", `{"email":"bob@example.com","origination":"Moon"}`, "origination is none of"},
		{"time", `{"email":"bob@example.com","created":"yesterday"}`, "created must be a time"},
		{"time before all", `{"email":"bob@example.com","created":"1969-12-31T23:59:59Z"}`, "created must be a time"},
		{"streaming name", `{"email":"bob@example.com","streaming_name":"` + strings.Repeat("x", 101) + `"}`, "streaming_name has 101 bytes"},
		{"custom id", `{"custom_id":"` + strings.Repeat("x", 101) + `"}`, "custom_id must be a string with a maximum length of 100"},
		{"openid", `{"openids":[{"issuer":"x"}]}`, "issuer and subject are required"},
		{"unknown part", `{"email":"bob@example.com","parts":{"noise":{}}}`, `parts has "noise", which this Ludgate does not know; known are notes.`},
		{"part's member", `{"email":"bob@example.com","parts":{"notes":{"txt":"x"}}}`, "In parts.notes: The member txt is unknown."},
		{"part's own rule", `{"email":"bob@example.com","parts":{"notes":{"text":"bad"}}}`, "notes: The text is bad."},
	} {
		r := f.load("A1B", tc.line, ImportOptions{First: 5})
		if r.Imported != 0 || len(r.Faults) != 1 || r.Faults[0].Line != 5 || !strings.Contains(r.Faults[0].Text, tc.text) {
			t.Errorf("%s: %s, want %q", tc.what, r.text(), tc.text)
		}
		if strings.Contains(r.text(), "hunter2") {
			t.Errorf("%s: the report holds the password", tc.what)
		}
	}
	if got := f.dump("A1B"); got != "" {
		t.Errorf("something was stored: %s", got)
	}
	// The names of a refused player are free again.
	lines := `{"email":"bob@example.com","parts":{"notes":{"text":"bad"}}}` + "\n" + `{"email":"bob@example.com"}` + "\n" + `{"email":"BOB@example.com","username":"Bob42"}` + "\n" + `{"email":"eve@example.com"}`
	f.want("between sound lines", f.load("A1B", lines, ImportOptions{}), "2 imported, 0 skipped\n1: notes: The text is bad.\n3: Taken by another player: email.")
}

func TestDryRun(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	f.want("dry", f.load("A1B", whole+`{"email":"ann@example.com","custom_id":"new"}`, ImportOptions{DryRun: true}), "1 imported, 0 skipped\n2: Taken by another player: email.")
	if got := f.dump("A1B"); got != "" {
		t.Errorf("something was stored: %s", got)
	}
}

// TestTitleDemands: what a title demands of accounts holds for an import too.
func TestTitleDemands(t *testing.T) {
	f := newFixture(t, calltest.Options{Titles: map[string]title.Settings{"A1B": {PlayerLimit: 2, DuplicateNames: true}}})
	lines := ""
	for i := range 3 {
		lines += fmt.Sprintf(`{"email":"p%d@example.com","display_name":"Ann"}`+"\n", i)
	}
	f.want("limit", f.load("A1B", lines, ImportOptions{}), "2 imported, 0 skipped\n3: The title has as many players as it may have.")
	if _, err := f.Import(t.Context(), "nope", nil, ImportOptions{}); err == nil {
		t.Error("an id that is none is a title")
	}
	if _, err := f.Import(t.Context(), "A1B", []byte(strings.Repeat("\n", MaxBatch+1)), ImportOptions{}); err == nil {
		t.Error("a batch without end is taken")
	}
}

// TestRemove: nothing is left of a player, and names are free.
func TestRemove(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	f.load("A1B", whole, ImportOptions{})
	f.load("A1C", whole, ImportOptions{})
	if err := f.Remove(t.Context(), "A1B", "000A1B2C3D4E5F60"); err != nil {
		t.Fatal(err)
	}
	if f.dump("A1B") != "" || len(f.notes) != 1 || len(f.revoked) != 1 || f.revoked[0] != "A1B/000A1B2C3D4E5F60" {
		t.Errorf("left: %s, %v, %v", f.dump("A1B"), f.notes, f.revoked)
	}
	if err := f.Remove(t.Context(), "A1B", "000A1B2C3D4E5F60"); err == nil || !strings.Contains(err.Error(), "AccountNotFound") {
		t.Errorf("again: %v", err)
	}
	f.want("the names are free", f.load("A1B", whole, ImportOptions{}), "1 imported, 0 skipped")
	if f.dump("A1C") != whole {
		t.Error("the same player of another title is gone")
	}
}

func TestPurge(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	lines := ""
	for i := range 250 {
		lines += fmt.Sprintf(`{"email":"p%d@example.com"}`+"\n", i)
	}
	f.load("A1B", lines, ImportOptions{})
	f.load("A1C", whole, ImportOptions{})
	for i, want := range []int{180, 70, 0} {
		if n, err := f.Purge(t.Context(), "A1B", 180); err != nil || n != want {
			t.Errorf("round %d: %d, %v, want %d", i, n, err, want)
		}
	}
	if err := f.ForgetTitle(t.Context(), "A1B"); err != nil || f.notes["forgotten"] != "A1B" {
		t.Errorf("%v, %v", err, f.notes)
	}
	if f.dump("A1C") != whole {
		t.Error("another title lost players")
	}
}

// TestPages: an export of more players than a page holds has each once.
func TestPages(t *testing.T) {
	f := newFixture(t, calltest.Options{})
	const n = maxPage + 500
	for from := 0; from < n; from += 500 {
		lines := ""
		for i := range 500 {
			lines += fmt.Sprintf(`{"custom_id":"%d"}`+"\n", from+i)
		}
		f.want("import", f.load("A1B", lines, ImportOptions{}), "500 imported, 0 skipped")
	}
	seen := map[string]bool{}
	for line := range strings.Lines(f.dump("A1B")) {
		seen[line] = true
	}
	if len(seen) != n {
		t.Errorf("%d players, want %d", len(seen), n)
	}
}

// FuzzParse: no line makes trouble, and what is taken can be written and taken
// again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{whole, `{"email":"a@b.co"}`, `{"id":"000A1B2C3D4E5F60","created":"2020-01-02T03:04:05.123456Z"}`, `{"parts":{"notes":{}}}`, `{`, `null`, `{"openids":[{"issuer":"a","subject":"b"}]}`} {
		f.Add(s)
	}
	fx := newFixture(f, calltest.Options{})
	f.Fuzz(func(t *testing.T, line string) {
		in, err := fx.parse("A1B", []byte(line), calltest.Start)
		if err != nil {
			return
		}
		p, err := fx.record(in.account)
		if err != nil {
			t.Fatal(err)
		}
		if faults := p.check(); len(faults) > 0 {
			t.Errorf("%q is written as what is refused: %q", line, faults)
		}
	})
}
