package displayname

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// check asks a filter of the test's own.
func check(t testing.TB, s Settings, name string) error {
	t.Helper()
	f := New(Options{})
	t.Cleanup(f.Close)
	return f.Check(t.Context(), "144", &s, name)
}

// What the title of these tests does not want.
var strict = Settings{
	Version: "1", Profanity: true,
	Words:      []string{"Bad", "Admin", "Game Master", "хер"},
	Substrings: []string{"evil", "Ludgate", "сука", "悪い", "düster", "हिन्दी"},
	Allowed:    []string{"Scunthorpe", "Medieval", "devil", "Snigger", "Badminton", "Miss Hitchcock", "Analyst"},
}

func TestAcceptedNames(t *testing.T) {
	for _, name := range []string{
		"Ann", "bob_99", "Ünal", "José María", "O'Brien", "Σωκράτης", "Дмитрий", "さくら", "山田太郎", "김철수", "فاطمة", "नमस्ते", "สวัสดี", "Œdipe", "Łukasz",
		"<b>Ann</b>", "🔑 keeper", "x", "12345", "....", "Main Class", "Cocktail", "Grass Snake", "Assassin", "Butterfly", "Night Shift", "Sussex",
		"Scunthorpe", "Scunthorpe United", "scunthorpe99", "Medieval", "Snigger", "Miss Hitchcock", // excused by the title
		"Badger", "Badminton", "Administrator", "notbad", // a word is refused as a word only
		"Главное", "Больное", "Родное", // Russian: "ное" is no English word
		"Херсон", "Ναι", "Книга", "суккулент",
		"A", "aaaaaaaaaaaaaaaaaaaaaaaaa", "good", "Google", strings.Repeat("山", 25), strings.Repeat("𝕏x", maxName/2), strings.Repeat("각", maxName/2),
	} {
		if err := check(t, strict, name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestRefusedNames(t *testing.T) {
	for _, c := range []struct {
		what  string
		names []string
	}{
		{"as it is", []string{"fuck", "Mr Fuck", "FUCKER", "xXfuckXx", "Shithead", "Nazi"}},
		{"digits and signs", []string{"sh1t", "$h!t", "5h17", "a55hole", "@sshole", "fuc|<", "n4z1", "b!tch", "c0ck", "()rgy fuck", "s|ut", "s1ut", "€vi1", "l00dgate evi!"}},
		{"something between", []string{"f u c k", "f.u.c.k", "f_u-c*k", "fu ck", "f\u00a0u\u2003c\u3000k", "f\u2800uck", "f🔑u🔑c🔑k", "s-h-i-t"}},
		{"long letters", []string{"fuuuuuck", "shiiiit", "eeeviiil", "baaaad", "Aaaadmin"}},
		{"invisible characters", []string{"f\u200buck", "fu\u200dck", "f\u00aduck", "f\ufeffuck", "ev\u2060il", "f\u034fuck", "fu\ufe0fck", "f\u3164uck", "f\u115fuck", "f\U000e0041uck", "ba\u200bd"}},
		{"accents", []string{"fùck", "shït", "évil", "fu\u0308ck", "f\u0336u\u0336c\u0336k\u0336", "e\u0489vil", "f\u20ddu\u20ddck", "Bäd", "b̷a̷d̷", "fu\u0301сk", "|_|p $|-|it", "d!(k", "b|+ch fu(|<"}},
		{"marks of another script", []string{"fu\u0e38ck", "f\u05b0uck", "ev\u0941il"}},
		{"wide, round and fancy letters", []string{"ｆｕｃｋ", "ⓕⓤⓒⓚ", "𝓯𝓾𝓬𝓴", "𝕤𝕙𝕚𝕥", "🄵🅄🄲🄺", "🅵🆄🅲🅺", "🅕🅤🅒🅚", "🇫🇺🇨🇰", "ꜰᴜᴄᴋ", "ᵉᵛⁱˡ", "ﬁlthy evil", "ƒuck", "ʂhit", "đick", "ᗷᗩᗪ"}},
		{"mixed scripts", []string{"fuсk", "ѕhit", "еvil", "evіl", "shіт", "fцck", "ѕһіt", "βitch", "sʜit", "εvιl", "ԁісk", "ꓢhit", "ᎬvᎥl", "eviӏ", "Аdmin", "ⲥock"}},
		{"doubles throughout", []string{"асс сосk", "ЅНІТ", "сосk"}},
		{"words of the title", []string{"bad", "Bad", "the bad one", "bad-boy", "BAD", "b a d", "I b a d", "b.a.d", "b4d", "Bаd", "ａｄｍｉｎ", "game master", "GameMaster", "G.a.m.e.M.a.s.t.e.r"}},
		{"parts of the title", []string{"Evil", "mr_evil_2", "weevils", "LUDGATE", "LudgateStaff", "L u d g a t e", "Düster", "duster", "finsterduestere düster"}},
		{"words of other scripts", []string{"сука", "СУКА", "су́ка", "с у к а", "cyka", "сyкa", "хер", "Xер", "悪い", "とても悪い", "悪\u200bい", "हिन्दी"}},
		{"beside what is excused", []string{"Scunthorpe cunt", "cuntScunthorpe", "scuntshorpe", "Medievil", "devilevil", "Badminton bad", "analystanal"}},
		{"not a name", []string{"\xff\xfe", strings.Repeat("x", maxName+1), strings.Repeat("\ufdfa", 25)}},
	} {
		for _, name := range c.names {
			if err := check(t, strict, name); !errors.Is(err, ErrProfane) || errors.Is(err, ErrFilter) {
				t.Errorf("%s: %q: %v", c.what, name, err)
			}
		}
	}
}

// Each list does its own and no more.
func TestListsApart(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		name     string
		ok       bool
	}{
		{Settings{}, "fuck", true},
		{Settings{Profanity: true}, "fuck", false},
		{Settings{Profanity: true}, "evil", true},
		{Settings{Profanity: true, Allowed: []string{"fuck"}}, "fuck", true},
		{Settings{Profanity: true, Allowed: []string{"fuck"}}, "fuck shit", false},
		{Settings{Profanity: true, Allowed: []string{"fuck"}}, "fuckfuck", true},
		{Settings{Profanity: true, Allowed: []string{"Dick"}}, "Moby-Dick", true},
		{Settings{Profanity: true, Allowed: []string{"Дик"}}, "Дик", true},
		{Settings{Profanity: true}, "Penistone", true}, // excused by the built-in list
		{Settings{Words: []string{"a"}}, "a", false},
		{Settings{Words: []string{"a"}}, "an a", false},
		{Settings{Words: []string{"a"}}, "anna", true},
		{Settings{Words: []string{"god"}}, "good", true},
		{Settings{Words: []string{"god"}}, "goood", false},
		{Settings{Words: []string{"1337"}}, "1337", false},
		{Settings{Words: []string{"1337"}}, "13371", true},
		{Settings{Substrings: []string{"1337"}}, "13371", false},
		{Settings{Words: []string{"bad"}, Allowed: []string{"bad"}}, "bad", true},
		{Settings{Substrings: []string{"ß"}}, "STRASSE", false},
		{Settings{Substrings: []string{"strasse"}}, "Straße", false},
		{Settings{Substrings: []string{"İstanbul"}}, "istanbul", false},
		{Settings{Substrings: []string{"が"}}, "か", true}, // the mark is part of the letter
		{Settings{Substrings: []string{"가"}}, "각", true},
		{Settings{Substrings: []string{"가"}}, "\u1100\u1161", false},
		{Settings{Words: []string{"нос"}}, "Hoc", false}, // looks the same
		{Settings{Words: []string{"нож"}}, "hoж", false},
	} {
		if err := check(t, c.settings, c.name); (err == nil) != c.ok {
			t.Errorf("%+v, %q: %v", c.settings, c.name, err)
		}
	}
}

// Many words cost no more than few.
func bigSettings() *Settings {
	s := &Settings{Version: "1", Profanity: true, Allowed: strict.Allowed}
	for i := range maxWords {
		s.Words = append(s.Words, fmt.Sprintf("word%dx", i))
		s.Substrings = append(s.Substrings, fmt.Sprintf("part%dx", i*7))
	}
	return s
}

func BenchmarkCheck(b *testing.B) {
	f := New(Options{})
	defer f.Close()
	for _, c := range []struct {
		what, name string
		s          *Settings
	}{
		{"plain", "DragonSlayer", &strict}, {"digits", "Dragon_Slayer1988", &strict}, {"accents", "Élodie Größe", &strict},
		{"mixed", "Дмитрий the 3rd", &strict}, {"10000 words", "DragonSlayer", bigSettings()}, {"nothing set", "DragonSlayer", &Settings{}},
	} {
		b.Run(c.what, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Check(b.Context(), c.what, c.s, c.name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Whatever is written between, over or around a listed word, it is found.
func FuzzCheck(f *testing.F) {
	f.Add("Ann", "x")
	f.Add("fu\u200bck", "\u0301")
	f.Add("\xff", "🔑")
	f.Add("Ⅷ ﷺ ǆ", "ﷺ")
	f.Add("сука", "І")
	filter := New(Options{})
	f.Cleanup(filter.Close)
	f.Fuzz(func(t *testing.T, name, between string) {
		near, far, _ := readings(name)
		for _, r := range append(near, far...) {
			for i, p := range r.pieces {
				if p < 0 || p >= len(r.text) || i > 0 && p <= r.pieces[i-1] {
					t.Fatalf("%q: pieces %v of %q", name, r.pieces, r.text)
				}
			}
		}
		err := filter.Check(t.Context(), "144", &strict, name)
		if err != nil && !errors.Is(err, ErrProfane) {
			t.Errorf("%q: %v", name, err)
		}
		// A title that lists a name refuses it, in either list.
		if len(near) > 0 && len([]rune(name)) <= maxWord {
			for i, s := range []Settings{{Words: []string{name}}, {Substrings: []string{name}}} {
				if s.Check(false) != nil {
					continue
				}
				if !compile(&s).refuses(name) {
					t.Errorf("list %d with %q accepts it", i, name)
				}
			}
		}
		// What is neither letter nor digit cannot break a word.
		if join(fold(bare(between))).text == "" && len(variants([]string{fold(bare("x" + between + "y"))})) == 1 {
			if broken := "lud" + between + "gate"; len([]rune(broken)) <= maxName && len(broken) <= maxBare/8 && filter.Check(t.Context(), "144", &strict, broken) == nil {
				t.Errorf("%q is accepted", broken)
			}
		}
	})
}
