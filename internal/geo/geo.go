// Package geo tells where a network address is, from a database file of the
// operator's in the MaxMind DB format with the records of a city or country
// database.
//
// [Open] maps the file into memory, so that a [Database.Locate] is a few page
// reads and no call to anybody. Nothing comes with Ludgate: where no file is
// configured, nobody is located.
package geo

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"strings"
	"sync"

	"github.com/oschwald/maxminddb-golang/v2"
)

// Place is where an address is, as far as the database knows.
type Place struct {
	Continent string // two letters: AF, AN, AS, EU, NA, OC, SA; "" when not known
	Country   string // two letters of ISO 3166-1; "" when not known
	City      string // in English; "" when not known
	Located   bool   // the coordinates are known
	Latitude  float64
	Longitude float64
}

// Database answers from one file. It is safe for concurrent use.
type Database struct {
	mu     sync.RWMutex
	reader *maxminddb.Reader // nil when closed: what it maps is gone
}

// Open opens a database file. The error says what to do.
func Open(path string) (*Database, error) {
	reader, err := maxminddb.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the location database %s does not exist: name a file in the MaxMind DB format, or none", path)
	}
	if err != nil {
		return nil, fmt.Errorf("the location database %s cannot be read; it must be a file in the MaxMind DB format: %w", path, err)
	}
	if kind := reader.Metadata.DatabaseType; !strings.Contains(kind, "City") && !strings.Contains(kind, "Country") {
		_ = reader.Close() // it was only read
		return nil, fmt.Errorf("the location database %s is of type %q: a city or country database is needed", path, kind)
	}
	return &Database{reader: reader}, nil
}

// Close releases the file. Nobody is located from then on.
func (d *Database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.reader == nil {
		return nil
	}
	reader := d.reader
	d.reader = nil
	return reader.Close()
}

// record is what the databases hold of a network, where it matters here.
type record struct {
	Continent struct {
		Code string `maxminddb:"code"`
	} `maxminddb:"continent"`
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	City struct {
		Names struct {
			English string `maxminddb:"en"`
		} `maxminddb:"names"`
	} `maxminddb:"city"`
	Location struct {
		Latitude  *float64 `maxminddb:"latitude"`
		Longitude *float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
}

// Locate gives the place of an address; false when the database does not know it
// or its entry is broken.
func (d *Database) Locate(addr netip.Addr) (Place, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.reader == nil || !addr.IsValid() {
		return Place{}, false
	}
	found := d.reader.Lookup(addr.Unmap().WithZone(""))
	var r record
	if !found.Found() || found.Decode(&r) != nil {
		return Place{}, false
	}
	p := Place{Continent: r.Continent.Code, Country: r.Country.Code, City: r.City.Names.English}
	if r.Location.Latitude != nil && r.Location.Longitude != nil {
		p.Located, p.Latitude, p.Longitude = true, *r.Location.Latitude, *r.Location.Longitude
	}
	return p, true
}
