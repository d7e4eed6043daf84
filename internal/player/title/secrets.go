package title

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"time"
)

// Keys are what a title proves and hides with. They are stored sealed.
type Keys struct {
	Secrets []SecretKey    `json:"secrets,omitzero"`
	Shared  []SharedSecret `json:"shared,omitzero"`
	// Pair is the private key of encrypted requests in PKCS#8, nil for none.
	Pair   []byte `json:"pair,omitzero"`
	Policy Policy `json:"policy,omitzero"`
}

// SecretKey is a key that game servers and tools send as X-SecretKey. Only its
// hash is kept: the keys are random, so a plain one is enough.
type SecretKey struct {
	Name     string    `json:"name"`
	Hash     []byte    `json:"hash"` // SHA-256
	Created  time.Time `json:"created"`
	Disabled bool      `json:"disabled,omitzero"`
}

// SharedSecret lets a client ask for the title's public key. It is shown to
// operators again and again, so it is kept whole.
type SharedSecret struct {
	Name     string `json:"name,omitzero"`
	Value    string `json:"value"`
	Disabled bool   `json:"disabled,omitzero"`
}

const (
	alphabet     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	secretLength = 50
)

// NewSecret makes a secret of 50 upper-case letters and digits.
func NewSecret() string {
	out := make([]byte, 0, secretLength)
	var b [64]byte
	for len(out) < secretLength {
		_, _ = rand.Read(b[:]) // crypto/rand.Read never fails
		for _, x := range b {
			if int(x) < 252 && len(out) < secretLength { // 252 is seven times the alphabet
				out = append(out, alphabet[int(x)%len(alphabet)])
			}
		}
	}
	return string(out)
}

func hashSecret(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// AddSecret makes a secret key of that name and gives it: the only time it is
// seen.
func (k *Keys) AddSecret(name string, now time.Time) string {
	key := NewSecret()
	k.Secrets = append(k.Secrets, SecretKey{Name: name, Hash: hashSecret(key), Created: now.UTC().Truncate(time.Second)})
	return key
}

// AddShared makes a shared secret and gives it.
func (k *Keys) AddShared(name string) string {
	s := SharedSecret{Name: name, Value: NewSecret()}
	k.Shared = append(k.Shared, s)
	return s.Value
}

// CheckShared reports whether the title has shared secrets at all that are not
// disabled, and whether value is one of them.
func (t *Title) CheckShared(value string) (any, match bool) {
	for _, s := range t.keys.Shared {
		if s.Disabled {
			continue
		}
		any = true
		if subtle.ConstantTimeCompare([]byte(s.Value), []byte(value)) == 1 {
			match = true
		}
	}
	return any, match
}

// SharedSecrets lists the title's shared secrets.
func (t *Title) SharedSecrets() []SharedSecret { return append([]SharedSecret(nil), t.keys.Shared...) }

// SecretKeys lists the title's secret keys, without the keys themselves.
func (t *Title) SecretKeys() []SecretKey { return append([]SecretKey(nil), t.keys.Secrets...) }

// KeyPair is the private key of the title's encrypted requests in PKCS#8; nil
// when it has none.
func (t *Title) KeyPair() []byte { return t.keys.Pair }

// Policy says which calls the title's clients may make.
func (t *Title) Policy() *Policy { return &t.keys.Policy }
