package displayname

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"ludgate"
	"ludgate/internal/secret"
)

// Settings are what one title wants of display names. The zero value accepts
// every name.
type Settings struct {
	// Version tells one state of a title's settings from the next: it changes
	// whenever another field does, because a filter keeps what it made of them
	// by title and version.
	Version string

	Profanity  bool     // refuse the profanities that come with Ludgate
	Words      []string // refused as words of their own, or as the whole name
	Substrings []string // refused anywhere
	Allowed    []string // excuse what is found inside them: "Scunthorpe"

	URL    string      // of the title's own filter, http or https; none when empty
	Secret secret.Text // sent to it as a bearer token when not empty
}

// Bounds of settings.
const (
	maxWords = 10_000 // of each list
	maxWord  = 100    // runes
	maxURL   = 2048
)

// Check refuses settings that cannot work, with an InvalidParams that names the
// field. Whoever stores settings asks it first. allowLoopback is as in
// [Options].
func (s *Settings) Check(allowLoopback bool) error {
	for _, list := range []struct {
		name  string
		words []string
	}{{"Words", s.Words}, {"Substrings", s.Substrings}, {"Allowed", s.Allowed}} {
		if len(list.words) > maxWords {
			return invalid(list.name, "a list has at most %d words", maxWords)
		}
		for i, w := range list.words {
			at := fmt.Sprintf("%s[%d]", list.name, i)
			if !utf8.ValidString(w) || utf8.RuneCountInString(w) > maxWord {
				return invalid(at, "a word is UTF-8 of at most %d characters", maxWord)
			}
			if join(fold(bare(w))).text == "" {
				return invalid(at, "a word has at least one letter or digit")
			}
		}
	}
	return s.checkURL(allowLoopback)
}

func (s *Settings) checkURL(allowLoopback bool) error {
	if s.URL == "" {
		if s.Secret != "" {
			return invalid("Secret", "a secret goes with the URL of a filter")
		}
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || len(s.URL) > maxURL || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "" || u.User != nil {
		return invalid("URL", "a filter's URL is an absolute http or https URL without user and fragment")
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err == nil && forbidden(ip, allowLoopback) {
		return invalid("URL", "a filter cannot be at this address")
	}
	local := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	if s.Secret != "" && u.Scheme != "https" && !local {
		return invalid("URL", "a filter that is sent a secret needs https")
	}
	if strings.IndexFunc(s.Secret.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 || len(s.Secret) > 1024 {
		return invalid("Secret", "a secret is at most 1024 visible ASCII characters")
	}
	return nil
}

func invalid(target, format string, args ...any) error {
	return ludgate.Errorf(ludgate.Invalid, "InvalidParams", format, args...).At(target)
}
