package data

import (
	"strings"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	definitionStmt       = statements.Get("definition")
	definitionsStmt      = statements.Get("definitions")
	countDefinitionsStmt = statements.Get("count_definitions")
	insertDefinitionStmt = statements.Get("insert_definition")
	changeDefinitionStmt = statements.Get("change_definition")
	putEpochStmt         = statements.Get("put_epoch")
	epochsStmt           = statements.Get("epochs")
)

// definition is a statistic of a title with its newest epoch.
type definition struct {
	name        string
	aggregation StatisticAggregationMethod
	epoch
}

// record is the definition as the wire shows it at a time.
func (d *definition) record(now int64) PlayerStatisticDefinition {
	version, _ := d.at(now)
	return PlayerStatisticDefinition{StatisticName: d.name, CurrentVersion: uint32(version),
		AggregationMethod: d.aggregation, VersionChangeInterval: d.reset}
}

// scanEpoch reads version, activated, since and reset from column i on.
func scanEpoch(r store.Row, i int) epoch {
	return epoch{version: r.Int(i), activated: r.Int(i + 1), since: r.Int(i + 2), reset: StatisticResetIntervalOption(r.Text(i + 3))}
}

// findDefinition gives a statistic of a title; nil when there is none.
func findDefinition(tx store.Tx, title, name string) (*definition, error) {
	var d *definition
	_, err := store.QueryOne(tx, definitionStmt, func(r store.Row) error {
		d = &definition{name: name, aggregation: StatisticAggregationMethod(r.Text(0)), epoch: scanEpoch(r, 1)}
		return nil
	}, title, name)
	return d, err
}

// requireDefinition is findDefinition that refuses a name without statistic.
func requireDefinition(tx store.Tx, title, name string) (*definition, error) {
	d, err := findDefinition(tx, title, name)
	if err == nil && d == nil {
		err = call.Refuse("StatisticNotFound", "There is no statistic of this name")
	}
	return d, err
}

// define makes a statistic. Its name must differ from every other's by more than
// case.
func define(tx store.Tx, title, name string, aggregation StatisticAggregationMethod, reset StatisticResetIntervalOption, now int64) (*definition, error) {
	if err := checkStatisticName(name); err != nil {
		return nil, err
	}
	count := int64(0)
	if _, err := store.QueryOne(tx, countDefinitionsStmt, func(r store.Row) error { count = r.Int(0); return nil }, title); err != nil {
		return nil, err
	}
	if count >= maxStatistics {
		return nil, call.Refuse("StatisticCountLimitExceeded", "A title has at most %d statistics", maxStatistics)
	}
	n, err := tx.Exec(insertDefinitionStmt, title, name, strings.ToLower(name), string(aggregation), string(reset), now)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, call.Refuse("StatisticNameConflict", "The title has a statistic of this name, perhaps in another case")
	}
	d := &definition{name: name, aggregation: aggregation, epoch: epoch{activated: now, since: now, reset: reset}}
	return d, d.storeEpoch(tx, title)
}

func (d *definition) storeEpoch(tx store.Tx, title string) error {
	_, err := tx.Exec(putEpochStmt, title, d.name, d.version, d.since, d.activated, string(d.reset))
	return err
}

func (d *definition) store(tx store.Tx, title string) error {
	_, err := tx.Exec(changeDefinitionStmt, title, d.name, string(d.aggregation), d.version, d.activated, d.since, string(d.reset))
	return err
}

// redefine changes a statistic. A new interval counts from now on: the present
// version goes on until that interval's next boundary.
func redefine(tx store.Tx, title string, r *DefinitionRequest, now int64) (*definition, error) {
	d, err := requireDefinition(tx, title, r.StatisticName)
	if err != nil {
		return nil, err
	}
	if r.AggregationMethod != "" {
		d.aggregation = r.AggregationMethod
	}
	if r.VersionChangeInterval != "" && r.VersionChangeInterval != d.reset {
		d.begin(now, false)
		d.reset = r.VersionChangeInterval
		if err := d.storeEpoch(tx, title); err != nil {
			return nil, err
		}
	}
	return d, d.store(tx, title)
}

// begin starts an epoch, with the present version or with the one after it.
func (d *definition) begin(now int64, increment bool) {
	now = max(now, d.since) // epochs follow each other, whatever the clocks of two nodes say
	d.version, d.activated = d.at(now)
	d.since = now
	if increment {
		d.version, d.activated = d.version+1, now
	}
}

// nextVersion closes the present version of a statistic and begins another.
func nextVersion(tx store.Tx, title, name string, now int64) (*definition, error) {
	d, err := requireDefinition(tx, title, name)
	if err != nil {
		return nil, err
	}
	d.begin(now, true)
	if err := d.storeEpoch(tx, title); err != nil {
		return nil, err
	}
	return d, d.store(tx, title)
}

// definitions gives every statistic of a title by name.
func definitions(tx store.Tx, title string, now int64) ([]PlayerStatisticDefinition, error) {
	all := []PlayerStatisticDefinition{}
	err := tx.Query(definitionsStmt, func(r store.Row) error {
		d := definition{name: r.Text(0), aggregation: StatisticAggregationMethod(r.Text(1)), epoch: scanEpoch(r, 2)}
		all = append(all, d.record(now))
		return nil
	}, title)
	return all, err
}

// versions gives the newest versions of a statistic, oldest first.
func versions(tx store.Tx, title, name string, now int64) ([]PlayerStatisticVersion, error) {
	if _, err := requireDefinition(tx, title, name); err != nil {
		return nil, err
	}
	var epochs []epoch
	err := tx.Query(epochsStmt, func(r store.Row) error {
		epochs = append(epochs, scanEpoch(r, 0))
		return nil
	}, title, name)
	if err != nil {
		return nil, err
	}
	all := []PlayerStatisticVersion{}
	for _, l := range lives(epochs, now, maxVersions) {
		v := PlayerStatisticVersion{StatisticName: name, Version: uint32(l.version), ActivationTime: account.Stamp(l.began), Status: Active}
		if l.scheduled {
			v.ScheduledActivationTime = v.ActivationTime
		}
		if l.due != 0 {
			v.ScheduledDeactivationTime = account.Stamp(l.due)
		}
		if l.ended != 0 {
			v.DeactivationTime, v.Status = account.Stamp(l.ended), Snapshot
		}
		all = append(all, v)
	}
	return all, nil
}
