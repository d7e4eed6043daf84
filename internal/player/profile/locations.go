package profile

import (
	"context"
	"net/netip"
	"time"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	locationPutStmt     = statements.Get("location_put")
	locationSeenStmt    = statements.Get("location_seen")
	locationTrimStmt    = statements.Get("location_trim")
	locationsStmt       = statements.Get("locations")
	locationsRemoveStmt = statements.Get("locations_remove")
)

// seenAgain is how old a location must be for a sign-in from it to be noted anew.
const seenAgain = 24 * time.Hour

// SetPlayerLocationRequest says where a player is now. The place becomes the
// first of the player's locations.
type SetPlayerLocationRequest struct {
	PlatformId    string        `json:"PlatformId" required:"true"`
	ContinentCode ContinentCode `json:"ContinentCode"` // "" is Unknown
	CountryCode   CountryCode   `json:"CountryCode"`   // "" is Unknown
	City          string        `json:"City"`
	Latitude      *float64      `json:"Latitude"` // degrees; both or neither
	Longitude     *float64      `json:"Longitude"`
}

// RemovePlayerLocationsRequest forgets where a player was.
type RemovePlayerLocationsRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
}

// check gives the place of the request.
func (r *SetPlayerLocationRequest) check() (LocationModel, error) {
	l := LocationModel{ContinentCode: r.ContinentCode, CountryCode: r.CountryCode, City: r.City, Latitude: r.Latitude, Longitude: r.Longitude}
	if l.ContinentCode == "" {
		l.ContinentCode = Unknown
	}
	if l.CountryCode == "" {
		l.CountryCode = Unknown
	}
	f := &call.Faults{}
	l.check(f)
	return l, f.Err()
}

// check notes what a place cannot be.
func (l LocationModel) check(f *call.Faults) {
	if !l.ContinentCode.Known() {
		f.Add("ContinentCode", "The field ContinentCode must be AF, AN, AS, EU, NA, OC, SA or Unknown.")
	}
	if !l.CountryCode.Known() {
		f.Add("CountryCode", "The field CountryCode must be a code of ISO 3166-1 in two letters, or Unknown.")
	}
	checkText(f, "City", l.City, maxCity)
	if (l.Latitude == nil) != (l.Longitude == nil) {
		f.Add("Latitude", "The fields Latitude and Longitude come together.")
	}
	if l.Latitude != nil && !(*l.Latitude >= -90 && *l.Latitude <= 90) {
		f.Add("Latitude", "The field Latitude must be between -90 and 90.")
	}
	if l.Longitude != nil && !(*l.Longitude >= -180 && *l.Longitude <= 180) {
		f.Add("Longitude", "The field Longitude must be between -180 and 180.")
	}
	if l.ContinentCode == Unknown && l.CountryCode == Unknown && l.City == "" && l.Latitude == nil {
		f.Add("CountryCode", "A location needs at least a continent, a country, a city or coordinates.")
	}
}

func (s *Service) setLocation(ctx context.Context, c *call.Call, r *SetPlayerLocationRequest) (any, error) {
	place, err := r.check()
	if err != nil {
		return nil, err
	}
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		return putLocation(tx, c.Title.ID, r.PlatformId, place, c.Millis())
	})
}

func (s *Service) removeLocations(ctx context.Context, c *call.Call, r *RemovePlayerLocationsRequest) (any, error) {
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		_, err := tx.Exec(locationsRemoveStmt, c.Title.ID, r.PlatformId)
		return err
	})
}

// Locate gives the place of an address, nil where there is no Locator or it does
// not know. A sign-in asks before its transaction and hands the answer to Seen.
func (s *Service) Locate(addr netip.Addr) *LocationModel {
	if s.opt.Locator == nil || !addr.IsValid() {
		return nil
	}
	found, ok := s.opt.Locator.Locate(addr)
	if !ok {
		return nil
	}
	place := LocationModel{ContinentCode: ContinentCode(found.Continent), CountryCode: CountryCode(found.Country), City: found.City}
	if !place.ContinentCode.Known() {
		place.ContinentCode = Unknown
	}
	if !place.CountryCode.Known() {
		place.CountryCode = Unknown
	}
	if found.Located {
		place.Latitude, place.Longitude = &found.Latitude, &found.Longitude
	}
	f := &call.Faults{}
	if place.check(f); f.Err() != nil {
		return nil // it knows nothing, or nothing that can be
	}
	return &place
}

// Seen notes that a player signed in from a place, unless that was noted within
// the last day; nil is no place.
func (s *Service) Seen(tx store.Tx, title, player string, place *LocationModel, now time.Time) error {
	if place == nil {
		return nil
	}
	seen := int64(0)
	_, err := store.QueryOne(tx, locationSeenStmt, func(r store.Row) error { seen = r.Int(0); return nil },
		title, player, string(place.ContinentCode), string(place.CountryCode), place.City)
	if err != nil || now.Sub(time.UnixMilli(seen)) < seenAgain {
		return err
	}
	return putLocation(tx, title, player, *place, now.UnixMilli())
}

// putLocation makes a place the latest of a player's, of which the oldest make
// room.
func putLocation(tx store.Tx, title, player string, l LocationModel, seen int64) error {
	if err := insertLocation(tx, title, player, l, seen); err != nil {
		return err
	}
	_, err := tx.Exec(locationTrimStmt, title, player, int64(maxLocations))
	return err
}

func insertLocation(tx store.Tx, title, player string, l LocationModel, seen int64) error {
	var lat, lon any
	if l.Latitude != nil {
		lat, lon = *l.Latitude, *l.Longitude
	}
	_, err := tx.Exec(locationPutStmt, title, player, string(l.ContinentCode), string(l.CountryCode), l.City, lat, lon, seen)
	return err
}

// locationRow is a stored place.
type locationRow struct {
	LocationModel
	Seen int64 `json:"seen"`
}

func loadLocations(tx store.Tx, title, player string) ([]locationRow, error) {
	rows := []locationRow{}
	err := tx.Query(locationsStmt, func(r store.Row) error {
		l := LocationModel{ContinentCode: ContinentCode(r.Text(0)), CountryCode: CountryCode(r.Text(1)), City: r.Text(2)}
		if !r.IsNull(3) {
			lat, lon := r.Float(3), r.Float(4)
			l.Latitude, l.Longitude = &lat, &lon
		}
		rows = append(rows, locationRow{l, r.Int(5)})
		return nil
	}, title, player)
	return rows, err
}
