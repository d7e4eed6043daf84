package store

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestStatementsReadsOneFilePerDialectOrOneForBoth(t *testing.T) {
	fsys := fstest.MapFS{
		"sql/both.sql":              {Data: []byte("SELECT 1")},
		"sql/split.sqlite.sql":      {Data: []byte("SELECT 's'")},
		"sql/split.postgres.sql":    {Data: []byte("SELECT 'p'")},
		"sql/notes.txt":             {Data: []byte("not a statement")},
		"sql/migrations/0001_a.sql": {Data: []byte("left alone")},
	}
	set := Statements(fsys, "sql")
	if len(set) != 2 {
		t.Fatalf("%d statements, want 2: %v", len(set), set)
	}
	for _, c := range []struct {
		name    string
		dialect Dialect
		want    string
	}{
		{"both", SQLite, "SELECT 1"}, {"both", Postgres, "SELECT 1"},
		{"split", SQLite, "SELECT 's'"}, {"split", Postgres, "SELECT 'p'"},
	} {
		if got := set.Get(c.name).SQL(c.dialect); got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.name, c.dialect, got, c.want)
		}
	}
}

func TestStatementsPanicsOnFilesThatBreakTheRules(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"one dialect only": {fstest.MapFS{"sql/a.sqlite.sql": file}, "lacks a dialect"},
		"both and one":     {fstest.MapFS{"sql/a.sql": file, "sql/a.sqlite.sql": file}, "two files"},
		"no folder":        {fstest.MapFS{}, "read statements"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(v.(string), c.want) {
					t.Errorf("panic %v, want one with %q", v, c.want)
				}
			}()
			Statements(c.files, "sql")
		})
	}
}

func TestGetPanicsOnAMissingStatement(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Set{}.Get("nothing")
}

func TestChanges(t *testing.T) {
	for sql, want := range map[string]bool{
		"INSERT INTO a VALUES (1)":                    true,
		"update a set b = 1":                          true,
		"\n-- why\n/* and how */ DELETE FROM a":       true,
		"WITH x AS (SELECT 1) INSERT INTO a SELECT 1": true,
		"with\nx AS (SELECT 1) DELETE FROM a":         true,
		"SELECT 1":                                    false,
		"CREATE TABLE inserted (a TEXT)":              false,
		"-- INSERT":                                   false,
		"/* DELETE":                                   false,
		"":                                            false,
	} {
		if got := Changes(sql); got != want {
			t.Errorf("Changes(%q) = %v", sql, got)
		}
	}
}

func TestSplitScript(t *testing.T) {
	st := &Stmt{name: "0001_a", sql: map[Dialect]string{
		SQLite:   "CREATE TABLE a (x TEXT)\n--;\nCREATE INDEX i ON a (x)\n--;\n",
		Postgres: "CREATE TABLE a (x TEXT)",
	}}
	parts := splitScript("0001_a", st)
	if len(parts) != 2 {
		t.Fatalf("%d parts, want 2", len(parts))
	}
	if got := parts[1].SQL(SQLite); got != "CREATE INDEX i ON a (x)" {
		t.Errorf("second part for SQLite is %q", got)
	}
	if got := parts[1].SQL(Postgres); got != "SELECT 1" {
		t.Errorf("second part for PostgreSQL is %q", got)
	}
}

func TestCheckArgs(t *testing.T) {
	st := NewStmt("x", "SELECT $1")
	for _, good := range []any{"text", "", "ü𝄞", int64(1), true, 1.5, []byte{0}, []byte(nil), nil} {
		if err := CheckArgs(st, []any{good}); err != nil {
			t.Errorf("%T %v: %v", good, good, err)
		}
	}
	for _, bad := range []any{"a\x00b", "a\xffb", 1, int32(1), Space("x"), &struct{}{}} {
		if err := CheckArgs(st, []any{nil, bad}); err == nil || !strings.Contains(err.Error(), "$2") {
			t.Errorf("%T %v: error %v, want one about $2", bad, bad, err)
		}
	}
}
