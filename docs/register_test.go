package docs

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// topics are what an open row may wait for. A topic that has been built is
// deleted here: from then on no row can be left open for it.
var topics = []string{
	"player accounts, complete",
	"container groups, complete",
	"directory, tokens and permissions",
	"server names and deployment",
	"real clients",
}

var (
	// idPattern is the shape of an id: document, section, name in parts.
	idPattern = regexp.MustCompile(`^[PCD]-[1-9](\.[A-Za-z][A-Za-z0-9]*)+$`)
	// mention finds what looks like an id in prose, well-formed or not.
	mention = regexp.MustCompile(`\b[PCD]-[0-9]+(\.[A-Za-z0-9]+)+`)
)

// register is docs/contract.md as a program sees it.
type register struct {
	ids map[string]int // id -> line
	// prefixes are the ids without their last parts: names of groups of rows.
	prefixes map[string]bool
	rows     []registerRow
}

// registerRow is one rule of the contract.
type registerRow struct {
	Line                          int
	ID, Holds, State, Place, Test string
}

// parseRegister reads the register and says what is malformed or doubled in it.
func parseRegister(text string) (register, []string) {
	reg := register{ids: map[string]int{}, prefixes: map[string]bool{}}
	var faults []string
	for _, r := range tableRows(text) {
		if len(r.Cells) != 5 {
			faults = append(faults, fmt.Sprintf("line %d has %d cells; a row is | id | what must hold | state | place | test |", r.Line, len(r.Cells)))
			continue
		}
		row := registerRow{r.Line, r.Cells[0], r.Cells[1], r.Cells[2], r.Cells[3], r.Cells[4]}
		if !idPattern.MatchString(row.ID) {
			faults = append(faults, fmt.Sprintf("line %d: %q is not an id like P-4.R2 or C-2.ContainerGroup.tags", row.Line, row.ID))
			continue
		}
		if first, doubled := reg.ids[row.ID]; doubled {
			faults = append(faults, fmt.Sprintf("line %d: %s has a row already, at line %d", row.Line, row.ID, first))
			continue
		}
		if row.Holds == "" {
			faults = append(faults, fmt.Sprintf("line %d: %s does not say what must hold", row.Line, row.ID))
		}
		reg.ids[row.ID] = row.Line
		reg.rows = append(reg.rows, row)
		for p := row.ID; strings.Count(p, ".") > 1; {
			p = p[:strings.LastIndexByte(p, '.')]
			reg.prefixes[p] = true
		}
	}
	return reg, faults
}

// knows reports whether id is a row, or a group of rows.
func (reg register) knows(id string) bool {
	_, row := reg.ids[id]
	return row || reg.prefixes[id]
}

// code is what the project's Go files declare.
type code struct {
	files map[string]map[string]bool // path of a file -> its declarations
	tests map[string]map[string]bool // folder -> functions of its test files that go test runs
}

// add takes up one file.
func (c *code) add(file string, f *ast.File) {
	if c.files == nil {
		c.files, c.tests = map[string]map[string]bool{}, map[string]map[string]bool{}
	}
	c.files[file] = declarations(f)
	if !strings.HasSuffix(file, "_test.go") {
		return
	}
	folder := path.Dir(file)
	if c.tests[folder] == nil {
		c.tests[folder] = map[string]bool{}
	}
	for name := range c.files[file] {
		if isTestName(name) {
			c.tests[folder][name] = true
		}
	}
}

// checkRows says which rows do not hold against the code.
func (reg register) checkRows(c code) []string {
	var faults []string
	for _, row := range reg.rows {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("line %d: %s: ", row.Line, row.ID)+fmt.Sprintf(format, args...))
		}
		switch row.State {
		case "open":
			if !slices.Contains(topics, row.Place) {
				fault("is open for %q, which is no topic still to be built (%s)", row.Place, strings.Join(topics, "; "))
			}
			if row.Test != "" {
				fault("is open and yet names a test; make it done or clear the cell")
			}
		case "done":
			for _, ref := range strings.Split(row.Place, "<br>") {
				file, symbol, _ := strings.Cut(ref, ":")
				switch names, exists := c.files[file]; {
				case symbol == "":
					fault("place %q is not of the form path/file.go:Symbol", ref)
				case !exists:
					fault("there is no Go file %s", file)
				case !names[symbol]:
					fault("%s declares no %s", file, symbol)
				}
			}
			for _, ref := range strings.Split(row.Test, "<br>") {
				folder, name, _ := strings.Cut(ref, ":")
				switch {
				case !isTestName(name):
					fault("test %q is not of the form path/of/package:TestName", ref)
				case !c.tests[folder][name]:
					fault("the tests of %s have no %s", folder, name)
				}
			}
		default:
			fault("state is %q; it must be done or open", row.State)
		}
	}
	return faults
}

// isTestName reports whether go test would run a function of that name.
func isTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// declarations lists what a file declares at its top: Func, Type, Type.Method,
// Type.Member, and names of constants and variables.
func declarations(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			} else if len(d.Recv.List) == 1 {
				names[receiverName(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names[n.Name] = true
					}
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
					for _, m := range memberNames(spec.Type) {
						names[spec.Name.Name+"."+m] = true
					}
				}
			}
		}
	}
	return names
}

// receiverName is the type name of a method's receiver.
func receiverName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// memberNames lists the members of a struct and the methods of an interface.
func memberNames(e ast.Expr) []string {
	var list *ast.FieldList
	switch x := e.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return nil
	}
	var names []string
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// unknownMentions lists the ids in text that the register does not know.
func (reg register) unknownMentions(text string) []string {
	var unknown []string
	for _, id := range mention.FindAllString(text, -1) {
		if !reg.knows(id) {
			unknown = append(unknown, id)
		}
	}
	return unknown
}
