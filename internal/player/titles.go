package player

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"ludgate/internal/wire"
)

// Title is one game, whose players are its own. The zero values of its settings
// are what a new title should have.
type Title struct {
	// ID is 3 to 5 hexadecimal digits, kept in upper case.
	ID string
	// Naming is what the title's clients speak; nil is the server's own.
	Naming *wire.Naming
	// StreamingClientID is the title's client id on the streaming platform;
	// "" switches streaming sign-in off (P-7.FeatureNotConfiguredForTitle).
	StreamingClientID string
	// PlayerLimit is the most players the title may have; 0 is no limit.
	PlayerLimit int64
	// DuplicateNames lets several players have one display name.
	DuplicateNames bool
}

// publisher is the title's publisher id: 16 upper-case hexadecimal digits that
// follow from the title's id.
func (t Title) publisher() string {
	sum := sha256.Sum256([]byte("publisher of title " + t.ID))
	return strings.ToUpper(hex.EncodeToString(sum[:8]))
}

// Titles knows the titles of an installation. It is safe for concurrent use.
type Titles interface {
	// Get gives the title of an id in upper case.
	Get(id string) (Title, bool)
}

// TitleList is a fixed list of titles, to which others may spring up.
type TitleList struct {
	titles   map[string]Title
	template *Title
}

var titleIDPattern = regexp.MustCompile(`^[0-9A-F]{3,5}$`)

// NewTitleList makes a list. An id that is not 3 to 5 hexadecimal digits, or that
// is there twice, is refused.
func NewTitleList(titles ...Title) (*TitleList, error) {
	l := &TitleList{titles: make(map[string]Title, len(titles))}
	for _, t := range titles {
		t.ID = strings.ToUpper(t.ID)
		if !titleIDPattern.MatchString(t.ID) {
			return nil, fmt.Errorf("%q is no title id; it must be 3 to 5 hexadecimal digits", t.ID)
		}
		if _, twice := l.titles[t.ID]; twice {
			return nil, fmt.Errorf("title %s is there twice", t.ID)
		}
		l.titles[t.ID] = t
	}
	return l, nil
}

// SpringUp makes every other well-formed id a title with the settings of
// template, as development mode wants it, and returns l.
func (l *TitleList) SpringUp(template Title) *TitleList {
	l.template = &template
	return l
}

// Get implements Titles.
func (l *TitleList) Get(id string) (Title, bool) {
	if t, ok := l.titles[id]; ok {
		return t, true
	}
	if l.template == nil || !titleIDPattern.MatchString(id) {
		return Title{}, false
	}
	t := *l.template
	t.ID = id
	return t, true
}
