package displayname

import (
	"slices"
	"strings"
	"unicode/utf8"

	goaway "github.com/TwiN/go-away"
)

// matcher is a title's settings made ready to compare names with.
type matcher struct {
	profanity bool
	near, far tables
}

// tables are words, folded as the readings are that they are compared with.
type tables struct {
	words, substrings, allowed grams
}

// grams is a set of texts that finds its members within another text in a time
// that does not depend on how many there are.
type grams struct {
	set     map[string]struct{}
	lengths []int // of the members, in bytes, each once
}

func (g *grams) add(s string) {
	if s == "" {
		return
	}
	if g.set == nil {
		g.set = map[string]struct{}{}
	}
	g.set[s] = struct{}{}
	if !slices.Contains(g.lengths, len(s)) {
		g.lengths = append(g.lengths, len(s))
	}
}

func (g *grams) has(s string) bool { _, ok := g.set[s]; return ok }

// in calls found with where members are in text[from:to], until it returns true.
func (g *grams) in(text string, from, to int, found func(span) bool) bool {
	for _, n := range g.lengths {
		for at := from; at+n <= to; at++ {
			if g.has(text[at:at+n]) && found(span{at, at + n}) {
				return true
			}
		}
	}
	return false
}

// span is a part of a text.
type span struct{ from, to int }

// detector has the profanities that come with Ludgate. It takes texts as they
// are, because readings have nothing left to clean.
var detector = goaway.NewProfanityDetector().WithSanitizeAccents(false).WithSanitizeSpaces(false).WithCustomCharacterReplacements(nil)

// compile makes a matcher.
func compile(s *Settings) *matcher {
	m := &matcher{profanity: s.Profanity}
	for _, list := range []struct {
		words     []string
		near, far *grams
	}{
		{s.Words, &m.near.words, &m.far.words},
		{s.Substrings, &m.near.substrings, &m.far.substrings},
		{s.Allowed, &m.near.allowed, &m.far.allowed},
	} {
		for _, w := range list.words {
			base := bare(w)
			plain := fold(base)
			list.near.add(join(plain).text)
			list.near.add(join(fold(replaceRuns(base))).text)
			list.near.add(join(fold(replaceRuns(strings.ToUpper(base)))).text) // capitals look alike more often
			if !ascii(plain) {
				list.far.add(join(fold(doubles(base, true))).text)
			}
		}
	}
	return m
}

// refuses reports whether a name holds a word that is not wanted.
func (m *matcher) refuses(name string) bool {
	if !m.profanity && m.near.empty() {
		return false
	}
	near, far, ok := readings(name)
	if !ok {
		return true
	}
	for _, r := range near {
		if m.near.refuse(r) || m.profanity && m.near.profane(r) {
			return true
		}
	}
	for _, r := range far {
		if m.far.refuse(r) {
			return true
		}
	}
	return false
}

// empty reports whether no word is refused.
func (t *tables) empty() bool { return len(t.words.set)+len(t.substrings.set) == 0 }

// refuse looks for the title's words.
func (t *tables) refuse(r reading) bool {
	unexcused := func(s span) bool { return !t.excused(r.text, s) }
	if t.substrings.in(r.text, 0, len(r.text), unexcused) {
		return true
	}
	if len(t.words.set) == 0 {
		return false
	}
	if t.words.has(r.text) && unexcused(span{0, len(r.text)}) {
		return true
	}
	letters := -1 // where a run of single letters began: "b a d"
	for i, from := range r.pieces {
		to := len(r.text)
		if i+1 < len(r.pieces) {
			to = r.pieces[i+1]
		}
		if t.words.has(r.text[from:to]) && unexcused(span{from, to}) {
			return true
		}
		if _, n := utf8.DecodeRuneInString(r.text[from:]); from+n < to {
			letters = -1
			continue
		}
		if letters < 0 {
			letters = from
		}
		if t.words.in(r.text, letters, to, unexcused) {
			return true
		}
	}
	return false
}

// excused reports whether a part of a text lies inside an allowed word.
func (t *tables) excused(text string, s span) bool {
	return t.allowed.in(text, 0, len(text), func(a span) bool { return a.from <= s.from && s.to <= a.to })
}

// profane looks for the profanities that come with Ludgate.
func (t *tables) profane(r reading) bool {
	text := r.text
	for !t.excused(r.text, span{0, len(r.text)}) {
		word := detector.ExtractProfanity(text)
		if word == "" {
			return false
		}
		// The detector names one word. When all places of it are excused, it
		// looks on without them.
		var one grams
		one.add(word)
		places := 0
		if one.in(r.text, 0, len(r.text), func(s span) bool { places++; return !t.excused(r.text, s) }) || places == 0 {
			return true
		}
		before := text
		if text = without(text, word); text == before {
			return true
		}
	}
	return false
}

// without puts a sign that is no letter in the place of each letter of word.
func without(text, word string) string {
	b := []byte(text)
	for at := 0; at+len(word) <= len(text); at++ {
		if text[at:at+len(word)] == word {
			for i := range len(word) {
				b[at+i] = 0
			}
		}
	}
	return string(b)
}
