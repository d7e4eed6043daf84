package bench

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"ludgate/internal/store/postgres"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/streaming/platform"
)

func TestPeakMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell")
	}
	if own, _ := peakMemory(os.Getpid()); own < 1<<20 || own > 1<<40 {
		t.Errorf("%d bytes", own)
	}
	if own, children := peakMemory(1 << 30); own != 0 || children != 0 {
		t.Errorf("%d and %d bytes of nobody", own, children)
	}
}

// TestSchema: what a run makes in a database is gone after it, also when it fails.
func TestSchema(t *testing.T) {
	for _, bad := range []string{"", "embedded", "http://localhost/x"} {
		if err := withSchema(t.Context(), bad, nil); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	base := pgtest.URL(t)
	kept := ""
	err := withSchema(t.Context(), base, func(url string) error {
		kept = url
		st, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			return err
		}
		return st.Close()
	})
	if err != nil || !strings.Contains(kept, "ludgate_bench_") {
		t.Fatalf("%q: %v", kept, err)
	}
	if st, err := postgres.Open(t.Context(), kept, postgres.Options{}); err == nil {
		_ = st.Close() // the test has failed
		t.Error("the schema is still there")
	}
}

// TestPlatform: tokens that the run makes are good at the platform it serves.
func TestPlatform(t *testing.T) {
	p, err := startPlatform()
	if err != nil {
		t.Fatal(err)
	}
	token, err := p.mint(nil, "42")
	if err != nil || token == "" || !strings.HasSuffix(p.validateURL, platform.ValidatePath) {
		t.Errorf("%q at %s: %v", token, p.validateURL, err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.keys); !os.IsNotExist(err) {
		t.Error("its keys are still there")
	}
}
