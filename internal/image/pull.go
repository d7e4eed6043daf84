package image

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/google/go-containerregistry/pkg/name"
)

// Pull implements [Puller]. A reference that the store has is answered from it,
// whoever brought it and without asking the registry again: a tag stays what it
// was when it came. Callers that want the same absent image with the same login
// share one download.
func (s *Store) Pull(ctx context.Context, reference string, logins []Login) (*Image, error) {
	img, err := s.pull(ctx, reference, logins)
	if err == nil {
		return img, nil
	}
	var permanent *permanentError
	return nil, &PullError{Reference: reference, Permanent: errors.As(err, &permanent), Err: printable{err, s.dir}}
}

func (s *Store) pull(ctx context.Context, asked string, logins []Login) (*Image, error) {
	ref, err := parse(asked)
	if err != nil {
		return nil, permanently(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isBuiltin(ref) {
		return s.pullBuiltin(ctx, asked, ref)
	}
	if img, err := s.presentImage(asked, ref); img != nil || err != nil {
		return img, err
	}
	login := loginFor(ref, logins)
	key := canonical(ref)
	if login != nil {
		key += "\x00" + login.Username + "\x00" + login.Password
	}
	r, err := s.pulls.do(ctx, key, func(ctx context.Context) (*record, error) {
		s.busy.RLock()
		defer s.busy.RUnlock()
		ctx, cancel := context.WithTimeoutCause(ctx, s.opt.Total, errTooLong)
		defer cancel()
		r, err := s.fetch(ctx, ref, login)
		if err != nil && context.Cause(ctx) == errTooLong {
			err = errTooLong
		}
		if err == nil {
			s.handedOut(r)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	return s.image(asked, r, false), nil
}

// errTooLong ends a pull that made progress, but not enough.
var errTooLong = errors.New("the registry took too long")

// presentImage gives an image that is in the store; nil when it is absent.
func (s *Store) presentImage(asked string, ref name.Reference) (*Image, error) {
	s.busy.RLock() // or it could be collected between being found and handed out
	defer s.busy.RUnlock()
	r, err := s.present(ref)
	if r == nil || err != nil {
		return nil, err
	}
	s.handedOut(r)
	return s.image(asked, r, true), nil
}

// present looks ref up in the store. A digest is found under whatever reference
// it came.
func (s *Store) present(ref name.Reference) (*record, error) {
	if d, ok := ref.(name.Digest); ok {
		if r, err := s.findDigest(d.DigestStr()); r != nil || err != nil {
			return r, err
		}
	}
	return s.find(canonical(ref))
}

// permanentError is a failure that another try cannot mend.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

func permanently(err error) error { return &permanentError{err} }

// printable is an error whose text may hold anything, as registries send it:
// its own text is one line of printable characters, not endless, without the
// store's place on this machine.
type printable struct {
	error
	dir string
}

const maxErrorText = 1024

func (e printable) Error() string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(strings.ReplaceAll(e.error.Error(), e.dir, "the image store")))
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + " …"
	}
	return text
}

func (e printable) Unwrap() error { return e.error }
