package sqlite_test

import (
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"
	"ludgate/internal/store/storetest"
)

func openIn(t testing.TB, dir string, opts sqlite.Options) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), dir, opts)
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
	storetest.Run(t, func(t *testing.T) store.Store { return openIn(t, t.TempDir(), sqlite.Options{}) })
}

// TestConformanceOfSmallBatches runs the suite where every batch is full at once.
func TestConformanceOfSmallBatches(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openIn(t, t.TempDir(), sqlite.Options{Readers: 1}.MaxBatch(2)) })
}
