//go:build !linux

package image

import (
	"context"
	"errors"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

type usage struct{}

func (*usage) has(string) bool { return true }

// Nothing here is reached: Open fails first.

var errUnsupported = errors.New("image store: images can be unpacked on Linux only")

func supported() error                     { return errUnsupported }
func privileged() bool                     { return false }
func lockShared(*os.File) error            { return errUnsupported }
func lockExclusive(*os.File) (bool, error) { return false, errUnsupported }
func syncFilesystem(string) error          { return errUnsupported }
func mountedLayers() (*usage, error)       { return nil, errUnsupported }
func (s *Store) unpack(context.Context, io.Reader, v1.Descriptor, string, v1.Hash, []string, budget) error {
	return errUnsupported
}
