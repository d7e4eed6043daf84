package player

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync"

	"ludgate/internal/displayname"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
)

// FilterNames makes [Options].DisplayNames of a filter: what the settings of a
// title want of display names decides (P-7.ProfaneDisplayName,
// P-7.InvalidPartnerResponse).
func FilterNames(f *displayname.Filter) func(ctx context.Context, t *title.Title, name string) error {
	n := &nameFilter{filter: f, titles: map[string]*wanted{}}
	return n.check
}

// nameFilter gives each state of a title's settings the version under which the
// filter keeps what it made of them.
type nameFilter struct {
	filter *displayname.Filter
	mu     sync.Mutex
	titles map[string]*wanted
	made   uint64 // versions so far
}

// wanted is what one snapshot of a title wants of display names. It is never
// changed.
type wanted struct {
	of       *title.Title
	settings displayname.Settings
}

// mostFiltered is how many titles are kept; then all are forgotten and made again
// as they come.
const mostFiltered = 10_000

func (n *nameFilter) check(ctx context.Context, t *title.Title, name string) error {
	if !t.ProfanityFilter && len(t.ForbiddenWords) == 0 && t.NameFilterURL == "" {
		return nil
	}
	err := n.filter.Check(ctx, t.ID, n.settings(t), name)
	switch {
	case errors.Is(err, displayname.ErrProfane):
		return call.Refuse("ProfaneDisplayName", "Display name rejected by the profanity filter")
	case err != nil:
		return call.Refuse("InvalidPartnerResponse", "Invalid response from partner").Because(err)
	}
	return nil
}

// settings are what a title wants. The version of a title is of no use here: it
// grows when its keys change, begins again when it is deleted and added, and
// stays where the settings file changed.
func (n *nameFilter) settings(t *title.Title) *displayname.Settings {
	n.mu.Lock()
	defer n.mu.Unlock()
	old := n.titles[t.ID]
	if old != nil && old.of == t {
		return &old.settings
	}
	next := &wanted{of: t, settings: t.NameFilter()}
	if old != nil {
		next.settings.Version = old.settings.Version
	}
	if old == nil || !reflect.DeepEqual(next.settings, old.settings) {
		n.made++
		next.settings.Version = strconv.FormatUint(n.made, 10)
	}
	if len(n.titles) >= mostFiltered {
		clear(n.titles)
	}
	n.titles[t.ID] = next
	return &next.settings
}
