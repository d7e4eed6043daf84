package ticket

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ludgate/internal/secret"
)

// RotationDelay is how long a new key only checks before it signs, so that every
// server that reads the same file knows it by then: they look at the file every
// second, and their clocks may differ by some.
const RotationDelay = 10 * time.Second

const (
	// keepMargin is how much longer than Lifetime a key is kept that signs no
	// more, for servers that were late to notice or whose clock is slow.
	keepMargin = time.Hour
	// mostKeys is how many keys a rotation leaves at most.
	mostKeys = 16
)

// KeyState is what a key of a ring does at some moment.
type KeyState string

// Key states.
const (
	Waiting  KeyState = "waiting"  // only checks; will sign
	Signing  KeyState = "signing"  // signs and checks
	Checking KeyState = "checking" // signs no more, checks what it signed
	Retired  KeyState = "retired"  // nothing that it signed can be good; the next rotation drops it
)

// KeyInfo describes a key of a ring, without its secret.
type KeyInfo struct {
	ID      string // 8 hexadecimal digits
	Created time.Time
	State   KeyState
	// From is when it begins, or began, to sign.
	From time.Time
	// Until is when a proof it signed may last be good; zero while it signs or
	// waits.
	Until time.Time
}

// Keys lists the keys of the ring in dir/name as they are now, the newest first.
func Keys(dir, name string, now time.Time) ([]KeyInfo, error) {
	file, err := readExisting(dir, name)
	if err != nil {
		return nil, err
	}
	return file.describe(now), nil
}

// Rotation is what a rotation did.
type Rotation struct {
	Added   KeyInfo
	Dropped []KeyInfo
}

// Rotate puts a new key in front of the ring in dir/name, which signs after
// delay (at least RotationDelay), and drops the keys whose proofs have all
// expired. The keys that are left check what they signed, so nobody is signed
// out. It is for rings whose payloads live no longer than Lifetime.
//
// While the newest key does not sign yet there is nothing to rotate and Rotate
// says so; likewise when a day's proofs were signed with very many keys.
func Rotate(dir, name string, now time.Time, delay time.Duration) (Rotation, error) {
	if delay < RotationDelay {
		return Rotation{}, fmt.Errorf("a new key waits for at least %s before it signs, not %s: every server must know it first", RotationDelay, delay)
	}
	file, err := readExisting(dir, name)
	if err != nil {
		return Rotation{}, err
	}
	keys := file.describe(now)
	if k := keys[0]; k.State == Waiting {
		return Rotation{}, fmt.Errorf("the ring was rotated just now: key %s signs from %s on; rotate again after that", k.ID, k.From.Format(time.RFC3339))
	}
	added := newKeyFile(now)
	added.Activates = now.Add(delay).UTC().Truncate(time.Second).Add(time.Second)
	next := ringFile{Keys: []keyFile{added}}
	var r Rotation
	for i, k := range keys {
		if k.State == Retired {
			r.Dropped = append(r.Dropped, k)
		} else {
			next.Keys = append(next.Keys, file.Keys[i])
		}
	}
	if len(next.Keys) > mostKeys {
		return Rotation{}, fmt.Errorf("there are %d keys whose proofs may be good, which is the most; rotate again after %s", len(keys), keys[len(keys)-1].Until.Format(time.RFC3339))
	}
	text, err := next.text()
	if err != nil {
		return Rotation{}, err
	}
	if err := secret.WriteFile(filepath.Join(dir, name), text); err != nil {
		return Rotation{}, fmt.Errorf("write signing keys: %w", err)
	}
	r.Added = next.describe(now)[0]
	return r, nil
}

// readExisting reads a ring that a server has made.
func readExisting(dir, name string) (ringFile, error) {
	path := filepath.Join(dir, name)
	file, err := readRing(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, fmt.Errorf("there are no signing keys at %s; they are made when a server first starts on that data directory", path)
	}
	return file, err
}

// describe says what the keys do at a moment.
func (f ringFile) describe(now time.Time) []KeyInfo {
	signs := f.signing(now)
	list := make([]KeyInfo, len(f.Keys))
	var superseded time.Time // by the next newer key whose time is known
	for i, k := range f.Keys {
		list[i] = KeyInfo{ID: k.ID, Created: k.Created, State: Checking, From: k.from()}
		switch {
		case i < signs:
			list[i].State = Waiting
		case i == signs:
			list[i].State = Signing
		case !superseded.IsZero():
			list[i].Until = superseded.Add(Lifetime + keepMargin)
			if now.After(list[i].Until) {
				list[i].State = Retired
			}
		}
		if from := k.from(); !from.IsZero() {
			superseded = from
		}
	}
	return list
}

// signing is the place of the key that signs at a moment: the newest whose time
// has come, and the oldest while none's has.
func (f ringFile) signing(now time.Time) int {
	for i, k := range f.Keys {
		if !k.Activates.After(now) {
			return i
		}
	}
	return len(f.Keys) - 1
}
