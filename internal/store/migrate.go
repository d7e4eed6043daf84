package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
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
	appliedStmt      = NewStmt("migrations_applied", `SELECT number, name FROM migrations WHERE area = $1 ORDER BY number`)
	recordStmt       = NewStmt("migrations_record", `INSERT INTO migrations (area, number, name) VALUES ($1, $2, $3)`)
)

// Exclusive is what a store offers that several processes share: while one runs
// fn under a name, no other does.
type Exclusive interface {
	Exclusive(ctx context.Context, name string, fn func(ctx context.Context) error) error
}

// Migrate brings the schema up to date: the ledger's, then each area's, every
// step in a Write of its own, so that it goes on where it was interrupted. Nodes
// that start together take turns. A store that was written by a newer Ludgate is
// refused.
func Migrate(ctx context.Context, st Store, areas ...Area) error {
	all := func(ctx context.Context) error { return migrateAll(ctx, st, areas) }
	if shared, ok := st.(Exclusive); ok {
		return shared.Exclusive(ctx, "migrate", all)
	}
	return all(ctx)
}

func migrateAll(ctx context.Context, st Store, areas []Area) error {
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
	names := slices.Sorted(maps.Keys(set))
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i+1)) {
			return fmt.Errorf("%s is not step %04d", path.Join(area.Dir, name), i+1)
		}
	}
	have, err := applied(ctx, st, area.Name)
	if err != nil {
		return err
	}
	if len(have) > len(names) {
		return fmt.Errorf("the store is at step %d, this program knows %d: it was written by a newer Ludgate; start that one", len(have), len(names))
	}
	for i, name := range have {
		if name != names[i] {
			return fmt.Errorf("step %d is %s in the store and %s in this program: it was written by another Ludgate", i+1, name, names[i])
		}
	}
	for i := len(have); i < len(names); i++ {
		if err := migrateStep(ctx, st, area.Name, i+1, names[i], splitScript(names[i], set[names[i]])); err != nil {
			return fmt.Errorf("step %s: %w", names[i], err)
		}
	}
	return nil
}

// applied gives the names of an area's steps that the store has.
func applied(ctx context.Context, st Store, area string) ([]string, error) {
	var have []string
	err := st.Read(ctx, func(tx Tx) error {
		have = nil
		return tx.Query(appliedStmt, func(r Row) error {
			if have = append(have, r.Text(1)); r.Int(0) != int64(len(have)) {
				return fmt.Errorf("the store lacks step %d", len(have))
			}
			return nil
		}, area)
	})
	return have, err
}

// migrateStep applies one step and records it, together.
func migrateStep(ctx context.Context, st Store, area string, number int, name string, stmts []*Stmt) error {
	return st.Write(ctx, func(tx Tx) error {
		for _, s := range stmts {
			if _, err := tx.Exec(s); err != nil {
				return err
			}
		}
		_, err := tx.Exec(recordStmt, area, int64(number), name)
		return err
	})
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
