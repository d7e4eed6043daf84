// Package secret keeps values that must not be seen: [Text] never prints itself,
// and a [Box] encrypts values at rest with a key of the data directory.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// mask is what a secret shows of itself.
const mask = "***"

// Text is a secret string. It prints, logs and marshals as "***"; Reveal gives
// the value.
type Text string

// String gives the mask.
func (t Text) String() string { return mask }

// GoString gives the mask.
func (t Text) GoString() string { return mask }

// LogValue gives the mask.
func (t Text) LogValue() slog.Value { return slog.StringValue(mask) }

// MarshalText gives the mask, so that no encoder can leak the value.
func (t Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// UnmarshalText takes the value.
func (t *Text) UnmarshalText(b []byte) error { *t = Text(b); return nil }

// Reveal gives the value itself.
func (t Text) Reveal() string { return string(t) }

// keySize is the size of a key file in bytes.
const keySize = 32

// LoadKey reads the key of 32 random bytes in dir/name, making it (mode 0600) at
// the first start. A file of another size, or one that others may read, is
// refused.
func LoadKey(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	key, err := ReadOrCreate(path, func() ([]byte, error) {
		key := make([]byte, keySize)
		_, err := rand.Read(key)
		return key, err
	})
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("key file %s can be read by others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("key file %s has %d bytes instead of %d; restore it from a backup", path, len(key), keySize)
	}
	return key, nil
}

// ReadOrCreate reads a private file, making it with the content that create
// gives when it does not exist. Of several processes that make it at once, one
// succeeds and all read the same.
func ReadOrCreate(path string, create func() ([]byte, error)) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = create(); err == nil {
			err = place(path, data, os.Link)
		}
		if errors.Is(err, fs.ErrExist) {
			data, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("private file %s: %w", path, err)
	}
	return data, nil
}

// WriteFile writes a private file (mode 0600) that is on disk, whole, before the
// name exists. It replaces a file of that name.
func WriteFile(path string, data []byte) error {
	if err := place(path, data, os.Rename); err != nil {
		return fmt.Errorf("private file %s: %w", path, err)
	}
	return nil
}

// place writes a file aside and gives it its name.
func place(path string, data []byte, name func(from, to string) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // CreateTemp makes it 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = name(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Box encrypts values at rest with AES-256-GCM. Each value is bound to a
// context, such as the id of its record, and opens only with the same one.
type Box struct{ aead cipher.AEAD }

// NewBox makes a box from a key of [LoadKey]; purpose separates boxes of one key.
func NewBox(key []byte, purpose string) (*Box, error) {
	sum := sha256.Sum256(append([]byte("ludgate box "+purpose+"\x00"), key...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

// Seal encrypts value for a context; the result is text.
func (b *Box) Seal(value, context string) string {
	nonce := make([]byte, b.aead.NonceSize())
	_, _ = rand.Read(nonce) // crypto/rand.Read never fails
	return base64.RawStdEncoding.EncodeToString(b.aead.Seal(nonce, nonce, []byte(value), []byte(context)))
}

// ErrSealed: a value that this key or context does not open.
var ErrSealed = errors.New("secret: value cannot be decrypted with this data directory's key")

// Open decrypts what Seal made for the same context.
func (b *Box) Open(sealed, context string) (string, error) {
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil || len(raw) < b.aead.NonceSize() {
		return "", ErrSealed
	}
	n := b.aead.NonceSize()
	plain, err := b.aead.Open(nil, raw[:n], raw[n:], []byte(context))
	if err != nil {
		return "", ErrSealed
	}
	return string(plain), nil
}
