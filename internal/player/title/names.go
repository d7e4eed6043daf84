package title

import (
	"fmt"
	"strings"

	"ludgate"
	"ludgate/internal/displayname"
	"ludgate/internal/secret"
)

// NameFilter is what a title with these settings wants of display names, without
// a version.
func (s *Settings) NameFilter() displayname.Settings {
	f := displayname.Settings{
		Profanity: s.ProfanityFilter, Allowed: s.AllowedWords, URL: s.NameFilterURL, Secret: secret.Text(s.NameFilterToken),
	}
	for _, word := range s.ForbiddenWords {
		if len(word) > 2 && strings.HasPrefix(word, "*") && strings.HasSuffix(word, "*") {
			f.Substrings = append(f.Substrings, word[1:len(word)-1])
		} else {
			f.Words = append(f.Words, word)
		}
	}
	return f
}

// checkNameFilter refuses a filter that cannot work, in a sentence that begins
// with the setting.
func (s *Settings) checkNameFilter(allowLoopback bool) error {
	f := s.NameFilter()
	err := f.Check(allowLoopback)
	if err == nil {
		return nil
	}
	e := ludgate.AsError(err)
	field, at := e.Target, -1
	if name, rest, listed := strings.Cut(e.Target, "["); listed {
		field = name
		_, _ = fmt.Sscanf(rest, "%d]", &at) // the word stays unnamed if this fails
	}
	setting, words := "", []string(nil)
	switch field {
	case "Words":
		setting, words = "forbidden_words", f.Words
	case "Substrings":
		setting, words = "forbidden_words", f.Substrings
	case "Allowed":
		setting, words = "allowed_words", f.Allowed
	case "URL":
		setting = "name_filter_url"
	default:
		setting = "name_filter_token"
	}
	if at >= 0 && at < len(words) {
		setting = fmt.Sprintf("%s has %q", setting, words[at])
	}
	return fmt.Errorf("%s: %s", setting, e.Message)
}
