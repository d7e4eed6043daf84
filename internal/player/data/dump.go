package data

import (
	"math"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	dumpDataStmt       = statements.Get("dump_data")
	dumpStatisticsStmt = statements.Get("dump_statistics")
	dumpObjectsStmt    = statements.Get("dump_objects")
	dumpEventsStmt     = statements.Get("dump_events")

	deleteDefinitionsStmt = statements.Get("delete_definitions")
	deleteEpochsStmt      = statements.Get("delete_epochs")
)

// Dump is all that this package keeps of a player, as it is exported. Times are
// milliseconds since 1970.
type Dump struct {
	Client     *DumpedData       `json:"client,omitzero"`
	ReadOnly   *DumpedData       `json:"readOnly,omitzero"`
	Internal   *DumpedData       `json:"internal,omitzero"`
	Statistics []DumpedStatistic `json:"statistics,omitzero"`
	Profile    int64             `json:"profileVersion,omitzero"`
	Objects    []DumpedObject    `json:"objects,omitzero"`
	Events     []DumpedEvent     `json:"events,omitzero"`
	Device     *DumpedDevice     `json:"device,omitzero"`
}

// DumpedData is one kind of user data.
type DumpedData struct {
	Version int64       `json:"version"`
	Keys    []DumpedKey `json:"keys"`
}

// DumpedKey is one key of user data.
type DumpedKey struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Public  bool   `json:"public,omitzero"`
	Updated int64  `json:"updated"`
}

// DumpedStatistic is a player's value of one version of a statistic. The newest
// of a name is the one that the player has.
type DumpedStatistic struct {
	Name    string `json:"name"`
	Version int64  `json:"version,omitzero"`
	Value   int64  `json:"value"`
	Updated int64  `json:"updated"`
}

// DumpedObject is an entity object.
type DumpedObject struct {
	Name    string         `json:"name"`
	Object  jsontext.Value `json:"object"`
	Updated int64          `json:"updated"`
}

// DumpedEvent is an event of the log.
type DumpedEvent struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Body     jsontext.Value `json:"body"`
	Happened int64          `json:"happened"`
	Written  int64          `json:"written"`
	Server   bool           `json:"server,omitzero"`
}

// DumpedDevice is the last report of a device.
type DumpedDevice struct {
	Info     jsontext.Value `json:"info"`
	Reported int64          `json:"reported"`
}

// data gives where a dump has one kind of user data.
func (d *Dump) data(k kind) **DumpedData {
	switch k {
	case clientData:
		return &d.Client
	case readOnlyData:
		return &d.ReadOnly
	}
	return &d.Internal
}

// Delete removes everything of a player.
func (s *Service) Delete(tx store.Tx, title, player string) error {
	for _, stmt := range []*store.Stmt{deleteHeadsStmt, deleteDataStmt, deleteStatisticsStmt, deleteObjectsStmt, deleteEventsStmt, deleteDeviceStmt} {
		if _, err := tx.Exec(stmt, title, player); err != nil {
			return err
		}
	}
	return nil
}

// DeleteTitle removes what a title has of its own: the definitions of statistics,
// its objects and its events.
func (s *Service) DeleteTitle(tx store.Tx, title string) error {
	for _, stmt := range []*store.Stmt{deleteDefinitionsStmt, deleteEpochsStmt} {
		if _, err := tx.Exec(stmt, title); err != nil {
			return err
		}
	}
	return s.Delete(tx, title, "")
}

// Export gives everything of a player.
func (s *Service) Export(tx store.Tx, title, player string) (*Dump, error) {
	d := &Dump{}
	heads, err := loadHeads(tx, title, player)
	if err != nil {
		return nil, err
	}
	for _, k := range []kind{clientData, readOnlyData, internalData} {
		if h := heads[k]; h != (head{}) {
			*d.data(k) = &DumpedData{Version: h.version, Keys: []DumpedKey{}}
		}
	}
	d.Profile = heads[objectData].version
	err = tx.Query(dumpDataStmt, func(r store.Row) error {
		part := *d.data(kind(r.Int(0)))
		part.Keys = append(part.Keys, DumpedKey{Key: r.Text(1), Value: string(r.Bytes(2)), Public: r.Bool(3), Updated: r.Int(4)})
		return nil
	}, title, player)
	if err != nil {
		return nil, err
	}
	err = tx.Query(dumpStatisticsStmt, func(r store.Row) error {
		d.Statistics = append(d.Statistics, DumpedStatistic{Name: r.Text(1), Version: r.Int(2), Value: -r.Int(3), Updated: r.Int(4)})
		return nil
	}, title, player)
	if err != nil {
		return nil, err
	}
	err = tx.Query(dumpObjectsStmt, func(r store.Row) error {
		d.Objects = append(d.Objects, DumpedObject{Name: r.Text(0), Object: r.Bytes(1), Updated: r.Int(2)})
		return nil
	}, title, player)
	if err != nil {
		return nil, err
	}
	err = tx.Query(dumpEventsStmt, func(r store.Row) error {
		d.Events = append(d.Events, DumpedEvent{ID: r.Text(1), Name: r.Text(2), Body: r.Bytes(3), Happened: r.Int(4), Written: r.Int(5), Server: r.Bool(6)})
		return nil
	}, title, player)
	if err != nil {
		return nil, err
	}
	report, err := readDevice(tx, title, player)
	if report != nil {
		d.Device = &DumpedDevice{Info: report.info, Reported: report.reported}
	}
	return d, err
}

// Import stores what Export gave, into a player who has nothing yet. Limits are
// those of the calls. A statistic that the title does not have springs into
// being, and one whose version is behind an imported value goes on from that.
func (s *Service) Import(tx store.Tx, title, player string, d *Dump) error {
	if d == nil {
		return nil
	}
	now := s.now().UnixMilli()
	for _, k := range []kind{clientData, readOnlyData, internalData} {
		if err := importData(tx, title, player, k, *d.data(k)); err != nil {
			return err
		}
	}
	if err := importStatistics(tx, title, player, d.Statistics, now); err != nil {
		return err
	}
	if err := importObjects(tx, title, player, d); err != nil {
		return err
	}
	if err := importEvents(tx, title, player, d.Events); err != nil {
		return err
	}
	if d.Device == nil {
		return nil
	}
	info, err := deviceInfo(d.Device.Info)
	if err != nil {
		return err
	}
	return (&device{info, d.Device.Reported}).store(tx, title, player)
}

func importData(tx store.Tx, title, player string, k kind, d *DumpedData) error {
	if d == nil {
		return nil
	}
	if d.Version < 0 || d.Version > math.MaxUint32 {
		return importFault("the version of user data is out of range")
	}
	h := head{version: d.Version, entries: int64(len(d.Keys))}
	seen := map[string]bool{}
	f := &call.Faults{}
	for _, e := range d.Keys {
		key, err := dataKey(f, "key", e.Key)
		if err != nil {
			return err
		}
		if err := f.Err(); err != nil {
			return err
		}
		switch {
		case key != e.Key || seen[key]:
			return importFault("a key of user data has blanks around it or is there twice")
		case len(e.Value) > maxValueBytes:
			return call.Refuse("DataLengthExceeded", "A value must be at most %d bytes long", maxValueBytes)
		}
		seen[key] = true
		h.bytes += int64(len(key) + len(e.Value))
		if _, err := tx.Exec(putDataStmt, title, player, int64(k), key, []byte(e.Value), e.Public, e.Updated); err != nil {
			return err
		}
	}
	if err := h.fits(); err != nil {
		return err
	}
	return h.store(tx, title, player, k)
}

func importStatistics(tx store.Tx, title, player string, values []DumpedStatistic, now int64) error {
	newest, seen := map[string]int64{}, map[DumpedStatistic]bool{}
	for _, v := range values {
		if err := checkStatisticName(v.Name); err != nil {
			return err
		}
		one := DumpedStatistic{Name: v.Name, Version: v.Version}
		if v.Version < 0 || v.Version > math.MaxInt32 || v.Value < math.MinInt32 || v.Value > math.MaxInt32 || v.Updated < 0 || seen[one] {
			return importFault("a statistic's value is out of range or there twice")
		}
		seen[one] = true
		newest[v.Name] = max(newest[v.Name], v.Version)
	}
	for _, v := range values {
		past := int64(1)
		if v.Version == newest[v.Name] {
			past = 0
			if err := reach(tx, title, v.Name, v.Version, now); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(insertStatisticStmt, title, player, past, v.Name, v.Version, -v.Value, v.Updated); err != nil {
			return err
		}
	}
	return nil
}

// reach sees to it that a statistic exists and has come to a version.
func reach(tx store.Tx, title, name string, version, now int64) error {
	d, err := findDefinition(tx, title, name)
	if err == nil && d == nil {
		d, err = define(tx, title, name, Last, Never, now)
	}
	if err != nil {
		return err
	}
	if current, _ := d.at(now); current >= version {
		return nil
	}
	d.begin(now, true)
	d.version = version
	if err := d.storeEpoch(tx, title); err != nil {
		return err
	}
	return d.store(tx, title)
}

func importObjects(tx store.Tx, title, player string, d *Dump) error {
	objects := make([]SetObject, len(d.Objects))
	for i, o := range d.Objects {
		objects[i] = SetObject{ObjectName: o.Name, DataObject: o.Object}
	}
	settings, err := checkObjects(objects)
	if err != nil {
		return err
	}
	if d.Profile < 0 || d.Profile > math.MaxInt32 {
		return importFault("the version of the profile is out of range")
	}
	h := head{version: d.Profile, entries: int64(len(settings))}
	for i, o := range settings {
		h.bytes += int64(len(o.name) + len(o.body))
		if _, err := tx.Exec(putObjectStmt, title, player, o.name, o.body, d.Objects[i].Updated); err != nil {
			return err
		}
	}
	if h == (head{}) {
		return nil
	}
	return h.store(tx, title, player, objectData)
}

func importEvents(tx store.Tx, title, player string, events []DumpedEvent) error {
	if len(events) > maxEvents {
		return importFault("there are more events than a log keeps")
	}
	for i, e := range events {
		body, err := eventBody(e.Body)
		if err != nil {
			return err
		}
		if !eventName.MatchString(e.Name) || len(e.ID) != 32 || !utf8.ValidString(e.ID) || !plain(e.ID) {
			return importFault("an event's id or name is none")
		}
		stored := event{number: int64(i + 1), id: e.ID, name: e.Name, body: body, happened: e.Happened, written: e.Written, server: e.Server}
		if err := stored.insert(tx, title, player); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	return head{version: int64(len(events))}.store(tx, title, player, eventData)
}

func importFault(text string) error {
	return call.Refuse("InvalidParams", "The data of the player cannot be imported: %s", text)
}
