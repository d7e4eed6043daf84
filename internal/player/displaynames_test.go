package player

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ludgate/internal/displayname"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

var (
	nameProfane   = refusal{name: "ProfaneDisplayName", number: "1234", message: "Display name rejected by the profanity filter"}
	filterTrouble = refusal{name: "InvalidPartnerResponse", number: "1193", message: "Invalid response from partner"}
)

// filtered is a fixture whose titles want something of display names.
func filtered(t *testing.T, n *wire.Naming, titles titles) *fixture {
	filter := displayname.New(displayname.Options{AllowLoopback: true})
	t.Cleanup(filter.Close)
	return newFixture(t, setup{naming: n, titles: titles, options: func(o *Options) { o.DisplayNames = FilterNames(filter) }})
}

// TestProfaneDisplayNames: what a title refuses, at registration and when a name
// is changed, by the player or a server.
func TestProfaneDisplayNames(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := filtered(t, n, titles{listed: listed{
			"ABCDE": {ProfanityFilter: true, ForbiddenWords: []string{"rook", "*moose*"}, AllowedWords: []string{"Scunthorpe"}},
			"20CA2": {},
		}})
		with := func(name string) obj { return ann.with(obj{"DisplayName": name}) }
		for _, name := range []string{"fuck you", "F U C K", "Rook", "r00k", "black rook", "Bigmoosey"} {
			f.refused(name, f.register(with(name)), nameProfane)
		}
		if f.count("players") != 0 {
			t.Error("a refused name left a player behind")
		}
		f.result(f.register(with("fuck you").with(obj{"TitleId": "20CA2"}))) // that title does not mind
		in := f.result(f.register(with("Scunthorpe")))
		f.refused("by the player", f.call("/Client/UpdateUserTitleDisplayName", ticketOf(in), obj{"DisplayName": "rook"}), nameProfane)
		id := obj{"PlatformId": f.idOf(in), "DisplayName": "rook"}
		f.refused("by a server", f.call("/Admin/UpdateUserTitleDisplayName", f.server("ABCDE"), id), nameProfane)
		if got := f.account(f.idOf(in)).DisplayName; got != "Scunthorpe" {
			t.Errorf("the name is %q now", got)
		}
		f.result(f.call("/Client/UpdateUserTitleDisplayName", ticketOf(in), obj{"DisplayName": "rookery"})) // a word of its own
	})
}

// TestPartnerFilter: a title's own filter decides, and a name that it cannot be
// asked about is not accepted.
func TestPartnerFilter(t *testing.T) {
	var answer atomic.Pointer[string]
	say := func(s string) { answer.Store(&s) }
	var asked atomic.Pointer[string]
	partner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		text := r.Header.Get("Authorization") + " " + string(b)
		asked.Store(&text)
		_, _ = io.WriteString(w, *answer.Load())
	}))
	t.Cleanup(partner.Close)
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := filtered(t, n, titles{listed: listed{"ABCDE": {NameFilterURL: partner.URL, NameFilterToken: "hush"}}})
		body := ann.with(obj{"DisplayName": "Ann"})
		say(`{"allowed":false}`)
		f.refused("refused by the partner", f.register(body), nameProfane)
		if got := *asked.Load(); got != `Bearer hush {"title":"ABCDE","displayName":"Ann"}` {
			t.Errorf("the partner was asked %s", got)
		}
		say(`perhaps`)
		f.refused("nonsense from the partner", f.register(body), filterTrouble)
		if f.count("players") != 0 {
			t.Error("a refused name left a player behind")
		}
		say(`{"allowed":true}`)
		in := f.result(f.register(body))
		say(`{}`)
		f.refused("a change", f.call("/Client/UpdateUserTitleDisplayName", ticketOf(in), obj{"DisplayName": "Bob"}), filterTrouble)
		f.result(f.register(ann.with(obj{"Username": "nobody", "Email": "n@example.com"}))) // no name, no question
	})
}

// TestNameSettingsChange: new words of a title are in force at once, also after
// the title was deleted and made anew, and other changes cost nothing.
func TestNameSettingsChange(t *testing.T) {
	f := filtered(t, nil, titles{spring: &title.Settings{}})
	in := f.result(f.register(ann))
	rename := func(name string) answer {
		return f.call("/Client/UpdateUserTitleDisplayName", ticketOf(in), obj{"DisplayName": name})
	}
	words := func(words ...string) {
		t.Helper()
		err := f.titles.UpdateSettings(t.Context(), "ABCDE", func(s *title.Settings) error { s.ForbiddenWords = words; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	f.result(rename("rook"))
	words("rook")
	f.refused("forbidden now", rename("rook"), nameProfane)
	f.server("ABCDE") // another version of the title
	f.refused("still forbidden", rename("rook"), nameProfane)
	if err := f.titles.Delete(t.Context(), "ABCDE"); err != nil {
		t.Fatal(err)
	}
	words("pawn")
	f.result(rename("rook"))
	f.refused("forbidden by the title made anew", rename("pawn"), nameProfane)
}

// TestNameSettingsAreChecked: a title whose filter cannot work is refused when it
// is set and when it is declared, in a sentence that names the setting.
func TestNameSettingsAreChecked(t *testing.T) {
	f := newFixture(t, setup{})
	for _, c := range []struct {
		settings title.Settings
		want     string
	}{
		{title.Settings{ForbiddenWords: []string{"cat", "*-*", "--"}}, `forbidden_words has "--": a word has at least one letter or digit`},
		{title.Settings{ForbiddenWords: []string{"cat", "*--*"}}, `forbidden_words has "--": a word`},
		{title.Settings{AllowedWords: []string{strings.Repeat("x", 101)}}, `allowed_words has "xxx`},
		{title.Settings{NameFilterURL: "https://169.254.169.254/"}, `name_filter_url: a filter cannot be at this address`},
		{title.Settings{NameFilterURL: "http://filter.example/", NameFilterToken: "hush"}, `name_filter_url: a filter that is sent a secret needs https`},
		{title.Settings{NameFilterToken: "hush"}, `name_filter_token: a secret goes with the URL of a filter`},
	} {
		if err := f.titles.Add(t.Context(), "144", c.settings); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("added: %v, want %s", err, c.want)
		}
		_, err := title.Open(t.Context(), title.Options{Store: f.store, Declared: listed{"144": c.settings}})
		if err == nil || !strings.HasPrefix(err.Error(), "title 144: "+c.want) {
			t.Errorf("declared: %v, want %s", err, c.want)
		}
	}
}
