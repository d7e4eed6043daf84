package data

import (
	"time"

	"ludgate/internal/player/profile"
	"ludgate/internal/store"
)

// Want chooses what [Service.Load] reads. A nil list is everything.
type Want struct {
	Statistics     bool
	StatisticNames []string

	UserData     bool
	UserDataKeys []string

	ReadOnlyData     bool
	ReadOnlyDataKeys []string

	// Public leaves out what other players may not read.
	Public bool
}

// Info is what Load reads. What was not wanted is nil; what was is not. The
// versions are always there.
type Info struct {
	Statistics          []StatisticValue
	UserData            map[string]UserDataRecord
	UserDataVersion     uint32
	ReadOnlyData        map[string]UserDataRecord
	ReadOnlyDataVersion uint32
}

// Load reads what a sign-in tells of a player's data, with at most four
// statements; a player without data costs one.
func (s *Service) Load(tx store.Tx, title, player string, w Want) (*Info, error) {
	info := &Info{}
	heads, err := loadHeads(tx, title, player)
	if err != nil {
		return nil, err
	}
	read := func(k kind, want bool, member string, keys []string) (map[string]UserDataRecord, error) {
		if !want {
			return nil, nil
		}
		keys, err := wanted(member, keys)
		if err != nil || heads[k].entries == 0 {
			return map[string]UserDataRecord{}, err
		}
		return readData(tx, title, player, k, heads[k].entries, keys, w.Public)
	}
	if info.UserData, err = read(clientData, w.UserData, "UserDataKeys", w.UserDataKeys); err != nil {
		return nil, err
	}
	if info.ReadOnlyData, err = read(readOnlyData, w.ReadOnlyData, "UserReadOnlyDataKeys", w.ReadOnlyDataKeys); err != nil {
		return nil, err
	}
	info.UserDataVersion = uint32(heads[clientData].version)
	info.ReadOnlyDataVersion = uint32(heads[readOnlyData].version)
	if w.Statistics {
		names, err := wanted("PlayerStatisticNames", w.StatisticNames)
		if err != nil {
			return nil, err
		}
		if info.Statistics, err = readStatistics(tx, title, player, names, s.now().UnixMilli()); err != nil {
			return nil, err
		}
	}
	return info, nil
}

func (s *Service) now() time.Time { return s.gate.Clock()() }

// Statistics gives a player's current values as a profile shows them.
func (s *Service) Statistics(tx store.Tx, title, player string) ([]profile.StatisticModel, error) {
	values, err := readStatistics(tx, title, player, nil, s.now().UnixMilli())
	models := make([]profile.StatisticModel, len(values))
	for i, v := range values {
		models[i] = profile.StatisticModel{Name: v.StatisticName, Value: v.Value, Version: int32(v.Version)}
	}
	return models, err
}
