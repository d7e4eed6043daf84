package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// repoRoot is the top of the project, seen from this package.
const repoRoot = ".."

// goSource is one parsed Go file of the project.
type goSource struct {
	Path string // slash-separated, from the top of the project
	File *ast.File
}

// goSources parses every Go file of the project, comments included.
func goSources(t *testing.T) []goSource {
	t.Helper()
	fset := token.NewFileSet()
	var all []goSource
	for _, p := range projectFiles(t, ".go") {
		f, err := parser.ParseFile(fset, filepath.Join(repoRoot, p), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("parse %s: %v", p, err)
		}
		all = append(all, goSource{p, f})
	}
	return all
}

// projectFiles lists the project's files with the given ending, sorted. It
// leaves out test data and folders whose name begins with a dot or underscore.
func projectFiles(t *testing.T, ending string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(repoRoot, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != repoRoot && (name == "testdata" || name[0] == '.' || name[0] == '_') {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ending) {
			rel, err := filepath.Rel(repoRoot, p)
			if err != nil {
				return err
			}
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk the project: %v", err)
	}
	sort.Strings(paths)
	return paths
}

// tableRow is one row of a Markdown table.
type tableRow struct {
	Line  int // counted from 1
	Cells []string
}

// tableRows gives the rows of every Markdown table in text, without the header
// lines and the rules below them.
func tableRows(text string) []tableRow {
	lines := strings.Split(text, "\n")
	isRule := func(i int) bool { return i < len(lines) && strings.HasPrefix(lines[i], "|---") }
	var rows []tableRow
	for i, line := range lines {
		inner, ok := strings.CutPrefix(line, "|")
		if !ok || isRule(i) || isRule(i+1) {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(inner), "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		rows = append(rows, tableRow{i + 1, cells})
	}
	return rows
}
