// Package storetest holds what tests need of a store: [Open], a throw-away one
// for the tests of a service; [Run], the suite that every implementation of
// store.Store passes; and the bodies of the benchmarks that compare them.
package storetest

import (
	"os"
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/postgres"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/store/sqlite"
)

// Open gives an empty store with the ledger and the schemas of areas, and closes
// it at the end of the test: an embedded one in a temporary directory, or where
// LUDGATE_TEST_POSTGRES is set (see package pgtest), one in PostgreSQL, so that
// the tests of a service show that its SQL runs on both.
func Open(t testing.TB, areas ...store.Area) store.Store {
	t.Helper()
	if os.Getenv(pgtest.Env) == "" {
		return OpenEmbedded(t, areas...)
	}
	st, err := postgres.Open(t.Context(), pgtest.URL(t), postgres.Options{})
	if err != nil {
		t.Fatalf("open a store: %v", err)
	}
	return ready(t, st, areas)
}

// OpenEmbedded is Open for tests that need the embedded store: those in a bubble
// of testing/synctest, where time stands still while a connection waits for a
// server. They call it inside the bubble.
func OpenEmbedded(t testing.TB, areas ...store.Area) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatalf("open a store: %v", err)
	}
	return ready(t, st, areas)
}

// ready migrates a store and sees to its end.
func ready(t testing.TB, st store.Store, areas []store.Area) store.Store {
	t.Helper()
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
