package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// floor is one floor of the house: its height and the folders that live there,
// each with all that is below it.
type floor struct {
	height  int
	name    string
	folders []string
}

// floors are the house of docs/design/house.md, from the top. A package that is
// in no folder named here has no place yet, and the test says so.
var floors = []floor{
	{5, "door", []string{"cmd"}},
	{4, "hall", []string{"internal/server", "internal/tour", "internal/bench"}},
	{3, "services", []string{"internal/player", "internal/containergroup", "internal/directory", "internal/servername", "internal/authority"}},
	{2, "workshops", []string{"internal/engine", "internal/image", "internal/hello", "internal/streaming", "internal/openid", "internal/throttle", "internal/password", "internal/clientcrypto", "internal/mail", "internal/displayname", "internal/geo"}},
	{1, "ground", []string{"internal/store", "internal/access", "internal/wire", "internal/secret", "internal/ticket", "internal/config", "internal/circuit", "internal/outbound"}},
	{0, "stone", []string{"."}},
}

// beside are folders outside the floors, which import nothing of ours.
var beside = []string{"docs"}

// neighbours are the only imports allowed between two rooms of one floor,
// besides those of the ground floor, whose rooms may all use each other.
var neighbours = map[string][]string{
	"internal/engine": {"internal/image", "internal/hello"},
	"internal/image":  {"internal/hello"},
}

// place finds the floor and the room of a package, given by its folder from the
// top of the project.
func place(folder string) (f floor, room string, ok bool) {
	for _, f := range floors {
		for _, room := range f.folders {
			if folder == room || room != "." && strings.HasPrefix(folder, room+"/") {
				return f, room, true
			}
		}
	}
	return floor{}, "", false
}

// checkImport says what is wrong with one package of ours importing another,
// both given by folder; "" when nothing is.
func checkImport(from, to string) string {
	if from == to {
		return "" // an external test beside its package
	}
	if slices.Contains(beside, from) {
		return fmt.Sprintf("%s imports %s, but it stands beside the house: let it import nothing of ours", from, to)
	}
	source, sourceRoom, ok := place(from)
	if !ok {
		return fmt.Sprintf("%s has no floor: say in docs/imports_test.go and docs/design/house.md where it lives", from)
	}
	target, targetRoom, ok := place(to)
	switch {
	case !ok:
		return fmt.Sprintf("%s has no floor: say in docs/imports_test.go and docs/design/house.md where it lives", to)
	case target.height > source.height:
		return fmt.Sprintf("%s (%s, floor %d) imports %s (%s, floor %d), which goes up: move what it needs down to floor %d or lower, or let the upper floor hand it in through an interface",
			from, source.name, source.height, to, target.name, target.height, source.height)
	case target.height < source.height, sourceRoom == targetRoom, source.name == "ground":
		return ""
	case slices.Contains(neighbours[sourceRoom], targetRoom):
		return ""
	case source.name == "services":
		return fmt.Sprintf("%s imports %s, and services never import each other: let them meet in the store or in access, or let internal/server hand one to the other through an interface", from, to)
	default:
		return fmt.Sprintf("%s imports %s, another room of its floor (%s): move what both need one floor down, or let the floor above hand it in", from, to, source.name)
	}
}

// TestImports holds every Go file of the project, tests included, against the
// rule that imports go down only.
func TestImports(t *testing.T) {
	found := map[string][]string{} // fault -> files
	for _, src := range goSources(t) {
		from := path.Dir(src.Path)
		if _, _, ok := place(from); !ok && !slices.Contains(beside, from) {
			fault := fmt.Sprintf("%s has no floor: say in docs/imports_test.go and docs/design/house.md where it lives", from)
			found[fault] = append(found[fault], src.Path)
			continue
		}
		for _, spec := range src.File.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			to, ours := ourFolder(imported)
			if !ours {
				continue
			}
			if fault := checkImport(from, to); fault != "" {
				found[fault] = append(found[fault], src.Path)
			}
		}
	}
	var faults []string
	for fault := range found {
		faults = append(faults, fault)
	}
	sort.Strings(faults)
	for _, fault := range faults {
		t.Errorf("%s (%s)", fault, strings.Join(found[fault], ", "))
	}
}

// TestHouseMap: docs/design/house.md shows every room, and no room is made up.
func TestHouseMap(t *testing.T) {
	paper, err := os.ReadFile("design/house.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range floors {
		for _, room := range f.folders {
			if _, err := os.Stat(filepath.Join(repoRoot, room)); err != nil {
				t.Errorf("docs/imports_test.go has a room %s that is not there", room)
			}
			if room != "." && !strings.Contains(string(paper), "`"+room) {
				t.Errorf("docs/design/house.md does not show %s", room)
			}
		}
	}
}

// ourFolder gives the folder of an import path of this module.
func ourFolder(imported string) (string, bool) {
	if imported == "ludgate" {
		return ".", true
	}
	return strings.CutPrefix(imported, "ludgate/")
}

// TestImportChecker shows which imports pass and what the others are told.
func TestImportChecker(t *testing.T) {
	for _, tc := range []struct{ from, to, fault string }{
		{"cmd/ludgate", "internal/server", ""},
		{"cmd/ludgate", "internal/store/sqlite", ""},
		{"cmd/ludgate", ".", ""},
		{"internal/server", "internal/player", ""},
		{"internal/player", "internal/streaming", ""},
		{"internal/player", "internal/store", ""},
		{"internal/engine/native", "internal/engine/pod", ""},
		{"internal/engine", "internal/engine/native", ""},
		{"internal/engine/native", "internal/image", ""},
		{"internal/image", "internal/wire", ""},
		{"internal/store/sqlite", "internal/store", ""},
		{"internal/access", "internal/store", ""},
		{"internal/store", ".", ""},
		{".", ".", ""},
		{"internal/player", "internal/server", "internal/player (services, floor 3) imports internal/server (hall, floor 4), which goes up"},
		{"internal/store", "internal/player", "which goes up"},
		{"internal/wire", "internal/image", "which goes up"},
		{".", "internal/store", "which goes up"},
		{"internal/server", "cmd/ludgate", "which goes up"},
		{"internal/player", "internal/directory", "services never import each other"},
		{"internal/player/stats", "internal/directory", "services never import each other"},
		{"internal/image", "internal/engine", "another room of its floor (workshops)"},
		{"internal/streaming", "internal/image", "another room of its floor (workshops)"},
		{"internal/playerstats", "internal/store", "internal/playerstats has no floor"},
		{"internal/player", "internal/attic", "internal/attic has no floor"},
		{"docs", ".", "stands beside the house"},
	} {
		fault := checkImport(tc.from, tc.to)
		if tc.fault == "" && fault != "" || !strings.Contains(fault, tc.fault) {
			t.Errorf("%s imports %s: got %q, want %q", tc.from, tc.to, fault, tc.fault)
		}
	}
}
