// Package storetest holds what tests need of a store: [Open], a throw-away one
// for the tests of a service, and [Run], the suite that every implementation of
// store.Store passes.
package storetest

import (
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"
)

// Open gives an empty embedded store in a temporary directory, with the ledger
// and the schemas of areas, and closes it at the end of the test. A test that
// uses testing/synctest calls it inside its bubble.
func Open(t testing.TB, areas ...store.Area) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatalf("open a store: %v", err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	if err := store.Migrate(t.Context(), st, areas...); err != nil {
		t.Fatalf("migrate a store: %v", err)
	}
	return st
}
