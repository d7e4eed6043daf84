package ludgate

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Clock gives the present time. It is passed in so that tests can set it;
// production uses time.Now.
type Clock func() time.Time

// Random is where identifiers and secrets come from; production uses
// crypto/rand.
var Random io.Reader = rand.Reader

// NewPlayerID makes an identifier of 16 upper-case hexadecimal digits, the
// shape of PlatformId and of a title player account's id.
func NewPlayerID() string {
	var b [8]byte
	mustRead(b[:])
	return strings.ToUpper(hex.EncodeToString(b[:]))
}

// NewGUID makes a random (version 4) GUID in lower case, 8-4-4-4-12.
func NewGUID() string {
	var u uuid.UUID
	mustRead(u[:])
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

var guidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

// IsGUID reports whether s is a GUID of the pattern 8-4-4-4-12 hexadecimal
// digits, in either case and without braces.
func IsGUID(s string) bool { return len(s) == 36 && guidPattern.MatchString(s) }

// mustRead fills b from Random. The operating system's generator does not fail;
// a test generator that runs dry is a mistake in the test.
func mustRead(b []byte) {
	if _, err := io.ReadFull(Random, b); err != nil {
		panic("ludgate: random source failed: " + err.Error())
	}
}
