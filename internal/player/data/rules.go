package data

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ludgate/internal/player/call"
)

// Limits. Those of other services are theirs; the rest bound what one player can
// make the store hold.
const (
	maxKeyLength    = 128        // of a key of user data, in code points
	maxValueBytes   = 300_000    // of a value of user data
	maxClientKeys   = 10         // that one call of a client names
	maxKeys         = 1_000      // of one kind that a player has, or that a call names
	maxDataBytes    = 10_000_000 // of one kind that a player has, keys and values
	maxStatistics   = 300        // names in a title
	maxNameLength   = 128        // of a statistic, in code points
	maxVersions     = 1_000      // of a statistic that a list shows
	maxObjects      = 5          // of one entity
	maxObjectBytes  = 1_000      // of one object, as compact JSON
	maxObjectName   = 64         // in code points
	maxEventBytes   = 10_000     // of an event's body, as compact JSON
	maxEventName    = 128        // in bytes
	maxEvents       = 1_000      // that the log of a player keeps
	eventDays       = 30         // that the log keeps one
	maxDeviceBytes  = 10_000     // of a device's report, as compact JSON
	defaultResults  = 10         // of a leaderboard
	maxResults      = 100        // of a leaderboard
	defaultEvents   = 100        // of a list of events
	maxBodyUserData = 8 << 20    // of a call that writes user data: ten values with escapes
)

// plain reports whether a name is text that can be shown and looked up anywhere.
func plain(s string) bool { return strings.IndexFunc(s, unicode.IsControl) < 0 }

// dataKey trims a key of user data and says what is wrong with it.
func dataKey(f *call.Faults, member, key string) (string, error) {
	key = strings.TrimSpace(key)
	switch {
	case key == "":
		f.Add(member, "A key must not be empty.")
	case key[0] == '!':
		f.Add(member, "A key must not begin with an exclamation mark.")
	case !plain(key):
		f.Add(member, "A key must not contain control characters.")
	case utf8.RuneCountInString(key) > maxKeyLength:
		return "", call.Refuse("KeyLengthExceeded", "A key must be at most %d characters long", maxKeyLength)
	}
	return key, nil
}

// change is a checked UpdateUserDataRequest. Keys are in order.
type change struct {
	set    []pair
	remove []string
	public bool
}

type pair struct{ key, value string }

// check reads an update; most is how many keys it may name.
func (r *UpdateUserDataRequest) check(most int) (*change, error) {
	if len(r.Data)+len(r.KeysToRemove) > most {
		return nil, call.Refuse("TooManyKeys", "A call may name at most %d keys", most)
	}
	f := &call.Faults{}
	c := &change{}
	seen := map[string]bool{}
	once := func(member, key string) (string, bool, error) {
		key, err := dataKey(f, member, key)
		if err == nil && seen[key] {
			f.Add(member, "A key is there twice, or both written and removed.")
		}
		seen[key] = true
		return key, err == nil, err
	}
	for name, value := range r.Data {
		key, ok, err := once("Data", name)
		switch {
		case !ok:
			return nil, err
		case value == nil:
			c.remove = append(c.remove, key)
		case len(*value) > maxValueBytes:
			return nil, call.Refuse("DataLengthExceeded", "A value must be at most %d bytes long", maxValueBytes)
		default:
			c.set = append(c.set, pair{key, *value})
		}
	}
	for _, name := range r.KeysToRemove {
		key, ok, err := once("KeysToRemove", name)
		if !ok {
			return nil, err
		}
		c.remove = append(c.remove, key)
	}
	switch r.Permission {
	case "", Private:
	case Public:
		c.public = true
	default:
		f.Add("Permission", "The field Permission must be Private or Public.")
	}
	return c, f.Err()
}

// wanted is a list of names to look up, the request's member of that name; nil
// stays nil, which is all.
func wanted(member string, names []string) ([]string, error) {
	if names == nil {
		return nil, nil
	}
	if len(names) > maxKeys {
		f := &call.Faults{}
		f.Add(member, "The list is too long.")
		return nil, f.Err()
	}
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n = strings.TrimSpace(n); n != "" && plain(n) { // others name nothing that exists
			out = append(out, n)
		}
	}
	return out, nil
}

// checkStatisticName refuses a name that no statistic can have.
func checkStatisticName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > maxNameLength || !plain(name) || strings.TrimSpace(name) != name {
		return call.Refuse("InvalidStatisticName", "A statistic's name must be 1 to %d characters without control characters or blanks around it", maxNameLength)
	}
	return nil
}

// check reads the updates of a call in the order of their names.
func (r *UpdatePlayerStatisticsRequest) check() error {
	if len(r.Statistics) > maxStatistics {
		return call.Refuse("StatisticCountLimitExceeded", "A title has at most %d statistics", maxStatistics)
	}
	seen := map[string]bool{}
	for _, u := range r.Statistics {
		if u.StatisticName == "" {
			f := &call.Faults{}
			f.Required("StatisticName")
			return f.Err()
		}
		if err := checkStatisticName(u.StatisticName); err != nil {
			return err
		}
		if seen[u.StatisticName] {
			return call.Refuse("DuplicateStatisticName", "A statistic is there twice: %s", u.StatisticName)
		}
		seen[u.StatisticName] = true
	}
	return nil
}

// check refuses values that are no members of the enumerations.
func (r *DefinitionRequest) check() error {
	f := &call.Faults{}
	switch r.AggregationMethod {
	case "", Last, Min, Max, Sum:
	default:
		f.Add("AggregationMethod", "The field AggregationMethod must be Last, Min, Max or Sum.")
	}
	switch r.VersionChangeInterval {
	case "", Never, Hour, Day, Week, Month:
	default:
		f.Add("VersionChangeInterval", "The field VersionChangeInterval must be Never, Hour, Day, Week or Month.")
	}
	if err := f.Err(); err != nil {
		return err
	}
	return checkStatisticName(r.StatisticName)
}

// results is how many entries of a leaderboard a caller gets.
func results(f *call.Faults, asked int32) int {
	if asked < 0 || asked > maxResults {
		f.Add("MaxResultsCount", "The field MaxResultsCount must be between 1 and 100.")
	}
	if asked == 0 {
		return defaultResults
	}
	return int(asked)
}
