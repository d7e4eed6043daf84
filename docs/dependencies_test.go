package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// parseRequirements reads the modules of a go.mod file with their versions.
func parseRequirements(gomod string) map[string]string {
	versions := map[string]string{}
	inBlock := false
	for _, line := range strings.Split(gomod, "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "require" && words[1] == "(":
			inBlock = true
		case len(words) == 1 && words[0] == ")":
			inBlock = false
		case len(words) == 3 && words[0] == "require":
			versions[words[1]] = words[2]
		case inBlock && len(words) == 2:
			versions[words[0]] = words[1]
		}
	}
	return versions
}

// moduleOf gives the required module that holds a package, "" when none does.
func moduleOf(pkg string, versions map[string]string) string {
	for p := pkg; ; {
		if _, ok := versions[p]; ok {
			return p
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return ""
		}
		p = p[:i]
	}
}

// checkDependencies holds docs/dependencies.md (paper) against the modules the
// code imports directly, with the versions go.mod requires.
func checkDependencies(paper string, imported []string, versions map[string]string) []string {
	direct := map[string]bool{}
	for _, pkg := range imported {
		if m := moduleOf(pkg, versions); m != "" {
			direct[m] = true
		}
	}
	var faults []string
	seen := map[string]bool{}
	for _, r := range tableRows(paper) {
		if len(r.Cells) != 4 {
			faults = append(faults, fmt.Sprintf("line %d has %d cells; a row is | module | version | why | what was weighed |", r.Line, len(r.Cells)))
			continue
		}
		module, version := r.Cells[0], r.Cells[1]
		switch {
		case seen[module]:
			faults = append(faults, fmt.Sprintf("line %d: %s has a row already", r.Line, module))
		case !direct[module]:
			faults = append(faults, fmt.Sprintf("line %d: no file of the project imports %s any more: delete the row", r.Line, module))
		case versions[module] != version:
			faults = append(faults, fmt.Sprintf("line %d: %s is at %s in go.mod, at %s here", r.Line, module, versions[module], version))
		}
		if r.Cells[2] == "" || r.Cells[3] == "" {
			faults = append(faults, fmt.Sprintf("line %d: %s does not say why it is here and what else was weighed", r.Line, module))
		}
		seen[module] = true
	}
	for m := range direct {
		if !seen[m] {
			faults = append(faults, fmt.Sprintf("the code imports %s %s, which has no row: say why it is here and what else was weighed", m, versions[m]))
		}
	}
	sort.Strings(faults)
	return faults
}

// TestDependencies: every module the code imports has a row, and only those.
func TestDependencies(t *testing.T) {
	gomod, err := os.ReadFile(filepath.Join(repoRoot, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	paper, err := os.ReadFile("dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var imported []string
	for _, src := range goSources(t) {
		for _, spec := range src.File.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			imported = append(imported, p)
		}
	}
	for _, f := range checkDependencies(string(paper), imported, parseRequirements(string(gomod))) {
		t.Errorf("docs/dependencies.md: %s", f)
	}
}

// TestDependencyChecker shows that each fault of the paper is found.
func TestDependencyChecker(t *testing.T) {
	versions := parseRequirements(`module ludgate

require example.org/single v0.1.0

require (
	example.org/a/v2 v2.3.4
	example.org/b v1.0.0 // indirect
	// example.org/gone v1.0.0
)
`)
	const header = "| module | version | why | what was weighed |\n|---|---|---|---|\n"
	const rowA = "| example.org/a/v2 | v2.3.4 | parses | by hand |\n"
	for _, tc := range []struct{ name, paper, imports, fault string }{
		{"all said", rowA, "fmt example.org/a/v2/sub", ""},
		{"nothing imported", "", "fmt os", ""},
		{"marked indirect, yet imported", rowA, "example.org/a/v2 example.org/b/sub", "the code imports example.org/b v1.0.0, which has no row"},
		{"single line", rowA, "example.org/a/v2 example.org/single", "the code imports example.org/single v0.1.0"},
		{"no longer imported", rowA, "fmt", "no file of the project imports example.org/a/v2"},
		{"another version", strings.Replace(rowA, "v2.3.4", "v2.3.3", 1), "example.org/a/v2", "is at v2.3.4 in go.mod, at v2.3.3 here"},
		{"twice", rowA + rowA, "example.org/a/v2", "has a row already"},
		{"no reason", "| example.org/a/v2 | v2.3.4 | | by hand |\n", "example.org/a/v2", "does not say why"},
		{"a cell short", "| example.org/a/v2 | v2.3.4 | parses |\n", "fmt", "has 3 cells"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkFaults(t, checkDependencies(header+tc.paper, strings.Fields(tc.imports), versions), tc.fault)
		})
	}
}
