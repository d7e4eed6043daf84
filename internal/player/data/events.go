package data

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	insertEventStmt  = statements.Get("insert_event")
	eventsStmt       = statements.Get("events")
	dropEventStmt    = statements.Get("drop_event")
	oldestEventsStmt = statements.Get("oldest_events")
	deleteEventsStmt = statements.Get("delete_events")
	deviceStmt       = statements.Get("device")
	putDeviceStmt    = statements.Get("put_device")
	deleteDeviceStmt = statements.Get("delete_device")
)

// WriteEventRequest writes an event. Body is a JSON object of the game's own. An
// absent Timestamp, or the minimum date-time, is now.
type WriteEventRequest struct {
	PlatformId string         `json:"PlatformId"`
	EventName  string         `json:"EventName" required:"true"`
	Body       jsontext.Value `json:"Body"`
	Timestamp  string         `json:"Timestamp"`
}

// WriteEventResult names the event.
type WriteEventResult struct {
	EventId string `json:"EventId"`
}

// GetEventsRequest asks for the newest events of a player, or of the title. A
// ContinuationToken goes on where an earlier answer ended.
type GetEventsRequest struct {
	PlatformId        string `json:"PlatformId"`
	MaxResultsCount   int32  `json:"MaxResultsCount"`
	ContinuationToken string `json:"ContinuationToken"`
}

// EventSource says who wrote an event.
type EventSource string

// Sources.
const (
	FromClient EventSource = "Client"
	FromServer EventSource = "Server"
)

// Event is one event. Timestamp is what its writer said, Written when it came.
type Event struct {
	EventId   string         `json:"EventId"`
	EventName string         `json:"EventName"`
	Timestamp string         `json:"Timestamp"`
	Written   string         `json:"Written"`
	Source    EventSource    `json:"Source"`
	Body      jsontext.Value `json:"Body"`
}

// GetEventsResult is events, newest first.
type GetEventsResult struct {
	PlatformId        string  `json:"PlatformId,omitzero"`
	Events            []Event `json:"Events"`
	ContinuationToken string  `json:"ContinuationToken,omitzero"`
}

// event is an event as it is stored.
type event struct {
	number            int64
	id, name          string
	body              []byte // compact JSON object
	happened, written int64
	server            bool
}

var eventName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,` + strconv.Itoa(maxEventName) + `}$`)

// Names of events that the service itself could write, and members that every
// event has; a game that used them would be taken for the service.
var (
	reservedNames = []string{"player_created", "player_deleted", "player_logged_in", "player_banned", "player_ban_revoked",
		"player_display_name_changed", "player_linked_account", "player_unlinked_account", "player_statistic_changed",
		"player_statistic_version_changed", "player_data_changed", "title_data_changed"}
	reservedPrefixes = []string{"platform.", "platform_", "playfab.", "playfab_", "ludgate.", "ludgate_"}
	reservedFields   = []string{"EventId", "EventName", "EventNamespace", "EntityId", "EntityType", "EntityChain", "PlayerId",
		"Source", "SourceType", "Timestamp", "TitleId", "CustomTags"}
	serverPrefixes = []string{"server.", "server_"}
)

// check reads an event; a client may not write those of servers.
func (r *WriteEventRequest) check(server bool, now time.Time) (*event, error) {
	lower := strings.ToLower(r.EventName)
	switch {
	case !eventName.MatchString(r.EventName):
		return nil, call.Refuse("InvalidEventName", "An event's name must be 1 to %d letters, digits, underscores, dashes and dots", maxEventName)
	case slices.Contains(reservedNames, lower) || hasPrefix(lower, reservedPrefixes):
		return nil, call.Refuse("ReservedEventName", "The event name %s is reserved", r.EventName)
	case !server && hasPrefix(lower, serverPrefixes):
		return nil, call.Refuse("NoWritePermissionsForEvent", "Only servers may write events whose names begin with server")
	}
	happened, err := timestamp(r.Timestamp, now)
	if err != nil {
		return nil, err
	}
	body, err := eventBody(r.Body)
	if err != nil {
		return nil, err
	}
	id := strings.ReplaceAll(ludgate.NewGUID(), "-", "")
	return &event{id: id, name: r.EventName, body: body, happened: happened, written: now.UnixMilli(), server: server}, nil
}

func hasPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// timestamp reads a time as clients send it, with any number of decimals and
// perhaps without a zone, which means UTC.
func timestamp(text string, now time.Time) (int64, error) {
	if text == "" {
		return now.UnixMilli(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04:05", text)
	}
	t = t.UTC()
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		f := &call.Faults{}
		f.Add("Timestamp", "The field Timestamp must be a date and time of ISO 8601.")
		return 0, f.Err()
	}
	if t.IsZero() {
		return now.UnixMilli(), nil
	}
	return t.UnixMilli(), nil
}

// eventBody checks the body of an event and gives it compact.
func eventBody(body jsontext.Value) ([]byte, error) {
	switch body.Kind() {
	case 0, 'n':
		return []byte("{}"), nil
	case '{':
	default:
		f := &call.Faults{}
		f.Add("Body", "The field Body must be an object.")
		return nil, f.Err()
	}
	value := body.Clone()
	if err := value.Compact(); err != nil {
		return nil, err
	}
	if len(value) > maxEventBytes {
		return nil, call.Refuse("InvalidEventField", "The body of an event must be at most %d bytes long as JSON", maxEventBytes)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(value))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if name := tok.String(); slices.Contains(reservedFields, name) {
			return nil, call.Refuse("InvalidEventField", "The body of an event must not have the member %s", name)
		}
		if err := dec.SkipValue(); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// writeEvent adds an event to the log of a player, or of the title where player
// is empty, and lets go of what the log has no room for.
func writeEvent(tx store.Tx, title, player string, e *event) error {
	h, err := loadHead(tx, title, player, eventData)
	if err != nil {
		return err
	}
	h.version++
	e.number = h.version
	if err := h.store(tx, title, player, eventData); err != nil {
		return err
	}
	if err := e.insert(tx, title, player); err != nil {
		return err
	}
	if _, err := tx.Exec(dropEventStmt, title, player, e.number-maxEvents); err != nil {
		return err
	}
	// Two events leave for each that comes, so that a log of old ones empties.
	var expired []int64
	err = tx.Query(oldestEventsStmt, func(r store.Row) error {
		if r.Int(1) < keptSince(e.written) {
			expired = append(expired, r.Int(0))
		}
		return nil
	}, title, player, int64(2))
	for _, number := range expired {
		if err == nil {
			_, err = tx.Exec(dropEventStmt, title, player, number)
		}
	}
	return err
}

// keptSince is when the oldest events were written that the log still shows.
func keptSince(now int64) int64 { return now - eventDays*dayMS }

func (e *event) insert(tx store.Tx, title, player string) error {
	_, err := tx.Exec(insertEventStmt, title, player, e.number, e.id, e.name, e.body, e.happened, e.written, e.server)
	return err
}

// readEvents gives at most n events before a number, newest first.
func readEvents(tx store.Tx, title, player string, before int64, n int, now int64) ([]event, error) {
	var events []event
	err := tx.Query(eventsStmt, func(r store.Row) error {
		events = append(events, event{number: r.Int(0), id: r.Text(1), name: r.Text(2), body: r.Bytes(3),
			happened: r.Int(4), written: r.Int(5), server: r.Bool(6)})
		return nil
	}, title, player, before, keptSince(now), int64(n))
	return events, err
}

// record is the event as the wire shows it.
func (e *event) record() Event {
	source := FromClient
	if e.server {
		source = FromServer
	}
	return Event{EventId: e.id, EventName: e.name, Timestamp: account.StampTime(time.UnixMilli(e.happened)), Written: account.Stamp(e.written), Source: source, Body: e.body}
}

// log writes an event of a call and gives its answer.
func (s *Service) log(ctx context.Context, c *call.Call, player string, r *WriteEventRequest) (any, error) {
	e, err := r.check(c.Server(), c.Now)
	if err != nil {
		return nil, err
	}
	err = s.gate.Store().Write(ctx, func(tx store.Tx) error {
		if player != "" {
			if err := exists(tx, c, player); err != nil {
				return err
			}
		}
		return writeEvent(tx, c.Title.ID, player, e)
	})
	if err != nil {
		return nil, err
	}
	return &WriteEventResult{EventId: e.id}, nil
}

// events answers a server that asks for the log of a player, or of the title.
func (s *Service) events(ctx context.Context, c *call.Call, player string, r *GetEventsRequest) (any, error) {
	f := &call.Faults{}
	n := int(r.MaxResultsCount)
	if n < 0 || n > maxEvents {
		f.Add("MaxResultsCount", "The field MaxResultsCount must be between 1 and 1000.")
	}
	if n == 0 {
		n = defaultEvents
	}
	before := int64(1) << 62
	if r.ContinuationToken != "" {
		var err error
		if before, err = strconv.ParseInt(r.ContinuationToken, 10, 64); err != nil {
			f.Add("ContinuationToken", "The field ContinuationToken is none that was given out.")
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	out := &GetEventsResult{PlatformId: player, Events: []Event{}}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		if player != "" {
			if err := exists(tx, c, player); err != nil {
				return err
			}
		}
		found, err := readEvents(tx, c.Title.ID, player, before, n, c.Millis())
		out.Events = out.Events[:0]
		for _, e := range found {
			out.Events = append(out.Events, e.record())
		}
		if len(found) == n {
			out.ContinuationToken = strconv.FormatInt(found[n-1].number, 10)
		}
		return err
	})
	return out, err
}
