package call

import (
	"net/netip"
	"time"

	"ludgate"
	"ludgate/internal/throttle"
)

// Limits are how many calls may be made, in calls per second; 0 is no limit.
type Limits struct {
	Address  float64 // by one client address
	Creation float64 // registrations and other sign-ins without a proof, likewise
	Player   float64 // by one player
	Title    float64 // by all players of one title
	// Burst is how long a caller may save its calls up.
	Burst time.Duration
}

// Kinds of limits.
const (
	byAddress  throttle.Kind = "address"
	bySignIn   throttle.Kind = "sign-in"
	byPlayer   throttle.Kind = "player"
	byTitle    throttle.Kind = "title"
	mostTracks               = 100_000
)

// Throttle holds calls against limits. It is safe for concurrent use; each node
// counts by itself.
type Throttle struct {
	limits  Limits
	limiter *throttle.Limiter
	clock   ludgate.Clock
}

// NewThrottle makes a Throttle.
func NewThrottle(l Limits, clock ludgate.Clock) *Throttle {
	rates := map[throttle.Kind]throttle.Rate{}
	for kind, perSecond := range map[throttle.Kind]float64{byAddress: l.Address, bySignIn: l.Creation, byPlayer: l.Player, byTitle: l.Title} {
		if perSecond > 0 {
			rates[kind] = throttle.Rate{PerSecond: perSecond, Burst: max(1, int(perSecond*l.Burst.Seconds()))}
		}
	}
	return &Throttle{l, throttle.NewLimiter(mostTracks, rates), clock}
}

// Admit counts a call of a client, before anything is read of it. It is what
// wire.Options.Admit wants.
func (t *Throttle) Admit(client netip.Addr) error {
	if t.limits.Address == 0 {
		return nil
	}
	return t.count(byAddress, throttle.Network(client))
}

// Call counts a call whose proof was checked.
func (t *Throttle) Call(c *Call) error {
	switch {
	case c.Server():
		return nil
	case c.Player == "":
		if t.limits.Creation > 0 {
			if err := t.count(bySignIn, throttle.Network(c.Client)); err != nil {
				return err
			}
		}
	case t.limits.Player > 0:
		if err := t.count(byPlayer, c.Title.ID+"/"+c.Player); err != nil {
			return err
		}
	}
	if t.limits.Title == 0 {
		return nil
	}
	return t.count(byTitle, c.Title.ID)
}

func (t *Throttle) count(kind throttle.Kind, key string) error {
	if ok, after := t.limiter.Allow(kind, key, t.clock()); !ok {
		return TooMany(after)
	}
	return nil
}

// TooMany is the refusal of a call that comes too early.
func TooMany(after time.Duration) error {
	return ludgate.Errorf(ludgate.Throttled, "APIClientRequestRateLimitExceeded",
		"The client has exceeded the maximum API request rate and is being throttled").After(max(after, time.Second))
}
