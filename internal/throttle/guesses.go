package throttle

import (
	"math"
	"time"
)

// Guesses slow down whoever tries passwords. An attempt is looked at on three
// tracks: that of the name in its title (many addresses try one account), that
// of the address (one address tries many accounts), and that of both together.
// Each has some failures free; then every failure doubles the time until the
// next attempt, up to the track's longest delay, and failures are forgiven as
// time passes. An attempt that comes too early counts nothing and makes no delay
// longer.
//
// It cannot lock the owner out for good:
//
//   - An address that has signed in to this account before, or a caller with
//     another proof of that, has a track of its own, whatever others do; its
//     longest delay is a minute.
//   - One address that tries one name is slowed down more, and for longer, than
//     the name is, so that it leaves the name free most of the time.
//   - Nothing is locked: a delay ends by itself, and a right password then works.
//
// Many addresses together can hold a name against its owner at a place it has
// never signed in from, until they stop; recovery by e-mail is for that. Without
// this, they could guess at any speed.
//
// Names that exist and names that do not are told apart nowhere here.
type Guesses struct {
	names, addresses, pairs *table[track]
	known                   *table[struct{}] // pairs with an earlier success
}

// slowing is how a kind of track slows down.
type slowing struct {
	free    float64       // failures without a delay
	longest time.Duration // of a delay
	forgive time.Duration // until one failure is forgotten
}

// The kinds of tracks.
var (
	ofName    = slowing{free: 10, longest: 5 * time.Minute, forgive: 5 * time.Minute}
	ofAddress = slowing{free: 50, longest: 15 * time.Minute, forgive: time.Minute}
	ofPair    = slowing{free: 5, longest: time.Hour, forgive: time.Hour}
	ofKnown   = slowing{free: 10, longest: time.Minute, forgive: time.Minute}
)

const (
	firstDelay = time.Second
	knownFor   = 30 * 24 * time.Hour // since the last sign-in
	// forgotten is when a track without attempts is dropped; it is longer than
	// any delay.
	forgotten = 6 * time.Hour
)

// track is how often something failed.
type track struct {
	failures float64
	at       int64 // when failures were counted
	until    int64 // no attempt before
}

// NewGuesses makes Guesses that remember at most about capacity names, as many
// addresses, pairs of both, and earlier successes.
func NewGuesses(capacity int) *Guesses {
	return &Guesses{
		names:     newTable[track](capacity, forgotten),
		addresses: newTable[track](capacity, forgotten),
		pairs:     newTable[track](capacity, forgotten),
		known:     newTable[struct{}](capacity, knownFor),
	}
}

// Attempt is one try of a password. Name is the account as the caller names it,
// in its canonical form (user name, e-mail address), whether or not there is
// such an account. Address is the client's, see [Network].
type Attempt struct {
	Title, Name, Address string
	// Proof is something that only an earlier sign-in to this account can have
	// given to the caller, and that was checked, such as a session ticket; or "".
	Proof string
}

// Guess is an attempt that was let through. It counts as a failure at once, so
// that many at the same time do not slip through together; Succeeded and Drop
// take that back.
type Guess struct {
	g         *Guesses
	a         Attempt
	charges   [3]charge // those with a table
	takenBack bool
}

// charge is what an attempt did to one track.
type charge struct {
	of            *table[track]
	hash          uint64
	by            slowing
	before, after int64 // the track's until
}

// Begin asks for an attempt before the password is looked at. Without ok, the
// caller is refused and may come back after retryAfter.
func (g *Guesses) Begin(a Attempt, now time.Time) (guess *Guess, retryAfter time.Duration, ok bool) {
	at := now.UnixNano()
	who := a.who()
	pair := g.pairs.hash(a.Title, a.Name, who)
	out := &Guess{g: g, a: a}
	if a.Proof != "" || g.known.peek(g.known.hash(a.Title, a.Name, who), at, func(*struct{}) {}) {
		out.charges[0] = charge{of: g.pairs, hash: pair, by: ofKnown}
	} else {
		out.charges = [3]charge{
			{of: g.pairs, hash: pair, by: ofPair},
			{of: g.names, hash: g.names.hash(a.Title, a.Name), by: ofName},
			{of: g.addresses, hash: g.addresses.hash(a.Address), by: ofAddress},
		}
	}
	for i := range out.charges {
		c := &out.charges[i]
		if c.of == nil {
			break
		}
		var wait time.Duration
		c.of.with(c.hash, at, func(t *track) { wait = c.take(t, at) })
		if wait > 0 {
			retryAfter = max(retryAfter, wait)
			for j := range i { // nothing was tried
				out.charges[j].giveBack(at)
			}
			return nil, retryAfter, false
		}
	}
	return out, 0, true
}

// who is the second half of a pair.
func (a Attempt) who() string {
	if a.Proof != "" {
		return "proof\x00" + a.Proof
	}
	return "address\x00" + a.Address
}

// take counts a failure, or says how long it is too early for one.
func (c *charge) take(t *track, now int64) time.Duration {
	t.forgiveUntil(now, c.by)
	if t.until > now && t.until <= now+int64(c.by.longest) { // a clock that was set back must not hold for longer
		return time.Duration(t.until - now)
	}
	c.before = t.until
	t.failures++
	t.until = now
	if over := t.failures - c.by.free; over > 0 {
		delay := c.by.longest
		if doublings := math.Ceil(over) - 1; doublings < 20 {
			delay = min(delay, firstDelay<<int(doublings))
		}
		t.until = now + int64(delay)
	}
	c.after = t.until
	return 0
}

// giveBack takes one failure back.
func (c *charge) giveBack(now int64) {
	c.of.peek(c.hash, now, func(t *track) {
		t.failures = max(0, t.failures-1)
		if t.until == c.after { // nobody else was let through since
			t.until = c.before
		}
	})
}

// forgiveUntil forgets failures with the time.
func (t *track) forgiveUntil(now int64, by slowing) {
	if now > t.at {
		t.failures = max(0, t.failures-float64(now-t.at)/float64(by.forgive))
		t.at = now
	}
}

// Succeeded notes that the password was right: the attempt counts nowhere as a
// failure, and from now on this caller has a track of its own for this account.
// Failures of others stay, and those of its address with other accounts: a
// guesser has an account of its own, too.
func (s *Guess) Succeeded(now time.Time) {
	at := now.UnixNano()
	s.Drop(now)
	g := s.g
	g.Vouch(s.a, now)
	if s.a.Proof != "" { // the address is now one it has signed in from
		g.known.with(g.known.hash(s.a.Title, s.a.Name, Attempt{Address: s.a.Address}.who()), at, func(*struct{}) {})
	}
}

// Vouch notes that a caller has shown by other means that the account is its own:
// from now on it has a track of its own for it, as after a sign-in.
func (g *Guesses) Vouch(a Attempt, now time.Time) {
	at, who := now.UnixNano(), a.who()
	g.pairs.with(g.pairs.hash(a.Title, a.Name, who), at, func(t *track) { *t = track{at: at} })
	g.known.with(g.known.hash(a.Title, a.Name, who), at, func(*struct{}) {})
}

// Drop takes an attempt back that came to no verdict, because the server was
// busy or the caller went away before the password was looked at.
func (s *Guess) Drop(now time.Time) {
	if s.takenBack {
		return
	}
	s.takenBack = true
	for i := range s.charges {
		if s.charges[i].of != nil {
			s.charges[i].giveBack(now.UnixNano())
		}
	}
}
