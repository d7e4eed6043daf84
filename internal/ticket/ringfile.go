package ticket

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/secret"
)

// FileName is the file of the ring that signs players' proofs, in the keys folder
// of a data directory.
const FileName = "tickets"

// ringFile is the JSON of a ring's file, the newest key first.
type ringFile struct {
	Keys []keyFile `json:"keys"`
}

type keyFile struct {
	ID      string    `json:"id"`     // 8 hexadecimal digits
	Secret  []byte    `json:"secret"` // 32 bytes in base64
	Created time.Time `json:"created"`
	// Activates is when the key begins to sign; at once when zero.
	Activates time.Time `json:"activates,omitzero"`
}

// from is the moment since which the key signs; zero where nobody wrote it down.
func (k keyFile) from() time.Time {
	if k.Activates.IsZero() {
		return k.Created
	}
	return k.Activates
}

// newKeyFile makes a key.
func newKeyFile(now time.Time) keyFile {
	var id [keyIDSize]byte
	k := keyFile{Secret: make([]byte, secretSize), Created: now.UTC().Truncate(time.Second)}
	_, _ = rand.Read(id[:]) // crypto/rand.Read never fails
	_, _ = rand.Read(k.Secret)
	k.ID = hex.EncodeToString(id[:])
	return k
}

// text is the file's content.
func (f ringFile) text() ([]byte, error) {
	b, err := json.Marshal(f)
	return append(b, '\n'), err
}

// readRing reads and checks the file of a ring. Its errors are sentences that say
// what to do; errors.Is finds fs.ErrNotExist.
func readRing(path string) (ringFile, error) {
	var file ringFile
	b, err := os.ReadFile(path)
	if err != nil {
		return file, fmt.Errorf("read signing keys: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		return file, fmt.Errorf("the signing keys in %s can be read by others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return file, fmt.Errorf("%s holds no signing keys (%v); restore it from a backup", path, err)
	}
	if err := file.check(); err != nil {
		return file, fmt.Errorf("%s: %w; restore it from a backup", path, err)
	}
	return file, nil
}

func (f ringFile) check() error {
	if len(f.Keys) == 0 {
		return errors.New("there is no key")
	}
	seen := map[string]bool{}
	for _, k := range f.Keys {
		id, err := hex.DecodeString(k.ID)
		switch {
		case err != nil || len(id) != keyIDSize:
			return fmt.Errorf("key id %q is not 8 hexadecimal digits", k.ID)
		case len(k.Secret) != secretSize:
			return fmt.Errorf("key %s has %d bytes instead of %d", k.ID, len(k.Secret), secretSize)
		case seen[string(id)]:
			return fmt.Errorf("two keys have the id %s", k.ID)
		}
		seen[string(id)] = true
	}
	return nil
}

// createRing makes the file of a ring of one key, unless another process is
// quicker.
func createRing(path string, now time.Time) error {
	_, err := secret.ReadOrCreate(path, func() ([]byte, error) {
		return ringFile{Keys: []keyFile{newKeyFile(now)}}.text()
	})
	if err != nil {
		return fmt.Errorf("make signing keys: %w", err)
	}
	return nil
}
