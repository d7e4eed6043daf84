package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing/fstest"

	"ludgate/internal/store"
)

var migrateTests = []suiteTest{
	{name: "again is no work and no error", run: func(s suite) {
		s.put(1, "a")
		s.migrate(suiteArea)
		s.wantNumber("a", 1)
	}},
	{name: "an upgrade keeps what is there", empty: true, run: func(s suite) {
		s.migrate(growing(1))
		s.write(func(tx store.Tx) error {
			_, err := tx.Exec(store.NewStmt("put", `INSERT INTO grow (id) VALUES ('a')`))
			return err
		})
		s.migrate(growing(3))
		s.read(func(tx store.Tx) error {
			return tx.Query(store.NewStmt("get", `SELECT id, added2, added3 FROM grow`), func(r store.Row) error {
				if r.Text(0) != "a" || r.Int(1) != 2 || r.Int(2) != 3 {
					s.Errorf("read %s %d %d", r.Text(0), r.Int(1), r.Int(2))
				}
				return nil
			})
		})
	}},
	{name: "statements prepared before an upgrade work after it", empty: true, run: func(s suite) {
		all := store.NewStmt("all", `SELECT * FROM grow`)
		s.migrate(growing(1))
		query := func() {
			for range 8 { // on whatever connection
				s.read(func(tx store.Tx) error { return tx.Query(all, func(store.Row) error { return nil }) })
			}
		}
		query()
		s.migrate(growing(2))
		query()
	}},
	{name: "a newer store is refused", empty: true, run: func(s suite) {
		s.migrate(growing(2))
		err := store.Migrate(s.Context(), s.st, growing(1))
		if err == nil || !strings.Contains(err.Error(), "newer") {
			s.Errorf("error %v, want one about a newer Ludgate", err)
		}
		s.migrate(growing(2))
	}},
	{name: "a store with other steps is refused", empty: true, run: func(s suite) {
		s.migrate(growing(2))
		other := growing(2)
		files := other.FS.(fstest.MapFS)
		files["sql/0002_renamed.sql"] = files["sql/0002_add.sql"]
		delete(files, "sql/0002_add.sql")
		if err := store.Migrate(s.Context(), s.st, other); err == nil || !strings.Contains(err.Error(), "0002") {
			s.Errorf("error %v, want one about step 0002", err)
		}
	}},
	{name: "a step that fails leaves nothing and can be mended", empty: true, run: func(s suite) {
		area := growing(3)
		files := area.FS.(fstest.MapFS)
		good := files["sql/0003_add.sql"]
		files["sql/0003_add.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE half (a TEXT)\n--;\nCREATE NONSENSE")}
		if err := store.Migrate(s.Context(), s.st, area); err == nil || !strings.Contains(err.Error(), "0003_add") {
			s.Errorf("error %v, want one that names the step", err)
		}
		files["sql/0003_add.sql"] = good
		s.migrate(area)
		s.write(func(tx store.Tx) error {
			_, err := tx.Exec(store.NewStmt("half", `CREATE TABLE half (a TEXT)`))
			return err
		})
	}},
	{name: "steps must be numbered without gaps", empty: true, run: func(s suite) {
		area := growing(3)
		delete(area.FS.(fstest.MapFS), "sql/0002_add.sql")
		if err := store.Migrate(s.Context(), s.st, area); err == nil || !strings.Contains(err.Error(), "0003_add") {
			s.Errorf("error %v, want one that names the file", err)
		}
	}},
	{name: "several at once take turns", empty: true, run: func(s suite) {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if err := store.Migrate(s.Context(), s.st, growing(3)); err != nil {
					s.Errorf("migrate: %v", err)
				}
			})
		}
		wg.Wait()
	}},
}

func (s suite) migrate(areas ...store.Area) {
	s.Helper()
	if err := store.Migrate(s.Context(), s.st, areas...); err != nil {
		s.Fatalf("migrate: %v", err)
	}
}

// growing is an area of so many steps: a table and then columns.
func growing(steps int) store.Area {
	files := fstest.MapFS{"sql/0001_grow.sql": {Data: []byte(`CREATE TABLE grow (id TEXT PRIMARY KEY)`)}}
	for n := 2; n <= steps; n++ {
		files[fmt.Sprintf("sql/%04d_add.sql", n)] = &fstest.MapFile{
			Data: fmt.Appendf(nil, "ALTER TABLE grow ADD COLUMN added%d BIGINT\n--;\nUPDATE grow SET added%d = %d\n", n, n, n),
		}
	}
	return store.Area{Name: "grow", FS: files, Dir: "sql"}
}
