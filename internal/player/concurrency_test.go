package player

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"ludgate/internal/store"
)

const atOnce = 64

// together runs a call 64 times at the same time and gives the replies.
func together(call func(i int) answer) []answer {
	answers := make([]answer, atOnce)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range atOnce {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			answers[i] = call(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return answers
}

// codes counts the replies by error name, "" for success.
func codes(t *testing.T, answers []answer) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, a := range answers {
		name, _ := decode(t, a.body)["error"].(string)
		out[name]++
	}
	return out
}

// TestOneOfManyRegistrations (P-4.R1): of 64 registrations for one name at the
// same time one succeeds, the others hear whose name is taken, and nothing of
// them stays behind.
func TestOneOfManyRegistrations(t *testing.T) {
	for _, tc := range []struct {
		member, value, code string
	}{
		{"Email", "ann@example.com", "EmailAddressNotAvailable"},
		{"Username", "Ann42", "UsernameNotAvailable"},
		{"DisplayName", "Ann of 42", "NameNotAvailable"},
	} {
		f := newFixture(t, setup{})
		got := codes(t, together(func(i int) answer {
			body := obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("user%d", i), "Email": fmt.Sprintf("user%d@example.com", i),
				"DisplayName": fmt.Sprintf("User %d", i), "Password": "secret"}
			return f.register(body.with(obj{tc.member: tc.value}))
		}))
		if want := map[string]int{"": 1, tc.code: atOnce - 1}; !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tc.member, got, want)
		}
		if players, claims := f.count("players"), f.count("ledger"); players != 1 || claims != 3 {
			t.Errorf("%s: %d players and %d claims, want 1 and 3", tc.member, players, claims)
		}
	}
}

// TestNamesThatCross: registrations that each want two names of others. Whoever
// succeeds has all its names.
func TestNamesThatCross(t *testing.T) {
	f := newFixture(t, setup{})
	answers := together(func(i int) answer {
		return f.register(obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("user%d", i%8), "Email": fmt.Sprintf("user%d@example.com", i/8), "Password": "secret"})
	})
	got := codes(t, answers)
	players := f.count("players")
	if int64(got[""]) != players || players < 1 || players > 8 || f.count("ledger") != 2*players {
		t.Errorf("%v, %d players, %d claims", got, players, f.count("ledger"))
	}
	orphans := store.NewStmt("orphans", `SELECT count(*) FROM ledger WHERE owner NOT IN (SELECT id FROM players)`)
	err := f.store.Read(t.Context(), func(tx store.Tx) error {
		_, err := store.QueryOne(tx, orphans, func(r store.Row) error {
			if n := r.Int(0); n != 0 {
				t.Errorf("%d claims without a player", n)
			}
			return nil
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneAccountForAnIdentity (P-4.R5): 64 first sign-ins of one streaming user
// at the same time all succeed, as one player, made once.
func TestOneAccountForAnIdentity(t *testing.T) {
	f := newFixture(t, setup{})
	answers := together(func(int) answer {
		return f.signIn(obj{"TitleId": "ABCDE", "AccessToken": f.token("42", "ann"), "CreateAccount": true})
	})
	ids, created := map[any]int{}, 0
	for _, a := range answers {
		in := f.result(a)
		ids[in["PlatformId"]]++
		if in["NewlyCreated"] == true {
			created++
		}
	}
	if len(ids) != 1 || created != 1 || f.count("players") != 1 || f.count("ledger") != 1 {
		t.Errorf("%d ids, %d times made, %d players, %d claims", len(ids), created, f.count("players"), f.count("ledger"))
	}
}

// TestLimitHoldsUnderLoad: a title with room for ten takes ten of 64.
func TestLimitHoldsUnderLoad(t *testing.T) {
	titles := titles{listed: listed{"ABCDE": {PlayerLimit: 10, StreamingClientID: "ludgate-dev"}}}
	f := newFixture(t, setup{titles: titles})
	got := codes(t, together(func(i int) answer {
		if i%2 == 0 {
			return f.register(obj{"TitleId": "ABCDE", "Username": fmt.Sprintf("user%d", i), "Email": fmt.Sprintf("user%d@example.com", i), "Password": "secret"})
		}
		return f.signIn(obj{"TitleId": "ABCDE", "AccessToken": f.token(fmt.Sprint(i), "ann"), "CreateAccount": true})
	}))
	if want := map[string]int{"": 10, "EvaluationModePlayerCountExceeded": atOnce - 10}; !maps.Equal(got, want) || f.count("players") != 10 {
		t.Errorf("%v, %d players", got, f.count("players"))
	}
}
