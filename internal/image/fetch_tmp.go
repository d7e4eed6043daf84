package image

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/go-containerregistry/pkg/name"
)

func newTransport(Options) http.RoundTripper { return http.DefaultTransport }

func (s *Store) fetch(context.Context, name.Reference, *Login) (*record, error) {
	return nil, permanently(errors.New("only the built-in image ludgate/hello can be used so far"))
}
