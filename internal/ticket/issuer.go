package ticket

import (
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"ludgate"
)

// Lifetime is how long a session ticket and an entity token are good. Earlier
// ones stay good when a new one is made.
const Lifetime = 24 * time.Hour

// What a sealed payload is for. Changing one invalidates all proofs.
const (
	sessionPurpose = "session ticket"
	entityPurpose  = "entity token"
)

// Issuer makes and checks session tickets and entity tokens.
type Issuer struct {
	ring  *Ring
	clock ludgate.Clock
}

// NewIssuer makes an issuer that signs with ring.
func NewIssuer(ring *Ring, clock ludgate.Clock) *Issuer { return &Issuer{ring, clock} }

// Session makes a session ticket. Two are never the same.
func (i *Issuer) Session(b Bearer) string {
	return b.Player + "-" + i.ring.Seal(sessionPurpose, i.claims(b, "").encode(nonce()))
}

// Entity makes an entity token for the bearer as an entity of type t, and says
// when it expires, to the millisecond.
func (i *Issuer) Entity(b Bearer, t EntityType) (token string, expires time.Time) {
	c := i.claims(b, t)
	return i.ring.Seal(entityPurpose, c.encode(nonce())), c.Expires
}

// CheckSession reads a session ticket. It fails with ErrMalformed,
// ErrUnknownKey, ErrSignature or ErrExpired; with the last the claims are those
// that were good once.
func (i *Issuer) CheckSession(text string) (Claims, error) {
	player, sealed, ok := strings.Cut(text, "-")
	if !ok {
		return Claims{}, ErrMalformed
	}
	c, err := i.check(sessionPurpose, sealed)
	if (err == nil || errors.Is(err, ErrExpired)) && c.Player != player {
		return Claims{}, ErrSignature // another player's id was put in front
	}
	return c, err
}

// CheckEntity reads an entity token. It fails as CheckSession does.
func (i *Issuer) CheckEntity(text string) (Claims, error) { return i.check(entityPurpose, text) }

func (i *Issuer) claims(b Bearer, t EntityType) Claims {
	now := i.clock().UTC().Truncate(time.Millisecond)
	if b.Since = b.Since.UTC().Truncate(time.Millisecond); b.Since.IsZero() || b.Since.After(now) {
		b.Since = now
	}
	return Claims{Bearer: b, Type: t, Issued: now, Expires: now.Add(Lifetime)}
}

func (i *Issuer) check(purpose, sealed string) (Claims, error) {
	b, err := i.ring.Open(purpose, sealed)
	if err != nil {
		return Claims{}, err
	}
	c, ok := decodeClaims(b)
	switch {
	case !ok || (c.Type == "") != (purpose == sessionPurpose):
		return Claims{}, ErrMalformed
	case !i.clock().Before(c.Expires):
		return c, ErrExpired
	}
	return c, nil
}

func nonce() (n [nonceSize]byte) {
	_, _ = rand.Read(n[:]) // crypto/rand.Read never fails
	return n
}
