package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"sync/atomic"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// budget is what the layers of an image may still take.
type budget struct {
	bytes   int64
	entries int
	path    int // bytes of one path
}

// spend takes off what a layer has.
func (b *budget) spend(l *layer) error {
	b.bytes -= l.Size
	b.entries -= l.Entries
	if b.bytes < 0 || b.entries < 0 {
		return errBudget
	}
	return nil
}

// stream is how long an archive within the budget can be, with 4 KiB for the
// headers and the padding of each entry.
func (b *budget) stream() int64 {
	headers := int64(b.entries) * 4096
	if b.bytes > math.MaxInt64-headers {
		return math.MaxInt64
	}
	return b.bytes + headers
}

var errBudget = permanently(errors.New("the image holds more than the limits on unpacked bytes and files allow"))

// pending is a blob that is being brought.
type pending struct {
	ready chan struct{}
	taken atomic.Bool // somebody closes it
	blob  io.ReadCloser
	err   error
}

// bring starts to fetch a blob.
func bring(ctx context.Context, src source, d v1.Descriptor) *pending {
	p := &pending{ready: make(chan struct{})}
	go func() {
		p.blob, p.err = src.blob(ctx, d)
		close(p.ready)
	}()
	return p
}

// take waits for the blob and hands it over, once.
func (p *pending) take() (io.ReadCloser, error) {
	if !p.taken.CompareAndSwap(false, true) {
		return nil, context.Canceled
	}
	<-p.ready
	return p.blob, p.err
}

// drop closes the blob if nobody took it.
func (p *pending) drop() {
	if blob, err := p.take(); err == nil {
		blob.Close()
	}
}

// unpackAll makes every layer present and gives their size. Absent ones are
// brought side by side and unpacked from the lowest to the highest: directories
// that a layer does not describe take their attributes from those below.
func (s *Store) unpackAll(ctx context.Context, src source, layers []v1.Descriptor, diffIDs []v1.Hash, chain []string) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	blobs := make([]*pending, len(layers))
	defer func() {
		cancel()
		for _, p := range blobs {
			if p != nil {
				p.drop()
			}
		}
	}()
	for i := range layers {
		if l, err := s.layer(chain[i]); err != nil {
			return 0, err
		} else if l == nil {
			blobs[i] = bring(ctx, src, layers[i])
		}
	}

	left := budget{bytes: s.opt.Limits.Unpacked, entries: s.opt.Limits.Entries, path: s.opt.Limits.Path}
	var size int64
	var below []string // unpacked layers, highest first
	for i := range layers {
		if blobs[i] != nil {
			if err := s.unpackOnce(ctx, blobs[i], layers[i], chain[i], diffIDs[i], below, left); err != nil {
				return 0, err
			}
		}
		l, err := s.layer(chain[i])
		if err != nil {
			return 0, err
		}
		if l == nil {
			return 0, fmt.Errorf("layer %s was removed while it was needed", chain[i])
		}
		size += l.Size
		if err := left.spend(l); err != nil {
			return 0, err
		}
		below = append([]string{filepath.Join(s.layerDir(chain[i]), "fs")}, below...)
	}
	return size, nil
}

// unpackOnce unpacks a layer, or waits for another pull that is unpacking the
// same one.
func (s *Store) unpackOnce(ctx context.Context, p *pending, d v1.Descriptor, chain string, diffID v1.Hash, below []string, left budget) error {
	for {
		_, err := s.layers.do(ctx, chain, func(ctx context.Context) (struct{}, error) {
			// Another pull may have finished it since it was found missing.
			if l, err := s.layer(chain); l != nil || err != nil {
				return struct{}{}, err
			}
			blob, err := p.take()
			if err != nil {
				return struct{}{}, err
			}
			defer blob.Close()
			return struct{}{}, s.unpack(ctx, blob, d, chain, diffID, below, left)
		})
		// The other pull was given up: it is our turn, with our own blob.
		if errors.Is(err, context.Canceled) && ctx.Err() == nil && !p.taken.Load() {
			continue
		}
		return err
	}
}
