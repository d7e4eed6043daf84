package image

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// fetch brings an image from its registry into the store.
func (s *Store) fetch(ctx context.Context, ref name.Reference, login *Login) (*record, error) {
	src := &repository{store: s, name: ref.Context()}
	var auth authn.Authenticator = authn.Anonymous
	if login != nil {
		auth = &authn.Basic{Username: login.Username, Password: login.Password}
	}
	var err error
	src.puller, err = remote.NewPuller(
		remote.WithAuth(auth),
		remote.WithTransport(s.transport),
		remote.WithUserAgent("ludgate"),
		// Attempts are repeated here, for bodies that break off as well.
		remote.WithRetryBackoff(remote.Backoff{Steps: 1}),
		remote.WithRetryPredicate(func(error) bool { return false }),
		remote.WithRetryStatusCodes(),
		remote.WithJobs(s.opt.Downloads),
	)
	if err != nil {
		return nil, err
	}
	raw, desc, err := src.get(ctx, ref)
	if err != nil {
		return nil, err
	}
	r, err := s.install(ctx, src, raw, desc)
	if err != nil {
		return nil, err
	}
	return r, s.point(canonical(ref), r.Digest)
}

// repository is a [source]: one repository of a registry.
type repository struct {
	store  *Store
	name   name.Repository
	puller *remote.Puller
}

func (g *repository) get(ctx context.Context, ref name.Reference) ([]byte, v1.Descriptor, error) {
	var d *remote.Descriptor
	err := g.store.retry(ctx, func() (err error) {
		d, err = g.puller.Get(ctx, ref)
		return err
	})
	if err != nil {
		return nil, v1.Descriptor{}, err
	}
	return d.Manifest, d.Descriptor, nil
}

// manifest implements source.
func (g *repository) manifest(ctx context.Context, d v1.Descriptor) ([]byte, error) {
	raw, _, err := g.get(ctx, g.name.Digest(d.Digest.String()))
	return raw, err
}

// blob implements source: it downloads the blob into a file without a name, as
// the stream is needed at its reader's pace and an interrupted download must not
// take the half-unpacked layer with it.
func (g *repository) blob(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error) {
	s := g.store
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f, err := os.CreateTemp(filepath.Join(s.dir, "tmp"), "blob-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = s.retry(ctx, func() error { return g.download(ctx, d, f) })
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// download makes one attempt to fill f with the blob.
func (g *repository) download(ctx context.Context, d v1.Descriptor, f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	ctx = withBodyLimit(ctx, g.store.opt.Limits.Download)
	l, err := g.puller.Layer(ctx, g.name.Digest(d.Digest.String()))
	if err != nil {
		return err
	}
	from, err := l.Compressed()
	if err != nil {
		return err
	}
	defer from.Close()
	checked := newChecked(from, d)
	if _, err := io.Copy(f, checked); err != nil {
		return err
	}
	return checked.verify()
}

// retry runs an attempt again, after a pause, while it fails in a way that may
// pass.
func (s *Store) retry(ctx context.Context, attempt func() error) error {
	for _, pause := range s.opt.Backoff {
		err := attempt()
		if err == nil || ctx.Err() != nil || isPermanent(err) {
			return classified(err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
	return classified(attempt())
}

// classified marks an error of a registry that trying again cannot mend.
func classified(err error) error {
	if err != nil && isPermanent(err) {
		return permanently(err)
	}
	return err
}

// permanentCodes are the answers of a registry that mean: not with this request.
var permanentCodes = map[transport.ErrorCode]bool{
	transport.ManifestUnknownErrorCode: true,
	transport.NameUnknownErrorCode:     true,
	transport.NameInvalidErrorCode:     true,
	transport.TagInvalidErrorCode:      true,
	transport.DigestInvalidErrorCode:   true,
	transport.UnauthorizedErrorCode:    true,
	transport.DeniedErrorCode:          true,
	transport.UnsupportedErrorCode:     true,
}

func isPermanent(err error) bool {
	var known *permanentError
	if errors.As(err, &known) {
		return true
	}
	var answer *transport.Error
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusBadRequest:
		return true
	}
	for _, d := range answer.Errors {
		if permanentCodes[d.Code] {
			return true
		}
	}
	return false
}
