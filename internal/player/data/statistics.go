package data

import (
	"math"
	"slices"
	"strings"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	statisticsStmt       = statements.Get("statistics")
	statisticsOfStmt     = statements.Get("statistics_of")
	statisticPlaceStmt   = statements.Get("statistic_place")
	statisticToWriteStmt = statements.Get("statistic_to_write")
	insertStatisticStmt  = statements.Get("insert_statistic")
	changeStatisticStmt  = statements.Get("change_statistic")
	closeStatisticStmt   = statements.Get("close_statistic")
	deleteStatisticsStmt = statements.Get("delete_statistics")
)

// readStatistics gives a player's values of the versions that are current, by
// name: of the names, or of all where names is nil. It never gives nil.
func readStatistics(tx store.Tx, title, player string, names []string, now int64) ([]StatisticValue, error) {
	values := []StatisticValue{}
	scan := func(r store.Row) error {
		version := r.Int(1)
		if current, _ := scanEpoch(r, 3).at(now); version >= current {
			values = append(values, StatisticValue{StatisticName: r.Text(0), Value: int32(-r.Int(2)), Version: uint32(version)})
		}
		return nil
	}
	switch {
	case names == nil:
		return values, tx.Query(statisticsStmt, scan, title, player)
	case len(names) == 0:
		return values, nil
	}
	list, err := nameList(names)
	if err != nil {
		return nil, err
	}
	return values, tx.Query(statisticsOfStmt, scan, title, player, list)
}

// readVersions gives a player's values of exactly the versions asked for.
func readVersions(tx store.Tx, title, player string, asked []StatisticNameVersion) ([]StatisticValue, error) {
	values := []StatisticValue{}
	for _, a := range asked {
		if !plain(a.StatisticName) {
			continue
		}
		m, found, err := placeOf(tx, title, player, a.StatisticName, int64(a.Version))
		if err != nil {
			return nil, err
		}
		if found {
			values = append(values, StatisticValue{StatisticName: a.StatisticName, Value: int32(-m.negative), Version: a.Version})
		}
	}
	return values, nil
}

// standing is a statistic as a write finds it: its definition, and the newest
// value that the player has.
type standing struct {
	definition
	has          bool
	valueVersion int64
	value        int64
}

// findStanding gives a standing; nil when the title has no such statistic.
func findStanding(tx store.Tx, title, player, name string) (*standing, error) {
	var s *standing
	_, err := store.QueryOne(tx, statisticToWriteStmt, func(r store.Row) error {
		s = &standing{definition: definition{name: name, aggregation: StatisticAggregationMethod(r.Text(0)), epoch: scanEpoch(r, 1)}}
		if s.has = !r.IsNull(5); s.has {
			s.valueVersion, s.value = r.Int(5), -r.Int(6)
		}
		return nil
	}, title, player, name)
	return s, err
}

// updateStatistics writes values of a player. With force a value is set whatever
// the statistic's aggregation method. A statistic that the title does not have
// springs into being.
func updateStatistics(tx store.Tx, title, player string, updates []StatisticUpdate, force bool, now int64) error {
	updates = slices.SortedFunc(slices.Values(updates), func(a, b StatisticUpdate) int {
		return strings.Compare(a.StatisticName, b.StatisticName)
	})
	for _, u := range updates {
		s, err := findStanding(tx, title, player, u.StatisticName)
		if err != nil {
			return err
		}
		if s == nil {
			if u.Version != nil && *u.Version != 0 {
				return call.Refuse("StatisticNotFound", "There is no statistic of this name: %s", u.StatisticName)
			}
			d, err := define(tx, title, u.StatisticName, Last, Never, now)
			if err != nil {
				return err
			}
			s = &standing{definition: *d}
		}
		if err := s.write(tx, title, player, u, force, now); err != nil {
			return err
		}
	}
	return nil
}

// write applies one update to the current version.
func (s *standing) write(tx store.Tx, title, player string, u StatisticUpdate, force bool, now int64) error {
	current, _ := s.at(now)
	if s.has {
		current = max(current, s.valueVersion) // another node's clock may be ahead
	}
	if u.Version != nil {
		switch asked := int64(*u.Version); {
		case asked < current:
			return call.Refuse("StatisticVersionClosedForWrites", "The statistic version is not current and is no longer accepting updates")
		case asked > current:
			return call.Refuse("StatisticVersionInvalid", "The statistic %s has no version %d yet", s.name, asked)
		}
	}
	value, same := int64(u.Value), s.has && s.valueVersion == current
	if same && !force {
		if value = s.aggregation.combine(s.value, value); value < math.MinInt32 || value > math.MaxInt32 {
			return call.Refuse("StatisticValueAggregationOverflow", "The sum of the statistic %s is out of range", s.name)
		}
	}
	switch {
	case same && value == s.value:
		return nil // who was there first stays first
	case same:
		_, err := tx.Exec(changeStatisticStmt, title, player, s.name, current, -value, now)
		return err
	case s.has:
		if _, err := tx.Exec(closeStatisticStmt, title, player, s.name); err != nil {
			return err
		}
	}
	_, err := tx.Exec(insertStatisticStmt, title, player, int64(0), s.name, current, -value, now)
	return err
}

// combine is the value that a write leaves where another one was.
func (m StatisticAggregationMethod) combine(old, value int64) int64 {
	switch m {
	case Min:
		return min(old, value)
	case Max:
		return max(old, value)
	case Sum:
		return old + value
	}
	return value
}
