package ticket

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/secret"
)

// Why a text is not accepted.
var (
	// ErrMalformed: the text is nothing that this package makes.
	ErrMalformed = errors.New("ticket: malformed")
	// ErrUnknownKey: it was signed with a key that is not, or no longer, in the ring.
	ErrUnknownKey = errors.New("ticket: signed with an unknown key")
	// ErrSignature: it was changed, or made for another purpose.
	ErrSignature = errors.New("ticket: signature does not match")
	// ErrExpired: it was good once.
	ErrExpired = errors.New("ticket: expired")
)

const (
	keyIDSize  = 4
	secretSize = 32
	macSize    = sha256.Size
	maxText    = 1024 // bytes of a text that is looked at
)

// Ring is a set of signing keys. It is safe for concurrent use.
type Ring struct {
	keys []*key // the first one signs
}

// key is one signing key with the states of its HMAC that are not in use.
type key struct {
	id   [keyIDSize]byte
	macs sync.Pool
}

// ringFile is the JSON of a ring's file.
type ringFile struct {
	Keys []keyFile `json:"keys"`
}

type keyFile struct {
	ID      string    `json:"id"`     // 8 hexadecimal digits
	Secret  []byte    `json:"secret"` // 32 bytes in base64
	Created time.Time `json:"created"`
}

// OpenRing reads the ring in dir/name, making it with one key (mode 0600) at the
// first start. A file that is damaged, or that others may read, is refused with
// a sentence that says what to do.
func OpenRing(dir, name string, clock ludgate.Clock) (*Ring, error) {
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createRing(path, clock())
	}
	if err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the signing keys in %s can be read by others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	var file ringFile
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("%s holds no signing keys (%v); restore it from a backup", path, err)
	}
	ring, err := newRing(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; restore it from a backup", path, err)
	}
	return ring, nil
}

// createRing writes a ring of one new key.
func createRing(path string, now time.Time) (*Ring, error) {
	var id [keyIDSize]byte
	k := keyFile{Secret: make([]byte, secretSize), Created: now.UTC().Truncate(time.Second)}
	_, _ = rand.Read(id[:]) // crypto/rand.Read never fails
	_, _ = rand.Read(k.Secret)
	k.ID = hex.EncodeToString(id[:])
	file := ringFile{Keys: []keyFile{k}}
	b, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	if err := secret.WriteFile(path, append(b, '\n')); err != nil {
		return nil, fmt.Errorf("make signing keys: %w", err)
	}
	return newRing(file)
}

func newRing(file ringFile) (*Ring, error) {
	if len(file.Keys) == 0 {
		return nil, errors.New("there is no key")
	}
	r := &Ring{}
	for _, f := range file.Keys {
		id, err := hex.DecodeString(f.ID)
		if err != nil || len(id) != keyIDSize {
			return nil, fmt.Errorf("key id %q is not 8 hexadecimal digits", f.ID)
		}
		if len(f.Secret) != secretSize {
			return nil, fmt.Errorf("key %s has %d bytes instead of %d", f.ID, len(f.Secret), secretSize)
		}
		k := &key{id: [keyIDSize]byte(id)}
		if r.find(k.id[:]) != nil {
			return nil, fmt.Errorf("two keys have the id %s", f.ID)
		}
		k.macs.New = func() any { return hmac.New(sha256.New, f.Secret) }
		r.keys = append(r.keys, k)
	}
	return r, nil
}

// find gives the key of an id, or nil.
func (r *Ring) find(id []byte) *key {
	for _, k := range r.keys {
		if string(k.id[:]) == string(id) {
			return k
		}
	}
	return nil
}

// mac appends to b the signature of a body (key id and payload) for a purpose.
// The purpose never holds a zero byte, which keeps it apart from the body.
func (k *key) mac(b []byte, purpose string, body []byte) []byte {
	m := k.macs.Get().(hash.Hash)
	m.Reset()
	m.Write([]byte(purpose))
	m.Write([]byte{0})
	m.Write(body)
	b = m.Sum(b)
	k.macs.Put(m)
	return b
}

// base64 that has one spelling for every payload.
var text64 = base64.RawURLEncoding.Strict()

// Seal signs a payload for a purpose; the result is URL-safe text of at most
// 1024 bytes, so a payload may have about 700.
func (r *Ring) Seal(purpose string, payload []byte) string {
	k := r.keys[0]
	raw := make([]byte, 0, keyIDSize+len(payload)+macSize)
	raw = append(append(raw, k.id[:]...), payload...)
	raw = k.mac(raw, purpose, raw)
	return text64.EncodeToString(raw)
}

// Open gives the payload of what Seal made for the same purpose, or ErrMalformed,
// ErrUnknownKey or ErrSignature.
func (r *Ring) Open(purpose, text string) ([]byte, error) {
	if len(text) > maxText {
		return nil, ErrMalformed
	}
	raw, err := text64.DecodeString(text)
	if err != nil || len(raw) < keyIDSize+macSize || text64.EncodedLen(len(raw)) != len(text) {
		return nil, ErrMalformed // the last test: the decoder skips line breaks
	}
	k := r.find(raw[:keyIDSize])
	if k == nil {
		return nil, ErrUnknownKey
	}
	body, have := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	var want [macSize]byte
	if !hmac.Equal(k.mac(want[:0], purpose, body), have) {
		return nil, ErrSignature
	}
	return body[keyIDSize:], nil
}
