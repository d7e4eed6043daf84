package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"

	"ludgate/internal/hello"
)

// Prepare makes the built-in image now, so that the first container needs not
// wait for it. It may run in the background while the store is in use.
func (s *Store) Prepare(ctx context.Context) error {
	ref, err := parse(Builtin)
	if err == nil {
		_, err = s.pullBuiltin(ctx, Builtin, ref)
	}
	return err
}

func (s *Store) pullBuiltin(ctx context.Context, asked string, ref name.Reference) (*Image, error) {
	cached := true
	r, err := s.knownBuiltin()
	if r == nil && err == nil {
		r, err = s.pulls.do(ctx, Builtin, func(context.Context) (*record, error) {
			s.busy.RLock()
			defer s.busy.RUnlock()
			r, fresh, err := s.makeBuiltin(canonical(ref))
			cached = !fresh
			return r, err
		})
	}
	if err != nil {
		return nil, err
	}
	if d, ok := ref.(name.Digest); ok && d.DigestStr() != r.Digest {
		return nil, permanently(fmt.Errorf("this is a built-in image and its digest is %s", r.Digest))
	}
	return s.image(asked, r, cached), nil
}

// knownBuiltin gives the built-in image that this process made or found before,
// if it is still there.
func (s *Store) knownBuiltin() (*record, error) {
	s.busy.RLock() // or it could be collected between being found and handed out
	defer s.busy.RUnlock()
	s.mu.Lock()
	r := s.builtin
	s.mu.Unlock()
	if r == nil {
		return nil, nil
	}
	l, err := s.layer(r.Chain[0])
	if l == nil {
		return nil, err
	}
	s.handedOut(r)
	return r, nil
}

// makeBuiltin finds or makes the image of the present program, points the
// reference at it, and says whether it had to be made.
func (s *Store) makeBuiltin(canonical string) (r *record, fresh bool, err error) {
	program, err := openProgram(s.opt.Program)
	if err != nil {
		return nil, false, fmt.Errorf("the built-in image: %w", err)
	}
	defer program.Close()
	digest := program.digest()
	r, err = s.findDigest(digest)
	if err == nil && (r == nil || !s.builtinWhole(r, program)) {
		fresh = true
		r, err = s.buildBuiltin(program, digest)
	}
	if err == nil {
		err = s.point(canonical, digest)
	}
	if err != nil {
		return nil, false, fmt.Errorf("the built-in image: %w", err)
	}
	s.handedOut(r)
	s.mu.Lock()
	s.builtin = r
	s.mu.Unlock()
	return r, fresh, nil
}

// builtinWhole guards against a power cut: the files of this layer are not
// forced to disk, as they can be made again.
func (s *Store) builtinWhole(r *record, program *program) bool {
	for _, f := range program.files {
		info, err := os.Stat(filepath.Join(s.layerDir(r.Chain[0]), "fs", f.path))
		if err != nil || info.Size() != f.size {
			return false
		}
	}
	return true
}

// buildBuiltin makes layer and record.
func (s *Store) buildBuiltin(program *program, digest string) (*record, error) {
	aside, err := os.MkdirTemp(filepath.Join(s.dir, "tmp"), "builtin-")
	if err != nil {
		return nil, err
	}
	defer removeAll(aside)
	root := filepath.Join(aside, "fs")
	l := layer{Chain: digest}
	directory := func(path string, mode fs.FileMode) error {
		path = filepath.Join(root, path)
		if err := os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
			return nil
		} else if err != nil {
			return err
		}
		l.Entries++
		return os.Chmod(path, mode) // whatever the umask is
	}
	for _, path := range []string{".", "dev", "etc", "proc", "sys"} {
		if err := directory(path, 0o755); err != nil {
			return nil, err
		}
	}
	if err := directory("tmp", 0o777|fs.ModeSticky); err != nil {
		return nil, err
	}
	for path, content := range map[string]string{
		"etc/passwd": "root:x:0:0:root:/:/hello\nnobody:x:65534:65534:nobody:/:/hello\n",
		"etc/group":  "root:x:0:\nnobody:x:65534:\n",
	} {
		l.Entries++
		l.Size += int64(len(content))
		if err := writeFile(filepath.Join(root, path), 0o644, func(f *os.File) error {
			_, err := f.WriteString(content)
			return err
		}); err != nil {
			return nil, err
		}
	}
	for _, file := range program.files {
		l.Entries++
		l.Size += file.size
		to := filepath.Join(root, file.path)
		for i, c := range file.path {
			if c == '/' {
				if err := directory(file.path[:i], 0o755); err != nil {
					return nil, err
				}
			}
		}
		// A copy, not a link: a container may not get at the inode that the
		// server runs from.
		if err := writeFile(to, 0o755, func(f *os.File) error {
			n, err := io.Copy(f, file.from)
			if err == nil && n != file.size {
				err = fmt.Errorf("%s changed while it was copied", file.path)
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	if err := s.publishLayer(aside, l, false); err != nil {
		return nil, err
	}
	r := &record{
		Digest: digest, Created: s.opt.Clock().UTC(), Size: l.Size,
		Entrypoint: []string{hello.Path}, Cmd: []string{"serve"},
		Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		WorkingDir: "/",
		Chain:      []string{digest},
	}
	return r, s.writeJSON(s.imageFile(digest), r)
}

// writeFile makes a file of exactly this mode.
func writeFile(path string, mode fs.FileMode, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// digest names the image of a program: equal for equal programs, different for
// different ones.
func (p *program) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "ludgate/hello 1\n%s\n", p.identity)
	for _, f := range p.files {
		fmt.Fprintf(h, "%s %d %s\n", f.path, f.size, f.stamp)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
