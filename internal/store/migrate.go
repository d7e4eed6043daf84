package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// Area is the schema of one part of Ludgate: its name and a folder of numbered
// migrations ("0001_accounts.sql", or "0001_accounts.sqlite.sql" and
// "0001_accounts.postgres.sql" where the dialects differ). A file may hold
// several statements, separated by a line that is only "--;". A released file is
// never edited.
type Area struct {
	Name string
	FS   fs.FS
	Dir  string
}

//go:embed sql/migrations/*.sql
var ledgerFS embed.FS

// LedgerArea is the schema of the ledger itself; [Migrate] applies it first.
var LedgerArea = Area{Name: "ledger", FS: ledgerFS, Dir: "sql/migrations"}

var (
	createMigrations = NewStmt("migrations_create", `CREATE TABLE IF NOT EXISTS migrations (area TEXT NOT NULL, number BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (area, number))`)
	appliedStmt      = NewStmt("migrations_applied", `SELECT number FROM migrations WHERE area = $1 ORDER BY number`)
	recordStmt       = NewStmt("migrations_record", `INSERT INTO migrations (area, number, name) VALUES ($1, $2, $3)`)
)

// Migrate brings the schema up to date: the ledger's, then each area's, every
// step in a Write of its own. A store that was written by a newer Ludgate is
// refused.
func Migrate(ctx context.Context, st Store, areas ...Area) error {
	if err := st.Write(ctx, func(tx Tx) error { _, err := tx.Exec(createMigrations); return err }); err != nil {
		return fmt.Errorf("create table migrations: %w", err)
	}
	for _, area := range append([]Area{LedgerArea}, areas...) {
		if err := migrateArea(ctx, st, area); err != nil {
			return fmt.Errorf("migrate %s: %w", area.Name, err)
		}
	}
	return nil
}

// migrateArea applies the steps of one area that the store does not have yet.
func migrateArea(ctx context.Context, st Store, area Area) error {
	set := Statements(area.FS, area.Dir)
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	have := 0
	err := st.Read(ctx, func(tx Tx) error {
		have = 0
		return tx.Query(appliedStmt, func(r Row) error { have = int(r.Int(0)); return nil }, area.Name)
	})
	if err != nil {
		return err
	}
	if have > len(names) {
		return fmt.Errorf("the store is at step %d, this program knows %d: it was written by a newer Ludgate", have, len(names))
	}
	for i, name := range names {
		number := i + 1
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", number)) {
			return fmt.Errorf("%s is not step %04d", path.Join(area.Dir, name), number)
		}
		if number <= have {
			continue
		}
		stmts := splitScript(name, set[name])
		err := st.Write(ctx, func(tx Tx) error {
			for _, s := range stmts {
				if _, err := tx.Exec(s); err != nil {
					return fmt.Errorf("step %s: %w", name, err)
				}
			}
			_, err := tx.Exec(recordStmt, area.Name, int64(number), name)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// splitScript cuts a migration into statements at its "--;" lines.
func splitScript(name string, st *Stmt) []*Stmt {
	parts := map[Dialect][]string{}
	longest := 0
	for _, d := range []Dialect{SQLite, Postgres} {
		for _, p := range strings.Split(st.SQL(d), "\n--;\n") {
			if strings.TrimSpace(p) != "" {
				parts[d] = append(parts[d], p)
			}
		}
		longest = max(longest, len(parts[d]))
	}
	stmts := make([]*Stmt, 0, longest)
	for i := range longest {
		s := &Stmt{name: fmt.Sprintf("%s#%d", name, i+1), sql: map[Dialect]string{}}
		for d, p := range parts {
			s.sql[d] = "SELECT 1"
			if i < len(p) {
				s.sql[d] = p[i]
			}
		}
		stmts = append(stmts, s)
	}
	return stmts
}
