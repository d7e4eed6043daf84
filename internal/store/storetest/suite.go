package storetest

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"ludgate/internal/store"
)

// The suite's own schema, one table of each kind of column.
var suiteArea = store.Area{Name: "suite", Dir: "sql", FS: fstest.MapFS{
	"sql/0001_item.sqlite.sql":   {Data: []byte(itemTable + "\n--;\n" + noteIndex)},
	"sql/0001_item.postgres.sql": {Data: []byte(`CREATE TABLE item (id TEXT COLLATE "C" PRIMARY KEY, n BIGINT, note TEXT, data BYTEA, weight DOUBLE PRECISION, ok BIGINT)` + "\n--;\n" + noteIndex)},
}}

const (
	itemTable = `CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT, note TEXT, data BYTEA, weight DOUBLE PRECISION, ok BIGINT)`
	noteIndex = `CREATE UNIQUE INDEX item_note ON item (note)`
)

var (
	putItem   = store.NewStmt("put_item", `INSERT INTO item (id, n) VALUES ($1, $2)`)
	putAll    = store.NewStmt("put_all", `INSERT INTO item (id, n, note, data, weight, ok) VALUES ($1, $2, $3, $4, $5, $6)`)
	putMaybe  = store.NewStmt("put_maybe", `INSERT INTO item (id, n) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`)
	setNumber = store.NewStmt("set_number", `UPDATE item SET n = $2 WHERE id = $1`)
	addNumber = store.NewStmt("add_number", `UPDATE item SET n = n + $2 WHERE id = $1`)
	getNumber = store.NewStmt("get_number", `SELECT n FROM item WHERE id = $1`)
	getAll    = store.NewStmt("get_all", `SELECT id, n, note, data, weight, ok FROM item WHERE id = $1`)
	listItems = store.NewStmt("list_items", `SELECT id, n FROM item ORDER BY id`)
	dropItem  = store.NewStmt("drop_item", `DELETE FROM item WHERE id = $1`)
	countAll  = store.NewStmt("count_all", `SELECT count(*) FROM item`)
	broken    = store.NewStmt("broken", `SELECT nothing FROM nowhere`)
)

// Run holds an implementation against the promises of store.Store. open gives an
// empty store and sees to its Close at the end of the test; Run may close it
// before.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	groups := []struct {
		name  string
		tests []suiteTest
	}{
		{"Write", writeTests}, {"Read", readTests}, {"Isolation", isolationTests}, {"Ledger", ledgerTests},
		{"Values", valueTests}, {"Watch", watchTests}, {"Migrate", migrateTests}, {"Close", closeTests},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, test := range g.tests {
				t.Run(test.name, func(t *testing.T) {
					st := open(t)
					if !test.empty {
						if err := store.Migrate(t.Context(), st, suiteArea); err != nil {
							t.Fatalf("migrate: %v", err)
						}
					}
					test.run(suite{t, st})
				})
			}
		})
	}
}

type suiteTest struct {
	name  string
	run   func(s suite)
	empty bool // the store is not migrated
}

// suite is one running test and its store.
type suite struct {
	*testing.T
	st store.Store
}

// errMine is what a function of a test returns to have its Write undone.
var errMine = errors.New("the caller changed its mind")

// patience is how long a test waits for what must come. It ends only tests that
// fail.
const patience = 20 * time.Second

// write runs fn in a Write that must succeed.
func (s suite) write(fn func(tx store.Tx) error) {
	s.Helper()
	if err := s.st.Write(s.Context(), fn); err != nil {
		s.Fatalf("write: %v", err)
	}
}

// put writes items that all have the number n.
func (s suite) put(n int64, ids ...string) {
	s.Helper()
	s.write(func(tx store.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec(putItem, id, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// read runs fn in a Read that must succeed.
func (s suite) read(fn func(tx store.Tx) error) {
	s.Helper()
	if err := s.st.Read(s.Context(), fn); err != nil {
		s.Fatalf("read: %v", err)
	}
}

// number reads an item's number and whether the item is there.
func number(tx store.Tx, id string) (n int64, found bool, err error) {
	found, err = store.QueryOne(tx, getNumber, func(r store.Row) error { n = r.Int(0); return nil }, id)
	return n, found, err
}

// wantNumber fails the test unless the item is there with this number.
func (s suite) wantNumber(id string, want int64) {
	s.Helper()
	s.read(func(tx store.Tx) error {
		n, found, err := number(tx, id)
		if err == nil && (!found || n != want) {
			s.Errorf("item %s: found %v, number %d; want %d", id, found, n, want)
		}
		return err
	})
}

// wantItems fails the test unless exactly so many items are there.
func (s suite) wantItems(want int64) {
	s.Helper()
	s.read(func(tx store.Tx) error {
		return tx.Query(countAll, func(r store.Row) error {
			if got := r.Int(0); got != want {
				s.Errorf("%d items, want %d", got, want)
			}
			return nil
		})
	})
}

// wantError fails the test unless err is want.
func (s suite) wantError(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("error %v, want %v", err, want)
	}
}

// within gives a context that ends when patience does.
func (s suite) within() context.Context {
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	s.Cleanup(cancel)
	return ctx
}

// await receives from a channel, or fails the test.
func await[T any](s suite, c <-chan T, what string) T {
	s.Helper()
	select {
	case v := <-c:
		return v
	case <-s.within().Done():
		s.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}
