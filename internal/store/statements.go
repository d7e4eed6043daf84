package store

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
)

// Stmt is one SQL statement, in the wording of each dialect. Parameters are
// written $1, $2, … in both. Implementations prepare it once per connection,
// keyed by the pointer, so a Stmt is made once at start and kept.
type Stmt struct {
	name string
	sql  map[Dialect]string
}

// NewStmt makes a statement that reads the same in every dialect. Services keep
// their statements in files and use [Statements]; this is for the store itself
// and for tests.
func NewStmt(name, sql string) *Stmt {
	return &Stmt{name: name, sql: map[Dialect]string{SQLite: sql, Postgres: sql}}
}

// Name is the file name of the statement without its ending, for logs.
func (s *Stmt) Name() string { return s.name }

// SQL is the statement's text in a dialect.
func (s *Stmt) SQL(d Dialect) string { return s.sql[d] }

// Set is the statements of one service, by name.
type Set map[string]*Stmt

// Get returns the statement of that name and panics when there is none: a
// missing file is a mistake that must show at start, not at the first call.
func (s Set) Get(name string) *Stmt {
	st, ok := s[name]
	if !ok {
		panic("store: no statement " + name)
	}
	return st
}

// Statements loads every "NAME.sql" of dir in fsys, one statement a file. Where
// the dialects differ, "NAME.sqlite.sql" and "NAME.postgres.sql" stand side by
// side instead. Sub-directories are left alone. It panics on a file that breaks
// these rules, because the files are part of the program.
func Statements(fsys fs.FS, dir string) Set {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		panic(fmt.Sprintf("store: read statements in %s: %v", dir, err))
	}
	set := Set{}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".sql")
		if e.IsDir() || !ok {
			continue
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			panic(fmt.Sprintf("store: read statement %s: %v", e.Name(), err))
		}
		name, only := splitDialect(base)
		st := set[name]
		if st == nil {
			st = &Stmt{name: name, sql: map[Dialect]string{}}
			set[name] = st
		}
		for _, d := range []Dialect{SQLite, Postgres} {
			if only != "" && only != d {
				continue
			}
			if _, dup := st.sql[d]; dup {
				panic(fmt.Sprintf("store: statement %s has two files for %s", name, d))
			}
			st.sql[d] = string(text)
		}
	}
	for name, st := range set {
		if len(st.sql) != 2 {
			panic(fmt.Sprintf("store: statement %s lacks a dialect", name))
		}
	}
	return set
}

// splitDialect splits "name.sqlite" into name and dialect.
func splitDialect(base string) (string, Dialect) {
	for _, d := range []Dialect{SQLite, Postgres} {
		if name, ok := strings.CutSuffix(base, "."+string(d)); ok {
			return name, d
		}
	}
	return base, ""
}

// Changes reports whether an SQL text is an INSERT, UPDATE or DELETE, whose
// changed rows [Tx.Exec] counts. Comments and a WITH clause may stand before it.
func Changes(sql string) bool {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n")
		if rest, ok := strings.CutPrefix(sql, "--"); ok {
			_, sql, _ = strings.Cut(rest, "\n")
			continue
		}
		if rest, ok := strings.CutPrefix(sql, "/*"); ok {
			_, sql, _ = strings.Cut(rest, "*/")
			continue
		}
		break
	}
	end := strings.IndexFunc(sql, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(sql)
	}
	switch strings.ToUpper(sql[:end]) {
	case "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}
