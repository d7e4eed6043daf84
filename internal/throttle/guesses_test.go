package throttle

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// hammer tries until the end, as fast as it is let, and counts its tries.
func hammer(g *Guesses, a Attempt, from, to time.Time, step time.Duration) (tries int) {
	for now := from; now.Before(to); now = now.Add(step) {
		if _, _, ok := g.Begin(a, now); ok {
			tries++
		}
	}
	return tries
}

func ann(address string) Attempt { return Attempt{Title: "ABCDE", Name: "ann", Address: address} }

func TestDelaysGrow(t *testing.T) {
	g, now := NewGuesses(1000), start
	var delays []time.Duration
	for range 12 {
		_, retry, ok := g.Begin(ann("1"), now)
		if ok {
			delays = append(delays, 0)
			continue
		}
		delays = append(delays, retry)
		now = now.Add(retry)
		if _, again, ok := g.Begin(ann("1"), now); !ok {
			t.Fatalf("refused for another %s after waiting %s as told", again, retry)
		}
	}
	want := []time.Duration{0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32}
	for i, d := range delays {
		if d != want[i]*time.Second {
			t.Fatalf("delays %v, want %v s", delays, want)
		}
	}
}

func TestTooEarlyMakesNothingLonger(t *testing.T) {
	g := NewGuesses(1000)
	for range 6 {
		g.Begin(ann("1"), start)
	}
	for i := range 1000 {
		if _, retry, ok := g.Begin(ann("1"), start.Add(time.Duration(i)*time.Millisecond)); ok || retry > time.Second {
			t.Fatalf("after %d: %v, %s", i, ok, retry)
		}
	}
	if _, _, ok := g.Begin(ann("1"), start.Add(time.Second)); !ok {
		t.Error("still refused")
	}
}

// TestGuessingIsSlow: what an attacker gets in a day.
func TestGuessingIsSlow(t *testing.T) {
	day := start.Add(24 * time.Hour)
	t.Run("one address, one name", func(t *testing.T) {
		if n := hammer(NewGuesses(10_000), ann("1"), start, day, 5*time.Second); n < 20 || n > 50 {
			t.Errorf("%d tries in a day", n)
		}
	})
	t.Run("one address, many names", func(t *testing.T) {
		g, tries := NewGuesses(100_000), 0
		for now, i := start, 0; now.Before(day); now, i = now.Add(5*time.Second), i+1 {
			if _, _, ok := g.Begin(Attempt{Title: "ABCDE", Name: fmt.Sprint(i), Address: "1"}, now); ok {
				tries++
			}
		}
		if tries < 500 || tries > 2000 {
			t.Errorf("%d tries in a day", tries)
		}
	})
	t.Run("many addresses, one name", func(t *testing.T) {
		g, tries := NewGuesses(100_000), 0
		for now, i := start, 0; now.Before(day); now, i = now.Add(5*time.Second), i+1 {
			if _, _, ok := g.Begin(ann(fmt.Sprint(i)), now); ok {
				tries++
			}
		}
		if tries < 200 || tries > 400 {
			t.Errorf("%d tries in a day", tries)
		}
	})
	t.Run("an account of its own in between", func(t *testing.T) {
		g, tries := NewGuesses(100_000), 0
		for now, i := start, 0; now.Before(day); now, i = now.Add(5*time.Second), i+1 {
			if own, _, ok := g.Begin(Attempt{Title: "ABCDE", Name: "eve", Address: "1"}, now); ok {
				own.Succeeded(now)
			}
			if _, _, ok := g.Begin(Attempt{Title: "ABCDE", Name: fmt.Sprint(i), Address: "1"}, now); ok {
				tries++
			}
		}
		if tries > 2000 {
			t.Errorf("%d tries in a day: successes of the guesser's own account help it", tries)
		}
	})
}

func TestTheOwnerKeepsItsChance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGuesses(10_000)
		first, _, ok := g.Begin(ann("home"), time.Now())
		if !ok {
			t.Fatal("the first attempt is refused")
		}
		first.Succeeded(time.Now())
		begin := time.Now()
		for i := 0; time.Since(begin) < 24*time.Hour; i++ { // a botnet takes every chance
			time.Sleep(10 * time.Second)
			for j := range 20 {
				g.Begin(ann(fmt.Sprint("bot", i*20+j)), time.Now())
			}
			if i%100 == 0 {
				own, retry, ok := g.Begin(ann("home"), time.Now())
				if !ok {
					t.Fatalf("the owner waits %s at home", retry)
				}
				own.Succeeded(time.Now())
				proof := ann("away")
				proof.Proof = "a session ticket"
				if own, retry, ok = g.Begin(proof, time.Now()); !ok {
					t.Fatalf("the owner waits %s with a proof", retry)
				}
				own.Drop(time.Now())
			}
		}
		// Away and without proof, it waits like anyone while the attack lasts,
		// and not for long after it.
		if _, _, ok := g.Begin(ann("away"), time.Now()); ok {
			t.Error("a stranger is let through in the middle of an attack")
		}
		time.Sleep(ofName.longest)
		if _, _, ok := g.Begin(ann("away"), time.Now()); !ok {
			t.Error("the delay does not end")
		}
	})
}

// TestOneAddressDoesNotHoldAName: at most of the time the owner, at a place
// nobody knows, is let through although one attacker never stops.
func TestOneAddressDoesNotHoldAName(t *testing.T) {
	g, refused := NewGuesses(10_000), 0
	const hours = 48
	for s := range hours * 3600 {
		now := start.Add(time.Duration(s) * time.Second)
		g.Begin(ann("eve"), now)
		if s%600 == 599 {
			own, _, ok := g.Begin(ann(fmt.Sprint("hotel", s)), now)
			if !ok {
				refused++
				continue
			}
			own.Drop(now)
		}
	}
	if refused > hours*6/10 {
		t.Errorf("refused %d of %d times", refused, hours*6)
	}
}

// TestAttackFromTheSameHouse: whoever shares the owner's address can slow it
// down, for a minute at a time.
func TestAttackFromTheSameHouse(t *testing.T) {
	g := NewGuesses(1000)
	first, _, _ := g.Begin(ann("home"), start)
	first.Succeeded(start)
	for i := range 3600 {
		if _, retry, ok := g.Begin(ann("home"), start.Add(time.Duration(i)*time.Second)); !ok && retry > ofKnown.longest {
			t.Fatalf("a delay of %s", retry)
		}
	}
	// The right password ends it.
	own, _, ok := g.Begin(ann("home"), start.Add(2*time.Hour))
	if !ok {
		t.Fatal("refused")
	}
	own.Succeeded(start.Add(2 * time.Hour))
	for range 10 {
		if _, _, ok := g.Begin(ann("home"), start.Add(2*time.Hour)); !ok {
			t.Fatal("earlier failures count after the right password")
		}
	}
}

func TestSuccessTakesNothingFromOthers(t *testing.T) {
	g := NewGuesses(1000)
	for i := range 11 {
		g.Begin(ann(fmt.Sprint(i)), start)
	}
	if _, _, ok := g.Begin(ann("new"), start); ok {
		t.Fatal("the name is not slowed down")
	}
	now := start.Add(time.Second)
	own, _, ok := g.Begin(ann("away"), now)
	if !ok {
		t.Fatal("refused")
	}
	own.Succeeded(now)
	if _, _, ok := g.Begin(ann("another"), now); !ok {
		t.Error("the success of the owner counts as a failure of the name")
	}
	if _, _, ok := g.Begin(ann("yet another"), now); ok {
		t.Error("the success of the owner frees the name for guessers")
	}
}

// TestVouch: who has shown to be the owner is let in where guessers hold the
// name, and only there.
func TestVouch(t *testing.T) {
	g := NewGuesses(1000)
	for i := range 100 {
		g.Begin(ann(fmt.Sprint(i)), start)
		g.Begin(ann("home"), start)
	}
	if _, _, ok := g.Begin(ann("home"), start); ok {
		t.Fatal("the owner is not held")
	}
	g.Vouch(ann("home"), start)
	if _, _, ok := g.Begin(ann("home"), start); !ok {
		t.Error("the owner is held")
	}
	if _, _, ok := g.Begin(ann("another"), start); ok {
		t.Error("vouching for one frees the name for all")
	}
}

func TestDropAndTwice(t *testing.T) {
	g := NewGuesses(1000)
	for range 100 {
		guess, _, ok := g.Begin(ann("1"), start)
		if !ok {
			t.Fatal("an attempt that was taken back counts")
		}
		guess.Drop(start)
		guess.Drop(start)
	}
	for range 6 {
		g.Begin(ann("1"), start)
	}
	if _, _, ok := g.Begin(ann("1"), start); ok {
		t.Error("taking back twice gives more tries")
	}
}

// TestTitlesAndNamesAreApart: nothing of one title or name shows in another.
func TestTitlesAndNamesAreApart(t *testing.T) {
	g := NewGuesses(1000)
	for i := range 100 {
		g.Begin(ann(fmt.Sprint(i)), start)
	}
	for _, a := range []Attempt{{Title: "FFFFF", Name: "ann", Address: "x"}, {Title: "ABCDE", Name: "ben", Address: "x"}, {Title: "ABCDEa", Name: "nn", Address: "x"}} {
		if _, _, ok := g.Begin(a, start); !ok {
			t.Errorf("%+v is refused", a)
		}
	}
}

func TestGuessesAreBounded(t *testing.T) {
	g := NewGuesses(640)
	for i := range 20_000 {
		guess, _, ok := g.Begin(Attempt{Title: "T", Name: fmt.Sprint("n", i), Address: fmt.Sprint("a", i)}, start)
		if ok && i%2 == 0 {
			guess.Succeeded(start)
		}
	}
	for name, n := range map[string]int{"names": g.names.len(), "addresses": g.addresses.len(), "pairs": g.pairs.len(), "known": g.known.len()} {
		if n > 640 {
			t.Errorf("%d %s", n, name)
		}
	}
}
