package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// source is where an image comes from.
type source interface {
	// manifest gives a manifest that an index names.
	manifest(ctx context.Context, d v1.Descriptor) ([]byte, error)
	// blob opens a configuration or a layer. It is checked by the reader.
	blob(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error)
}

// checked reads a blob, no further than one byte past its size, and knows
// afterwards whether it was the one described.
type checked struct {
	from io.Reader
	want v1.Descriptor
	hash hash.Hash
	read int64
}

func newChecked(from io.Reader, d v1.Descriptor) *checked {
	return &checked{from: io.LimitReader(from, d.Size+1), want: d, hash: sha256.New()}
}

// Read implements io.Reader.
func (c *checked) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.hash.Write(p[:n])
	c.read += int64(n)
	return n, err
}

// verify drains what is left and compares size and digest.
func (c *checked) verify() error {
	if _, err := io.Copy(io.Discard, c); err != nil {
		return err
	}
	if c.read > c.want.Size {
		return fmt.Errorf("blob %s is longer than the %d bytes its manifest says", c.want.Digest, c.want.Size)
	}
	if c.read < c.want.Size {
		return fmt.Errorf("blob %s has %d bytes where its manifest says %d", c.want.Digest, c.read, c.want.Size)
	}
	if got := hex.EncodeToString(c.hash.Sum(nil)); got != c.want.Digest.Hex {
		return fmt.Errorf("blob %s has the digest sha256:%s", c.want.Digest, got)
	}
	return nil
}

// digestOf is the sha256 digest of a document.
func digestOf(data []byte) v1.Hash {
	sum := sha256.Sum256(data)
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
}

// checkDescriptor refuses descriptors whose digest or size cannot be right, so
// that nothing behind it needs to ask.
func checkDescriptor(what string, d v1.Descriptor, limit int64) error {
	if raw, err := hex.DecodeString(d.Digest.Hex); err != nil || d.Digest.Algorithm != "sha256" || len(raw) != sha256.Size {
		return permanently(fmt.Errorf("the digest %q of the %s is not supported", d.Digest, what))
	}
	if d.Size < 0 || d.Size > limit {
		return permanently(fmt.Errorf("the size of the %s, %d bytes, is not from 0 to the limit of %d", what, d.Size, limit))
	}
	return nil
}
