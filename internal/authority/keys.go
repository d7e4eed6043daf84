package authority

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"ludgate"
	"ludgate/internal/secret"
)

// keyBits is the size of a new signing key.
const keyBits = 2048

// loadTenant reads the tenant's GUID from dir, making it at first start.
func loadTenant(dir string) (string, error) {
	path := filepath.Join(dir, "tenant")
	b, err := secret.ReadOrCreate(path, func() ([]byte, error) { return []byte(ludgate.NewGUID() + "\n"), nil })
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(b))
	if !ludgate.IsGUID(id) {
		return "", fmt.Errorf("%s does not hold a GUID; restore it from a backup", path)
	}
	return id, nil
}

// loadKeys reads the signing keys (a private JWK set, the newest first) from
// dir, making one at first start.
func loadKeys(dir string) (*jose.JSONWebKeySet, error) {
	path := filepath.Join(dir, "authority.json")
	b, err := secret.ReadOrCreate(path, makeKeys)
	if err != nil {
		return nil, err
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(b, &set); err != nil || len(set.Keys) == 0 {
		return nil, fmt.Errorf("%s holds no signing keys; restore it from a backup", path)
	}
	for _, k := range set.Keys {
		if _, ok := k.Key.(*rsa.PrivateKey); !ok || k.KeyID == "" {
			return nil, fmt.Errorf("%s holds a key that is not a private RSA key with an id; restore it from a backup", path)
		}
	}
	return &set, nil
}

// makeKeys makes a set of one new key.
func makeKeys() ([]byte, error) {
	priv, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("make signing key: %w", err)
	}
	return json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
		Key: priv, KeyID: strings.ReplaceAll(ludgate.NewGUID(), "-", ""), Algorithm: string(jose.RS256), Use: "sig",
	}}})
}
