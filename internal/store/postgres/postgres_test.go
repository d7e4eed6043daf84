package postgres_test

import (
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/postgres"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/store/storetest"
)

func openURL(t testing.TB, url string) *postgres.Store {
	t.Helper()
	st, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

func TestConformance(t *testing.T) {
	pgtest.URL(t) // skips once, not in every test
	storetest.Run(t, func(t *testing.T) store.Store { return openURL(t, pgtest.URL(t)) })
}
