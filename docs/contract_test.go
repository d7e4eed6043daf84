package docs

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContract holds the register against the project: rows are well-formed,
// done rows name code and tests that exist, open rows name a topic, and no
// comment or paper names an id without a row.
func TestContract(t *testing.T) {
	text, err := os.ReadFile("contract.md")
	if err != nil {
		t.Fatal(err)
	}
	reg, faults := parseRegister(string(text))
	sources := goSources(t)
	var all code
	for _, src := range sources {
		all.add(src.Path, src.File)
	}
	for _, f := range append(faults, reg.checkRows(all)...) {
		t.Errorf("docs/contract.md: %s", f)
	}
	for _, src := range sources {
		for _, group := range src.File.Comments {
			for _, id := range reg.unknownMentions(group.Text()) {
				t.Errorf("%s: a comment names %s, which is no row of docs/contract.md", src.Path, id)
			}
		}
	}
	for _, path := range projectFiles(t, ".md") {
		if path == "docs/contract.md" {
			continue
		}
		paper, err := os.ReadFile(filepath.Join(repoRoot, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range reg.unknownMentions(string(paper)) {
			t.Errorf("%s names %s, which is no row of docs/contract.md", path, id)
		}
	}
	states := map[string]int{}
	for _, row := range reg.rows {
		states[row.State]++
	}
	t.Logf("%d rows: %d done, %d open", len(reg.rows), states["done"], states["open"])
}

// TestRegisterChecker shows that each fault of a register is found, and that a
// sound register has none.
func TestRegisterChecker(t *testing.T) {
	var project code
	for file, text := range map[string]string{
		"p/p.go": `package p

type Account struct{ Name string }

func (a *Account) Rename() {}

func Register() {}

func TestNothing() {}

const Limit = 3
`,
		"p/p_test.go": `package p

func TestRegister() {}

func helper() {}
`,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		project.add(file, f)
	}
	for _, tc := range []struct{ name, row, fault string }{
		{"done", "| P-4.R1 | one | done | p/p.go:Register | p:TestRegister |", ""},
		{"several places", "| P-4.R1 | one | done | p/p.go:Account.Name<br>p/p.go:Account.Rename<br>p/p.go:Limit | p:TestRegister |", ""},
		{"open", "| P-4.R1 | one | open | real clients | |", ""},
		{"no section", "| P.R1 | one | open | real clients | |", `"P.R1" is not an id`},
		{"unknown document", "| X-1.R1 | one | open | real clients | |", `"X-1.R1" is not an id`},
		{"no name", "| P-4 | one | open | real clients | |", `"P-4" is not an id`},
		{"doubled", "| P-4.R1 | one | open | real clients | |\n| P-4.R1 | two | open | real clients | |", "has a row already"},
		{"no statement", "| P-4.R1 | | open | real clients | |", "does not say what must hold"},
		{"a cell short", "| P-4.R1 | one | open | real clients |", "has 4 cells"},
		{"a cell too many", "| P-4.R1 | one | or two | open | real clients | |", "has 6 cells"},
		{"unknown state", "| P-4.R1 | one | half | real clients | |", `state is "half"`},
		{"unknown topic", "| P-4.R1 | one | open | some day | |", `open for "some day"`},
		{"open with a test", "| P-4.R1 | one | open | real clients | p:TestRegister |", "is open and yet names a test"},
		{"done without a place", "| P-4.R1 | one | done | | p:TestRegister |", "not of the form path/file.go:Symbol"},
		{"done without a symbol", "| P-4.R1 | one | done | p/p.go | p:TestRegister |", "not of the form path/file.go:Symbol"},
		{"done without a test", "| P-4.R1 | one | done | p/p.go:Register | |", "not of the form path/of/package:TestName"},
		{"no such file", "| P-4.R1 | one | done | p/q.go:Register | p:TestRegister |", "there is no Go file p/q.go"},
		{"no such symbol", "| P-4.R1 | one | done | p/p.go:Gone | p:TestRegister |", "declares no Gone"},
		{"no such member", "| P-4.R1 | one | done | p/p.go:Account.Age | p:TestRegister |", "declares no Account.Age"},
		{"no such test", "| P-4.R1 | one | done | p/p.go:Register | p:TestGone |", "the tests of p have no TestGone"},
		{"no such package", "| P-4.R1 | one | done | p/p.go:Register | q:TestRegister |", "the tests of q have no TestRegister"},
		{"a helper is no test", "| P-4.R1 | one | done | p/p.go:Register | p:helper |", "not of the form path/of/package:TestName"},
		{"outside test files", "| P-4.R1 | one | done | p/p.go:Register | p:TestNothing |", "the tests of p have no TestNothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reg, faults := parseRegister("| id | what must hold | state | place | test |\n|---|---|---|---|---|\n" + tc.row + "\n")
			faults = append(faults, reg.checkRows(project)...)
			checkFaults(t, faults, tc.fault)
		})
	}
}

// TestUnknownMentions shows which words of a comment count as ids.
func TestUnknownMentions(t *testing.T) {
	reg, _ := parseRegister("| C-2.Container.name | a | open | real clients | |\n| P-4.R1 | b | open | real clients | |\n")
	for _, tc := range []struct{ comment, unknown string }{
		{"see P-4.R1.", ""},
		{"the whole record C-2.Container", ""},
		{"(C-2.Container.name, P-4.R1)", ""},
		{"elliptic curve P-256, vitamin C-2", ""},
		{"see P-4.R2.", "P-4.R2"},
		{"C-2.Container.image", "C-2.Container.image"},
		{"P-4.1", "P-4.1"},
		{"D-2.Group", "D-2.Group"},
	} {
		if got := strings.Join(reg.unknownMentions(tc.comment), " "); got != tc.unknown {
			t.Errorf("%q: unknown ids %q, want %q", tc.comment, got, tc.unknown)
		}
	}
}

// checkFaults checks that want is in exactly one fault, or that there is none.
func checkFaults(t *testing.T, faults []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(faults) > 0:
		t.Errorf("faults in what is sound: %q", faults)
	case want != "" && (len(faults) != 1 || !strings.Contains(faults[0], want)):
		t.Errorf("got faults %q, want one with %q", faults, want)
	}
}
