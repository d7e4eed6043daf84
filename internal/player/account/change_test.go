package account

import (
	"errors"
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

// TestChange: what an account gives up is free at once, what it takes is its own,
// and a change that fails leaves both as they were.
func TestChange(t *testing.T) {
	st := storetest.Open(t, Area)
	write := func(fn func(tx store.Tx) error) error { return st.Write(t.Context(), fn) }
	ann := &Account{Title: "ABCDE", Email: "ann@example.com", CustomID: "phone", DisplayName: "Ann"}
	ben := &Account{Title: "ABCDE", Email: "ben@example.com"}
	for _, a := range []*Account{ann, ben} {
		if err := write(func(tx store.Tx) error { return Create(tx, a, Options{}, 1) }); err != nil {
			t.Fatal(err)
		}
	}
	change := func(a *Account, o Options, fn func(a *Account)) error {
		return write(func(tx store.Tx) error {
			_, err := Change(tx, "ABCDE", a.ID, o, func(a *Account) error { fn(a); return nil })
			return err
		})
	}
	owner := func(n Name) (id string) {
		if err := st.Read(t.Context(), func(tx store.Tx) (err error) { id, err = Owner(tx, "ABCDE", n); return err }); err != nil {
			t.Fatal(err)
		}
		return id
	}

	var taken *TakenError
	err := change(ben, Options{}, func(a *Account) { a.CustomID, a.Email = "phone", "other@example.com" })
	if !errors.As(err, &taken) || len(taken.Names) != 1 || taken.Names[0] != CustomIDName("phone") {
		t.Errorf("a taken id: %v", err)
	}
	if owner(EmailName("other@example.com")) != "" || owner(EmailName("ben@example.com")) != ben.ID {
		t.Error("a change that failed moved a name")
	}
	if err := change(ann, Options{}, func(a *Account) { a.CustomID = "" }); err != nil {
		t.Fatal(err)
	}
	if err := change(ben, Options{}, func(a *Account) { a.CustomID = "phone" }); err != nil || owner(CustomIDName("phone")) != ben.ID {
		t.Errorf("a free id: %v, owner %s", err, owner(CustomIDName("phone")))
	}

	// The title lets several players have one name, and later does not any more.
	if err := change(ben, Options{DuplicateNames: true}, func(a *Account) { a.DisplayName = "ann" }); err != nil {
		t.Fatal(err)
	}
	if err := change(ben, Options{}, func(a *Account) { a.AvatarURL = "https://example.com/ben" }); err != nil {
		t.Errorf("a change of something else: %v", err)
	}
	if owner(DisplayName("ann")) != ann.ID {
		t.Error("the name has moved")
	}
	if err := write(func(tx store.Tx) error { _, err := Delete(tx, "ABCDE", ann.ID); return err }); err != nil {
		t.Fatal(err)
	}
	for _, n := range []Name{EmailName("ann@example.com"), DisplayName("Ann")} {
		if owner(n) != "" {
			t.Errorf("%v is left behind", n)
		}
	}
	if err := change(ann, Options{}, func(*Account) {}); err == nil {
		t.Error("an account that is gone was changed")
	}
}
