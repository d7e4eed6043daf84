package geo

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// write makes a database file of a type with entries by network.
func write(t *testing.T, kind string, entries map[string]mmdbtype.DataType) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: kind, IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for network, entry := range entries {
		_, at, err := net.ParseCIDR(network)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Insert(at, entry); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "places.mmdb")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocate(t *testing.T) {
	names := func(s mmdbtype.String) mmdbtype.Map { return mmdbtype.Map{"names": mmdbtype.Map{"en": s}} }
	d, err := Open(write(t, "GeoLite2-City", map[string]mmdbtype.DataType{
		"203.0.113.0/24": mmdbtype.Map{
			"continent": mmdbtype.Map{"code": mmdbtype.String("EU")}, "country": mmdbtype.Map{"iso_code": mmdbtype.String("FI")},
			"city": names("Turku"), "location": mmdbtype.Map{"latitude": mmdbtype.Float64(60.45), "longitude": mmdbtype.Float64(22.25)},
		},
		"198.51.100.0/24": mmdbtype.Map{"continent": mmdbtype.Map{"code": mmdbtype.String("OC")}},
		"2001:db8::/32":   mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String("NZ")}},
		"192.0.2.0/24":    mmdbtype.Map{"country": mmdbtype.String("not a map")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	turku := Place{Continent: "EU", Country: "FI", City: "Turku", Located: true, Latitude: 60.45, Longitude: 22.25}
	for addr, want := range map[string]Place{
		"203.0.113.7": turku, "::ffff:203.0.113.7": turku,
		"198.51.100.1": {Continent: "OC"}, "2001:db8::1": {Country: "NZ"},
		"192.0.2.1": {}, "8.8.8.8": {}, "fe80::1%eth0": {},
	} {
		got, ok := d.Locate(netip.MustParseAddr(addr))
		if got != want || ok != (want != Place{}) {
			t.Errorf("%s: %+v, %v; want %+v", addr, got, ok, want)
		}
	}
	if _, ok := d.Locate(netip.Addr{}); ok {
		t.Error("a place for no address")
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, ok := d.Locate(netip.MustParseAddr("203.0.113.7")); ok {
		t.Error("a place from a closed database")
	}
}

func TestOpenSaysWhatToDo(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.mmdb")
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "missing.mmdb"): "does not exist",
		junk:                          "must be a file in the MaxMind DB format",
		write(t, "GeoLite2-ASN", nil): "a city or country database is needed",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(path), err, want)
		}
	}
}
