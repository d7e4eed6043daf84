package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ludgate/internal/store"
)

var ledgerTests = []suiteTest{
	{name: "of many callers exactly one has a name", run: oneClaimWins},
	{name: "a name and its record stand or fall together", run: claimAndRecord},
	{name: "claiming again what is one's own is no error", run: func(s suite) {
		s.write(claim("n", "ann"))
		s.write(claim("n", "ann"))
		s.wantError(s.st.Write(s.Context(), claim("n", "ben")), store.ErrTaken)
	}},
	{name: "spaces and scopes are apart", run: func(s suite) {
		s.write(func(tx store.Tx) error {
			return errors.Join(
				store.Claim(tx, store.SpaceEmail, "t1", "n", "a"),
				store.Claim(tx, store.SpaceEmail, "t2", "n", "b"),
				store.Claim(tx, store.SpaceUsername, "t1", "n", "c"),
				store.Claim(tx, store.SpaceServerName, "", "n", "d"),
				store.Claim(tx, store.SpaceServerName, "", "N", "e"),
			)
		})
		s.read(func(tx store.Tx) error {
			owner, err := store.Owner(tx, store.SpaceEmail, "t2", "n")
			if owner != "b" {
				s.Errorf("owner %q, want b", owner)
			}
			return err
		})
	}},
	{name: "only the owner releases", run: func(s suite) {
		s.write(claim("n", "ann"))
		s.write(func(tx store.Tx) error { return store.Release(tx, store.SpaceUsername, "t", "n", "ben") })
		s.wantError(s.st.Write(s.Context(), claim("n", "ben")), store.ErrTaken)
		s.write(func(tx store.Tx) error { return store.Release(tx, store.SpaceUsername, "t", "n", "ann") })
		s.write(claim("n", "ben"))
	}},
	{name: "a refused claim leaves the rest of its Write to the function", run: func(s suite) {
		s.write(claim("n", "ann"))
		s.write(func(tx store.Tx) error {
			if err := store.Claim(tx, store.SpaceUsername, "t", "n", "ben"); !errors.Is(err, store.ErrTaken) {
				return fmt.Errorf("error %v, want ErrTaken", err)
			}
			return store.Claim(tx, store.SpaceUsername, "t", "n2", "ben")
		})
		s.wantError(s.st.Write(s.Context(), claim("n2", "cid")), store.ErrTaken)
	}},
}

// claim gives a function for Write that claims a user name.
func claim(key, owner string) func(tx store.Tx) error {
	return func(tx store.Tx) error { return store.Claim(tx, store.SpaceUsername, "t", key, owner) }
}

const claimCallers = 64

func oneClaimWins(s suite) {
	for round := range 3 {
		key := fmt.Sprint("name", round)
		var winner atomic.Value
		var wins atomic.Int64
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range claimCallers {
			wg.Go(func() {
				<-start
				owner := fmt.Sprint("owner", i)
				switch err := s.st.Write(s.Context(), claim(key, owner)); {
				case err == nil:
					wins.Add(1)
					winner.Store(owner)
				case !errors.Is(err, store.ErrTaken):
					s.Errorf("claim: %v", err)
				}
			})
		}
		close(start)
		wg.Wait()
		if wins.Load() != 1 {
			s.Fatalf("%d callers have %s, want 1", wins.Load(), key)
		}
		s.read(func(tx store.Tx) error {
			owner, err := store.Owner(tx, store.SpaceUsername, "t", key)
			if owner != winner.Load() {
				s.Errorf("the owner is %s, the winner was %v", owner, winner.Load())
			}
			return err
		})
	}
}

// claimAndRecord: callers claim two names each, from a few, before or after they
// write their record; whoever loses one must leave neither record nor claim.
func claimAndRecord(s suite) {
	const names = 20
	var wg sync.WaitGroup
	var wins atomic.Int64
	for i := range claimCallers {
		wg.Go(func() {
			owner := fmt.Sprintf("owner%02d", i)
			err := s.st.Write(s.Context(), func(tx store.Tx) error {
				for _, key := range []string{fmt.Sprint("name", i%names), fmt.Sprint("name", i*7%names)} {
					if err := store.Claim(tx, store.SpaceUsername, "t", key, owner); err != nil {
						return err
					}
				}
				_, err := tx.Exec(putItem, owner, int64(i))
				return err
			})
			switch {
			case err == nil:
				wins.Add(1)
			case !errors.Is(err, store.ErrTaken):
				s.Errorf("write: %v", err)
			}
		})
	}
	wg.Wait()
	s.wantItems(wins.Load())
	s.read(func(tx store.Tx) error {
		owners := map[string]bool{}
		if err := tx.Query(listItems, func(r store.Row) error { owners[r.Text(0)] = false; return nil }); err != nil {
			return err
		}
		for i := range names {
			owner, err := store.Owner(tx, store.SpaceUsername, "t", fmt.Sprint("name", i))
			if err != nil {
				return err
			}
			if _, ok := owners[owner]; owner != "" && !ok {
				s.Errorf("name%d belongs to %s, who has no record", i, owner)
			}
			owners[owner] = true
		}
		for owner, named := range owners {
			if !named {
				s.Errorf("%s has a record and no name", owner)
			}
		}
		return nil
	})
}
