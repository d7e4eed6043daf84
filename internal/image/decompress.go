package image

import (
	"bufio"
	"errors"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// decompress looks at the first bytes to see what a layer is compressed with, as
// its media type is not always right.
func decompress(r *bufio.Reader) (io.ReadCloser, error) {
	magic, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		return gzip.NewReader(r)
	case string(magic) == "\x28\xb5\x2f\xfd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case strings.HasPrefix(string(magic), "BZh"), strings.HasPrefix(string(magic), "\xfd7zX"):
		return nil, errors.New("only gzip and zstd compression are supported")
	default:
		return io.NopCloser(r), nil
	}
}

// limited hashes the unpacked stream and ends it above the limit.
type limited struct {
	from io.Reader
	left int64
	hash hash.Hash
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.hash.Write(p[:n])
	if l.left -= int64(n); l.left < 0 {
		return 0, errBudget
	}
	return n, err
}
