package storetest

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ludgate/internal/store"
)

func TestOpenHasTheLedger(t *testing.T) {
	st := Open(t)
	claim := func(owner string) error {
		return st.Write(t.Context(), func(tx store.Tx) error {
			return store.Claim(tx, store.SpaceEmail, "t1", "ann@example.com", owner)
		})
	}
	if err := claim("p1"); err != nil {
		t.Fatal(err)
	}
	if err := claim("p2"); !errors.Is(err, store.ErrTaken) {
		t.Fatalf("second owner: %v, want ErrTaken", err)
	}
}

func TestOpenHasTheAreas(t *testing.T) {
	st := Open(t, suiteArea)
	suite{t, st}.put(1, "a")
}

// Time that a test makes pass, passes at once for a store that idles.
func TestOpenInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := suite{t, OpenEmbedded(t, suiteArea)}
		for day := range 3 {
			s.put(int64(day), time.Now().Format(time.DateOnly))
			time.Sleep(24 * time.Hour)
		}
		s.wantItems(3)
		c := s.st.Watch(t.Context(), "items")
		go func() {
			time.Sleep(time.Hour)
			s.write(func(tx store.Tx) error { tx.Notify("items"); return nil })
		}()
		<-c
	})
}
