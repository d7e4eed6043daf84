package openid

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
)

const (
	maxKeys    = 100              // of one provider
	refetch    = 30 * time.Second // between two fetches because of an unknown key
	retryAfter = 2 * time.Second  // between two fetches after one failed
	freshFor   = time.Hour        // older keys are fetched again beside the calls
	validFor   = 24 * time.Hour   // older keys are not used any more
)

// source is one provider's keys. Callers share a fetch that is under way.
type source struct {
	v      *Verifier
	issuer string
	jwks   string // "": the provider says where

	flight singleflight.Group

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time // when keys came; zero: never
	tried   time.Time // when the last fetch ended
	fault   error     // of the last fetch
}

// verify gives the payload of a token that one of the provider's keys signed. An
// error is a *trouble of the provider, or says that the signature does not hold.
func (s *source) verify(ctx context.Context, jws *jose.JSONWebSignature) ([]byte, error) {
	keys, age := s.known()
	if age < validFor {
		if age >= freshFor && s.due() {
			s.fetch() // nobody waits for it
		}
		if payload, ok := signedBy(keys, jws); ok {
			return payload, nil
		}
	}
	// An unknown key, or none known: the provider may have new ones.
	if s.due() {
		select {
		case <-s.fetch():
		case <-ctx.Done():
			return nil, &trouble{fmt.Errorf("wait for the provider's keys: %w", ctx.Err())}
		}
	}
	if fault := s.lastFault(); fault != nil {
		return nil, &trouble{fault}
	}
	keys, _ = s.known()
	if payload, ok := signedBy(keys, jws); ok {
		return payload, nil
	}
	return nil, errors.New("no key of the provider made its signature")
}

// known gives the keys and how old they are.
func (s *source) known() ([]jose.JSONWebKey, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fetched.IsZero() {
		return nil, validFor
	}
	return s.keys, s.v.opt.Clock().Sub(s.fetched)
}

// due reports whether the provider may be asked again.
func (s *source) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := refetch
	if s.fault != nil {
		pause = retryAfter
	}
	return s.tried.IsZero() || s.v.opt.Clock().Sub(s.tried) >= pause
}

func (s *source) lastFault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// fetch asks the provider for its keys, or joins a fetch that is under way. It
// belongs to all who wait, so it ends with none of them but with its own time.
func (s *source) fetch() <-chan singleflight.Result {
	return s.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(s.v.life, s.v.opt.Timeout)
		defer cancel()
		keys, err := s.ask(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tried, s.fault = s.v.opt.Clock(), err
		if err != nil {
			s.v.opt.Log.Warn("an OpenID Connect provider does not give its keys", "issuer", s.issuer, "error", clip(err))
			return nil, err
		}
		s.keys, s.fetched = keys, s.tried
		return nil, nil
	})
}

// ask fetches the keys, from where the provider says they are.
func (s *source) ask(ctx context.Context) ([]jose.JSONWebKey, error) {
	from := s.jwks
	if from == "" {
		provider, err := oidc.NewProvider(oidc.ClientContext(ctx, s.v.client), s.issuer)
		if err != nil {
			return nil, fmt.Errorf("ask the provider where its keys are: %w", err)
		}
		var about struct {
			JWKSURL string `json:"jwks_uri"`
		}
		if err := provider.Claims(&about); err != nil {
			return nil, fmt.Errorf("read the provider's discovery document: %w", err)
		}
		from = about.JWKSURL
	}
	if err := s.v.checkURL(from); err != nil {
		return nil, fmt.Errorf("the URL of the provider's keys: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "ludgate")
	res, err := s.v.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch the provider's keys: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch the provider's keys: it answered %d", res.StatusCode)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("fetch the provider's keys: %w", err)
	}
	return parseKeys(body)
}

// parseKeys reads a key set and leaves out what cannot have signed a token:
// secrets, keys for encryption, and kinds that are not known here.
func parseKeys(text []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("they are no JSON Web Key Set: %w", err)
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("they are %d, more than %d", len(set.Keys), maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) != nil || k.Use != "" && k.Use != "sig" || !k.Valid() {
			continue
		}
		if k = k.Public(); usable(k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("none of them can sign a token")
	}
	return keys, nil
}

// usable reports whether a key is of a kind and size that is taken: RSA below
// 2,048 bits is weak, above 8,192 slow.
func usable(k jose.JSONWebKey) bool {
	switch pub := k.Key.(type) {
	case *rsa.PublicKey:
		return pub.N.BitLen() >= 2048 && pub.N.BitLen() <= 8192
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false
}

// signedBy gives the payload if one of the keys signed it: the one the token
// names, any when it names none. A key that is for one algorithm is for no other.
func signedBy(keys []jose.JSONWebKey, jws *jose.JSONWebSignature) ([]byte, bool) {
	if len(jws.Signatures) != 1 {
		return nil, false
	}
	head := jws.Signatures[0].Protected
	for i := range keys {
		k := &keys[i]
		if head.KeyID != "" && head.KeyID != k.KeyID || k.Algorithm != "" && k.Algorithm != head.Algorithm {
			continue
		}
		if payload, err := jws.Verify(k); err == nil {
			return payload, true
		}
	}
	return nil, false
}
