package displayname

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// reading is one way to read a name: its letters and digits, lower-case, with
// nothing between them, and where the pieces between separators begin.
type reading struct {
	text   string
	pieces []int // offsets in text; the first is 0
}

// readings gives the ways to read s. near are those that words of any script
// are compared with; far is the reading that takes every letter for its Latin
// double, which only words of other scripts, folded alike, are compared with.
// ok is false for a text that is nothing but decoration: some characters stand
// for 18 others, and names of them are not worth the time.
func readings(s string) (near, far []reading, ok bool) {
	if ascii(s) {
		return variants([]string{strings.ToLower(s)}), nil, true
	}
	base := bare(s)
	if len(base) > maxBare {
		return nil, nil, false
	}
	texts := []string{fold(base)}
	if mixed := fold(replaceRuns(base)); mixed != texts[0] {
		texts = append(texts, mixed)
	}
	return variants(texts), variants([]string{fold(doubles(base, true))}), true
}

// maxBare is the longest text that is read, in bytes; a name of 64 characters of
// four bytes each is shorter.
const maxBare = 512

// variants gives readings of texts as they are, with signs taken for letters,
// and with long repetitions shortened.
func variants(texts []string) []reading {
	for _, t := range texts[:len(texts):len(texts)] {
		for i := range leet {
			texts = appendNew(texts, signs(t, &leet[i]))
		}
	}
	for _, t := range texts[:len(texts):len(texts)] {
		texts = appendNew(texts, shorten(t, 1), shorten(t, 2))
	}
	out := make([]reading, 0, len(texts))
	for _, t := range texts {
		if r := join(t); r.text != "" {
			out = append(out, r)
		}
	}
	return out
}

func appendNew(list []string, more ...string) []string {
next:
	for _, s := range more {
		for _, old := range list {
			if s == old {
				continue next
			}
		}
		list = append(list, s)
	}
	return list
}

// join drops what is neither letter nor digit and notes where it was.
func join(s string) reading {
	r := reading{pieces: []int{0}}
	var b strings.Builder
	gap := false
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsNumber(c) && !unicode.IsMark(c) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			r.pieces = append(r.pieces, b.Len())
		}
		gap = false
		b.WriteRune(c)
	}
	r.text = b.String()
	return r
}

// bare takes s apart (NFKD) and drops what does not tell letters apart: invisible
// characters, and marks that do not belong to their letter's own script, such as
// accents. Latin letters that have no decomposition become the plain ones.
func bare(s string) string {
	var b strings.Builder
	var base rune
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		case unicode.In(r, unicode.Mn, unicode.Me):
			if belongs(r, base) {
				b.WriteRune(r)
			}
		default:
			base = r
			b.WriteString(latin(r))
		}
	}
	return b.String()
}

// belongs reports whether a mark is part of how base's script is spelled: vowel
// signs of India and Thailand, the voicing marks of kana.
func belongs(mark, base rune) bool {
	if mark == '\u3099' || mark == '\u309a' {
		return unicode.In(base, unicode.Hiragana, unicode.Katakana)
	}
	if unicode.In(mark, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return false
	}
	for _, script := range unicode.Scripts {
		if unicode.Is(script, mark) {
			return unicode.Is(script, base)
		}
	}
	return false
}

// latin gives the plain letters of a Latin letter or letter-like sign.
func latin(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	for _, enclosed := range []rune{0x1F150, 0x1F170, 0x1F1E6} { // white on black, flags
		if r >= enclosed && r < enclosed+26 {
			return string('a' + r - enclosed)
		}
	}
	if plain, ok := latinLetters[r]; ok {
		return plain
	}
	return string(r)
}

// replaceRuns replaces look-alikes in those runs of letters that mix them with
// Latin ones, or consist of nothing but close ones.
func replaceRuns(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		if n < 0 {
			n = len(s)
		}
		run := s[:n]
		hasLatin := strings.IndexFunc(run, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) >= 0
		allClose := strings.IndexFunc(run, func(r rune) bool { return closeDoubles[r] == 0 }) < 0
		if hasLatin || allClose {
			run = doubles(run, hasLatin)
		}
		b.WriteString(run)
		s = s[n:]
	}
	return b.String()
}

// doubles replaces letters by the Latin ones they look like, closely or, with
// loose, more or less.
func doubles(s string, loose bool) string {
	return strings.Map(func(r rune) rune {
		if d := closeDoubles[r]; d != 0 {
			return d
		}
		if d := looseDoubles[r]; d != 0 && loose {
			return d
		}
		return r
	}, s)
}

// fold takes away case (full case folding) and puts letters together again.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	caser := cases.Fold() // not to be shared
	return norm.NFC.String(bare(caser.String(s)))
}

// signs replaces digits and signs by the letters that they stand for.
func signs(s string, table *[128]byte) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && table[r] != 0 {
			return rune(table[r])
		}
		return r
	}, drawn.Replace(s))
}

// shorten makes every run of three or more of a letter as long as said.
func shorten(s string, to int) string {
	var b strings.Builder
	rest := []rune(s)
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n] == rest[0] {
			n++
		}
		keep := n
		if n >= 3 {
			keep = to
		}
		b.WriteString(string(rest[:keep]))
		rest = rest[n:]
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
