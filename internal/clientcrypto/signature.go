package clientcrypto

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"time"
)

// Window is how far the time of a signature may be from the server's.
const Window = 5 * time.Minute

// longestTimestamp is more than any time in ISO 8601 needs.
const longestTimestamp = 40

// Why a signature is not accepted.
var (
	// ErrSignature: it was made of another body, time or secret.
	ErrSignature = errors.New("clientcrypto: signature does not match")
	// ErrSignatureTime: its time cannot be read, or is too far from now.
	ErrSignatureTime = errors.New("clientcrypto: signature time is not accepted")
)

// Sign gives the signature of a request: Base64(SHA-256(body "." timestamp "."
// secret)), of the body's bytes as they are sent and the timestamp's text as it
// stands in its header (P-5.R5).
func Sign(body []byte, timestamp, secret string) string {
	h := sha256.New()
	h.Write(body) // no Write of a hash fails
	for _, part := range []string{".", timestamp, ".", secret} {
		_, _ = io.WriteString(h, part)
	}
	return text64.EncodeToString(h.Sum(nil))
}

// Verify checks the signature of a body that came with a timestamp (ISO 8601 in
// UTC, with any fraction of a second up to nanoseconds), made with secret. It
// fails with ErrSignatureTime where the timestamp is further than window from
// now, before or after, else with ErrSignature. An empty secret signs nothing.
func Verify(signature string, body []byte, timestamp, secret string, now time.Time, window time.Duration) error {
	at, ok := parseTimestamp(timestamp)
	if !ok || now.Sub(at).Abs() > window {
		return ErrSignatureTime
	}
	want := Sign(body, timestamp, secret)
	if secret == "" || subtle.ConstantTimeCompare([]byte(signature), []byte(want)) != 1 {
		return ErrSignature
	}
	return nil
}

// parseTimestamp reads a time such as 2024-01-02T03:04:05.0000000Z.
func parseTimestamp(text string) (time.Time, bool) {
	if len(text) > longestTimestamp {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text) // reads a fraction, too
	if err != nil {
		return time.Time{}, false
	}
	_, offset := at.Zone()
	return at, offset == 0
}
