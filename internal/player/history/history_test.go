package history

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// entry is a call of a written history: who made it, when it began and ended.
type entry struct {
	begin, end int64
	op         Op
	answer     Answer
}

func names(email, username, display string) Names { return Names{email, username, display, "", ""} }

// TestCheck shows which histories pass.
func TestCheck(t *testing.T) {
	registration := func(pw string) Op { return Op{Kind: Register, Names: names("a@b", "ann", ""), Password: pw} }
	taken := Answer{Error: "EmailAddressNotAvailable", Taken: [spaces]bool{Email: true, Username: true}}
	bySomeID := Op{Kind: SignInCustom, Value: "x", Force: true}
	findEmail, findName := Op{Kind: Find, Space: Email, Value: "a@b"}, Op{Kind: Find, Space: Username, Value: "ann"}
	missing := Answer{Error: "AccountNotFound"}
	ann := func(id string) Answer { return Answer{ID: id, Names: names("a@b", "ann", "")} }
	lost := Answer{Lost: true}
	for _, tc := range []struct {
		what string
		want bool
		h    []entry
	}{
		{"one of two registrations", true, []entry{{1, 9, registration("1"), Answer{ID: "A"}}, {2, 8, registration("2"), taken}}},
		{"both of two registrations", false, []entry{{1, 9, registration("1"), Answer{ID: "A"}}, {2, 8, registration("2"), Answer{ID: "B"}}}},
		{"none of two registrations", false, []entry{{1, 9, registration("1"), taken}, {2, 8, registration("2"), taken}}},
		{"a refusal that names too little", false, []entry{{1, 2, registration("1"), Answer{ID: "A"}},
			{3, 4, registration("2"), Answer{Error: "EmailAddressNotAvailable", Taken: [spaces]bool{Email: true}}}}},
		{"no id", false, []entry{{1, 2, registration("1"), Answer{}}}},
		{"an id twice", false, []entry{{1, 2, registration("1"), Answer{ID: "A"}}, {3, 4, bySomeID, Answer{ID: "A", Created: true}}}},
		{"an identity with one account", true, []entry{{1, 9, bySomeID, Answer{ID: "A", Created: true}}, {2, 8, bySomeID, Answer{ID: "A"}}}},
		{"an identity with two accounts", false, []entry{{1, 9, bySomeID, Answer{ID: "A", Created: true}}, {2, 8, bySomeID, Answer{ID: "B", Created: true}}}},
		{"an account made twice", false, []entry{{1, 9, bySomeID, Answer{ID: "A", Created: true}}, {2, 8, bySomeID, Answer{ID: "A", Created: true}}}},
		{"a stale read beside the write", true, []entry{{1, 9, registration("1"), Answer{ID: "A"}}, {2, 3, findEmail, missing}, {4, 5, findEmail, ann("A")}}},
		{"a stale read after the write", false, []entry{{1, 2, registration("1"), Answer{ID: "A"}}, {3, 4, findEmail, missing}}},
		{"a read that goes back", false, []entry{{1, 9, registration("1"), Answer{ID: "A"}}, {2, 3, findEmail, ann("A")}, {4, 5, findEmail, missing}}},
		{"half an account", false, []entry{{1, 9, registration("1"), Answer{ID: "A"}}, {2, 3, findEmail, ann("A")}, {4, 5, findName, missing}}},
		{"a lost registration that happened", true, []entry{{1, 5, registration("1"), lost}, {6, 7, findEmail, ann("A")},
			{8, 9, Op{Kind: SignInEmail, Value: "a@b", Password: "1"}, Answer{ID: "A"}}}},
		{"a lost registration that did not", true, []entry{{1, 5, registration("1"), lost}, {6, 7, findEmail, missing}}},
		{"a lost registration that got another id later", false, []entry{{1, 5, registration("1"), lost}, {6, 7, findEmail, ann("A")}, {8, 9, findEmail, ann("B")}}},
		{"a lost registration that happened after the death", false, []entry{{1, 5, registration("1"), lost}, {6, 7, findEmail, missing}, {8, 9, findEmail, ann("A")}}},
		{"a lost registration with another's password", false, []entry{{1, 5, registration("1"), lost}, {6, 7, Op{Kind: SignInEmail, Value: "a@b", Password: "2"}, Answer{ID: "A"}}}},
		{"a name that a deleted account keeps", false, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}}, {3, 4, Op{Kind: Delete, ID: "A"}, Answer{}},
			{5, 6, bySomeID, Answer{ID: "A"}}}},
		{"an identity taken by force", true, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}}, {3, 4, registration("1"), Answer{ID: "B"}},
			{5, 6, Op{Kind: LinkCustom, ID: "B", Value: "x", Force: true}, Answer{}}, {7, 8, bySomeID, Answer{ID: "B"}},
			{9, 10, Op{Kind: Own, ID: "A"}, Answer{ID: "A"}}}},
		{"an identity taken by force that the other keeps", false, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}}, {3, 4, registration("1"), Answer{ID: "B"}},
			{5, 6, Op{Kind: LinkCustom, ID: "B", Value: "x", Force: true}, Answer{}},
			{9, 10, Op{Kind: Own, ID: "A"}, Answer{ID: "A", Names: Names{CustomID: "x"}}}}},
		{"coins of two payments at once", true, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}},
			{3, 9, Op{Kind: Pay, ID: "A", Coins: 1}, Answer{Balance: 2}}, {4, 8, Op{Kind: Pay, ID: "A", Coins: 1}, Answer{Balance: 1}}}},
		{"coins that got lost", false, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}},
			{3, 9, Op{Kind: Pay, ID: "A", Coins: 1}, Answer{Balance: 1}}, {4, 8, Op{Kind: Pay, ID: "A", Coins: 1}, Answer{Balance: 1}}}},
		{"signed out for nothing", false, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}}, {3, 4, Op{Kind: Own, ID: "A"}, Answer{Error: "NotAuthenticated"}}}},
		{"signed out by the deletion", true, []entry{{1, 2, bySomeID, Answer{ID: "A", Created: true}}, {3, 4, Op{Kind: Delete, ID: "A"}, Answer{}},
			{5, 6, Op{Kind: Own, ID: "A"}, Answer{Error: "NotAuthenticated"}}, {7, 8, Op{Kind: UnlinkCustom, ID: "A"}, missing}}},
	} {
		var h []porcupine.Operation
		for i, e := range tc.h {
			h = append(h, porcupine.Operation{ClientId: i, Call: e.begin, Input: e.op, Return: e.end, Output: e.answer})
		}
		result, info := Check(h, time.Minute)
		if (result == porcupine.Ok) != tc.want {
			t.Errorf("%s: %s", tc.what, result)
		}
		if text := Explain(h, info); result == porcupine.Illegal && !strings.Contains(text, "none of these") {
			t.Errorf("%s: %s", tc.what, text)
		}
	}
}

// fake is a server in memory: a right one, save for its flaw.
type fake struct {
	flaw string

	mu       sync.Mutex
	state    *state
	before   *state // the state without the last write
	serial   int
	lifespan int // calls until it dies
}

// Flaws of a fake.
const (
	looksFirst   = "decides by what it saw before"
	forgets      = "forgets the last acknowledged write when it dies"
	keepsNames   = "keeps the names of deleted accounts"
	linksTwice   = "leaves an identity taken by force with its owner as well"
	losesCoins   = "adds to a balance it read before"
	answersEarly = "acknowledges writes that it makes later"
)

func (f *fake) Do(_ context.Context, o Op, _ string) (Answer, string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.serial++
	switch f.lifespan--; {
	case f.lifespan < -4:
		return Answer{}, "", errNotSent
	case f.lifespan < 0 && f.lifespan%2 == 0: // it happened, and nobody was told
		f.state, _ = apply(f.state, o, fmt.Sprintf("P%08d", f.serial))
		return Answer{Lost: true}, "", nil
	case f.lifespan < 0:
		return Answer{Lost: true}, "", nil
	}
	seen := f.state
	if f.flaw == looksFirst || f.flaw == losesCoins && o.Kind == Pay {
		f.mu.Unlock()
		runtime.Gosched()
		time.Sleep(50 * time.Microsecond)
		f.mu.Lock()
	}
	id := fmt.Sprintf("P%08d", f.serial)
	next, a := apply(f.state, o, id)
	switch {
	case f.flaw == looksFirst:
		if _, early := apply(seen, o, id); early != a && o.Kind == Find {
			a = early // still a snapshot
		} else if early.Error == "" && a.Error != "" && o.Kind != Own {
			next, a = f.state, early // told yes, did nothing
		}
	case f.flaw == losesCoins && o.Kind == Pay:
		if i, j := seen.find(o.ID), f.state.find(o.ID); i >= 0 && j >= 0 {
			a = Answer{Balance: seen.accounts[i].coins + o.Coins}
			next = f.state.edit(func(all []account) { all[j].coins = a.Balance })
		}
	case f.flaw == keepsNames && o.Kind == Delete && a.Error == "":
		i := f.state.find(o.ID)
		next = f.state.edit(func(all []account) { all[i].id = "ghost" + all[i].id })
	case f.flaw == linksTwice && o.Kind == LinkCustom && a.Error == "" && o.Force:
		self := f.state.find(o.ID)
		next = f.state.edit(func(all []account) { all[self].names[CustomID] = o.Value })
	case f.flaw == answersEarly && next != f.state:
		next, f.before = f.before, next
	}
	if next != f.state && f.flaw != answersEarly {
		f.before = f.state
	}
	f.state = next
	ticket := ""
	if a.ID != "" && o.Kind != Own && o.Kind != Find {
		ticket = "ticket"
	}
	return a, ticket, nil
}

// live runs a world on a fake that is killed twice.
func live(t *testing.T, flaw string, seed uint64) *World {
	w := NewWorld("w", seed)
	f := &fake{flaw: flaw, state: newState(nil), before: newState(nil)}
	for range 3 {
		f.lifespan = 150
		var callers sync.WaitGroup
		for client := range 8 {
			callers.Go(func() {
				if err := w.Run(t.Context(), client, f, 40, nil); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		w.Dead()
		if flaw == forgets {
			f.state = f.before
		}
	}
	f.lifespan = math.MaxInt
	if err := w.Look(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestFlawsAreFound: the histories of a right server pass, and a wrong one does
// not get far.
func TestFlawsAreFound(t *testing.T) {
	const tries = 20
	for _, flaw := range []string{"", looksFirst, forgets, keepsNames, linksTwice, losesCoins, answersEarly} {
		found := 0
		for seed := range uint64(tries) {
			h := live(t, flaw, seed).History()
			if len(h) < 200 {
				t.Fatalf("only %d calls", len(h))
			}
			result, info := Check(h, time.Minute)
			if result == porcupine.Illegal {
				found++
			}
			if flaw == "" && result != porcupine.Ok {
				t.Fatalf("a right server, seed %d: %s\n%s", seed, result, Explain(h, info))
			}
			if found > 0 {
				break
			}
		}
		if flaw != "" && found == 0 {
			t.Errorf("a server that %s passed %d times", flaw, tries)
		}
	}
}

// TestEveryAnswerCounts: in a history of calls one after the other, no answer can
// be changed unnoticed.
func TestEveryAnswerCounts(t *testing.T) {
	w := NewWorld("w", 1)
	f := &fake{state: newState(nil), before: newState(nil), lifespan: math.MaxInt}
	if err := w.Run(t.Context(), 0, f, 150, nil); err != nil {
		t.Fatal(err)
	}
	h := w.History()
	for i := range h {
		right := h[i].Output.(Answer)
		for _, wrong := range []Answer{{Error: "InvalidParams"}, {ID: "stranger"}, {Balance: 99}, {Error: "AccountNotFound"}} {
			if wrong == right {
				continue
			}
			h[i].Output = wrong
			if result, _ := Check(h, time.Minute); result != porcupine.Illegal {
				t.Errorf("%s -> %s instead of %s: %s", h[i].Input, wrong, right, result)
			}
		}
		h[i].Output = right
	}
	if result, _ := Check(h, time.Minute); result != porcupine.Ok {
		t.Errorf("unchanged: %s", result)
	}
}
