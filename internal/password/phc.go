package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Params are the costs of one argon2id hash.
type Params struct {
	Memory  uint32 // KiB
	Time    uint32 // passes
	Threads uint8  // lanes
}

// Floor are the lowest costs that the OWASP password storage cheat sheet
// recommends for argon2id, and what a Hasher uses unless told otherwise.
var Floor = Params{Memory: 19 * 1024, Time: 2, Threads: 1}

const (
	saltSize = 16
	keySize  = 32
)

// Bounds of what a stored hash may ask for, so that a damaged or foreign row
// cannot make the server allocate without end.
const (
	maxMemory  = 256 * 1024 // KiB
	maxTime    = 64
	maxThreads = 16
)

// ErrFormat: a stored hash is not a PHC string of argon2id within bounds.
var ErrFormat = errors.New("password: stored hash is not a valid argon2id string")

// hashed is a parsed PHC string.
type hashed struct {
	Params
	salt, key []byte
}

// base64 of the PHC format: the standard alphabet, no padding, and no second
// spelling of the same bytes.
var phcBase64 = base64.RawStdEncoding.Strict()

func (h hashed) String() string {
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", h.Memory, h.Time, h.Threads,
		phcBase64.EncodeToString(h.salt), phcBase64.EncodeToString(h.key))
}

// CheckHash fails with ErrFormat unless s is a hash that a [Hasher] can verify:
// what an import brings must not be found out at sign-in.
func CheckHash(s string) error {
	_, err := parsePHC(s)
	return err
}

// parsePHC reads what String writes, and nothing else.
func parsePHC(s string) (hashed, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v=19" {
		return hashed{}, ErrFormat
	}
	var h hashed
	costs := strings.Split(parts[3], ",")
	if len(costs) != 3 {
		return hashed{}, ErrFormat
	}
	m, ok1 := cost(costs[0], "m=", maxMemory)
	t, ok2 := cost(costs[1], "t=", maxTime)
	p, ok3 := cost(costs[2], "p=", maxThreads)
	if !ok1 || !ok2 || !ok3 || m < 8*p {
		return hashed{}, ErrFormat
	}
	h.Params = Params{Memory: m, Time: t, Threads: uint8(p)}
	var err1, err2 error
	h.salt, err1 = phcBase64.DecodeString(parts[4])
	h.key, err2 = phcBase64.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(h.salt) < 8 || len(h.salt) > 64 || len(h.key) < 16 || len(h.key) > 64 {
		return hashed{}, ErrFormat
	}
	// The decoder skips line breaks; a string that has them is not ours.
	if h.String() != s {
		return hashed{}, ErrFormat
	}
	return h, nil
}

// cost reads "m=19456": a decimal from 1 to most.
func cost(s, prefix string, most uint32) (uint32, bool) {
	digits, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), err == nil && n >= 1 && n <= uint64(most)
}
