package call

import (
	"context"
	"errors"
	"net/http"
	"time"

	"ludgate/internal/clientcrypto"
	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

// window is how far the time of a signed request may be from ours.
const window = 5 * time.Minute

// Signature is what a client sent to prove that it knows the player's secret.
type Signature struct {
	Value     string
	Timestamp string // as it was sent; it is part of what is signed
}

// signatureOf reads the headers of a signature in the spelling of every naming;
// nil when there is none.
func signatureOf(h http.Header) *Signature {
	for _, name := range []string{"Platform", "Playfab"} {
		_, signed := h["X-"+name+"-Signature"]
		_, stamped := h["X-"+name+"-Timestamp"]
		if signed || stamped {
			return &Signature{h.Get("X-" + name + "-Signature"), h.Get("X-" + name + "-Timestamp")}
		}
	}
	return nil
}

// verify checks the signature of a call with a session ticket.
func (g *Gate) verify(ctx context.Context, c *Call) error {
	if c.Signature == nil {
		return nil
	}
	var a *account.Account
	err := g.opt.Store.Read(ctx, func(tx store.Tx) (err error) {
		a, err = account.Get(tx, c.Title.ID, c.Player)
		return err
	})
	if err != nil {
		return err
	}
	if a == nil {
		return account.NotFound()
	}
	return c.VerifySignature(a)
}

// VerifySignature checks the request's signature, which must be there, with the
// secret of a player (P-2.RegisterPlatformUserRequest.PlayerSecret).
func (c *Call) VerifySignature(a *account.Account) error {
	if a.Secret == "" {
		return Refuse("PlayerSecretNotConfigured", "Player secret is not configured")
	}
	secret, err := c.gate.OpenSecret(a)
	if err != nil {
		return err
	}
	err = clientcrypto.Verify(c.Signature.Value, c.Body, c.Signature.Timestamp, secret, c.Now, window)
	switch {
	case errors.Is(err, clientcrypto.ErrSignatureTime):
		return Refuse("InvalidSignatureTime", "Invalid signature time")
	case err != nil:
		return Refuse("InvalidSignature", "Invalid signature")
	}
	return nil
}

// SealSecret gives a player's secret as the account keeps it.
func (g *Gate) SealSecret(a *account.Account, secret string) string {
	return g.opt.Box.Seal(secret, secretContext(a))
}

// OpenSecret gives the secret that an account keeps; "" when it has none.
func (g *Gate) OpenSecret(a *account.Account) (string, error) {
	if a.Secret == "" {
		return "", nil
	}
	return g.opt.Box.Open(a.Secret, secretContext(a))
}

func secretContext(a *account.Account) string { return a.Title + "/" + a.ID }
