package ticket

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ludgate"
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

	watchInterval = time.Second
)

// Ring is a set of signing keys. It is safe for concurrent use.
type Ring struct {
	path  string
	clock ludgate.Clock
	keys  atomic.Pointer[[]*key] // newest first; replaced as a whole
	// seen is the file that keys were last read from.
	mu   sync.Mutex
	seen fs.FileInfo
}

// key is one signing key with the states of its HMAC that are not in use.
type key struct {
	id        [keyIDSize]byte
	activates int64 // milliseconds since 1970; it signs from then on
	macs      sync.Pool
}

// OpenRing reads the ring in dir/name, making it with one key (mode 0600) at the
// first start. A file that is damaged, or that others may read, is refused with
// a sentence that says what to do.
func OpenRing(dir, name string, clock ludgate.Clock) (*Ring, error) {
	r := &Ring{path: filepath.Join(dir, name), clock: clock}
	err := r.Reload()
	if errors.Is(err, fs.ErrNotExist) {
		if err = createRing(r.path, clock()); err == nil {
			err = r.Reload()
		}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Reload reads the file again. A file that cannot be used leaves the ring as it
// is.
func (r *Ring) Reload() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
	// What is read may be newer than what was looked at; then Watch reads once
	// too often.
	info, err := os.Stat(r.path)
	if err != nil {
		return fmt.Errorf("read signing keys: %w", err)
	}
	file, err := readRing(r.path)
	if err != nil {
		return err
	}
	keys := make([]*key, len(file.Keys))
	for i, f := range file.Keys {
		keys[i] = newKey(f)
	}
	r.keys.Store(&keys)
	r.seen = info
	return nil
}

// Watch looks at the file every second until ctx ends and reads it again when it
// was changed. A file that cannot be used is logged once and tried again.
func (r *Ring) Watch(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !r.changed() {
			continue
		}
		switch err := r.Reload(); {
		case err == nil:
			log.Info("signing keys were read again", "file", r.path, "keys", len(*r.keys.Load()))
			said = ""
		case err.Error() != said:
			log.Error("signing keys were changed and cannot be used; the earlier ones stay in use", "error", err)
			said = err.Error()
		}
	}
}

// changed reports whether the file is another one than was read.
func (r *Ring) changed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.path)
	return err != nil || r.seen == nil || !os.SameFile(info, r.seen) || info.Size() != r.seen.Size() || !info.ModTime().Equal(r.seen.ModTime())
}

// newKey makes a key of one that was checked.
func newKey(f keyFile) *key {
	id, _ := hex.DecodeString(f.ID)
	k := &key{id: [keyIDSize]byte(id)}
	if !f.Activates.IsZero() {
		k.activates = f.Activates.UnixMilli()
	}
	k.macs.New = func() any { return hmac.New(sha256.New, f.Secret) }
	return k
}

// signing gives the newest key whose time has come, and the oldest while none's
// has.
func (r *Ring) signing() *key {
	keys := *r.keys.Load()
	if keys[0].activates == 0 {
		return keys[0]
	}
	now := r.clock().UnixMilli()
	for _, k := range keys {
		if k.activates <= now {
			return k
		}
	}
	return keys[len(keys)-1]
}

// find gives the key of an id, or nil.
func (r *Ring) find(id []byte) *key {
	for _, k := range *r.keys.Load() {
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
	k := r.signing()
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
