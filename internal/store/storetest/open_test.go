package storetest

import (
	"errors"
	"testing"

	"ludgate/internal/store"
)

func TestOpen(t *testing.T) {
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
